#include "assay/auditors/text/svg_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "assay/auditors/text/internal/svg_parts.hpp"
#include "assay/auditors/text/safe_text.hpp"
#include "assay/mechanisms/core/enum_table.hpp"

namespace assay {
namespace {

using detail::Anchor;
using detail::kBoldGlyphWidth;
using detail::kFrameInk;
using detail::kGridInk;
using detail::kInk;
using detail::kLineHeight;
using detail::kSoftInk;
using detail::label_width;
using detail::line_element;
using detail::svg_number;
using detail::text_element;
using detail::wrapped_label;

constexpr double kColumnGap = 26.0;
constexpr double kRowGap = 14.0;
constexpr double kSampleWidth = 30.0;   // of a legend entry's line
constexpr double kClipSlack = 1.5;      // lines on the frame keep their width
constexpr double kNarrowWidth = 362.0;  // inside the margins of a telephone
constexpr double kTallPanel = 150.0;    // a panel above this is lower on a telephone

std::string number(double value) { return svg_number(value); }

constexpr EnumTable<Dash, std::string_view, 4> kDashes{
    {{Dash::kSolid, ""},
     {Dash::kDashed, " stroke-dasharray=\"7 4\""},
     {Dash::kDotted, " stroke-dasharray=\"1.5 3.5\""},
     {Dash::kDashDot, " stroke-dasharray=\"9 3 2 3\""}}};

std::string stroke_attributes(const Style& style) {
  return fmt::format("fill=\"none\" stroke=\"{}\" stroke-width=\"{}\"{}", colour_code(style.colour),
                     number(style.width), entry_of(kDashes, style.dash));
}

// Tick labels write powers as 10^-6; the part after ^ is raised. Minus signs are typographic.
std::string tick_body(std::string label) {
  for (auto at = label.find('-'); at != std::string::npos; at = label.find('-', at)) {
    label.replace(at, 1, "\xE2\x88\x92");
  }
  const auto power = label.find('^');
  if (power == std::string::npos) return markup_text(label);
  return markup_text(label.substr(0, power)) + "<tspan dy=\"-4.5\" font-size=\"9.5\">" +
         markup_text(label.substr(power + 1)) + "</tspan>";
}

// One marker, as commands of a path.
std::string marker_path(Marker marker, double x, double y, double radius) {
  const auto at = [&](double dx, double dy) {
    return number(x + dx * radius) + " " + number(y + dy * radius);
  };
  switch (marker) {
    case Marker::kNone:
      return "";
    case Marker::kCircle:
      return fmt::format("M{0}A{2} {2} 0 1 1 {1}A{2} {2} 0 1 1 {0}Z", at(-1, 0), at(1, 0),
                         number(radius));
    case Marker::kSquare:
      return "M" + at(-0.9, -0.9) + "H" + number(x + 0.9 * radius) + "V" +
             number(y + 0.9 * radius) + "H" + number(x - 0.9 * radius) + "Z";
    case Marker::kTriangle:
      return "M" + at(0, -1.2) + "L" + at(1.1, 0.8) + "L" + at(-1.1, 0.8) + "Z";
    case Marker::kDiamond:
      return "M" + at(0, -1.3) + "L" + at(1.3, 0) + "L" + at(0, 1.3) + "L" + at(-1.3, 0) + "Z";
    case Marker::kCross:
      return "M" + at(-1, -1) + "L" + at(1, 1) + "M" + at(-1, 1) + "L" + at(1, -1);
  }
  return "";
}

std::string marker_element(const Style& style, const std::string& path) {
  if (path.empty()) return "";
  const std::string colour = colour_code(style.colour);
  if (style.marker == Marker::kCross) {
    return fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\"/>\n", path,
                       colour, number(style.width));
  }
  return fmt::format("<path d=\"{}\" fill=\"{}\"/>\n", path, colour);
}

double marker_radius(const Style& style) { return 2.5 * style.width; }

// ---- legend ------------------------------------------------------------------------------------

struct LegendEntry {
  std::size_t series;  // its place among the panel's series
  std::vector<std::string> lines;
  double x;
  int row;
};
struct Legend {
  std::vector<LegendEntry> entries;
  int rows = 0;
};

Legend place_legend(const Panel& panel, double width) {
  constexpr double kBeforeName = kSampleWidth + 6.0, kBetween = 12.0;
  Legend legend;
  double x = 0.0;
  int row = 0;
  for (std::size_t i = 0; i < panel.series.size(); ++i) {
    const Series& series = panel.series[i];
    if (series.name.empty()) continue;
    auto lines = wrapped_label(series.name, width - kBeforeName);
    double longest = 0.0;
    for (const std::string& line : lines) longest = std::max(longest, label_width(line));
    const double needed = kBeforeName + longest + kBetween;
    if (x > 0.0 && x + needed - kBetween > width) {
      x = 0.0;
      row = legend.rows;
    }
    legend.rows = std::max(legend.rows, row + static_cast<int>(lines.size()));
    legend.entries.push_back({i, std::move(lines), x, row});
    x += needed;
  }
  return legend;
}

std::vector<std::string> title_lines(const Panel& panel, double width) {
  if (panel.title.empty()) return {};
  return wrapped_label(panel.title, width, kBoldGlyphWidth);
}

double height_of(const std::vector<std::string>& lines) {
  return lines.empty() ? 0.0 : kLineHeight * static_cast<double>(lines.size()) + 3.0;
}

std::string legend_sample(const Series& series, double x, double y) {
  const Style& style = series.style;
  std::string out;
  const bool filled = series.kind == SeriesKind::kBand || series.kind == SeriesKind::kSteps;
  if (filled && style.fill > 0.0) {
    out += fmt::format(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"10\" fill=\"{}\" "
        "fill-opacity=\"{}\"/>\n",
        number(x), number(y - 5), number(kSampleWidth), colour_code(style.colour),
        number(style.fill));
  }
  if (series.kind == SeriesKind::kBand) {
    const std::string look = stroke_attributes(style);
    out += line_element(x, y - 5, x + kSampleWidth, y - 5, look);
    out += line_element(x, y + 5, x + kSampleWidth, y + 5, look);
  } else if (series.kind != SeriesKind::kMarkers) {
    const double edge = filled && style.fill > 0.0 ? y - 5 : y;
    out += line_element(x, edge, x + kSampleWidth, edge, stroke_attributes(style));
  }
  return out + marker_element(style, marker_path(style.marker, x + 0.5 * kSampleWidth, y,
                                                 marker_radius(style)));
}

// ---- panels ------------------------------------------------------------------------------------

std::vector<double> x_data(const Panel& panel) {
  std::vector<double> data;
  for (const Series& s : panel.series) data.insert(data.end(), s.x.begin(), s.x.end());
  for (const Rule& rule : panel.rules) {
    if (rule.along == Rule::Along::kVertical) data.push_back(rule.at);
  }
  return data;
}

std::vector<double> y_data(const Panel& panel) {
  std::vector<double> data;
  for (const Series& s : panel.series) {
    data.insert(data.end(), s.y.begin(), s.y.end());
    data.insert(data.end(), s.y2.begin(), s.y2.end());
    if (s.kind == SeriesKind::kSteps) data.push_back(0.0);  // bars begin at zero
  }
  for (const Rule& rule : panel.rules) {
    if (rule.along == Rule::Along::kHorizontal) data.push_back(rule.at);
  }
  return data;
}

int y_tick_count(const Panel& panel) {
  const double spacing = panel.y.whole ? 16.0 : 32.0;
  return std::clamp(static_cast<int>(panel.plot_height / spacing), 2, 8);
}

AxisRange y_range(const Panel& panel) {
  const AxisRange range = axis_range(panel.y, y_data(panel));
  return widened_to_ticks(panel.y, range, y_tick_count(panel));
}

double widest_label(const std::vector<Tick>& ticks) {
  double widest = 0.0;
  for (const Tick& tick : ticks) widest = std::max(widest, label_width(tick.label));
  return widest;
}

bool labels_fit(const Axis& axis, AxisRange range, const std::vector<Tick>& ticks, double width) {
  double free_from = -std::numeric_limits<double>::infinity();
  for (const Tick& tick : ticks) {
    if (tick.label.empty()) continue;
    const double centre = width * axis_position(axis.scale, range, tick.value);
    const double half = 0.5 * label_width(tick.label);
    if (centre - half < free_from) return false;
    free_from = centre + half + 8.0;
  }
  return true;
}

std::vector<Tick> fitting_x_ticks(const Axis& axis, AxisRange range, double width) {
  std::vector<Tick> ticks;
  for (int wanted = 10; wanted >= 1; --wanted) {
    ticks = axis_ticks(axis, range, wanted);
    if (labels_fit(axis, range, ticks, width)) break;
  }
  return ticks;
}

// A panel with all its lengths, in coordinates of the figure.
class PanelDrawing {
 public:
  PanelDrawing(const Panel& panel, double x, double width, double left_margin, double header)
      : panel_(panel),
        x_range_(axis_range(panel.x, x_data(panel))),
        y_range_(y_range(panel)),
        x_(x),
        panel_width_(width),
        left_(x + left_margin),
        width_(width - left_margin - right_margin()),
        header_(header) {}

