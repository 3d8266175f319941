#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "assay/auditors/writers/bench_report.hpp"
#include "assay/auditors/writers/html_elements.hpp"
#include "assay/auditors/writers/rounding.hpp"
#include "assay/auditors/writers/safe_text.hpp"
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

Figure bench_figure(const BenchReport& report) {
  const Comparison& comparison = report.comparison;
  const ErrorMeasure& measure = comparison.measures.front();
  Figure figure;
  figure.id = "error";
  figure.title = measure.name + " against " + comparison.size_name;
  figure.width = 760.0;
  Panel panel;
  panel.plot_height = 320.0;
  panel.x = {comparison.size_name, Scale::kLog};
  panel.y = {measure.name, Scale::kLog};
  double floor = kInfinity;  // what is 0 has no place on a logarithmic axis
  for (const auto& row : report.rows) {
    for (const auto& point : row.points) {
      const auto& error = point.errors.front();
      for (const double end : {error.value, error.lower}) {
        if (end > 0.0) floor = std::min(floor, end);
      }
    }
  }
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    const auto& row = report.rows[i];
    std::vector<double> sizes;
    std::vector<double> values;
    std::vector<double> low;
    std::vector<double> high;
    for (const auto& point : row.points) {
      const auto& error = point.errors.front();
      sizes.push_back(static_cast<double>(point.size));
      values.push_back(error.value > 0.0 ? error.value : kNaN);
      low.push_back(error.upper > 0.0 ? std::max(error.lower, floor) : kNaN);
      high.push_back(error.upper > 0.0 ? error.upper : kNaN);
      figure.description += fmt::format("{} at {} {}: {}. ", row.id, comparison.size_name,
                                        point.size, detail::error_text(error, measure.by));
    }
    Style style = contender_style(i);
    if (measure.by != ErrorBy::kLaw) {
      Style shade{style.colour};
      shade.fill = 0.14;
      panel.series.push_back(Series::band("", sizes, low, high, shade));
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
  const Comparison& comparison = report.comparison;
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
    if (measure.by != ErrorBy::kLaw) caption += " Shaded: the intervals.";
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
