#include "assay/auditors/text/probability_grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "assay/auditors/text/internal/svg_parts.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/auditors/text/safe_text.hpp"
#include "assay/auditors/text/svg_plot.hpp"
#include "assay/mechanisms/core/contains.hpp"

namespace assay {
namespace {

using detail::Anchor;
using detail::kInk;
using detail::kLineHeight;
using detail::kSoftInk;
using detail::label_width;
using detail::svg_number;
using detail::text_element;

constexpr double kGridWidth = 1040.0, kNarrowGridWidth = 362.0;
constexpr double kLeastCell = 20.0, kMostCell = 76.0, kCellHeight = 34.0;
constexpr double kHeading = 20.0;  // of a strip: the names of its columns
constexpr double kGap = 3.0;       // between cells
constexpr std::string_view kCellGround = "var(--shade, #f4f6f8)";

class GridDrawing {
 public:
  GridDrawing(const ProbabilityGrid& grid, double width) : grid_(grid), width_(width) {
    double longest = label_width(grid.row_label);
    for (const std::string& row : grid.rows) longest = std::max(longest, label_width(row));
    left_ = std::min(longest, 0.35 * width) + 8.0;
    for (const std::string& column : grid.columns) {
      cell_ = std::max(cell_, std::min(label_width(column) + 4.0, kMostCell));
    }
    const double room = width - left_;
    const auto columns = static_cast<double>(std::max<std::size_t>(1, grid.columns.size()));
    cell_ = std::clamp(room / columns, cell_, kMostCell);
    in_strip_ = std::max<std::size_t>(1, static_cast<std::size_t>(room / cell_));
  }

  std::string draw(bool narrow) {
    std::string body = legend();
    for (std::size_t first = 0; first < grid_.columns.size(); first += in_strip_) {
      body += strip(first, std::min(first + in_strip_, grid_.columns.size()));
    }
    return detail::open_svg(
               {grid_.id, grid_.title, grid_.description, width_, y_ - kLineHeight, narrow}) +
           body + "</svg>\n";
  }

 private:
  static std::string bar(double x, double y, double width, double height, Colour colour) {
    return fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>",
                       svg_number(x), svg_number(y), svg_number(width), svg_number(height),
                       colour_code(colour));
  }

  static std::string bars(double x, double y, double width, double height, ProbabilityPair pair) {
    const double half = 0.5 * width - 1.5;
    const auto one = [&](double at, double p, Colour colour) {
      if (!(p > 0.0 && p <= 1.0)) return std::string();
      const double high = std::max(1.0, p * (height - 2.0));
      return bar(at, y + height - 1.0 - high, half, high, colour);
    };
    return one(x + 1.0, pair.base, Colour::kBlue) +
           one(x + 0.5 * width + 0.5, pair.neighbour, Colour::kOrange);
  }

  static std::string cell_box(double x, double y, double width, double height, bool chosen) {
    return fmt::format(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"2\" fill=\"{}\"{}/>",
        svg_number(x), svg_number(y), svg_number(width), svg_number(height), kCellGround,
        chosen ? fmt::format(" stroke=\"{}\" stroke-width=\"1.6\"", kInk) : "");
  }

  // A triangle whose tip is at (x, y), from below.
  static std::string change_mark(double x, double y) {
    return fmt::format("<path d=\"M{} {}l5 8h-10Z\" fill=\"{}\"/>", svg_number(x), svg_number(y),
                       colour_code(Colour::kVermillion));
  }

  std::string legend() {
    std::string out;
    double x = 0.0;
    y_ = 0.0;
    const auto entry = [&](const std::string& words, auto sample) {
      if (x > 0.0 && x + 24.0 + label_width(words) > width_) {
        x = 0.0;
        y_ += kLineHeight;
      }
      out += sample(x, y_) + "\n" + text_element(x + 24.0, y_ + 12.0, words, {});
      x += 24.0 + label_width(words) + 14.0;
    };
    entry("on D",
          [](double at, double y) { return bar(at + 2.0, y + 2.0, 7.0, 12.0, Colour::kBlue); });
    entry("on D\xE2\x80\xB2",
          [](double at, double y) { return bar(at + 10.0, y + 2.0, 7.0, 12.0, Colour::kOrange); });
    if (!grid_.chosen.empty()) {
      entry(grid_.chosen_label,
            [](double at, double y) { return cell_box(at + 2.0, y + 2.0, 15.0, 12.0, true); });
    }
    if (grid_.changed) {
      entry("inputs differ", [](double at, double y) { return change_mark(at + 10.0, y + 4.0); });
    }
    y_ += kLineHeight + 6.0;
    return out;
  }

