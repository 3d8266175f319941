#include <string>

#include "assay/auditors/detect/detection_report.hpp"
#include "assay/auditors/methods/pair_evidence.hpp"
#include "assay/auditors/text/record.hpp"
#include "assay/auditors/text/report.hpp"

namespace assay {

namespace faulty {

void fields(const CitedFigure& figure, Fields visit) {
  visit("lower", figure.lower);
  visit("seconds", figure.seconds);
}

}  // namespace faulty

void fields(const DetectionResult& result, Fields visit) {
  const auto& row = result.row;
  const auto input = [&](EventOrientation first) {
    return [&result, first] {
      const auto& [base, neighbour] = result.row->pairs[result.pair];
      return result.row->inputs[result.selected.orientation == first ? base : neighbour];
    };
  };
  visit("mechanism", [&] { return row->name; });
  visit(
      "claim", [&] { return row->claim; }, "The claimed eps, with delta = 0.");
  visit(
      "truth", [&] { return row->true_epsilon; }, "The exact eps.");
  visit("truth_source", [&] { return row->truth; });
  visit("best_event", result.best_event,
        "The eps of the best event of probability at least 1e-3, computed from the distribution.");
  visit("ceiling", result.ceiling,
        "The bound that as many independent samples would certify in the median, on the event that "
        "is best for that number, computed from the distribution.");
  visit("lower", result.lower, "A certified lower bound on eps at delta = 0.");
  visit("verdict", [&] { return result.convicted() ? Verdict::kViolated : Verdict::kNotRefuted; });
  visit("as_expected", [&] { return result.as_expected(); });
  visit("p_input", input(EventOrientation::kBaseAboveNeighbour),
        "The input that makes the event likelier.");
  visit("q_input", input(EventOrientation::kNeighbourAboveBase), "Its neighbour.");
  visit("score", result.score);
  visit.group("counts", "The certified runs.", [&] {
    visit("p_hits", result.counts.x);
    visit("p_runs", result.counts.n);
    visit("q_hits", result.counts.y);
    visit("q_runs", result.counts.m);
  });
  visit("samples", result.samples);
  visit.group("sniper", "The result of DP-Sniper, as published.", [&] {
    visit("epsilon", [&] { return row->sniper_epsilon; });
    visit("lower", [&] { return row->sniper_lower; });
    visit("samples", result.sniper_samples);
    visit("seconds", [&] { return row->sniper_seconds; });
  });
  visit.if_any(
      "statdp", [&] { return row->statdp; },
      "The result of StatDP, as published; absent if there is none.");
}

namespace {

struct DetectionSeconds {
  std::string mechanism = {};
  double seconds = 0.0;
};
void fields(const DetectionSeconds& row, Fields visit) {
  visit("mechanism", row.mechanism);
  visit("seconds", row.seconds, kCount);
}

struct DetectionRecord {
  const Detection& detection = none<Detection>();
  const RunMeta& meta = none<RunMeta>();
};
void fields(const DetectionRecord& record, Fields visit) {
  const Detection& detection = record.detection;
  report_head(
      visit, "assay.detection-report/2",
      "The result of `assay detect`: one row per mechanism, in the table's order. Only `meta` differs "
      "between runs of one request.");
  visit.seed(detection.plan.seed);
  visit("confidence", detection.plan.confidence, kProbability,
        "The confidence of each row's bound.");
  visit("sample_share", detection.plan.sample_share, kProbability,
        "The share of DP-Sniper's samples.");
  visit("selected", detection.selected, kCount,
        "The number of requested mechanisms; more than listed if the run was interrupted.");
  visit("rows", detection.results);
  std::vector<DetectionSeconds> seconds;
  for (const auto& result : detection.results)
    seconds.push_back({result.row->name, result.seconds});
  report_meta(visit, record.meta, [&] { visit("rows", seconds); });
}

}  // namespace

std::string to_json(const Detection& detection, const RunMeta& meta) {
  return json_text_of(DetectionRecord{detection, meta});
}
std::string detection_report_schema() { return schema_of<DetectionRecord>(); }

}  // namespace assay
