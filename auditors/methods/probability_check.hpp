// Always-on checks that the probabilities a policy reports describe its sampler.
//
// Calibration plays fresh transcripts from each side's own sampler and holds every drawn action
// against the reported distribution; agreement compares what the two sides' sampled losses say
// about the same quantity. Both are e-processes of statistics/reported_probabilities.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "assay/auditors/engine/audit_report.hpp"
#include "assay/auditors/methods/losses.hpp"
#include "assay/auditors/statistics/reported_probabilities.hpp"

namespace assay {

// Half of the alpha of the checks goes to each of the two.
struct CalibrationPlan {
  std::uint64_t seed = 0;
  std::int64_t transcripts = 0;  // a side
  double alpha = 1e-3;           // of both checks together
};

namespace detail {

// Feeds one transcript of `side` to the test; false where it was stopped half-way.
template <PairProcess Process>
bool calibrate_transcript(Process& process, Side side, ReplayStream random, CalibrationTest& test,
                          StopPoll& poll) {
  const auto actions = static_cast<std::size_t>(process.action_count());
  std::vector<double> log_p(actions);
  std::vector<double> log_q(actions);
  std::vector<double> lagged;
  const bool old_side = side == Side::kOld;
  process.restart();
  while (process.round() < process.horizon()) {
    const int action = process.draw(side, random);
    if (!process.forced()) {
      if (!log_probabilities_unless(poll, process, ArgmaxPrecision::kSampling, log_p, log_q)) {
        return false;
      }
      if constexpr (requires { process.lagged_rewards(side, lagged); }) {
        process.lagged_rewards(side, lagged);
      }
      test.round(old_side ? log_p : log_q, old_side ? log_q : log_p, lagged, action);
    }
    process.advance(action);
  }
  test.end_transcript();
  return true;
}

}  // namespace detail

// Stopped: the test of fewer transcripts, each whole.
template <PairProcess Process>
CalibrationTest run_calibration(const Process& fresh, const CalibrationPlan& plan,
                                const RunControl& control) {
  constexpr std::int64_t kChunk = 8;
  const std::int64_t total = 2 * plan.transcripts;
  std::vector<CalibrationTest> chunks(static_cast<std::size_t>((total + kChunk - 1) / kChunk),
                                      CalibrationTest(plan.alpha / 2.0));
  parallel_for(control.threads, chunks.size(), [&](std::size_t chunk) {
    if (control.stopped()) return;
    Process process = fresh;
    StopPoll poll(control);
    const auto first = static_cast<std::int64_t>(chunk) * kChunk;
    for (std::int64_t r = first; r < std::min(total, first + kChunk); ++r) {
      const Side side = r % 2 == 0 ? Side::kOld : Side::kNew;
      const StreamId id{plan.seed, hash_purpose("calibration"), static_cast<std::uint64_t>(r / 2),
                        detail::side_lane(side), Phase::kCalibrate};
      CalibrationTest before = chunks[chunk];
      if (!detail::calibrate_transcript(process, side, ReplayStream(id), chunks[chunk], poll)) {
        chunks[chunk] = std::move(before);
        return;
      }
    }
  });
  CalibrationTest test(plan.alpha / 2.0);
  for (const auto& chunk : chunks) test.append(chunk);
  return test;
}

// The rows of the report: the calibration test, and the agreement of the losses log P/Q sampled
// under the old side with those sampled under the new one.
std::vector<CalibrationCheck> calibration_checks(const CalibrationTest& calibration,
                                                 const std::vector<double>& losses_under_old,
                                                 const std::vector<double>& losses_under_new,
                                                 double alpha);

}  // namespace assay