  // Height of title, legend and the name of the y axis.
  static double header_height(const Panel& panel, double width) {
    return height_of(title_lines(panel, width)) + place_legend(panel, width).rows * kLineHeight +
           (panel.y.label.empty() ? 0.0 : kLineHeight + 3.0) + 8.0;
  }
  static double footer_height(const Panel& panel) {
    return kLineHeight + (panel.x.label.empty() ? 0.0 : kLineHeight) + 4.0;
  }
  static double left_margin(const Panel& panel) {
    // The first label of the other axis may be at its very beginning.
    return std::max(10.0 + widest_label(axis_ticks(panel.y, y_range(panel), y_tick_count(panel))),
                    0.5 * widest_label(axis_ticks(panel.x, axis_range(panel.x, x_data(panel)), 5)));
  }

  std::string draw(double y) {
    top_ = y + header_;
    return "<g class=\"panel\">\n" + title_and_legend(y) + grid() + data() + frame() + overlay() +
           "</g>\n";
  }

 private:
  double right_margin() const {
    const double margin = std::max(10.0, 0.5 * widest_label(axis_ticks(panel_.x, x_range_, 5)));
    const double width = panel_width_ - (left_ - x_) - margin;
    // The labels of more ticks may be longer.
    const auto ticks = fitting_x_ticks(panel_.x, x_range_, width);
    if (ticks.empty()) return margin;
    const double end = width * axis_position(panel_.x.scale, x_range_, ticks.back().value) +
                       0.5 * label_width(ticks.back().label);
    return std::max(margin, margin + end - (width + margin));
  }

