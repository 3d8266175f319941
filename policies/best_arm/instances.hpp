// Instances of best-arm identification: features, the mean of every arm, and measures of hardness.
//
//   Figure 1    K = 30, d = 2, theta = (0.045, 0.5); (0, 1), (0, 0.9), (10, 0), then (1, w_i) with
//               w_i uniform on [0, 0.8]: means 0.5, 0.45, 0.45, at most 0.445                   (1)
//   Figure 2    (x, 0) and (0, y), theta = ((0.5 + D)/x, 0.5/y): means 0.5 + D, 0.5             (2)
//   Lemma H.5   K unit vectors, g_1 > 0, g_i = K g_{i-1}: instance 0 has the means 1/2 - g_i,
//               instance j = 1..K the same but 1/2 + g_j for arm j                              (3)
//               The lemma assumes K > 3 and g_1 < K^-(K + 2). From K = 13 on no double below 1/2
//               is such a 1/2 - g_1.
//   hardness    D_i = max mu - mu_i, ascending D_(1) <= .. <= D_(K), m = min(d^2, K)
//               H_BAI = max i/D_(i)^2, H_pri = max i/D_(i) / eps, both over i = 2..m            (4)
//               For d = 1 the range is empty and both are 0, although arms may be hard to tell apart.
// The figures use rewards uniform on [0, 2 mu_i], Lemma H.5 uses Bernoulli rewards
// (bernoulli_arms.hpp). In Figure 2 such a reward can exceed 1, which the paper's assumptions and its
// privacy exclude. So for mu_i > 1/2 UniformArms uses [2 mu_i - 1, 1], which has the same mean.
// Reference: Chen, Karthik, Chee, Tan, "Fixed-Budget Differentially Private Best Arm
// Identification" (ICLR 2024), section 5, Appendix E.2, equations (14), (15), (95).
// Threads: values. Same bits on every machine.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/policies/environments/environment.hpp"
#include "assay/policies/linear/features.hpp"

namespace assay {

struct BestArmInstance {
  ArmFeatures features;
  std::vector<double> means;
  std::vector<double> arm_gaps;  // D_i of each arm; differences of means could round them away

  int best() const;                  // the first arm whose gap is 0
  std::vector<double> gaps() const;  // D_(1)..D_(K), ascending
};

BestArmInstance figure1_instance(std::uint64_t seed);  // (1); w from `seed`
// The instance (2). Errors: x or y not above 0 and finite, gap outside [0, 0.5].
Result<BestArmInstance> figure2_instance(double x, double y, double gap);
// The instance (3). Errors: fewer than 2 or more than kMostDimension arms, j above K, g_K above 1/2, a g_1 so
// small that 1/2 - g_1 rounds to 1/2.
Result<BestArmInstance> lower_bound_instance(std::int64_t arms, std::int64_t j, double first_gap);

struct Hardness {
  double bai = 0.0;
  double privacy = 0.0;
  double total() const { return bai + privacy; }
};
// The hardness (4); infinite if two arms share the largest mean. Precondition: epsilon > 0.
Hardness hardness(const BestArmInstance& instance, double epsilon);

// Arms whose reward is uniform on [0, 2 mu_i], or on [2 mu_i - 1, 1] for mu_i > 1/2. A round draws one
// random number.
class UniformArms {
 public:
  static Result<UniformArms> create(std::vector<double> means);  // each in [0, 1]

  double feedback(std::int64_t, int action, ReplayStream& random) const {
    ASSAY_CHECK(static_cast<std::size_t>(action) < arms_.size(), "one of the arms");
    const Arm& arm = arms_[static_cast<std::size_t>(action)];
    return arm.low + arm.width * random.uniform();
  }
  std::span<const double> means() const { return means_; }
  double low(int arm) const { return arms_[static_cast<std::size_t>(arm)].low; }

 private:
  explicit UniformArms(std::vector<double> means);

  struct Arm {
    double low;
    double width;
  };
  std::vector<double> means_;
  std::vector<Arm> arms_;
};

static_assert(StochasticEnvironment<UniformArms>);

}  // namespace assay
