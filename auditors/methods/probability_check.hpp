// Checks, in every audit, that the probabilities that a policy reports describe its sampler.
//
// The probability check samples fresh transcripts on each input and tests every sampled action against the
// reported distribution. Agreement compares two estimates of one quantity, from the sampled losses on D and
// on D'. Both are e-processes of statistics/reported_probabilities.hpp.
#pragma once

#include <cstdint>
#include <vector>

#include "assay/auditors/methods/losses.hpp"
#include "assay/auditors/methods/pair_evidence.hpp"
#include "assay/auditors/statistics/reported_probabilities.hpp"

namespace assay {

// Each of the two checks has half of their alpha.
struct ProbabilityCheckPlan {
  std::uint64_t seed = 0;
  std::int64_t transcripts = 0;  // on each input
  double alpha = 1e-3;           // of both checks together
};

// If it is stopped, the test has fewer transcripts, each of them complete.
ReportedProbabilityTest check_probabilities(const PairProcess& fresh,
                                            const ProbabilityCheckPlan& plan,
                                            const RunControl& control);

// The rows of the report: the test of the reported probabilities, and the agreement of the losses log
// P/Q sampled on D with those sampled on D'.
std::vector<CheckResult> probability_checks(const ReportedProbabilityTest& reported,
                                            const std::vector<double>& losses_under_base,
                                            const std::vector<double>& losses_under_neighbour,
                                            double alpha);

}  // namespace assay
