#include "assay/auditors/text/text_layout.hpp"

#include <string_view>
#include <utility>

#include "assay/auditors/text/safe_text.hpp"
#include "assay/mechanisms/core/enum_table.hpp"

namespace assay::detail {
namespace {

constexpr EnumTable<Paint, std::string_view, 6> kEscapeCodes{{{Paint::kBold, "\x1b[1m"},
                                                              {Paint::kDim, "\x1b[2m"},
                                                              {Paint::kRed, "\x1b[1;31m"},
                                                              {Paint::kGreen, "\x1b[1;32m"},
                                                              {Paint::kYellow, "\x1b[1;33m"},
                                                              {Paint::kBlue, "\x1b[1;34m"}}};

// Quoted parts stay whole.
std::vector<std::string> arguments_of(const std::string& command) {
  std::vector<std::string> words;
  std::string word;
  char quote = 0;
  for (const char c : command + " ") {
    if (c == ' ' && quote == 0) {
      if (!word.empty()) words.push_back(std::move(word));
      word.clear();
      continue;
    }
    if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
    } else if (c == quote) {
      quote = 0;
    }
    word += c;
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

// An option that has its value in the next argument, if any: no number, and not --option=value.
bool takes_a_value(const std::string& word) {
  return word.size() > 1 && word[0] == '-' &&
         word.find_first_of("0123456789.=") == std::string::npos;
}

}  // namespace

std::string painted(const std::string& text, Paint paint) {
  if (paint == Paint::kNone || text.empty()) return text;
  return std::string(entry_of(kEscapeCodes, paint)) + text + "\x1b[0m";
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : text + " ") {
    if (c != ' ') {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  return words;
}

std::vector<std::string> command_parts(const std::string& command, std::size_t width) {
  std::vector<std::string> parts;
  bool open = false;  // the last part is an option without its value
  for (std::string& word : arguments_of(command)) {
    const bool is_option = takes_a_value(word);
    if (open && !is_option && shown_width(parts.back()) + 1 + shown_width(word) <= width) {
      parts.back() += " " + word;
    } else {
      parts.push_back(std::move(word));
    }
    open = is_option;
  }
  return parts;
}

std::size_t shown_width(const std::string& text) {
  std::size_t codes = 0;
  for (auto at = text.find('\x1b'); at != std::string::npos; at = text.find('\x1b', at + 1)) {
    codes += text.find('m', at) + 1 - at;
  }
  return column_count(text) - codes;
}

std::vector<std::string> fill(const std::vector<std::string>& words, std::size_t width) {
  std::vector<std::string> lines(1);
  for (const std::string& word : words) {
    std::string& line = lines.back();
    if (line.empty()) {
      line = word;
    } else if (shown_width(line) + 1 + shown_width(word) <= width) {
      line += " " + word;
    } else {
      lines.push_back(word);
    }
  }
  return lines;
}

std::string broken_command(const std::string& command, std::size_t width, std::size_t indent) {
  std::string out;
  for (const std::string& line : fill(command_parts(command, width), width)) {
    out += (out.empty() ? "" : " \\\n" + std::string(indent, ' ')) + line;
  }
  return out;
}

}  // namespace assay::detail
