// Text for the terminal: words filled into lines, columns, colour. Widths are in code points.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace assay {

struct TextStyle {
  bool color = false;  // ANSI colours
  int width = 80;      // columns; at least 60 are used
};

namespace detail {

enum class Paint { kNone, kBold, kDim, kRed, kGreen, kYellow, kBlue };

// The text between ANSI codes.
std::string painted(const std::string& text, Paint paint);

std::vector<std::string> words_of(const std::string& text);

// The words of a command line, quoted stretches kept whole.
std::vector<std::string> arguments_of(const std::string& command);

// Columns of the terminal, without the codes of colours.
std::size_t shown_width(const std::string& text);

// Fills lines of at most `width` columns; a longer word has a line of its own.
std::vector<std::string> fill(const std::vector<std::string>& words, std::size_t width);

std::string padded(const std::string& text, std::size_t width);
std::string padded_left(const std::string& text, std::size_t width);

// No-break spaces have done their work once lines are filled.
std::string with_plain_spaces(std::string text);

constexpr std::size_t kKeyWidth = 12;

// A page under construction, for writers to derive from. Lines keep to the width except where one
// word is longer.
class TextPage {
 protected:
  explicit TextPage(TextStyle style);

  std::string painted(const std::string& text, Paint paint) const;
  void line(const std::string& text, Paint paint = Paint::kNone);
  void gap() { out_ += "\n"; }

  // After a gap; the aside goes on a line of its own where it does not fit.
  void heading(const std::string& text, const std::string& aside = "");

  // "Key         value", the value wrapped under itself.
  void entry(const std::string& key, const std::string& value, std::size_t indent = 0,
             Paint paint = Paint::kBold, std::size_t key_width = kKeyWidth);

  // The text wrapped under its own beginning, behind the lead.
  void hanging(const std::string& lead, const std::string& text, Paint paint = Paint::kNone);

  // The command broken with backslashes, so that it can be pasted.
  void reproduce(const std::string& command);

  std::string finish() { return with_plain_spaces(std::move(out_)); }

  bool color_;
  std::size_t width_;
  std::string out_;
};

// Of each column, with its name.
std::vector<std::size_t> column_widths(const std::vector<std::string>& names,
                                       const std::vector<std::vector<std::string>>& rows);
// One line of cells, two spaces apart, the last one as it is.
std::string table_line(const std::vector<std::string>& cells,
                       const std::vector<std::size_t>& widths);

}  // namespace detail
}  // namespace assay