  double to_x(double value) const {
    return left_ + width_ * axis_position(panel_.x.scale, x_range_, value);
  }
  double to_y(double value) const {
    return top_ + panel_.plot_height * (1.0 - axis_position(panel_.y.scale, y_range_, value));
  }
  double bottom() const { return top_ + panel_.plot_height; }

  std::string title_and_legend(double y) const {
    std::string out;
    const auto title = title_lines(panel_, panel_width_);
    for (std::size_t i = 0; i < title.size(); ++i) {
      out += text_element(x_, y + 13.0 + static_cast<double>(i) * kLineHeight,
                          markup_text(title[i]), {Anchor::kStart, kInk, true});
    }
    y += height_of(title);
    const Legend legend = place_legend(panel_, panel_width_);
    for (const LegendEntry& entry : legend.entries) {
      const double middle = y + entry.row * kLineHeight + 8.0;
      out += fmt::format("<g data-key=\"{}\">\n", entry.series) +
             legend_sample(panel_.series[entry.series], x_ + entry.x, middle) + "</g>\n";
      for (std::size_t i = 0; i < entry.lines.size(); ++i) {
        out += text_element(x_ + entry.x + kSampleWidth + 6.0,
                            middle + 4.0 + static_cast<double>(i) * kLineHeight,
                            markup_text(entry.lines[i]), {});
      }
    }
    if (!panel_.y.label.empty()) {
      out += text_element(x_, y + legend.rows * kLineHeight + 14.0, markup_text(panel_.y.label),
                          {Anchor::kStart, kSoftInk});
    }
    return out;
  }

