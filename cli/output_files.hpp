// Files that a report is written to: opened before the work starts, replaced only when it is done.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "assay/mechanisms/core/result.hpp"

namespace assay::cli {

enum class Format { kText, kJson, kHtml };

// "text", "json" or "html".
Result<Format> parse_format(const std::string& name);

// An output file, written as FILE.part beside it and renamed at the end, so that a run that dies
// leaves an older report in place.
class OutputFile {
 public:
  // Checks that the folder takes a new file. Errors: an ending other than .txt, .json or .html; a
  // folder that is missing or not writable; a path that is a folder.
  static Result<OutputFile> open(const std::string& path);

  Format format() const { return format_; }
  const std::filesystem::path& path() const { return path_; }
  Status write(const std::string& text) const;

 private:
  OutputFile(std::filesystem::path path, Format format) : path_(std::move(path)), format_(format) {}
  std::filesystem::path path_;
  Format format_;
};

// Creates the folder, with those above it, where it is missing. Errors: a path that is no folder or
// not writable.
Status make_folder(const std::string& path);

}  // namespace assay::cli
