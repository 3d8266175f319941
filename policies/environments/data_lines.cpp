#include "assay/policies/environments/data_lines.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

namespace assay::detail {

namespace {

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

}  // namespace

Result<std::vector<DataLine>> read_data_lines(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  const auto unreadable = [&] {
    return fail(ErrorCode::kIo,
                std::string("cannot be read: ") +
                    (errno != 0 ? std::strerror(errno) : "the system gives no reason"),
                path);
  };
  if (!file) return unreadable();
  std::vector<DataLine> lines;
  long blank = 0;
  std::string text;
  for (long number = 1; std::getline(file, text); ++number) {
    if (number == 1 && text.rfind("\xEF\xBB\xBF", 0) == 0) text.erase(0, 3);
    const auto content = trimmed(text);
    if (content.empty()) {
      if (blank == 0) blank = number;
    } else if (content.front() != '#') {
      if (blank != 0) {
        return fail(ErrorCode::kParse, "is blank; blank lines may only come last", path, blank);
      }
      lines.push_back({number, std::string(content)});
    }
  }
  if (file.bad()) return unreadable();
  return lines;
}

std::optional<std::vector<std::string>> split_fields(std::string_view line) {
  std::vector<std::string> fields;
  std::size_t at = 0;
  for (;;) {
    std::string field;
    while (at < line.size() && (line[at] == ' ' || line[at] == '\t')) ++at;
    if (at < line.size() && line[at] == '"') {
      for (++at;; ++at) {
        if (at == line.size()) return std::nullopt;
        if (line[at] == '"') {
          if (at + 1 == line.size() || line[at + 1] != '"') break;
          ++at;
        }
        field += line[at];
      }
      ++at;  // the closing quote
      const auto rest = line.substr(at, line.find(',', at) - at);
      if (!trimmed(rest).empty()) return std::nullopt;
      at += rest.size();
    } else {
      const auto rest = line.substr(at, line.find(',', at) - at);
      field = trimmed(rest);
      at += rest.size();
    }
    fields.push_back(std::move(field));
    if (at >= line.size()) return fields;
    ++at;  // the comma
  }
}

}  // namespace assay::detail
