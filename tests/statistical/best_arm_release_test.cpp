// Release audits of best-arm policies under the null: the truth of the actions is known from their
// exact law, and no more bounds miss it than alpha allows.
#include <gtest/gtest.h>

#include <cmath>

#include "assay/auditors/best_arm/best_arm_pair.hpp"
#include "assay/auditors/methods/exact.hpp"
#include "assay/policies/best_arm/dp_bai.hpp"
#include "assay/policies/best_arm/od_lin_bai.hpp"
#include "assay/tests/support/binomial_limit.hpp"
#include "assay/tests/support/repetitions.hpp"

namespace assay {
namespace {

struct KnownPair {
  std::unique_ptr<PairRelease> release;
  ExactLoss exact;
};

template <class P>
KnownPair known_pair(const P& policy, std::size_t which) {
  const auto subject = phased_subject(policy, policy.arms(), policy.budget(), TableIndex::kPull);
  const auto pair = hard_reward_pairs(subject, which + 1).back();
  return {best_arm_release(subject, pair, HUGE_VAL).value(),
          ExactLoss::create(transcript_laws(subject, pair).value().laws).value()};
}

TEST(BestArmReleaseValidity, NoBoundMissesTheExactTruthMoreOftenThanItsShareOfAlphaAllows) {
  std::vector<KnownPair> pairs;
  pairs.push_back(known_pair(DpBai::create({.arms = 6, .budget = 30, .epsilon = 2.0}).value(), 4));
  pairs.push_back(known_pair(
      BaiBaseline::create({.arms = 4, .dimension = 4, .budget = 24, .epsilon = 2.0}).value(), 3));
  pairs.push_back(known_pair(DpOd::create({.arms = 3, .budget = 24, .epsilon = 2.0}).value(), 0));
  constexpr double kAt = 0.5;
  const int runs = repetitions(2000);
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
      const auto truth = [&](double epsilon, bool high) {
        const auto forward = pair.exact.delta(Epsilon{epsilon}, Orientation::kOldToNew);
        const auto backward = pair.exact.delta(Epsilon{epsilon}, Orientation::kNewToOld);
        return high ? std::max(forward.upper.value.value, backward.upper.value.value)
                    : std::max(forward.lower.value.value, backward.lower.value.value);
      };
      lower += evidence.quantities[0].lower.value > truth(kAt, true);
      upper += evidence.quantities[0].upper.value < truth(kAt, false);
      level += evidence.quantities[1].lower.value > 0.0 &&
               truth(evidence.quantities[1].lower.value, true) < 0.02;
    }
    const int limit = binomial_limit(runs, 0.35 * alpha, 6);
    EXPECT_LE(lower, limit);
    EXPECT_LE(upper, limit);
    EXPECT_LE(level, limit);
  }
}

}  // namespace
}  // namespace assay
