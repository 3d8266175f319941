#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

#include "assay/auditors/bench/bench_report.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/auditors/text/safe_text.hpp"

namespace assay {
namespace detail {

std::string error_text(const BenchError& error, ErrorBy by) {
  if (!error.known()) return "-";
  if (by == ErrorBy::kLaw) return rounded(error.value, 4);
  return rounded(error.value, 3) + " [" + rounded_down(error.lower, 3) + ", " +
         rounded_up(error.upper, 3) + "]";
}

std::string how_text(ErrorBy by) {
  switch (by) {
    case ErrorBy::kLaw:
      return "exact, from the law";
    case ErrorBy::kBetting:
      return "mean of plays, interval by betting";
    case ErrorBy::kOrderStatistics:
      return "of plays, interval by order statistics";
    case ErrorBy::kClopperPearson:
      break;
  }
  return "share of plays, interval by Clopper and Pearson";
}

std::vector<std::string> bench_columns(const BenchReport& report) {
  std::vector<std::string> names = {"contender"};
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

std::string target_text(const BenchComparison& comparison) {
  return to_string(PrivacyLevel(comparison.target));
}

std::string neighbours_text(const BenchComparison& comparison) {
  return comparison.neighbours.empty() ? to_string(comparison.relation) : comparison.neighbours;
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

std::string intervals_text(const BenchReport& report) {
  if (report.alpha.empty()) return "";
  return grouped(report.samples) + " " + plural(report.samples, "play") +
         " of each contender at each size; all " +
         grouped(static_cast<long long>(report.alpha.size())) + " intervals hold at once with " +
         percent(report.plan.confidence) + " confidence";
}

}  // namespace detail

namespace {

class BenchTextWriter : detail::TextPage {
 public:
  explicit BenchTextWriter(TextStyle style) : TextPage(style) {}

  std::string write(const BenchReport& report) {
    const BenchComparison& comparison = report.comparison;
    entry("Compared", comparison.group + ": " + comparison.title);
    entry("Setting", parameters_text(comparison.parameters, "="));
    entry("Target", detail::target_text(comparison));
    entry("Neighbours", detail::neighbours_text(comparison));
    entry("Adversary", "sees " + to_string(comparison.view));
    if (report.interrupted) entry("Interrupted", "what was played until then");
    if (!report.rows.empty()) {
      add_table(report);
      add_measures(report);
      add_levels(report);
    }
    add_refusals(report);
    gap();
    reproduce(report.reproduce);
    return finish();
  }

 private:
  void add_table(const BenchReport& report) {
    gap();
    const auto names = detail::bench_columns(report);
    std::vector<std::vector<std::string>> rows;
    for (const auto& row : report.rows) rows.push_back(detail::bench_cells(report, row));
    const auto widths = detail::column_widths(names, rows);
    line(detail::table_line(names, widths), detail::Paint::kDim);
    for (const auto& row : rows) line(detail::table_line(row, widths));
  }

  void add_measures(const BenchReport& report) {
    gap();
    for (const auto& measure : report.comparison.measures) {
      hanging(measure.name + ": ", detail::how_text(measure.by));
    }
    const std::string intervals = detail::intervals_text(report);
    if (!intervals.empty()) hanging("", intervals);
    if (report.plan.timings > 0) {
      hanging("", grouped(report.plan.timings) +
                      " repetitions in turn, processor time of one thread, words of a replayable "
                      "stream; bytes of the state, as the allocator counts");
    }
  }

  void add_levels(const BenchReport& report) {
    heading("Certified");
    for (const auto& row : report.rows) {
      const auto& point = row.points.back();
      const std::string set = parameters_text(point.parameters, "=");
      hanging("  " + row.id + "  ",
              detail::level_text(report, point) + (set.empty() ? "" : "; calibrated: " + set));
    }
  }

  void add_refusals(const BenchReport& report) {
    if (report.refusals.empty()) return;
    heading("Refused");
    for (const auto& refusal : report.refusals) {
      const bool whole = refusal.size == report.comparison.size;
      hanging(
          "  " + refusal.id + "  ",
          (whole ? "" : report.comparison.size_name + "=" + std::to_string(refusal.size) + ": ") +
              plain_text(refusal.reason));
    }
  }
};

}  // namespace

std::string to_text(const BenchReport& report, TextStyle style) {
  return BenchTextWriter(style).write(report);
}

}  // namespace assay
