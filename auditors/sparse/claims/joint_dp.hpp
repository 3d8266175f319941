// The searches behind the claims of FLIPHAT's joint privacy, and the distribution that they read. `assay verify`
// searches these spaces within its budget, and tests draw from them. joint_dp_counterexamples.hpp has the events and
// certificates.
#pragma once

#include <cstdint>
#include <vector>

#include "assay/auditors/claims/search/violation_search.hpp"
#include "assay/auditors/sparse/claims/joint_dp_counterexamples.hpp"
#include "assay/policies/sparse/fliphat.hpp"

namespace assay::sparse_checks {

// Margins are log(true delta/claimed delta), at most log 4, so that the simplest of tied points wins. The noise is the
// paper's or, as a control, the corrected one.
SearchedClaim greedy_sign_search(Calibration calibration);
SearchedClaim normalized_contexts_search(Calibration calibration);
SearchedClaim experiments_search(Calibration calibration);

GreedySignCounterexample greedy_sign_at(const Point& point, Calibration calibration);
NormalizedContextsCounterexample normalized_contexts_at(const Point& point,
                                                        Calibration calibration);
ExperimentsCounterexample experiments_at(const Point& point, Calibration calibration);

// The policy of such a certificate. Its horizon ends with the rounds that read the estimate.
FliphatConfig policy_of(const GreedySignCounterexample& found);
FliphatConfig policy_of(const NormalizedContextsCounterexample& found);
FliphatConfig policy_of(const ExperimentsCounterexample& found);

// The distribution of the number of `draws` peeled coordinates that are in the first of two groups
// of `group` each, of sizes `shift` and 0 in scales of the noise, by quadrature.
std::vector<double> peeled_of_first(std::int64_t group, std::int64_t draws, double shift);

// The transcript's event P(lead >= k) at its best k, without the changes that the projection could
// make.
struct LeadEvent {
  std::int64_t lead = 0;
  double p = 0.0;
  double q = 0.0;
  double true_delta = 0.0;
};
LeadEvent best_lead(std::int64_t group, std::int64_t draws, double shift, double epsilon);

}  // namespace assay::sparse_checks
