// GdpFilter: stops a run of Modified Thompson sampling before its realised loss passes a budget.
//
// The guarantee of a policy is for the worst run. Along one run the loss is often far smaller: a
// reward of arm j costs a sampling round only 1/(c (n_j + 1)), and n_j grows. The filter keeps, for
// every arm j, what the rounds so far have cost each reward of that arm at most,
//   S_j = sum over sampling rounds t with n_{j,t} >= 1 of 1/(c (n_{j,t} + 1)) (1)
// n_{j,t} pulls before round t, and admits a round only if afterwards
//   max_j S_j <= eta^2                                                                          (2)
//
// Privacy. Relation: replace one reward. View: the actions, and when the run stopped. A run in
// which every round was admitted before it was played is eta-GDP: docs/proofs/gdp_filter.md.
//
// A sum along the realised run that is only reported at the end (an odometer) guarantees nothing:
// the budget has to be fixed before the run and enforced by stopping.
//
// Sums are rounded up and eta^2 down, so (2) holds for the exact numbers.
// Reference: Smith, Thakurta, "Fully Adaptive Composition for Gaussian Differential Privacy"
// (2022): the sum of squares is a filter for GDP; Koskela, Tobaben, Honkela, "Individual Privacy
// Accounting with Gaussian Differential Privacy" (ICLR 2023): the same for one record at a time,
// the case here; Ou, Avella Medina, Cummings, Remark 2, for the instance sum (1). Threads: a value;
// one per run. Cost: O(N) a round.
#pragma once

#include <vector>

#include "assay/mechanisms/accounting/guarantee.hpp"
#include "assay/mechanisms/core/quantities.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/policies/bandits/modified_thompson_sampling.hpp"

namespace assay {

class GdpFilter {
 public:
  // budget: eta, 0 <= eta < infinity.
  static Result<GdpFilter> create(const ModifiedThompsonSamplingConfig& config, Mu budget);

  // Whether the policy may play its next round; if so, the round is charged. Call once before each
  // choose(), from the first round on. After the first refusal everything is refused.
  bool admit(const ModifiedThompsonSampling& policy);

  double spent() const { return spent_; }  // max_j S_j, rounded up
  bool stopped() const { return stopped_; }
  Guarantee guarantee() const;  // eta-GDP, of the run that stops where admit() first refuses

 private:
  GdpFilter(const ModifiedThompsonSamplingConfig& config, Mu budget);

  ModifiedThompsonSamplingConfig config_;
  Mu budget_;
  double limit_;              // eta^2, rounded down
  std::vector<double> sums_;  // S_j, rounded up
  double spent_ = 0.0;
  bool stopped_ = false;
  std::int64_t round_ = 0;  // rounds admitted
};

}  // namespace assay
