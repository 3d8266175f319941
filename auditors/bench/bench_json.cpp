#include "assay/auditors/bench/bench_report.hpp"
#include "assay/auditors/text/record.hpp"
#include "assay/auditors/text/report.hpp"

namespace assay {

void fields(const BenchRefusal& refusal, Fields visit) {
  visit("id", refusal.id, "The candidate.");
  visit("size", refusal.size, from(1.0), "The size.");
  visit("reason", refusal.reason, "The reason in a sentence.");
}

void fields(const AlphaLedger::Entry& entry, Fields visit) {
  visit("purpose", entry.purpose, "The interval that uses it.");
  visit("alpha", entry.alpha, kProbability, "An error probability.");
}

namespace {

struct BenchErrorRecord {
  ErrorMeasure measure;
  BenchError error = {};
};
void fields(const BenchErrorRecord& record, Fields visit) {
  visit("measure", record.measure.name, "The kind of error.");
  visit("by", record.measure.by,
        "The method: computed from the distribution, or the interval of a number of runs.");
  visit.or_null("value", record.error.value, "The error; null if it is not known.");
  visit.or_null(
      "lower", record.error.lower,
      "The lower end of its interval, which for `distribution` is the error of computation.");
  visit.or_null("upper", record.error.upper, "The upper end.");
}

struct PointRecord {
  const BenchComparison& comparison = none<BenchComparison>();
  const BenchPoint& point = none<BenchPoint>();
};
void fields(const PointRecord& record, Fields visit) {
  const BenchPoint& point = record.point;
  visit("size", point.size, from(1.0), "The value of size_name.");
  visit("calibrated", point.parameters, "The parameters that the calibration set.");
  visit.group("certified", "The proved level.", [&] {
    visit("epsilon", record.comparison.target.epsilon.value, "The epsilon of the target.");
    visit("delta", point.delta,
          "The delta proved at that epsilon, rounded up; at most that of the target.");
    visit(
        "level", [&] { return to_string(point.level.level); },
        "The level as the theorem states it.");
    visit("source", point.level.source, "The theorem.");
    visit.or_null("reservation", point.reservation,
                  "A gap of the proof, such as real numbers instead of doubles.");
  });
  visit("errors", [&] {
    std::vector<BenchErrorRecord> out;
    for (std::size_t i = 0; i < point.errors.size(); ++i) {
      out.push_back({record.comparison.measures[i], point.errors[i]});
    }
    return out;
  });
}

struct CandidateRecord {
  const BenchComparison& comparison = none<BenchComparison>();
  const BenchRow& row = none<BenchRow>();
};
void fields(const CandidateRecord& record, Fields visit) {
  visit("id", record.row.id, "The name of the candidate.");
  visit(
      "points",
      [&] {
        std::vector<PointRecord> out;
        for (const auto& point : record.row.points) out.push_back({record.comparison, point});
        return out;
      },
      "The points by size, ascending; the last is at the requested size.");
}

struct BytesRecord {
  std::int64_t size = 1;
  std::optional<double> bytes = {};
};
void fields(const BytesRecord& record, Fields visit) {
  visit("size", record.size, from(1.0), "The value of size_name.");
  visit("bytes", record.bytes);
}

struct MeasuredRecord {
  const BenchRow& row = none<BenchRow>();
};
void fields(const MeasuredRecord& record, Fields visit) {
  const BenchTiming& timing = record.row.timing;
  visit("id", record.row.id, "The name of the candidate.");
  visit(
      "seconds_per_unit", timing.seconds,
      "Processor time of one thread, one number for each repetition, in the order in which they ran.");
  visit(
      "median",
      [&] { return timing.seconds.empty() ? std::nullopt : std::optional(timing.median()); },
      "The median of these.");
  visit(
      "bytes",
      [&] {
        std::vector<BytesRecord> out;
        for (const auto& point : record.row.points) out.push_back({point.size, point.bytes});
        return out;
      },
      "The size of the state, as the allocator counts; null if it does not say.");
}

}  // namespace

void fields(const BenchReport& report, Fields visit) {
  const BenchComparison& comparison = report.comparison;
  report_head(
      visit, kBenchReportSchema,
      "The result of `assay bench`. The request, or with --time the number of runs in `samples`, determines "
      "everything outside `meta`, byte for byte, on any number of threads. Infinities are the texts \"inf\" "
      "and \"-inf\". Within one version, no key changes its meaning or goes away.");
  visit("group", comparison.group, "The compared group.");
  visit("title", comparison.title, "The same in words.");
  visit("parameters", comparison.parameters, "The parameters of the group.");
  visit.group("target", "The level that all candidates are calibrated to.", [&] {
    visit("epsilon", comparison.target.epsilon.value, kFinite);
    visit("delta", comparison.target.delta.value, kProbability);
  });
  visit("relation", comparison.relation,
        "The relation of neighbouring inputs, as in audit reports.");
  visit("view", comparison.view, "The view of the adversary, as in audit reports.");
  visit(
      "neighbours", [&] { return detail::neighbours_text(comparison); }, "The relation in words.");
  visit("size_name", comparison.size_name, "The parameter that the points vary.");
  visit("unit", comparison.unit, "The unit of speed: an answer, an entry or a round.");
  visit.seed(report.plan.seed);
  report_confidence(visit, report.plan.confidence);
  visit("samples", report.samples, kCount,
        "The runs of each candidate at each size; 0 if every error is known.");
  visit("interrupted", report.interrupted, "Whether the user ended the run early.");
  visit(
      "candidates",
      [&] {
        std::vector<CandidateRecord> out;
        for (const auto& row : report.rows) out.push_back({comparison, row});
        return out;
      },
      "The candidates, by their first error, ascending.");
  visit("not_applicable", report.refusals,
        "Candidates that cannot be calibrated to the target, with the reason. A reason at a size "
        "other than the requested one concerns only that point.");
  visit("alpha", report.alpha, "The division of the error probability.");
  report_reproduce(visit, report.reproduce);
  report_meta(visit, report.meta, [&] {
    visit(
        "measured",
        [&] {
          std::vector<MeasuredRecord> out;
          for (const auto& row : report.rows) out.push_back({row});
          return out;
        },
        "Speed and memory, in the order of the candidates.");
  });
}

std::string to_json(const BenchReport& report) { return json_text_of(report); }
std::string bench_report_schema() { return schema_of<BenchReport>(); }

}  // namespace assay
