// Release audits of best-arm policies under the null: the truth of the actions is known from their
// exact law, and no more bounds miss it than alpha allows.
#include <gtest/gtest.h>

#include <vector>

#include "assay/policies/best_arm/dp_bai.hpp"
#include "assay/policies/best_arm/od_lin_bai.hpp"
#include "assay/tests/support/binomial_limit.hpp"
#include "assay/tests/support/known_pair.hpp"
#include "assay/tests/support/repetitions.hpp"

namespace assay {
namespace {

TEST(BestArmReleaseValidity, NoBoundMissesTheExactTruthMoreOftenThanItsShareOfAlphaAllows) {
  std::vector<KnownPair> pairs;
  pairs.push_back(
      known_best_arm_pair(DpBai::create({.arms = 6, .budget = 30, .epsilon = 2.0}).value(), 4));
  pairs.push_back(known_best_arm_pair(
      BaiBaseline::create({.arms = 4, .dimension = 4, .budget = 24, .epsilon = 2.0}).value(), 3));
  pairs.push_back(
      known_best_arm_pair(DpOd::create({.arms = 3, .budget = 24, .epsilon = 2.0}).value(), 0));
  constexpr double kAt = 0.5;
  const int runs = dear_repetitions(2000);
  for (const double alpha : {0.2, 0.05}) {
    int lower = 0, upper = 0, level = 0;
    ReleasePlan plan;
    plan.claim = ApproximateDp{Epsilon{kAt}, Delta{0.02}};
    plan.confidence = 1.0 - alpha;
    plan.training = 30;
    plan.samples = 120;
    for (int run = 0; run < runs; ++run) {
      const auto& pair = pairs[static_cast<std::size_t>(run) % pairs.size()];
      plan.seed = static_cast<std::uint64_t>(run);
      const auto evidence = audit_by_release(*pair.release, plan, {}).value();
      lower += evidence.quantities[0].lower.value > pair.delta(kAt);
      upper += evidence.quantities[0].upper.value < pair.delta(kAt, false);
      level += evidence.quantities[1].lower.value > 0.0 &&
               pair.delta(evidence.quantities[1].lower.value) < 0.02;
    }
    const int limit = binomial_limit(runs, 0.35 * alpha, 6);
    EXPECT_LE(lower, limit);
    EXPECT_LE(upper, limit);
    EXPECT_LE(level, limit);
  }
}

}  // namespace
}  // namespace assay