  std::string grid() const {
    std::string out;
    const std::string look = fmt::format("stroke=\"{}\" stroke-width=\"1\"", kGridInk);
    for (const Tick& tick : axis_ticks(panel_.y, y_range_, y_tick_count(panel_))) {
      const double y = to_y(tick.value);
      if (!tick.label.empty()) {
        out += line_element(left_, y, left_ + width_, y, look);
        out += text_element(left_ - 7.0, y + 4.0, tick_body(tick.label), {Anchor::kEnd, kSoftInk});
      }
    }
    const std::string mark = fmt::format("stroke=\"{}\" stroke-width=\"1\"", kFrameInk);
    for (const Tick& tick : fitting_x_ticks(panel_.x, x_range_, width_)) {
      const double x = to_x(tick.value);
      out += line_element(x, bottom(), x, bottom() + (tick.label.empty() ? 2.5 : 4.5), mark);
      if (tick.label.empty()) continue;
      out += text_element(x, bottom() + 17.0, tick_body(tick.label), {Anchor::kMiddle, kSoftInk});
    }
    if (!panel_.x.label.empty()) {
      out += text_element(left_ + 0.5 * width_, bottom() + 17.0 + kLineHeight,
                          markup_text(panel_.x.label), {Anchor::kMiddle, kSoftInk});
    }
    return out;
  }

  // Lines and areas, clipped by a nested viewport (which needs no id).
  std::string data() const {
    std::string areas;
    std::string lines;
    for (std::size_t i = 0; i < panel_.series.size(); ++i) {
      const Series& s = panel_.series[i];
      if (s.kind == SeriesKind::kBand) {
        areas += of_series(i, band(s));
      } else if (s.kind == SeriesKind::kSteps) {
        areas += of_series(i, step_area(s));
        lines += of_series(i, stroke(s, step_points(s)));
      } else if (s.kind == SeriesKind::kLine) {
        lines += of_series(i, stroke(s, line_points(s.x, s.y)));
      }
    }
    const double x = left_ - kClipSlack;
    const double y = top_ - kClipSlack;
    const double w = width_ + 2.0 * kClipSlack;
    const double h = panel_.plot_height + 2.0 * kClipSlack;
    return fmt::format(
               "<svg x=\"{0}\" y=\"{1}\" width=\"{2}\" height=\"{3}\" "
               "viewBox=\"{0} {1} {2} {3}\" overflow=\"hidden\">\n",
               number(x), number(y), number(w), number(h)) +
           areas + lines + "</svg>\n";
  }

  // Markers and rules. Labels of rules may reach over the frame.
  std::string overlay() const {
    std::string out;
    int vertical = 0;
    for (const Rule& rule : panel_.rules) {
      if (!inside(rule)) continue;
      const bool is_vertical = rule.along == Rule::Along::kVertical;
      out += is_vertical ? vertical_rule(rule, vertical++) : horizontal_rule(rule);
    }
    for (std::size_t i = 0; i < panel_.series.size(); ++i) {
      const Series& s = panel_.series[i];
      out += of_series(i, s.kind == SeriesKind::kInterval ? interval(s) : markers(s));
    }
    return out;
  }

  static std::string of_series(std::size_t index, const std::string& body_markup) {
    if (body_markup.empty()) return "";
    return fmt::format("<g data-series=\"{}\">\n{}</g>\n", index, body_markup);
  }

  std::string frame() const {
    const std::string look = fmt::format("stroke=\"{}\" stroke-width=\"1\"", kFrameInk);
    std::string out;
    if (!panel_.y.hidden) out += line_element(left_, top_, left_, bottom(), look);
    if (!panel_.x.hidden) out += line_element(left_, bottom(), left_ + width_, bottom(), look);
    return out;
  }

  bool inside(const Rule& rule) const {
    const bool is_vertical = rule.along == Rule::Along::kVertical;
    const double at = is_vertical ? axis_position(panel_.x.scale, x_range_, rule.at)
                                  : axis_position(panel_.y.scale, y_range_, rule.at);
    return at >= 0.0 && at <= 1.0;
  }

