// The searches behind the claims of FLIPHAT's joint privacy, and the law that they read: what `assay
// verify` searches within its budget is what tests draw from. What the events are, and certificates:
// joint_dp_counterexamples.hpp.
#pragma once

#include <cstdint>
#include <vector>

#include "assay/auditors/claims/search/violation_search.hpp"
#include "assay/auditors/sparse/claims/joint_dp_counterexamples.hpp"
#include "assay/policies/sparse/fliphat.hpp"

namespace assay::sparse_checks {

// Margins are log(true delta/claimed delta), at most log 4: ties leave the choice to what is simple.
// With the paper's noise or, as a twin, with the corrected one.
SearchedClaim greedy_sign_search(Calibration calibration);
SearchedClaim normalized_contexts_search(Calibration calibration);
SearchedClaim experiments_search(Calibration calibration);

GreedySignCounterexample greedy_sign_at(const Point& point, Calibration calibration);
NormalizedContextsCounterexample normalized_contexts_at(const Point& point,
                                                        Calibration calibration);
ExperimentsCounterexample experiments_at(const Point& point, Calibration calibration);

// The policy that such a certificate speaks of; horizons end with the rounds that read the estimate.
FliphatConfig policy_of(const GreedySignCounterexample& found);
FliphatConfig policy_of(const NormalizedContextsCounterexample& found);
FliphatConfig policy_of(const ExperimentsCounterexample& found);

// How many of `draws` peeled coordinates are of the first of two groups of `group` each, of sizes
// `shift` and 0 in scales of the noise: by quadrature.
std::vector<double> peeled_of_first(std::int64_t group, std::int64_t draws, double shift);

// The transcript's event P(lead >= k) at its best k, before what the projection could change.
struct LeadEvent {
  std::int64_t lead = 0;
  double p = 0.0;
  double q = 0.0;
  double true_delta = 0.0;
};
LeadEvent best_lead(std::int64_t group, std::int64_t draws, double shift, double epsilon);

}  // namespace assay::sparse_checks
