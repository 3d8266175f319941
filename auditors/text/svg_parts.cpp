#include "assay/auditors/text/internal/svg_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "assay/auditors/text/safe_text.hpp"
#include "assay/auditors/text/text_layout.hpp"

namespace assay::detail {

std::string svg_number(double value) {
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

double label_width(const std::string& label, double glyph) {
  return glyph * static_cast<double>(column_count(label));
}

std::vector<std::string> wrapped_label(const std::string& text, double width, double glyph) {
  const std::string plain = plain_text(text);
  if (label_width(plain, glyph) <= width) return {plain};
  const auto columns = static_cast<std::size_t>(std::max(8.0, width / glyph));
  std::vector<std::string> words;
  for (std::string word : words_of(plain)) {
    if (column_count(word) <= columns) {
      words.push_back(std::move(word));
      continue;
    }
    std::string part;
    for (std::size_t i = 0, shown = 0; i < word.size(); ++shown) {
      if (shown == columns) {
        words.push_back(std::move(part));
        part.clear();
        shown = 0;
      }
      const std::size_t length = std::max<std::size_t>(1, utf8_length(word, i));
      part += word.substr(i, length);
      i += length;
    }
    words.push_back(std::move(part));
  }
  return fill(words, columns);
}

std::string text_element(double x, double y, const std::string& body_markup, TextLook look) {
  constexpr std::array<const char*, 3> kAnchors = {"start", "middle", "end"};
  return fmt::format(
      "<text x=\"{}\" y=\"{}\"{}{} fill=\"{}\"{}{}>{}</text>\n", svg_number(x), svg_number(y),
      look.anchor == Anchor::kStart ? "" : " text-anchor=\"",
      look.anchor == Anchor::kStart
          ? ""
          : std::string(kAnchors[static_cast<std::size_t>(look.anchor)]) + "\"",
      look.colour, look.bold ? " font-weight=\"bold\"" : "",
      look.halo
          ? fmt::format(" stroke=\"{}\" stroke-width=\"3.5\" paint-order=\"stroke\"", kPaperInk)
          : "",
      body_markup);
}

std::string line_element(double x1, double y1, double x2, double y2,
                         const std::string& attributes) {
  return fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" {}/>\n", svg_number(x1),
                     svg_number(y1), svg_number(x2), svg_number(y2), attributes);
}

std::string open_svg(const SvgFrame& frame) {
  const std::string id = markup_text(frame.id);
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" id=\"{0}{4}\"{5} role=\"img\" "
      "aria-labelledby=\"{0}-title {0}-desc\" viewBox=\"0 0 {1} {2}\" width=\"{1}\" height=\"{2}\" "
      "font-family=\"system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', Arial, "
      "sans-serif\" font-size=\"{3}\">\n",
      id, svg_number(frame.width), svg_number(frame.height), svg_number(kFontSize),
      frame.narrow ? "-narrow" : "", frame.narrow ? " class=\"narrow\"" : "");
  if (frame.narrow) return out;
  return out + fmt::format(
                   "<title id=\"{0}-title\">{1}</title>\n"
                   "<desc id=\"{0}-desc\">{2}</desc>\n",
                   id, markup_text(frame.title), markup_text(frame.description));
}

}  // namespace assay::detail
