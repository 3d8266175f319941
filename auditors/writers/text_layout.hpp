// Text for the terminal: words filled into lines, columns, colour. Widths are in code points.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace assay::detail {

enum class Paint { kNone, kBold, kDim, kRed, kGreen, kYellow, kBlue };

// The text between ANSI codes.
std::string painted(const std::string& text, Paint paint);

std::vector<std::string> words_of(const std::string& text);

// The words of a command line, quoted stretches kept whole.
std::vector<std::string> arguments_of(const std::string& command);

// Fills lines of at most `width` columns; a longer word has a line of its own.
std::vector<std::string> fill(const std::vector<std::string>& words, std::size_t width);

std::string padded(const std::string& text, std::size_t width);
std::string padded_left(const std::string& text, std::size_t width);

// No-break spaces have done their work once lines are filled.
std::string with_plain_spaces(std::string text);

}  // namespace assay::detail
