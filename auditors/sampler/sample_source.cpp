#include "assay/auditors/sampler/sample_source.hpp"

#include <algorithm>
#include <charconv>

#include "assay/auditors/text/rounding.hpp"
#include "assay/auditors/text/safe_text.hpp"
#include "assay/mechanisms/core/files.hpp"
#include "assay/policies/external/child_environment.hpp"

namespace assay {
namespace {

constexpr std::size_t kShownColumns = 40;  // of a line in an error

std::string replaced(std::string text, const std::string& place, const std::string& value) {
  for (std::size_t at = text.find(place); at != std::string::npos;
       at = text.find(place, at + value.size())) {
    text.replace(at, place.size(), value);
  }
  return text;
}

std::string_view trimmed(std::string_view line) {
  const auto first = line.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return line.substr(first, line.find_last_not_of(" \t\r") + 1 - first);
}

// A line's number; nothing for a line without one. The error does not say which line.
Result<std::optional<double>> number_of_line(std::string_view line) {
  const std::string_view text = trimmed(line);
  if (text.empty() || text.front() == '#') return std::optional<double>();
  const std::string_view digits = text.front() == '+' ? text.substr(1) : text;
  double value = 0.0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool is_whole_line = end == digits.data() + digits.size() && !digits.empty();
  if (is_whole_line && error == std::errc()) return std::optional(value);
  if (is_whole_line && error == std::errc::result_out_of_range) {
    return fail(ErrorCode::kParse, "has a number outside the range of doubles, '" +
                                       plain_text(text.substr(0, kShownColumns)) + "'");
  }
  return fail(ErrorCode::kParse, "must be one number, not '" +
                                     plain_text(text.substr(0, kShownColumns)) +
                                     (text.size() > kShownColumns ? "..." : "") + "'");
}

}  // namespace

Result<ProgramSamples> ProgramSamples::create(const SamplerProgram& program) {
  ASSAY_TRY(split_command(program.command));
  return ProgramSamples(program);
}

Status ProgramSamples::start(const RunControl& control) {
  std::string command =
      replaced(program_.command, "{seed}",
               std::to_string(program_.seed + static_cast<std::uint64_t>(starts_)));
  if (program_.samples) {
    command = replaced(command, "{samples}", std::to_string(*program_.samples));
  }
  const auto words = ASSAY_TRY(split_command(command));
  ChildLimits limits = program_.limits;
  limits.line_bytes = std::size_t{1} << 20;
  limits.cancel = control.cancel;
  limits.deadline = control.deadline;
  auto child = ChildProcess::start(words, limits);
  if (!child) {
    if (starts_ == 0) child.error().message += environment_advice(limits.environment);
    return tl::make_unexpected(child.error());
  }
  child_ = std::move(*child);
  ++starts_;
  line_ = numbers_ = 0;
  return {};
}

Status ProgramSamples::add_lines(std::string_view text, std::vector<double>& out) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    ++line_;
    const auto value = number_of_line(text.substr(0, end));
    if (!value) {
      return fail(ErrorCode::kTarget, "line " + std::to_string(line_) +
                                          " of the program's standard output " +
                                          value.error().message);
    }
    if (*value) {
      ++numbers_;
      out.push_back(**value);
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {};
}

Status ProgramSamples::read(std::size_t wanted, const RunControl& control,
                            std::vector<double>& out) {
  const auto take = [&] {
    const auto more =
        left_.begin() + static_cast<std::ptrdiff_t>(std::min(left_.size(), wanted - out.size()));
    out.insert(out.end(), left_.begin(), more);
    left_.erase(left_.begin(), more);
  };
  take();
  while (out.size() < wanted) {
    if (control.stopped()) return {};
    if (!child_) {
      const auto started = start(control);
      if (!started && started.error().code == ErrorCode::kInterrupted) return {};
      if (!started) return started;
    }
    auto lines = child_->listen();
    if (!lines) {
      Error error = lines.error();
      child_.reset();
      if (error.code == ErrorCode::kInterrupted) return {};
      if (error.code == ErrorCode::kTarget) error.message = "the program " + error.message;
      return tl::make_unexpected(std::move(error));
    }
    if (auto added = add_lines(*lines, left_); !added) {
      return tl::make_unexpected(child_->finish_with(added.error()));
    }
    if (child_->has_ended()) {
      child_.reset();
      if (numbers_ == 0) {
        return fail(ErrorCode::kTarget,
                    "the program ended with status 0 without a number on standard output; it must "
                    "write numbers, one a line");
      }
    }
    take();
    control.report("samples", static_cast<double>(out.size()) / static_cast<double>(wanted),
                   grouped(static_cast<long long>(out.size())) + " samples");
  }
  return {};
}

Result<std::vector<double>> read_samples(const std::string& path,
                                         const std::optional<std::int64_t>& most) {
  auto in = ASSAY_TRY(LineFile::open(path == "-" ? "/dev/stdin" : path));
  std::vector<double> out;
  const auto wanted = static_cast<std::size_t>(most.value_or(kMostSamples));
  std::string line;
  for (long number = 1; !most || out.size() < wanted; ++number) {
    const auto more = ASSAY_TRY(in.next(line));
    if (!more) break;
    const auto value = number_of_line(line);
    if (!value) return fail(ErrorCode::kParse, value.error().message, path, number);
    if (!*value) continue;
    if (out.size() == wanted) {
      return fail(ErrorCode::kLimit,
                  "has more than " + grouped(kMostSamples) +
                      " numbers; read the first of them "
                      "with --samples",
                  path);
    }
    out.push_back(**value);
  }
  return out;
}

}  // namespace assay
