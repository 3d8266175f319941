
#include "assay/auditors/text/probability_grid.hpp"
#include "assay/auditors/text/svg_plot.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/tests/support/property_testing.hpp"

namespace assay {
namespace {

std::vector<std::string> labels(const std::vector<Tick>& ticks) {
  std::vector<std::string> out;
  for (const Tick& tick : ticks) {
    if (!tick.label.empty()) out.push_back(tick.label);
  }
  return out;
}

Axis log_axis() { return Axis{.scale = Scale::kLog}; }

double value_of(std::string label) {
  std::erase(label, ',');
  const auto power = label.find('^');
  return power == std::string::npos ? std::stod(label) : std::stod("1e" + label.substr(power + 1));
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

// The d attribute of the first path after `mark`.
std::string path_after(const std::string& svg, const std::string& mark) {
  const auto at = svg.find(" d=\"", svg.find(mark)) + 4;
  return svg.substr(at, svg.find('"', at) - at);
}

Figure one_panel(Series series) {
  Figure figure{"f", "title", "description"};
  Panel panel;
  panel.x.low = 0.0;
  panel.x.high = 1.0;
  panel.y.low = 0.0;
  panel.y.high = 1.0;
  panel.series.push_back(std::move(series));
  figure.panels.push_back(std::move(panel));
  return figure;
}

TEST(LinearTicks, LieOnRoundNumbersAndReadAsTheirValues) {
  EXPECT_THAT(labels(axis_ticks({}, {0.0, 1.0}, 5)),
              ElementsAre("0", "0.2", "0.4", "0.6", "0.8", "1.0"));
  EXPECT_THAT(labels(axis_ticks({}, {-3.0, 7.0}, 5)), ElementsAre("-2", "0", "2", "4", "6"));
  EXPECT_THAT(labels(axis_ticks({}, {0.0, 100000.0}, 4)), ElementsAre("0", "50,000", "100,000"));
  EXPECT_EQ(axis_ticks({}, {0.0, 0.9}, 3)[1].value, 0.5);
}

TEST(LinearTicks, OfWholeNumbersNeverFallBetween) {
  Axis axis{.whole = true};
  EXPECT_THAT(labels(axis_ticks(axis, {0.5, 3.5}, 10)), ElementsAre("1", "2", "3"));
}

TEST(LogTicks, LabelDecadesAtAStrideThatFits) {
  EXPECT_THAT(labels(axis_ticks(log_axis(), {1e-12, 1.0}, 4)),
              ElementsAre("10^-12", "10^-9", "10^-6", "10^-3", "1"));
  EXPECT_THAT(labels(axis_ticks(log_axis(), {0.01, 10.0}, 8)),
              ElementsAre("0.01", "0.1", "1", "10"));
}

TEST(LogTicks, OfAShortRangeLabelMultiplesOfOneTwoFive) {
  EXPECT_THAT(labels(axis_ticks(log_axis(), {1.0, 20.0}, 5)),
              ElementsAre("1", "2", "5", "10", "20"));
  EXPECT_THAT(labels(axis_ticks(log_axis(), {4000.0, 50000.0}, 5)),
              ElementsAre("5000", "10,000", "20,000", "50,000"));
  EXPECT_THAT(labels(axis_ticks(log_axis(), {1000.0, 1e6}, 8)),
              ElementsAre("1000", "10,000", "100,000", "1,000,000"));
}

TEST(LogTicks, HaveUnlabelledOnesBetween) {
  EXPECT_EQ(axis_ticks(log_axis(), {1.0, 100.0}, 5).size(), 19U);
}

RC_GTEST_PROP(LinearTicks, AreExactDecimalsInsideTheRangeInAboutTheWantedNumber, ()) {
  const double low = 1e-3 * *rc::gen::inRange(-1000000, 1000000);
  const double span = std::pow(10.0, 0.01 * *rc::gen::inRange(-300, 800));
  const int wanted = *rc::gen::inRange(2, 12);
  const AxisRange range{low, low + span};
  const auto ticks = axis_ticks({}, range, wanted);
  RC_ASSERT(ticks.size() <= static_cast<std::size_t>(wanted) + 1);
  RC_ASSERT(3 * ticks.size() + 2 >= static_cast<std::size_t>(wanted));
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    RC_ASSERT(ticks[i].value >= range.low - 1e-6 * span);
    RC_ASSERT(ticks[i].value <= range.high + 1e-6 * span);
    RC_ASSERT(value_of(ticks[i].label) == ticks[i].value);
    // Not i == 0 || ...: RC_ASSERT evaluates both sides to print them.
    if (i > 0) RC_ASSERT(ticks[i].value > ticks[i - 1].value);
  }
}

RC_GTEST_PROP(LogTicks, ReadAsTheirValuesAndAreNeverCrowded, ()) {
  const double low = std::pow(10.0, 0.01 * *rc::gen::inRange(-3000, 500));
  const double high = low * std::pow(10.0, 0.01 * *rc::gen::inRange(100, 4000));
  const int wanted = *rc::gen::inRange(2, 9);
  std::size_t labelled = 0;
  for (const Tick& tick : axis_ticks(log_axis(), {low, high}, wanted)) {
    RC_ASSERT(tick.value >= low * (1.0 - 1e-8) && tick.value <= high * (1.0 + 1e-8));
    if (tick.label.empty()) continue;
    ++labelled;
    RC_ASSERT(value_of(tick.label) == tick.value);
  }
  RC_ASSERT(labelled <= std::max<std::size_t>(7U, static_cast<std::size_t>(wanted) + 1));
}

TEST(AxisRange, IgnoresWhatTheScaleCannotShow) {
  const AxisRange range = axis_range(log_axis(), {0.0, -1.0, kNaN, 0.01, 10.0});
  EXPECT_EQ(range.low, 0.01);
  EXPECT_EQ(range.high, 10.0);
}

TEST(AxisRange, IsNeverEmpty) {
  Axis pinned{.low = 2.0};
  for (const auto& data : {std::vector<double>{}, {3.0}, {0.0, 0.0}, {-1.0}}) {
    for (const Axis& axis : {Axis{}, pinned, log_axis()}) {
      const AxisRange range = axis_range(axis, data);
      EXPECT_LT(range.low, range.high);
      EXPECT_EQ(range.low, axis.low.value_or(range.low));
    }
  }
}

// Ticks at steps of a rounding error would never end.
TEST(AxisRange, ValuesThatDifferByRoundingCountAsOne) {
  const std::vector<double> data = {0.9999999999999999, 1.0000000000000002};
  for (const Axis& axis : {Axis{}, Axis{.low = data[0], .high = data[1]}, log_axis()}) {
    const AxisRange range = axis_range(axis, data);
    EXPECT_GT(range.high - range.low, 0.1);
    EXPECT_LE(axis_ticks(axis, range, 5).size(), 30U);
  }
}

TEST(AxisRange, WidensToTheNextTickOnlyWhereTheDataDecides) {
  Axis axis{.low = 0.3};
  const AxisRange range = widened_to_ticks(axis, {0.3, 9.1}, 5);
  EXPECT_EQ(range.low, 0.3);
  EXPECT_EQ(range.high, 10.0);
  EXPECT_DOUBLE_EQ(widened_to_ticks(log_axis(), {3e-5, 0.4}, 5).low, 1e-5);
  EXPECT_DOUBLE_EQ(widened_to_ticks(log_axis(), {3e-5, 0.4}, 5).high, 1.0);
}

TEST(AxisPosition, IsLinearOrLogarithmic) {
  EXPECT_DOUBLE_EQ(axis_position(Scale::kLinear, {2.0, 4.0}, 3.5), 0.75);
  EXPECT_DOUBLE_EQ(axis_position(Scale::kLog, {0.01, 100.0}, 10.0), 0.75);
  EXPECT_LT(axis_position(Scale::kLog, {0.01, 100.0}, 0.0), 0.0);
}

TEST(SvgPlot, PutsPointsWhereTheAxesSay) {
  const std::string svg = to_svg(one_panel(Series::line("", {0.0, 0.5, 1.0}, {0.0, 1.0, 0.0}, {})));
  double x0 = 0, y0 = 0, x1 = 0, y1 = 0, x2 = 0, y2 = 0;
  ASSERT_EQ(std::sscanf(path_after(svg, "overflow").c_str(), "M%lf %lfL%lf %lfL%lf %lf", &x0, &y0,
                        &x1, &y1, &x2, &y2),
            6);
  EXPECT_NEAR(x1 - x0, x2 - x1, 0.02);
  EXPECT_NEAR(y0 - y1, 230.0, 0.02);  // the default height of a panel
  EXPECT_EQ(y0, y2);
}

TEST(SvgPlot, LeavesAGapWhereAValueIsNotFinite) {
  const std::string svg = to_svg(
      one_panel(Series::line("", {0.0, 0.2, 0.4, 0.6, 0.8}, {0.1, 0.2, kNaN, 0.3, 0.4}, {})));
  EXPECT_EQ(count(path_after(svg, "overflow"), "M"), 2U);
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
}

TEST(SvgPlot, DrawsMarkersInsideTheAxesOnly) {
  Style style{.marker = Marker::kCircle};
  const std::string svg =
      to_svg(one_panel(Series::markers("", {0.5, 2.0, 0.5}, {0.5, 0.5, -1.0}, style)));
  EXPECT_EQ(count(path_after(svg, "</svg>"), "Z"), 1U);
}

TEST(SvgPlot, OfStepsStandsOnTheBottomAndSpansItsEdges) {
  const std::string path = path_after(
      to_svg(one_panel(Series::steps("", {0.0, 0.5, 1.0}, {0.25, 0.75}, {}))), "overflow");
  EXPECT_EQ(count(path, "H"), 2U);
  EXPECT_EQ(count(path, "V"), 3U);
}

TEST(SvgPlot, TellsSeriesApartWithoutColour) {
  Style dashed{.dash = Dash::kDashed};
  Style dotted{.dash = Dash::kDotted};
  Figure figure = one_panel(Series::line("a", {0.0, 1.0}, {0.0, 1.0}, dashed));
  figure.panels[0].series.push_back(Series::line("b", {0.0, 1.0}, {1.0, 0.0}, dotted));
  const std::string svg = to_svg(figure);
  EXPECT_EQ(count(svg, "stroke-dasharray=\"7 4\""), 2U);  // the line and its legend
  EXPECT_EQ(count(svg, "stroke-dasharray=\"1.5 3.5\""), 2U);
}

TEST(SvgPlot, EscapesNamesAndPrefixesIds) {
  Figure figure = one_panel(Series::line("<b>&", {0.0, 1.0}, {0.0, 1.0}, {}));
  figure.title = "a < b";
  const std::string svg = to_svg(figure);
  EXPECT_THAT(svg, HasSubstr("&lt;b&gt;&amp;"));
  EXPECT_THAT(svg, HasSubstr("<title id=\"f-title\">a &lt; b</title>"));
  EXPECT_THAT(svg, Not(HasSubstr("<b>")));
}

TEST(SvgPlot, LinesUpTheAxesOfOneColumn) {
  Figure figure = one_panel(Series::line("", {0.0, 1.0}, {0.0, 1.0}, {}));
  figure.panels.push_back(figure.panels[0]);
  figure.panels[1].y.high = 1e6;
  const std::string svg = to_svg(figure);
  const auto first = svg.find("<svg x=\"");
  const auto second = svg.find("<svg x=\"", first + 1);
  EXPECT_EQ(svg.substr(first, svg.find(" y=", first) - first),
            svg.substr(second, svg.find(" y=", second) - second));
}

TEST(SvgPlot, OfAnIntervalHasAnArrowWhereItHasNoEnd) {
  const Style style{.width = 2.0, .fill = 0.2};
  const auto drawn = [&](double low, double high) {
    return to_svg(one_panel(Series::interval("", low, high, 0.5, style)));
  };
  EXPECT_EQ(count(drawn(0.2, 0.6), "Z\" fill="), 0U);
  EXPECT_EQ(count(drawn(0.2, kInfinity), "Z\" fill="), 1U);
  EXPECT_EQ(count(drawn(-kInfinity, kInfinity), "Z\" fill="), 2U);
  EXPECT_EQ(count(drawn(0.2, 7.0), "Z\" fill="), 1U);  // beyond the axis
  EXPECT_THAT(drawn(kNaN, 1.0), Not(HasSubstr("nan")));
}

TEST(SvgPlot, BreaksLongTitlesAndNamesOnATelephone) {
  Figure figure = one_panel(Series::line(
      "a name that is too long for one line of a telephone, really", {0.0, 1.0}, {0.0, 1.0}, {}));
  figure.width = 1000.0;
  EXPECT_THAT(to_svg(figure), HasSubstr("of a telephone, really</text>"));
  EXPECT_THAT(to_narrow_svg(figure), Not(HasSubstr("line of a telephone, really</text>")));
  EXPECT_THAT(to_narrow_svg(figure), HasSubstr("aria-labelledby=\"f-title f-desc\""));
}

TEST(SvgPlot, NamesItsColoursForThePage) {
  const std::string svg = to_svg(one_panel(Series::line("a", {0.0, 1.0}, {0.0, 1.0}, {})));
  EXPECT_EQ(count(svg, "stroke=\"var(--ink, #1d2126)\""), 2U);  // the line and its legend
  EXPECT_EQ(count(svg, "=\"#"), 0U);
  EXPECT_THAT(bar_svg(0.5, kInfinity, 1.0), HasSubstr("var(--ink"));
}

TEST(ProbabilityGrid, HasTwoBarsInEachCellAndContinuesBelow) {
  ProbabilityGrid grid{"g", "title", "description"};
  grid.rows = {"0", "1"};
  for (int round = 1; round <= 30; ++round) {
    grid.columns.push_back(std::to_string(round));
    grid.cells.push_back({{0.25, 0.75}, {0.0, kNaN}});
  }
  const std::string wide = to_svg(grid), narrow = to_narrow_svg(grid);
  for (const std::string& svg : {wide, narrow}) {
    EXPECT_EQ(count(svg, "var(--blue"), 31U);  // 30 bars and the legend
    EXPECT_EQ(count(svg, "var(--orange"), 31U);
  }
  EXPECT_EQ(count(wide, ">round</text>"), 1U);
  EXPECT_EQ(count(narrow, ">round</text>"), 2U);
  EXPECT_THAT(wide, HasSubstr("<title>round 30, arm 0: 0.25 on D, 0.75 on D\xE2\x80\xB2</title>"));
}

TEST(SvgPlot, GivesTheSameBytesForTheSameFigure) {
  const Figure figure = one_panel(Series::line("a", {0.0, 1.0}, {0.0, 1.0}, {}));
  EXPECT_EQ(to_svg(figure), to_svg(figure));
}

TEST(SvgPlot, OfEmptySeriesAndEmptyFiguresIsStillAFigure) {
  EXPECT_THAT(to_svg(Figure{"f", "t", "d"}), HasSubstr("</svg>"));
  Figure figure{"f", "t", "d"};
  figure.panels.push_back({});
  figure.panels[0].series = {Series::line("a", {}, {}, {}), Series::band("b", {}, {}, {}, {}),
                             Series::steps("c", {}, {}, {})};
  EXPECT_THAT(to_svg(figure), HasSubstr("</svg>"));
}

}  // namespace
}  // namespace assay