  // Labels of vertical rules are below each other, on the side with enough room.
  std::string vertical_rule(const Rule& rule, int index) const {
    const double x = to_x(rule.at);
    const double room = x_ + panel_width_ - x - 6.0;
    const bool left_side =
        label_width(rule.label) > room || (x > left_ + 0.6 * width_ && x - x_ > room);
    std::string out = line_element(x, top_, x, bottom(), stroke_attributes(rule.style));
    if (rule.style.marker != Marker::kNone) {
      Style whole = rule.style;
      whole.width = 1.8;
      out +=
          marker_element(whole, marker_path(whole.marker, x, bottom() - 5.0, marker_radius(whole)));
    }
    if (rule.label.empty()) return out;
    return out + text_element(x + (left_side ? -6.0 : 6.0), top_ + 12.0 + index * 15.0,
                              markup_text(rule.label),
                              {left_side ? Anchor::kEnd : Anchor::kStart, kInk, false, true});
  }

  // From its low to its high end. An end that is infinite, or beyond the axis, is an arrow.
  std::string interval(const Series& s) const {
    if (s.x.size() != 2 || s.y.empty() || std::isnan(s.x[0]) || std::isnan(s.x[1])) return "";
    constexpr double kHalf = 8.0;  // of the bar's height
    const double y = to_y(s.y[0]);
    const auto place = [&](double value) {
      if (!std::isfinite(value)) return value > 0.0 ? 2.0 : -1.0;
      return axis_position(panel_.x.scale, x_range_, value);
    };
    const bool beyond_low = place(s.x[0])<0.0, beyond_high = place(s.x[1])> 1.0;
    double from = left_ + width_ * std::clamp(place(s.x[0]), 0.0, 1.0);
    double to = left_ + width_ * std::clamp(place(s.x[1]), 0.0, 1.0);
    if (to - from < 4.0) {  // still to be seen
      from = 0.5 * (from + to) - 2.0;
      to = from + 4.0;
    }
    const std::string colour = colour_code(s.style.colour);
    std::string out = fmt::format(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\" "
        "fill-opacity=\"{}\"/>\n",
        number(from), number(y - kHalf), number(to - from), number(2.0 * kHalf), colour,
        number(s.style.fill));
    const std::string look = stroke_attributes(s.style);
    out += line_element(beyond_low ? from + 6.0 : from, y, beyond_high ? to - 6.0 : to, y, look);
    const auto end = [&](double x, bool beyond, double inward) {
      if (!beyond) return line_element(x, y - kHalf, x, y + kHalf, look);
      return fmt::format("<path d=\"M{} {}L{} {}L{} {}Z\" fill=\"{}\"/>\n", number(x), number(y),
                         number(x + inward * 11.0), number(y - 6.5), number(x + inward * 11.0),
                         number(y + 6.5), colour);
    };
    return out + end(from, beyond_low, 1.0) + end(to, beyond_high, -1.0);
  }

  std::string horizontal_rule(const Rule& rule) const {
    const double y = to_y(rule.at);
    return line_element(left_, y, left_ + width_, y, stroke_attributes(rule.style)) +
           text_element(left_ + width_ - 4.0, y < top_ + 18.0 ? y + 14.0 : y - 6.0,
                        markup_text(rule.label), {Anchor::kEnd, kInk, false, true});
  }

  std::string markers(const Series& s) const {
    if (s.style.marker == Marker::kNone || s.kind == SeriesKind::kBand) return "";
    std::string path;
    const auto stride = static_cast<std::size_t>(std::max(s.style.marker_stride, 1));
    for (std::size_t i = stride - 1; i < std::min(s.x.size(), s.y.size()); i += stride) {
      const double fx = axis_position(panel_.x.scale, x_range_, s.x[i]);
      const double fy = axis_position(panel_.y.scale, y_range_, s.y[i]);
      if (!(fx >= 0.0 && fx <= 1.0 && fy >= 0.0 && fy <= 1.0)) continue;
      path += marker_path(s.style.marker, to_x(s.x[i]), to_y(s.y[i]), marker_radius(s.style));
    }
    return marker_element(s.style, path);
  }

