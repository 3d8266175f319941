#include "assay/auditors/text/text_layout.hpp"

#include <algorithm>
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

std::string padded(const std::string& text, std::size_t width) {
  const std::size_t used = column_count(text);
  return used < width ? text + std::string(width - used, ' ') : text;
}

std::string padded_left(const std::string& text, std::size_t width) {
  const std::size_t used = column_count(text);
  return used < width ? std::string(width - used, ' ') + text : text;
}

std::string with_plain_spaces(std::string text) {
  constexpr std::string_view kNoBreakSpace = "\xC2\xA0";
  for (auto at = text.find(kNoBreakSpace); at != std::string::npos;
       at = text.find(kNoBreakSpace, at)) {
    text.replace(at, kNoBreakSpace.size(), " ");
  }
  return text;
}

TextPage::TextPage(TextStyle style)
    : color_(style.color), width_(static_cast<std::size_t>(std::max(style.width, 60))) {}

std::string TextPage::painted(const std::string& text, Paint paint) const {
  return color_ ? detail::painted(text, paint) : text;
}

void TextPage::line(const std::string& text, Paint paint) { out_ += painted(text, paint) + "\n"; }

void TextPage::heading(const std::string& text, const std::string& aside) {
  gap();
  out_ += painted(text, Paint::kBold);
  if (!aside.empty()) {
    const bool fits = column_count(text) + 2 + column_count(aside) <= width_;
    out_ += (fits ? "  " : "\n  ") + painted(aside, Paint::kDim);
  }
  gap();
}

void TextPage::entry(const std::string& key, const std::string& value, std::size_t indent,
                     Paint paint, std::size_t key_width) {
  std::string label = key;
  for (const auto& part : fill(words_of(plain_text(value)), width_ - indent - key_width)) {
    const std::size_t used = std::min(key_width, column_count(label));
    out_ += std::string(indent, ' ') + painted(label, paint) + std::string(key_width - used, ' ');
    line(part);
    label.clear();
  }
}

void TextPage::hanging(const std::string& lead, const std::string& text, Paint paint) {
  std::string before = lead;
  for (const auto& part : fill(words_of(plain_text(text)), width_ - column_count(lead))) {
    line(before + part, paint);
    before = std::string(column_count(lead), ' ');
  }
}

void TextPage::reproduce(const std::string& command) {
  const auto lines = fill(arguments_of(plain_text(command)), width_ - kKeyWidth - 4);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string label = i == 0 ? "Reproduce" : "";
    line(painted(label, Paint::kBold) + std::string(kKeyWidth - label.size(), ' ') +
         (i == 0 ? "" : "  ") + lines[i] + (i + 1 < lines.size() ? " \\" : ""));
  }
}

std::vector<std::size_t> column_widths(const std::vector<std::string>& names,
                                       const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& name : names) widths.push_back(column_count(name));
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], column_count(row[i]));
    }
  }
  return widths;
}

std::string table_line(const std::vector<std::string>& cells,
                       const std::vector<std::size_t>& widths) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    line += i + 1 < cells.size() ? padded(cells[i], widths[i] + 2) : cells[i];
  }
  return line;
}

}  // namespace assay::detail
