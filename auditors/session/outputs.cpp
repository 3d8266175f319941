#include "assay/auditors/session/outputs.hpp"

#include <algorithm>
#include <array>

#include "assay/auditors/text/safe_text.hpp"
#include "assay/mechanisms/core/enum_table.hpp"
#include "assay/mechanisms/core/files.hpp"
#include "assay/mechanisms/core/messages.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;

struct FormatNames {
  std::string_view name;
  std::string_view ending;
};

constexpr EnumTable<Format, FormatNames, 5> kFormats{{{Format::kText, {"text", ".txt"}},
                                                      {Format::kCsv, {"csv", ".csv"}},
                                                      {Format::kJson, {"json", ".json"}},
                                                      {Format::kHtml, {"html", ".html"}},
                                                      {Format::kMarkdown, {"markdown", ".md"}}}};

// "a, b or c", of the allowed formats.
std::string listed(std::span<const Format> allowed, std::string_view FormatNames::*word) {
  return either(allowed, [&](Format format) { return entry_of(kFormats, format).*word; });
}

}  // namespace

Result<Format> parse_format(const std::string& name, std::span<const Format> allowed) {
  for (const Format format : allowed) {
    if (entry_of(kFormats, format).name == name) return format;
  }
  return fail(ErrorCode::kInvalidArgument, "--format must be " +
                                               listed(allowed, &FormatNames::name) + ", not '" +
                                               plain_text(name) + "'");
}

Status check_quiet(const RunOptions& run) {
  if (!run.quiet || run.format == "text") return {};
  return fail(ErrorCode::kInvalidArgument,
              "--quiet and --format " + plain_text(run.format) +
                  " contradict each other: --quiet prints only the headline of the text");
}

std::string_view ending_of(Format format) { return entry_of(kFormats, format).ending; }

Result<OutputFile> OutputFile::open(const std::string& path, std::span<const Format> allowed) {
  const std::string ending = fs::path(path).extension().string();
  const auto format = std::find_if(allowed.begin(), allowed.end(),
                                   [&](Format f) { return ending_of(f) == ending; });
  if (format == allowed.end()) {
    return fail(ErrorCode::kInvalidArgument,
                "--write takes a file that ends in " + listed(allowed, &FormatNames::ending), path);
  }
  if (auto status = check_replaceable(path); !status) {
    status.error().message = "cannot write the report here: " + status.error().message;
    return tl::make_unexpected(status.error());
  }
  return OutputFile(path, *format);
}

Status OutputFile::write(const std::string& text) const {
  auto status = replace_file(path_.string(), text);
  if (!status) status.error().message = "cannot write the report: " + status.error().message;
  return status;
}

Result<Outputs> Outputs::open(const RunOptions& run, std::span<const Format> allowed) {
  Outputs outputs;
  outputs.format = ASSAY_TRY(parse_format(run.format, allowed));
  ASSAY_TRY(check_quiet(run));
  outputs.quiet = run.quiet;
  for (const auto& path : run.write) {
    auto file = ASSAY_TRY(OutputFile::open(path, allowed));
    outputs.files.push_back(std::move(file));
  }
  return outputs;
}

Status make_folder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (!error && !fs::is_directory(path)) error = std::make_error_code(std::errc::not_a_directory);
  if (error) return fail(ErrorCode::kIo, "cannot make this folder: " + error.message(), path);
  return {};
}

}  // namespace assay