  // Path commands through the points. A value that is not finite starts a new part of the path, and points that
  // print alike are written once.
  std::string line_points(const std::vector<double>& x, const std::vector<double>& y) const {
    std::string path;
    std::string last;
    bool pen_down = false;
    for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
      if (!std::isfinite(x[i]) || !std::isfinite(y[i])) {
        pen_down = false;
        continue;
      }
      const std::string point = number(to_x(x[i])) + " " + number(to_y(y[i]));
      if (pen_down && point == last) continue;
      path += (pen_down ? "L" : "M") + point;
      last = point;
      pen_down = true;
    }
    return path;
  }

  std::string step_points(const Series& s) const {
    if (s.y.empty() || s.x.size() != s.y.size() + 1) return "";
    std::string path = "M" + number(to_x(s.x[0])) + " " + number(bottom());
    for (std::size_t i = 0; i < s.y.size(); ++i) {
      path += "V" + number(to_y(s.y[i])) + "H" + number(to_x(s.x[i + 1]));
    }
    return path + "V" + number(bottom());
  }

  std::string step_area(const Series& s) const {
    const std::string path = step_points(s);
    if (path.empty() || s.style.fill <= 0.0) return "";
    return fmt::format("<path d=\"{}Z\" fill=\"{}\" fill-opacity=\"{}\"/>\n", path,
                       colour_code(s.style.colour), number(s.style.fill));
  }

  std::string band(const Series& s) const {
    const std::string low = line_points(s.x, s.y);
    const std::string high = line_points(s.x, s.y2);
    if (low.empty() || high.empty()) return "";
    std::string area = high;
    const std::size_t n = std::min({s.x.size(), s.y.size(), s.y2.size()});
    for (std::size_t i = n; i-- > 0;) {
      if (!std::isfinite(s.x[i]) || !std::isfinite(s.y[i])) continue;
      area += "L" + number(to_x(s.x[i])) + " " + number(to_y(s.y[i]));
    }
    return fmt::format("<path d=\"{}Z\" fill=\"{}\" fill-opacity=\"{}\"/>\n", area,
                       colour_code(s.style.colour), number(s.style.fill)) +
           stroke(s, low) + stroke(s, high);
  }

  static std::string stroke(const Series& s, const std::string& path) {
    if (path.empty() || s.style.width <= 0.0) return "";
    return fmt::format("<path d=\"{}\" {} stroke-linejoin=\"round\"/>\n", path,
                       stroke_attributes(s.style));
  }

  const Panel& panel_;
  AxisRange x_range_;
  AxisRange y_range_;
  double x_;
  double panel_width_;
  double left_;
  double width_;
  double header_;
  double top_ = 0.0;
};

}  // namespace

Series Series::line(std::string name, std::vector<double> x, std::vector<double> y, Style style) {
  return {SeriesKind::kLine, std::move(name), std::move(x), std::move(y), {}, style};
}

Series Series::markers(std::string name, std::vector<double> x, std::vector<double> y,
                       Style style) {
  return {SeriesKind::kMarkers, std::move(name), std::move(x), std::move(y), {}, style};
}

Series Series::steps(std::string name, std::vector<double> edges, std::vector<double> heights,
                     Style style) {
  return {SeriesKind::kSteps, std::move(name), std::move(edges), std::move(heights), {}, style};
}

Series Series::band(std::string name, std::vector<double> x, std::vector<double> low,
                    std::vector<double> high, Style style) {
  return {SeriesKind::kBand, std::move(name), std::move(x), std::move(low), std::move(high), style};
}

Series Series::interval(std::string name, double low, double high, double y, Style style) {
  return {SeriesKind::kInterval, std::move(name), {low, high}, {y}, {}, style};
}

