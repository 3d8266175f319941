// Small plots as values: a Figure of Panels of Series, written as one self-contained <svg>.
//
//     Figure figure{"profile", "Privacy profile", "a description for readers who cannot see it"};
//     Panel panel;
//     panel.x.label = "eps";
//     panel.y = {"delta", Scale::kLog};
//     panel.series.push_back(
//         Series::line("claim", eps, delta, {Colour::kVermillion, Dash::kDashed}));
//     figure.panels.push_back(panel);
//     std::string svg = to_svg(figure);
//
// Colours are close to those of Okabe and Ito, which colour-blind readers can distinguish. The style sheet of a page
// defines them for light and dark screens, each with a contrast of at least 3 to 1. Every series should differ from
// its neighbours in dash or marker as well, so that a grey print can be read too. The SVG has no scripts, style
// sheets or external references. Its ids start with the figure's id, so that several figures can share one page.
// Strings are escaped here, so pass them raw. Values that are not finite leave a gap. The same figure gives the
// same bytes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "assay/auditors/text/plot_axis.hpp"

namespace assay {

enum class Colour { kBlack, kGrey, kOrange, kSkyBlue, kGreen, kBlue, kVermillion, kPurple };
enum class Dash { kSolid, kDashed, kDotted, kDashDot };
enum class Marker { kNone, kCircle, kSquare, kTriangle, kDiamond, kCross };

struct Style {
  Colour colour = Colour::kBlack;
  Dash dash = Dash::kSolid;
  Marker marker = Marker::kNone;
  double width = 1.8;     // of the line; a marker is 5 times as wide as the line
  double fill = 0.0;      // opacity of the area between the line and the bottom, or inside a band
  int marker_stride = 1;  // points from one marker to the next
};

enum class SeriesKind { kLine, kMarkers, kSteps, kBand, kInterval };

struct Series {
  SeriesKind kind = SeriesKind::kLine;
  std::string name;        // in the legend; empty for none
  std::vector<double> x;   // kSteps: one edge more than heights
  std::vector<double> y;   // kBand: the lower edge
  std::vector<double> y2;  // kBand: the upper edge
  Style style;

  static Series line(std::string name, std::vector<double> x, std::vector<double> y, Style style);
  static Series markers(std::string name, std::vector<double> x, std::vector<double> y,
                        Style style);
  // A histogram: heights[i] from edges[i] to edges[i + 1].
  static Series steps(std::string name, std::vector<double> edges, std::vector<double> heights,
                      Style style);
  static Series band(std::string name, std::vector<double> x, std::vector<double> low,
                     std::vector<double> high, Style style);
  // A bar along the x axis at this y. An end that is infinite or beyond the axis has the head of an arrow.
  static Series interval(std::string name, double low, double high, double y, Style style);
};

// A straight line across the panel, with its label beside it. The marker of a vertical rule is at its foot.
struct Rule {
  enum class Along { kVertical, kHorizontal };
  Along along = Along::kVertical;
  double at = 0.0;
  std::string label;
  Style style;
};

struct Panel {
  std::string title;
  Axis x;
  Axis y;
  std::vector<Series> series;
  std::vector<Rule> rules;
  double plot_height = 230.0;  // of the area inside the axes
};

struct Figure {
  std::string id;           // letters, digits and '-'; unique on the page
  std::string title;        // for screen readers, not shown
  std::string description;  // for screen readers: the contents of the figure, with its main numbers
  std::vector<Panel> panels = {};
  int columns = 1;  // panels fill rows from the left
  double width = 520.0;
};

std::string to_svg(const Figure& figure);
// The same for a telephone, with all panels in one column. It shares the title and description of to_svg's drawing,
// which has to be on the same page.
std::string to_narrow_svg(const Figure& figure);

// A small bar for an interval, with a mark at the allowed value, for a cell of a table.
std::string bar_svg(double lower, double upper, std::optional<double> allowed);

// "var(--blue, #0063a6)": the page's colour, or else the one for light screens.
std::string colour_code(Colour colour);

// A column of numbers for a series: one number of every row.
template <class T>
std::vector<double> column(const std::vector<T>& rows, double T::*member) {
  std::vector<double> out;
  out.reserve(rows.size());
  for (const T& row : rows) out.push_back(row.*member);
  return out;
}

}  // namespace assay
