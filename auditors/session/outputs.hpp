// The files of a report. They are checked before the work starts, and replaced only when it is done.
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

// The formats of most reports. Reports with curves add CSV.
inline constexpr std::array kReportFormats = {Format::kText, Format::kJson, Format::kHtml};

// Reads "text", "csv", "json", "html" or "markdown". Errors: another name, or a format that is not allowed.
Result<Format> parse_format(const std::string& name,
                            std::span<const Format> allowed = kReportFormats);

// Error: `quiet` with a format that is not text.
Status check_quiet(const RunOptions& run);

// ".txt", ".csv", ".json", ".html" or ".md".
std::string_view ending_of(Format format);

// An output file, replaced as a whole (mechanisms/core/files.hpp), so that a command that dies leaves an older
// report in place. If the path is a link, the link stays and the file behind it is replaced. A device or a
// named pipe is written to.
class OutputFile {
 public:
  // Checks that the file can be replaced, and changes nothing. Errors: an ending of none of the allowed formats,
  // a folder that is missing or not writable, a path that is a folder or not writable.
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

// The destinations of a report: stdout in one format, and files.
struct Outputs {
  Format format = Format::kText;
  bool quiet = false;  // only the headline of the text goes to stdout,
  bool full = true;    // or only what a reader needs first
  std::vector<OutputFile> files;

  static Result<Outputs> open(const RunOptions& run,
                              std::span<const Format> allowed = kReportFormats);
};

// Creates the folder and those above it, if they are missing. Errors: a path that is not a folder, or not writable.
Status make_folder(const std::string& path);

}  // namespace assay
