#include "assay/cli/output_files.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

fs::path part_of(const fs::path& path) { return path.string() + ".part"; }

}  // namespace

Result<Format> parse_format(const std::string& name) {
  if (name == "text") return Format::kText;
  if (name == "json") return Format::kJson;
  if (name == "html") return Format::kHtml;
  return fail(ErrorCode::kInvalidArgument, "format must be text, json or html, not '" + name + "'",
              "/format");
}

Result<OutputFile> OutputFile::open(const std::string& path) {
  const std::string ending = fs::path(path).extension().string();
  Format format = Format::kText;
  if (ending == ".json") {
    format = Format::kJson;
  } else if (ending == ".html") {
    format = Format::kHtml;
  } else if (ending != ".txt") {
    return fail(ErrorCode::kInvalidArgument,
                "--write takes a file that ends in .txt, .json or .html", path);
  }
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    return fail(ErrorCode::kIo, "cannot write the report here: it is a folder", path);
  }
  std::ofstream probe(part_of(path));
  if (!probe) {
    return fail(ErrorCode::kIo,
                std::string("cannot write the report here: ") + std::strerror(errno), path);
  }
  probe.close();
  fs::remove(part_of(path), ignored);
  return OutputFile(path, format);
}

Status OutputFile::write(const std::string& text) const {
  const fs::path part = part_of(path_);
  std::ofstream out(part, std::ios::binary);
  out << text;
  out.close();
  std::error_code error;
  if (out) fs::rename(part, path_, error);
  if (!out || error) {
    return fail(
        ErrorCode::kIo,
        "cannot write the report: " + (error ? error.message() : std::string(std::strerror(errno))),
        path_.string());
  }
  return {};
}

Status make_folder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (!error && !fs::is_directory(path)) error = std::make_error_code(std::errc::not_a_directory);
  if (error) return fail(ErrorCode::kIo, "cannot make this folder: " + error.message(), path);
  return {};
}

}  // namespace assay::cli
