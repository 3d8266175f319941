// The release method under the null: of 2,000 audits, no more than alpha allows have a bound on the
// wrong side of the truth, which is known in closed form.
#include <gtest/gtest.h>

#include <cmath>

#include "assay/auditors/methods/release.hpp"
#include "assay/tests/support/binomial_limit.hpp"
#include "assay/tests/support/repetitions.hpp"
#include "assay/tests/support/threshold_release.hpp"

namespace assay {
namespace {

struct MissedThresholds {
  int delta_lower = 0, delta_upper = 0, epsilon_lower = 0, epsilon_upper = 0;

  void audit(const ThresholdRelease& release, double epsilon, double alpha, std::uint64_t seed) {
    ReleasePlan plan;
    plan.claim = ApproximateDp{Epsilon{epsilon}, Delta{0.02}};
    plan.confidence = 1.0 - alpha;
    plan.seed = seed;
    plan.training = 40;
    plan.samples = 160;
    const auto evidence = audit_by_release(release, plan, {}).value();
    const auto& delta = evidence.quantities[0];
    const auto& level = evidence.quantities[1];
    delta_lower += delta.lower.value > release.delta(epsilon);
    delta_upper += delta.upper.value < release.release_delta(epsilon);
    epsilon_lower += release.delta(level.lower.value) < 0.02;
    epsilon_upper += release.release_delta(level.upper.value) > 0.02;
  }
};

// Every statement has at most a third of alpha; each is held to its share of 0.35. The audits are
// of three pairs in turn.
TEST(ReleaseValidity, NoBoundMissesTheTruthMoreOftenThanItsShareOfAlphaAllows) {
  const ThresholdRelease releases[] = {ThresholdRelease(0.5, {0.2, 0.5, 0.9}),
                                       ThresholdRelease(1.0, {0.5}),
                                       ThresholdRelease(0.3, {-0.5, 1.5})};
  const int runs = dear_repetitions(2000);
  for (const double alpha : {0.2, 0.05}) {
    MissedThresholds missed;
    for (int run = 0; run < runs; ++run) {
      missed.audit(releases[run % 3], 0.8, alpha, static_cast<std::uint64_t>(run));
    }
    const int limit = binomial_limit(runs, 0.35 * alpha, 8);
    EXPECT_LE(missed.delta_lower, limit);
    EXPECT_LE(missed.delta_upper, limit);
    EXPECT_LE(missed.epsilon_lower, limit);
    EXPECT_LE(missed.epsilon_upper, limit);
  }
}

}  // namespace
}  // namespace assay
