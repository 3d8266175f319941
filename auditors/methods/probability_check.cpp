#include "assay/auditors/methods/probability_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "assay/mechanisms/core/map_chunks.hpp"

namespace assay {
namespace {

// Feeds one transcript on the input of `side` to the test. Returns false if it was stopped before the end.
bool check_transcript(PairProcess& process, Side side, ReplayStream random,
                      ReportedProbabilityTest& test, StopPoll& poll) {
  const auto actions = static_cast<std::size_t>(process.action_count());
  std::vector<double> log_p(actions);
  std::vector<double> log_q(actions);
  std::vector<double> lagged;
  const bool base_side = side == Side::kBase;
  process.restart();
  while (process.round() < process.horizon()) {
    const int action = process.draw(side, random);
    if (!process.forced()) {
      if (!detail::log_probabilities_unless(poll, process, ArgmaxPrecision::kSampling, log_p,
                                            log_q)) {
        return false;
      }
      process.lagged_rewards(side, lagged);
      test.round(base_side ? log_p : log_q, base_side ? log_q : log_p, lagged, action);
    }
    process.advance(action);
  }
  test.end_transcript();
  return true;
}

}  // namespace

ReportedProbabilityTest check_probabilities(const PairProcess& fresh,
                                            const ProbabilityCheckPlan& plan,
                                            const RunControl& control) {
  constexpr std::int64_t kChunk = 8;
  const std::int64_t total = 2 * plan.transcripts;
  const auto count = static_cast<std::size_t>((total + kChunk - 1) / kChunk);
  const auto chunks = map_chunks(control, count, [&](std::size_t chunk) {
    ReportedProbabilityTest part(plan.alpha / 2.0);
    if (control.stopped()) return part;
    const auto process = fresh.clone();
    StopPoll poll(control);
    const auto first = static_cast<std::int64_t>(chunk) * kChunk;
    for (std::int64_t r = first; r < std::min(total, first + kChunk); ++r) {
      const Side side = r % 2 == 0 ? Side::kBase : Side::kNeighbour;
      const StreamId id{plan.seed, hash_purpose("calibration"), static_cast<std::uint64_t>(r / 2),
                        detail::side_lane(side), Phase::kCheck};
      ReportedProbabilityTest before = part;
      if (!check_transcript(*process, side, ReplayStream(id), part, poll)) return before;
    }
    return part;
  });
  ReportedProbabilityTest test(plan.alpha / 2.0);
  for (const auto& chunk : chunks) test.append(chunk);
  return test;
}

std::vector<CheckResult> probability_checks(const ReportedProbabilityTest& reported,
                                            const std::vector<double>& losses_under_base,
                                            const std::vector<double>& losses_under_neighbour,
                                            double alpha) {
  AgreementTest agreement(alpha / 2.0);
  agreement.observe(losses_under_base, losses_under_neighbour);
  const auto row = [](std::string name, std::string meaning, const EvidenceAgainst& evidence) {
    return CheckResult::by_e_value(std::move(name), std::move(meaning), evidence.e_value(),
                                   evidence.threshold(), !evidence.alarm());
  };
  return {row("calibration",
              fmt::format("the actions of {} fresh transcripts follow the reported probabilities",
                          reported.transcripts()),
              reported.evidence()),
          row("agreement", "the losses on both inputs give the same overlap of P and Q",
              agreement.evidence())};
}

}  // namespace assay
