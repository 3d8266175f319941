// The exact composition of k releases at one (eps, delta): the best level that holds for all of
// them, whoever picks the releases and however each depends on the outputs before it.
//
// Every (eps, delta)-DP release is a post-processing of a response that gives the input itself with
// probability delta, and otherwise randomised response with odds e^eps. So the worst case is k of
// those. With probability delta_k = 1 - (1 - delta)^k they reveal the input. Otherwise, l being the
// number of lies,
//   p_l = C(k, l) e^((k - l) eps)/(1 + e^eps)^k,   loss (k - 2 l) eps                          (1)
//   profile(e) = sum over l of p_l (1 - e^(e - (k - 2 l) eps)), where that is positive         (2)
//   delta(e) = delta_k + (1 - delta)^k profile(e)                                              (3)
// At e = (k - 2 i) eps this is the theorem of the paper. Between those points the profile is exact
// too, since it is that of a composition that attains it.
//
// Accuracy. p_l follows from p_0 = (1 + e^-eps)^-k by p_(l+1)/p_l = (k - l)/(l + 1) e^-eps, scaled
// by powers of two so that nothing underflows: five roundings a step. All terms of (2) are
// positive, and (k - 2 l) eps - e is one rounding of its exact value (fma), so the sum has a
// relative error of at most (4 k + 32) 2^-52; the rest is interval arithmetic. delta comes as an
// interval of that width, 4e-10 of itself at k = 100,000. Its log is there also where delta underflows.
// Reference: Kairouz, Oh, Viswanath, "The composition theorem for differential privacy" (ICML 2015;
// IEEE Trans. Inf. Theory, 2017), theorem 3.3. For unequal levels the exact answer is #P-hard
// (Murtagh, Vadhan, TCC 2016): advanced_composition.hpp bounds it.
// Threads: a value. Cost: O(k) to make and to evaluate, up to 15 ns a release; 64 evaluations an
// epsilon.
#pragma once

#include <cstdint>
#include <vector>

#include "assay/mechanisms/accounting/guarantee.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

// A log of a probability with certified ends, for deltas that no double holds.
struct LogInterval {
  double lower = 0.0;
  double upper = 0.0;
};

class OptimalComposition {
 public:
  static constexpr std::int64_t kMostCount = 1'000'000;

  // Errors: epsilon outside [0, 300], delta outside [0, 1), count outside 1 to kMostCount.
  static Result<OptimalComposition> create(const ApproximateDp& each, std::int64_t count);

  // (3). Precondition: eps >= 0.
  Interval<Delta> delta_at(Epsilon eps) const;
  // log of (2), the part without the levels' own delta; -inf where the profile is 0.
  LogInterval log_profile_at(Epsilon eps) const;
  // The smallest eps whose delta, rounded up, fits. Errors: delta below delta_k or outside [0, 1).
  Result<UpperBound<Epsilon>> epsilon_at(Delta delta) const;

  std::int64_t count() const { return count_; }
  const ApproximateDp& each() const { return each_; }

 private:
  // 2^(512 block) mantissa.
  struct Scaled {
    double mantissa;
    std::int64_t block;
  };

  OptimalComposition(const ApproximateDp& each, std::int64_t count);

  ApproximateDp each_;
  std::int64_t count_;
  std::vector<Scaled> weights_;  // p_l/p_0 for l < k/2, where the loss is positive
};

}  // namespace assay
