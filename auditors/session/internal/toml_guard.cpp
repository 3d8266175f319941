#include "assay/auditors/session/internal/toml_guard.hpp"

#include <algorithm>

#include "assay/auditors/text/safe_text.hpp"

namespace assay {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80U; }

bool begins_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '"' || c == '\'';
}

std::size_t after_blanks(std::string_view line, std::size_t at) {
  return std::min(line.find_first_not_of(" \t", at), line.size());
}

// The place behind the string that begins at `at`, or the end of the line if the string is not closed.
std::size_t after_string(std::string_view line, std::size_t at) {
  const char quote = line[at];
  for (++at; at < line.size() && line[at] != quote; ++at) {
    if (quote == '"' && line[at] == '\\') ++at;
  }
  return std::min(at + 1, line.size());
}

// The fault of a line; empty if it has none. `open`: the brackets of all lines that are still open.
std::string_view refusal(std::string_view line, std::string& open) {
  for (std::size_t i = 0; i < line.size();) {
    const std::size_t length = utf8_length(line, i);
    if (length == 0) return "is not UTF-8";
    i += length;
  }
  std::size_t at = after_blanks(line, 0);
  if (at < line.size() && line[at] == '[') {
    std::size_t name = at + 1;
    if (name < line.size() && line[name] == '[') ++name;
    name = after_blanks(line, name);
    if (name == line.size() || (line[name] != ']' && !begins_name(line[name]))) {
      return "must have a name after '[', as in [[step]]";
    }
  }
  int dots = 0;
  char before = '\0';  // the last character that is no blank
  while (at < line.size() && line[at] != '#') {
    const char c = line[at];
    if (c == '"' || c == '\'') {
      if (before != '\0' && std::string_view("=,[{").find(before) == std::string_view::npos) {
        return "has a quote where no string can begin";
      }
      before = c;
      if (line.substr(at, 3) == std::string(3, c)) {
        return "has a string of several lines; here every string must be on one line";
      }
      at = after_string(line, at);
      continue;
    }
    if (!is_ascii(c)) return "has a character outside ASCII that is in no string and no comment";
    if (c == '[' || c == '{') open += c;
    if (c == ']' || c == '}') {
      if (open.empty() || open.back() != (c == ']' ? '[' : '{')) {
        return "has a closing bracket that does not match an open one";
      }
      open.pop_back();
    }
    if (c == '.') ++dots;
    if (c == ',' || c == '=' || c == '[' || c == '{') dots = 0;
    if (dots > 1) return "has a key of three parts; here keys have at most two";
    if (c != ' ' && c != '\t' && c != '\r') before = c;
    ++at;
  }
  return {};
}

}  // namespace

Status check_toml_text(std::string_view text, const std::string& path) {
  if (text.substr(0, kByteOrderMark.size()) == kByteOrderMark) {
    text.remove_prefix(kByteOrderMark.size());
  }
  std::string open;
  for (long number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (const auto why = refusal(text.substr(0, end), open); !why.empty()) {
      return fail(ErrorCode::kParse, std::string(why), path, number);
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {};
}

}  // namespace assay
