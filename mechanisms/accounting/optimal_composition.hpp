// The exact composition of k releases that are each (eps, delta)-DP. It gives the best level that holds
// for all of them together, whatever the releases are and however each depends on earlier outputs.
//
// Every (eps, delta)-DP release is a post-processing of a response that gives the input itself with
// probability delta, and otherwise randomised response with odds e^eps. So the worst case is k such
// responses. With probability delta_k = 1 - (1 - delta)^k they reveal the input. Otherwise, with l the
// number of responses that lie,
//   p_l = C(k, l) e^((k - l) eps)/(1 + e^eps)^k,   loss (k - 2 l) eps                          (1)
//   profile(e) = sum over l of p_l (1 - e^(e - (k - 2 l) eps)), where that is positive         (2)
//   delta(e) = delta_k + (1 - delta)^k profile(e)                                              (3)
// At e = (k - 2 i) eps this is the theorem of the paper. It is exact between those points too, since it
// is the profile of the worst case itself.
//
// Accuracy. p_l follows from p_0 = (1 + e^-eps)^-k by p_(l+1)/p_l = (k - l)/(l + 1) e^-eps, scaled
// by powers of two so that nothing underflows: five roundings a step. All terms of (2) are
// positive, and (k - 2 l) eps - e is one rounding of its exact value (fma), so the sum has a
// relative error of at most (4 k + 32) 2^-52; the rest is interval arithmetic. The returned interval of
// delta has that relative width, 4e-10 at k = 100,000. log_profile_at() works even if delta underflows.
// Reference: Kairouz, Oh, Viswanath, "The composition theorem for differential privacy" (ICML 2015;
// IEEE Trans. Inf. Theory, 2017), theorem 3.3. For unequal levels the exact answer is #P-hard
// (Murtagh, Vadhan, TCC 2016): advanced_composition.hpp bounds it.
// Threads: a value. Cost: O(k) to create and to evaluate, up to 15 ns per release; epsilon_at() makes 64
// evaluations.
#pragma once

#include <cstdint>
#include <vector>

#include "assay/mechanisms/accounting/guarantee.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

// Certified bounds on the logarithm of a probability, which may be too small for a double.
struct LogInterval {
  double lower = 0.0;
  double upper = 0.0;
};

class OptimalComposition {
 public:
  static constexpr std::int64_t kMostCount = 1'000'000;

  // Errors: epsilon outside [0, 300], delta outside [0, 1), count outside 1 to kMostCount.
  static Result<OptimalComposition> create(const ApproximateDp& each, std::int64_t count);

  // By (3). Precondition: eps >= 0.
  Interval<Delta> delta_at(Epsilon eps) const;
  // The logarithm of (2), which leaves out the delta of the releases; -inf where the profile is 0.
  LogInterval log_profile_at(Epsilon eps) const;
  // The smallest eps whose delta, rounded up, is at most `delta`. Errors: delta below delta_k or outside [0, 1).
  Result<UpperBound<Epsilon>> epsilon_at(Delta delta) const;

  std::int64_t count() const { return count_; }
  const ApproximateDp& each() const { return each_; }

 private:
  // The number 2^(512 block) mantissa.
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
