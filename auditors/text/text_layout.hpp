// Text for the terminal: filled lines, columns and colour. Widths are in code points.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace assay {

struct TextStyle {
  bool color = false;  // ANSI colours
  int width = 80;      // columns; at least 60 are used
  bool full = true;    // with checks, evidence and provenance
};

namespace detail {

enum class Paint { kNone, kBold, kDim, kRed, kGreen, kYellow, kBlue };

// The text between ANSI codes.
std::string painted(const std::string& text, Paint paint);

std::vector<std::string> words_of(const std::string& text);

// The parts of a command line between which a line may end: arguments, and options with their values where both fit
// into `width` columns. Quoted parts stay whole.
std::vector<std::string> command_parts(const std::string& command, std::size_t width);

// The width of a text in columns of the terminal, without the codes of colours.
std::size_t shown_width(const std::string& text);

// Fills lines of at most `width` columns; a longer word has a line of its own.
std::vector<std::string> fill(const std::vector<std::string>& words, std::size_t width);

// A command line on lines of at most `width` columns, the later ones indented and all but the last with a backslash
// behind, so that it can be pasted.
std::string broken_command(const std::string& command, std::size_t width, std::size_t indent);

constexpr std::size_t kKeyWidth = 12;  // of "Reproduce" and the labels above it

}  // namespace detail
}  // namespace assay
