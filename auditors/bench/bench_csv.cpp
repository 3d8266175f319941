#include "assay/auditors/bench/bench_report.hpp"
#include "assay/auditors/text/csv_text.hpp"
#include "assay/auditors/text/safe_text.hpp"

namespace assay {
namespace {

std::string number_cell(double value) { return value == value ? number_text(value) : ""; }

}  // namespace

std::string to_csv(const BenchReport& report) {
  using detail::csv_cell;
  using detail::csv_comment;
  const BenchComparison& comparison = report.comparison;
  std::string out = csv_comment(comparison.group + ": " + comparison.title);
  out += csv_comment("Target: " + detail::target_text(comparison));
  const std::string intervals = detail::intervals_text(report);
  if (!intervals.empty()) out += csv_comment(intervals);
  for (const auto& refusal : report.refusals) {
    out += csv_comment("Not applicable: " + refusal.id + ", " + comparison.size_name + " = " +
                       std::to_string(refusal.size) + ": " + refusal.reason);
  }
  out += csv_comment("Reproduce: " + report.reproduce + " --format csv");
  out += "candidate," + csv_cell(comparison.size_name) +
         ",certified_delta,measure,by,value,lower,upper\n";
  for (const auto& row : report.rows) {
    for (const auto& point : row.points) {
      const std::string lead = csv_cell(row.id) + "," + std::to_string(point.size) + "," +
                               number_text(point.delta) + ",";
      for (std::size_t i = 0; i < point.errors.size(); ++i) {
        const auto& error = point.errors[i];
        out += lead + csv_cell(comparison.measures[i].name) + "," +
               detail::value_text(comparison.measures[i].by) + "," + number_cell(error.value) +
               "," + number_cell(error.lower) + "," + number_cell(error.upper) + "\n";
      }
      if (point.bytes) out += lead + "bytes,allocator," + number_text(*point.bytes) + ",,\n";
    }
    const auto& last = row.points.back();
    const std::string lead =
        csv_cell(row.id) + "," + std::to_string(last.size) + "," + number_text(last.delta) + ",";
    if (!row.timing.seconds.empty()) {
      out += lead + "seconds per " + comparison.unit + ",processor-time," +
             number_text(row.timing.median()) + "," + number_text(row.timing.quantile(0.25)) + "," +
             number_text(row.timing.quantile(0.75)) + "\n";
    }
  }
  return out;
}

}  // namespace assay
