#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "assay/auditors/bench/bench_report.hpp"
#include "assay/auditors/text/html_elements.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/auditors/text/safe_text.hpp"
#include "assay/mechanisms/numerics/constants.hpp"

namespace assay {
namespace {

Style contender_style(std::size_t index) {
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

// What is 0 has no place on logarithmic axes: at most a decade below the least error above 0.
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
    const Style style = contender_style(i);
    // Intervals at one size would hide each other.
    const double place = static_cast<double>(i) - 0.5 * static_cast<double>(report.rows.size() - 1);
    const double beside = measure.by == ErrorBy::kLaw ? 1.0 : 1.0 + 0.012 * place;
    std::vector<double> sizes;
    std::vector<double> values;
    for (const auto& point : row.points) {
      const auto& error = point.errors.front();
      const double size = static_cast<double>(point.size) * beside;
      sizes.push_back(size);
      values.push_back(error.value > 0.0 ? error.value : kNaN);
      figure.description += fmt::format("{} at {} {}: {}. ", row.id, comparison.size_name,
                                        point.size, detail::error_text(error, measure.by));
      if (measure.by != ErrorBy::kLaw && error.upper > range.y_low) {
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

std::string bench_table(const BenchReport& report) {
  std::vector<detail::TableColumn> columns;
  for (const auto& name : detail::bench_columns(report)) {
    columns.push_back({name, !columns.empty()});
  }
  detail::Table table(fmt::format("At {} = {}, the least error first.", report.comparison.size_name,
                                  grouped(report.comparison.size)),
                      columns);
  for (const auto& row : report.rows) table.add(detail::bench_cells(report, row));
  return table.text();
}

std::string levels_table(const BenchReport& report) {
  detail::Table table("What is proved of each, and what the calibration set.",
                      {{"contender", false}, {"certified", false}, {"calibrated", false}});
  for (const auto& row : report.rows) {
    const auto& point = row.points.back();
    table.add({row.id, detail::level_text(report, point),
               parameters_text(point.parameters, detail::kEquals)});
  }
  return table.text();
}

std::string refusals_table(const BenchReport& report) {
  if (report.refusals.empty()) return "";
  detail::Table table(
      "What cannot be had at this level.",
      {{"contender", false}, {report.comparison.size_name, true}, {"reason", false}});
  for (const auto& refusal : report.refusals) {
    table.add({refusal.id, grouped(refusal.size), refusal.reason});
  }
  return detail::heading("h2", "Refused") + table.text();
}

}  // namespace

std::string to_html(const BenchReport& report) {
  const BenchComparison& comparison = report.comparison;
  const std::string title = "Benchmark: " + comparison.title;
  std::string body = detail::heading("h1", title);
  detail::DescriptionList list;
  list.add("Target", detail::target_text(comparison));
  list.add("Setting", parameters_text(comparison.parameters, detail::kEquals));
  list.add("Neighbours", detail::neighbours_text(comparison));
  list.add("Adversary", "sees " + to_string(comparison.view));
  if (report.interrupted) list.add("Interrupted", "what was played until then");
  body += list.text();
  if (!report.rows.empty()) {
    const ErrorMeasure& measure = comparison.measures.front();
    std::string caption = measure.name + ": " + detail::how_text(measure.by) + ".";
    if (measure.by != ErrorBy::kLaw) caption += " Bars: the intervals, side by side.";
    body += detail::figure_element(bench_figure(report), caption, true);
    body += detail::heading("h2", "Errors, speed and memory") + bench_table(report);
    std::string notes;
    for (const auto& one : comparison.measures) {
      notes += one.name + ": " + detail::how_text(one.by) + ". ";
    }
    const std::string intervals = detail::intervals_text(report);
    if (!intervals.empty()) notes += intervals + ". ";
    if (report.plan.timings > 0) {
      notes += fmt::format(
          "Speed: {} repetitions in turn, processor time of one thread, words of a replayable "
          "stream. Bytes: of the state, as the allocator counts.",
          report.plan.timings);
    }
    body += detail::paragraph(notes);
    body += detail::heading("h2", "Certified levels") + levels_table(report);
  }
  body += refusals_table(report);
  body += detail::heading("h2", "Reproduce") + detail::command_element(report.reproduce);
  const RunMeta& meta = report.meta;
  body += detail::footer(fmt::format("Assay {} ({}). Started {}; {} s on {} {}.", meta.version,
                                     meta.build, meta.started, rounded(meta.seconds, 3),
                                     meta.threads, plural(meta.threads, "thread")));
  return detail::html_page(title + " \xE2\x80\x93 Assay", body);
}

}  // namespace assay
