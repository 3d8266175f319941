// Always-on checks that the probabilities a policy reports describe its sampler.
//
// The probability check plays fresh transcripts from each side's own sampler and holds every drawn action
// against the reported distribution; agreement compares what the two sides' sampled losses say
// about the same quantity. Both are e-processes of statistics/reported_probabilities.hpp.
#pragma once

#include <cstdint>
#include <vector>

#include "assay/auditors/methods/losses.hpp"
#include "assay/auditors/methods/pair_evidence.hpp"
#include "assay/auditors/statistics/reported_probabilities.hpp"

namespace assay {

// Half of the alpha of the checks goes to each of the two.
struct ProbabilityCheckPlan {
  std::uint64_t seed = 0;
  std::int64_t transcripts = 0;  // a side
  double alpha = 1e-3;           // of both checks together
};

// Stopped: the test of fewer transcripts, each whole.
ReportedProbabilityTest check_probabilities(const PairProcess& fresh,
                                            const ProbabilityCheckPlan& plan,
                                            const RunControl& control);

// The rows of the report: the test of the reported probabilities, and the agreement of the losses log
// P/Q sampled under the old side with those sampled under the new one.
std::vector<CheckResult> probability_checks(const ReportedProbabilityTest& reported,
                                            const std::vector<double>& losses_under_old,
                                            const std::vector<double>& losses_under_new,
                                            double alpha);

}  // namespace assay