  std::string strip(std::size_t first, std::size_t last) {
    std::string out =
        text_element(0.0, y_ + 14.0, label(grid_.row_label, left_), {Anchor::kStart, kSoftInk});
    const double top = y_ + kHeading;
    for (std::size_t r = 0; r < grid_.rows.size(); ++r) {
      out += text_element(left_ - 8.0, top + row_height() * static_cast<double>(r) + 21.0,
                          label(grid_.rows[r], left_), {Anchor::kEnd, kSoftInk});
    }
    for (std::size_t c = first; c < last; ++c) out += column(c, c - first, top);
    const double bottom = top + row_height() * static_cast<double>(grid_.rows.size());
    const bool is_marked = grid_.changed && first <= *grid_.changed && *grid_.changed < last;
    out += text_element(left_, bottom + (is_marked ? 22.0 : 12.0),
                        label(grid_.column_label, width_ - left_), {Anchor::kStart, kSoftInk});
    y_ = bottom + (is_marked ? 2.5 : 2.0) * kLineHeight;
    return out;
  }

  static double row_height() { return kCellHeight + kGap; }

  static std::string chance(double p) { return p >= 0.0 && p <= 1.0 ? rounded(p, 3) : "unknown"; }

  static std::string label(const std::string& text, double width) {
    auto lines = detail::wrapped_label(text, width - 6.0);
    return markup_text(lines.front()) + (lines.size() > 1 ? "\xE2\x80\xA6" : "");
  }

  std::string column(std::size_t c, std::size_t place, double top) const {
    const double x = left_ + cell_ * static_cast<double>(place);
    const bool changed = grid_.changed == c;
    std::string out = text_element(x + 0.5 * (cell_ - kGap), top - 6.0,
                                   label(grid_.columns[c], std::max(cell_, 14.0) + 6.0),
                                   {Anchor::kMiddle, changed ? kInk : kSoftInk, changed});
    const auto& cells = grid_.cells.size() > c ? grid_.cells[c] : std::vector<ProbabilityPair>();
    for (std::size_t r = 0; r < std::min(cells.size(), grid_.rows.size()); ++r) {
      const double y = top + row_height() * static_cast<double>(r);
      const bool chosen = c < grid_.chosen.size() && contains(grid_.chosen[c], r);
      const std::string row =
          grid_.row_label.empty()
              ? ""
              : fmt::format(", {} {}", markup_text(grid_.row_label), markup_text(grid_.rows[r]));
      out += fmt::format("<g><title>{} {}{}: {} on D, {} on D\xE2\x80\xB2</title>",
                         markup_text(grid_.column_label), markup_text(grid_.columns[c]), row,
                         chance(cells[r].base), chance(cells[r].neighbour));
      out += cell_box(x, y, cell_ - kGap, kCellHeight, chosen) +
             bars(x, y, cell_ - kGap, kCellHeight, cells[r]) + "</g>\n";
    }
    if (changed) {
      const double bottom = top + row_height() * static_cast<double>(grid_.rows.size());
      out += change_mark(x + 0.5 * (cell_ - kGap), bottom) + "\n";
    }
    return out;
  }

  const ProbabilityGrid& grid_;
  double width_;
  double left_ = 0.0;
  double cell_ = kLeastCell;
  std::size_t in_strip_ = 1;
  double y_ = 0.0;
};

}  // namespace

std::string to_svg(const ProbabilityGrid& grid) {
  return GridDrawing(grid, kGridWidth).draw(false);
}

std::string to_narrow_svg(const ProbabilityGrid& grid) {
  return GridDrawing(grid, kNarrowGridWidth).draw(true);
}

}  // namespace assay
