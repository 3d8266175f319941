// Files that a report is written to: opened before the work starts, replaced only when it is done.
#pragma once

#include <array>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/auditors/session/run_options.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

enum class Format { kText, kCsv, kJson, kHtml, kMarkdown };

// Of most reports; those with curves add CSV.
inline constexpr std::array kReportFormats = {Format::kText, Format::kJson, Format::kHtml};

// "text", "csv", "json", "html" or "markdown", of those allowed.
Result<Format> parse_format(const std::string& name,
                            std::span<const Format> allowed = kReportFormats);

// Refuses `quiet` beside a format that is not text.
Status check_quiet(const RunOptions& run);

// ".txt", ".csv", ".json", ".html" or ".md".
std::string_view ending_of(Format format);

// An output file, replaced as a whole (mechanisms/core/files.hpp), so that a run that dies leaves an
// older report in place. A link stays and the file behind it is replaced; a device or a named pipe is
// written to.
class OutputFile {
 public:
  // Checks that the folder takes a new file, and changes nothing. Errors: an ending of none of the allowed
  // formats; a folder that is missing or not writable; a path that is a folder or not writable.
  static Result<OutputFile> open(const std::string& path,
                                 std::span<const Format> allowed = kReportFormats);

  Format format() const { return format_; }
  const std::filesystem::path& path() const { return path_; }
  Status write(const std::string& text) const;

 private:
  OutputFile(std::filesystem::path path, Format format) : path_(std::move(path)), format_(format) {}
  std::filesystem::path path_;
  Format format_;
};

// Where the report of a run goes: stdout in one format, and files.
struct Outputs {
  Format format = Format::kText;
  bool quiet = false;  // of the text on stdout the headline alone
  std::vector<OutputFile> files;

  static Result<Outputs> open(const RunOptions& run,
                              std::span<const Format> allowed = kReportFormats);
};

// Creates the folder, with those above it, where it is missing. Errors: a path that is no folder or
// not writable.
Status make_folder(const std::string& path);

}  // namespace assay
