// The parts of drawings in SVG: numbers, labels, lines and colours.
//
// A colour is a property of the page's style sheet, which has a value for light and one for dark screens. Outside a
// page the value for light screens is used.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay::detail {

inline constexpr double kFontSize = 12.0;
inline constexpr double kGlyphWidth =
    0.6 * kFontSize;  // of a wide sans serif, so that estimates are rather too large
inline constexpr double kBoldGlyphWidth = 0.66 * kFontSize;
inline constexpr double kLineHeight = 17.0;

inline constexpr const char* kInk = "var(--ink, #1d2126)";
inline constexpr const char* kSoftInk = "var(--soft, #59616b)";
inline constexpr const char* kGridInk = "var(--line, #dde1e5)";
inline constexpr const char* kFrameInk = "var(--frame, #838b94)";
inline constexpr const char* kPaperInk = "var(--paper, #ffffff)";

// A coordinate with at most two decimals.
std::string svg_number(double value);

double label_width(const std::string& label, double glyph = kGlyphWidth);

// The text in lines of at most this width, which end between words. A longer word is cut.
std::vector<std::string> wrapped_label(const std::string& text, double width,
                                       double glyph = kGlyphWidth);

enum class Anchor { kStart, kMiddle, kEnd };

struct TextLook {
  Anchor anchor = Anchor::kStart;
  const char* colour = kInk;
  bool bold = false;
  bool halo = false;  // a rim in the colour of the page, for text over data
};
std::string text_element(double x, double y, const std::string& body_markup, TextLook look);

std::string line_element(double x1, double y1, double x2, double y2, const std::string& attributes);

struct SvgFrame {
  std::string id;
  std::string title;
  std::string description;
  double width = 0.0;
  double height = 0.0;
  bool narrow = false;  // a second drawing, with the title and description of the first
};
std::string open_svg(const SvgFrame& frame);

}  // namespace assay::detail
