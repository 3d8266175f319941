#include "assay/mechanisms/core/options.hpp"

#include <algorithm>

#include "assay/mechanisms/core/messages.hpp"

namespace assay {

bool WrittenOption::has_empty_word() const {
  return std::find(words.begin(), words.end(), "") != words.end();
}

Result<std::vector<KeyValue>> split_parameters(const std::vector<std::string>& words) {
  std::vector<KeyValue> parameters;
  for (const auto& word : words) {
    const auto equals = word.find('=');
    if (equals == std::string::npos || equals == 0) {
      return fail(ErrorCode::kParse, "-p takes key=value, not '" + word + "'");
    }
    const std::string key = word.substr(0, equals);
    for (const auto& earlier : parameters) {
      if (earlier.key == key) {
        return fail(ErrorCode::kInvalidArgument, "parameter '" + key + "' is given twice",
                    "/" + key);
      }
    }
    parameters.push_back({key, word.substr(equals + 1)});
  }
  return parameters;
}

std::string described(const OptionText& option) {
  std::vector<std::string> facts;
  const auto add = [&](const std::string& text) {
    if (!text.empty()) facts.push_back(text);
  };
  add(either(option.choices));
  add(detail::range_text(option.range, option.is_whole));
  add(option.is_repeatable && !option.is_positional ? "repeatable" : "");
  add(option.default_text.empty() ? "" : "default: " + option.default_text);
  add(option.environment.empty() ? "" : "environment: " + std::string(option.environment));
  std::string text;
  for (const auto& fact : facts) text += (text.empty() ? "" : "; ") + fact;
  return option.help + (text.empty() ? "" : " [" + text + "]");
}

namespace detail {

std::string range_text(const OptionRange& range, bool is_whole) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  if (range.low == -kNone && range.high == kNone) return {};
  const auto text = [&](double end) {
    return is_whole ? std::to_string(static_cast<std::int64_t>(end)) : number_text(end);
  };
  return (range.high == kNone ? "at least " + text(range.low)
                              : text(range.low) + " to " + text(range.high)) +
         (range.unit.empty() ? "" : " " + std::string(range.unit));
}

Status check_range(const OptionRange& range, double value, bool is_whole, std::string_view word) {
  if (value >= range.low && value <= range.high) return {};
  return fail(ErrorCode::kInvalidArgument,
              "must be " + range_text(range, is_whole) + ", not " + std::string(word));
}

Status named(const std::string& option, Status status) {
  if (!status) status.error().message = option + " " + status.error().message;
  return status;
}

Status check_known(const std::vector<WrittenOption>& written,
                   const std::vector<std::string>& known) {
  for (const auto& option : written) {
    if (std::find(known.begin(), known.end(), option.name) != known.end()) continue;
    return fail(ErrorCode::kUnknownKey,
                "unknown option '" + option.name + "'" + nearest_hint(option.name, known));
  }
  return {};
}

Status check_written(const std::vector<WrittenOption>& written,
                     const std::vector<JudgedOption>& options, const std::string& job) {
  for (const auto& option : written) {
    if (option.from_environment) continue;
    const auto row = std::find_if(options.begin(), options.end(),
                                  [&](const auto& one) { return one.name == option.name; });
    if (row != options.end() && !row->is_used) {
      return fail(
          ErrorCode::kInvalidArgument,
          option.shown + " is for " + std::string(row->purpose) + ", and has no effect on " + job);
    }
    if (option.has_empty_word()) {
      return fail(ErrorCode::kInvalidArgument, option.shown + " is given an empty value");
    }
  }
  for (const auto& option : written) {
    ASSAY_TRY(option.read);
  }
  return {};
}

void add_option(const OptionText& option, const std::vector<std::string>& words,
                CommandLine& command) {
  if (words.empty()) return;
  const std::string flag = option.flag.empty() ? "--" + option.name : std::string(option.flag);
  if (option.is_flag) {
    command.add(flag);
    return;
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool begins = static_cast<int>(i) % option.words == 0;
    if (begins && !option.is_positional) command.add(flag);
    command.add(words[i]);
  }
}

}  // namespace detail
}  // namespace assay
