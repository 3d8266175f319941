#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "assay/auditors/bench/bench_report.hpp"
#include "assay/auditors/text/document.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/auditors/text/safe_text.hpp"
#include "assay/mechanisms/numerics/constants.hpp"

namespace assay {

std::string detail::target_text(const BenchComparison& comparison) {
  return to_string(PrivacyLevel(comparison.target));
}

std::string detail::neighbours_text(const BenchComparison& comparison) {
  return comparison.neighbours.empty() ? to_string(comparison.relation) : comparison.neighbours;
}

std::string detail::intervals_text(const BenchReport& report) {
  if (report.alpha.empty()) return "";
  return grouped(report.samples) + " " + plural(report.samples, "run") +
         " of each candidate at each size; all " +
         grouped(static_cast<long long>(report.alpha.size())) + " intervals hold at once with " +
         percent(report.plan.confidence) + " confidence";
}

namespace {

using detail::Paint;
using doc::Document;
using doc::Facts;
using doc::kPage;
using doc::kTerminal;

std::string error_text(const BenchError& error, ErrorBy by) {
  if (!error.known()) return "-";
  if (by == ErrorBy::kDistribution) return rounded(error.value, 4);
  return rounded(error.value, 3) + " [" + rounded_down(error.lower, 3) + ", " +
         rounded_up(error.upper, 3) + "]";
}

std::string how_text(ErrorBy by) {
  switch (by) {
    case ErrorBy::kDistribution:
      return "exact, from the distribution";
    case ErrorBy::kBetting:
      return "mean of runs, with an interval by betting";
    case ErrorBy::kOrderStatistics:
      return "median of runs, with an interval by order statistics";
    case ErrorBy::kClopperPearson:
      break;
  }
  return "share of runs, with an interval by Clopper and Pearson";
}

std::vector<std::string> bench_columns(const BenchReport& report) {
  std::vector<std::string> names = {"candidate"};
  for (const auto& measure : report.comparison.measures) names.push_back(measure.name);
  if (report.plan.timings > 0) {
    names.push_back("ns/" + report.comparison.unit + ", median [quartiles]");
    names.push_back("bytes");
  }
  return names;
}

std::vector<std::string> bench_cells(const BenchReport& report, const BenchRow& row) {
  std::vector<std::string> cells = {row.id};
  const auto& point = row.points.back();
  for (std::size_t i = 0; i < point.errors.size(); ++i) {
    cells.push_back(error_text(point.errors[i], report.comparison.measures[i].by));
  }
  if (report.plan.timings > 0) {
    const auto nanoseconds = [&](double share) {
      return rounded(1e9 * row.timing.quantile(share), 3);
    };
    cells.push_back(row.timing.seconds.empty() ? "-"
                                               : nanoseconds(0.5) + " [" + nanoseconds(0.25) +
                                                     ", " + nanoseconds(0.75) + "]");
    cells.push_back(point.bytes ? grouped(std::llround(*point.bytes)) : "-");
  }
  return cells;
}

std::string level_text(const BenchReport& report, const BenchPoint& point) {
  const double epsilon = report.comparison.target.epsilon.value;
  std::string text = "delta = " + rounded_up(point.delta, 4) + " at eps = " + number_text(epsilon);
  if (const auto* pure = std::get_if<PureDp>(&point.level.level)) {
    if (pure->epsilon.value > epsilon) {
      text += ", as pure eps = " + rounded_up_beside(pure->epsilon.value, epsilon, 6);
    }
  } else if (std::holds_alternative<GaussianDp>(point.level.level)) {
    text += ", as " + to_string(point.level.level);
  }
  text += ", by " + point.level.source;
  if (!point.reservation.empty()) text += "; " + point.reservation;
  return text;
}

Style candidate_style(std::size_t index) {
  constexpr Colour kColours[] = {Colour::kBlue,   Colour::kVermillion, Colour::kGreen,
                                 Colour::kOrange, Colour::kSkyBlue,    Colour::kPurple,
                                 Colour::kBlack,  Colour::kGrey};
  constexpr Marker kMarkers[] = {Marker::kCircle, Marker::kSquare, Marker::kTriangle,
                                 Marker::kDiamond, Marker::kCross};
  constexpr Dash kDashes[] = {Dash::kSolid, Dash::kDashed, Dash::kDotted, Dash::kDashDot};
  return {kColours[index % 8], kDashes[index % 4], kMarkers[index % 5], 1.6};
}

struct PlottedRange {
  double x_low = kInfinity;
  double x_high = 0.0;
  double y_low = kInfinity;
  double y_high = 0.0;
};

// The place of 0, which a logarithmic axis does not have: at most a decade below the least error above 0.
PlottedRange plotted_range(const BenchReport& report) {
  PlottedRange range;
  double least_value = kInfinity;
  for (const auto& row : report.rows) {
    for (const auto& point : row.points) {
      const double size = static_cast<double>(point.size);
      range.x_low = std::min(range.x_low, size);
      range.x_high = std::max(range.x_high, size);
      const auto& error = point.errors.front();
      for (const double end : {error.value, error.lower, error.upper}) {
        if (end > 0.0) range.y_low = std::min(range.y_low, end);
        if (end < kInfinity) range.y_high = std::max(range.y_high, end);
      }
      if (error.value > 0.0) least_value = std::min(least_value, error.value);
    }
  }
  if (least_value < kInfinity) range.y_low = std::max(range.y_low, 0.1 * least_value);
  if (!(range.y_high > range.y_low)) return {range.x_low, range.x_high, 0.1, 1.0};
  return {range.x_low / 1.1, range.x_high * 1.1, range.y_low / 1.2, range.y_high * 1.2};
}

Figure bench_figure(const BenchReport& report) {
  const BenchComparison& comparison = report.comparison;
  const ErrorMeasure& measure = comparison.measures.front();
  Figure figure;
  figure.id = "error";
  figure.title = measure.name + " against " + comparison.size_name;
  figure.width = 760.0;
  Panel panel;
  panel.plot_height = 320.0;
  panel.x = {comparison.size_name, Scale::kLog};
  panel.y = {measure.name, Scale::kLog};
  const PlottedRange range = plotted_range(report);
  panel.x.low = range.x_low;
  panel.x.high = range.x_high;
  panel.y.low = range.y_low;
  panel.y.high = range.y_high;
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    const auto& row = report.rows[i];
    const Style style = candidate_style(i);
    // Intervals at the same size would hide each other.
    const double place = static_cast<double>(i) - 0.5 * static_cast<double>(report.rows.size() - 1);
    const double beside = measure.by == ErrorBy::kDistribution ? 1.0 : 1.0 + 0.012 * place;
    std::vector<double> sizes;
    std::vector<double> values;
    for (const auto& point : row.points) {
      const auto& error = point.errors.front();
      const double size = static_cast<double>(point.size) * beside;
      sizes.push_back(size);
      values.push_back(error.value > 0.0 ? error.value : kNaN);
      figure.description += fmt::format("{} at {} {}: {}. ", row.id, comparison.size_name,
                                        point.size, error_text(error, measure.by));
      if (measure.by != ErrorBy::kDistribution && error.upper > range.y_low) {
        panel.series.push_back(
            Series::line("", {size, size},
                         {std::max(error.lower, range.y_low), std::min(error.upper, range.y_high)},
                         {style.colour, Dash::kSolid, Marker::kNone, 1.2}));
      }
    }
    panel.series.push_back(sizes.size() > 1 ? Series::line(row.id, sizes, values, style)
                                            : Series::markers(row.id, sizes, values, style));
  }
  figure.panels.push_back(std::move(panel));
  return figure;
}

void add_errors(const BenchReport& report, Document& document) {
  const BenchComparison& comparison = report.comparison;
  const ErrorMeasure& measure = comparison.measures.front();
  std::string caption = measure.name + ": " + how_text(measure.by) + ".";
  if (measure.by != ErrorBy::kDistribution) caption += " Bars: the intervals, side by side.";
  document.add(doc::Drawn{bench_figure(report), caption, true}, kPage);
  document.heading("Errors, speed and memory", "", 2, kPage);
  std::vector<std::vector<std::string>> rows;
  for (const auto& row : report.rows) rows.push_back(bench_cells(report, row));
  document.table(fmt::format("At {} = {}, the least error first.", comparison.size_name,
                             grouped(comparison.size)),
                 bench_columns(report), rows);
  doc::List notes{{}, ""};
  for (const auto& one : comparison.measures) {
    notes.items.push_back(one.name + ": " + how_text(one.by));
  }
  notes.items.push_back(detail::intervals_text(report));
  if (report.plan.timings > 0) {
    notes.items.push_back(
        "speed: " + grouped(report.plan.timings) +
        " repetitions that time all candidates in turn, in processor time of one thread, with "
        "random numbers of a replayable stream");
    notes.items.push_back("bytes: the size of the state, as the allocator counts it");
  }
  document.add(notes);
}

Document document_of(const BenchReport& report) {
  const BenchComparison& comparison = report.comparison;
  Document document;
  const std::string title = "Benchmark: " + comparison.title;
  document.title = title + " \xE2\x80\x93 Assay";
  document.footer = doc::run_footer(report.meta);
  document.heading(title, "", 1, kPage);
  Facts facts;
  facts.add("Compared", comparison.group + ": " + comparison.title);
  facts.add("Setting", parameters_text(comparison.parameters, doc::kEquals));
  facts.add("Target", detail::target_text(comparison));
  facts.add("Neighbours", detail::neighbours_text(comparison));
  facts.add("Adversary", "sees " + to_string(comparison.view));
  if (report.interrupted) facts.add("Interrupted", "the report has the runs until then");
  document.add(facts);
  if (!report.rows.empty()) {
    add_errors(report, document);
    document.heading("Certified");
    Facts levels{2, Paint::kNone, 0};
    for (const auto& row : report.rows) {
      const auto& point = row.points.back();
      const std::string set = parameters_text(point.parameters, doc::kEquals);
      levels.add(row.id, level_text(report, point) + (set.empty() ? "" : "; calibrated: " + set));
    }
    document.add(levels);
  }
  if (!report.refusals.empty()) document.heading("Not applicable");
  Facts refusals{2, Paint::kNone, 0};
  for (const auto& refusal : report.refusals) {
    const bool whole = refusal.size == comparison.size;
    refusals.add(
        refusal.id,
        (whole ? "" : fmt::format("{}={}: ", comparison.size_name, refusal.size)) + refusal.reason);
  }
  document.add(refusals);
  document.reproduce(report.reproduce);
  return document;
}

}  // namespace

std::string to_text(const BenchReport& report, TextStyle style) {
  return to_terminal(document_of(report), style);
}
std::string to_html(const BenchReport& report) { return to_page(document_of(report)); }

}  // namespace assay