std::string colour_code(Colour colour) {
  constexpr EnumTable<Colour, std::string_view, 8> kCodes{
      {{Colour::kBlack, "var(--ink, #1d2126)"},
       {Colour::kGrey, "var(--grey, #6f7780)"},
       {Colour::kOrange, "var(--orange, #c08000)"},
       {Colour::kSkyBlue, "var(--sky, #3093d1)"},
       {Colour::kGreen, "var(--green, #008a63)"},
       {Colour::kBlue, "var(--blue, #0063a6)"},
       {Colour::kVermillion, "var(--vermillion, #cc4b00)"},
       {Colour::kPurple, "var(--purple, #b35a90)"}}};
  return std::string(entry_of(kCodes, colour));
}

namespace {

std::string drawn_svg(const Figure& figure, bool narrow) {
  const auto columns = static_cast<std::size_t>(std::max(figure.columns, 1));
  const double gaps = kColumnGap * static_cast<double>(columns - 1);
  const double width = (figure.width - gaps) / static_cast<double>(columns);
  std::vector<double> margins(columns, 0.0);  // the same for a column of panels, to align x axes
  for (std::size_t i = 0; i < figure.panels.size(); ++i) {
    double& margin = margins[i % columns];
    margin = std::max(margin, PanelDrawing::left_margin(figure.panels[i]));
  }
  std::string body;
  double y = 0.0;
  for (std::size_t row = 0; row < figure.panels.size(); row += columns) {
    const std::size_t end = std::min(row + columns, figure.panels.size());
    double header = 0.0;
    double below = 0.0;
    for (std::size_t i = row; i < end; ++i) {
      const Panel& panel = figure.panels[i];
      header = std::max(header, PanelDrawing::header_height(panel, width));
      below = std::max(below, panel.plot_height + PanelDrawing::footer_height(panel));
    }
    for (std::size_t i = row; i < end; ++i) {
      const double x = static_cast<double>(i - row) * (width + kColumnGap);
      body += PanelDrawing(figure.panels[i], x, width, margins[i - row], header).draw(y);
    }
    y += header + below + (end < figure.panels.size() ? kRowGap : 0.0);
  }
  return detail::open_svg({figure.id, figure.title, figure.description, figure.width, y, narrow}) +
         body + "</svg>\n";
}

}  // namespace

std::string to_svg(const Figure& figure) { return drawn_svg(figure, false); }

std::string to_narrow_svg(const Figure& figure) {
  Figure narrow = figure;
  narrow.width = kNarrowWidth;
  narrow.columns = 1;
  for (Panel& panel : narrow.panels) {
    if (panel.plot_height > kTallPanel) {
      panel.plot_height = std::max(kTallPanel, 0.8 * panel.plot_height);
    }
  }
  return drawn_svg(narrow, true);
}

std::string bar_svg(double lower, double upper, std::optional<double> allowed) {
  constexpr double kWidth = 150.0, kMiddle = 8.0, kArrow = 7.0;
  const double most = allowed.value_or(0.0);
  double end = std::max(most, std::isfinite(upper) ? upper : 2.0 * lower);
  end = std::isfinite(end) && end > 0.0 ? 1.1 * end : 1.0;
  const auto at = [&](double value) { return kWidth * std::clamp(value / end, 0.0, 1.0); };
  const Colour colour = allowed && lower > most    ? Colour::kVermillion
                        : allowed && upper <= most ? Colour::kGreen
                                                   : Colour::kGrey;
  const bool has_end = std::isfinite(upper);
  const double from = at(lower), to = has_end ? std::max(at(upper), from + 3.0) : kWidth - kArrow;
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"bar\" aria-hidden=\"true\" width=\"{0}\" "
      "height=\"16\" viewBox=\"0 0 {0} 16\"><path d=\"M0 {1}H{0}\" fill=\"none\" stroke=\"{2}\"/>"
      "<path d=\"M{3} 4H{4}V12H{3}Z",
      number(kWidth), number(kMiddle), kFrameInk, number(from), number(to));
  if (!has_end) out += fmt::format("M{} 1L{} 8L{} 15Z", number(to), number(kWidth), number(to));
  out += fmt::format("\" fill=\"{}\"/>", colour_code(colour));
  if (allowed) {
    out += fmt::format("<path d=\"M{0} 0V16\" fill=\"none\" stroke=\"{1}\" stroke-width=\"2\"/>",
                       number(at(most)), kInk);
  }
  return out + "</svg>";
}

}  // namespace assay
