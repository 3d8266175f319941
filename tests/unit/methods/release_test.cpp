// The release method: its identity, its events, and how much fewer plays it needs than counting.
#include "assay/auditors/methods/release.hpp"

#include "assay/auditors/methods/pair_evidence.hpp"
#include "assay/tests/support/threshold_release.hpp"

namespace assay {
namespace {

ReleasePlan release_plan(double epsilon, double delta, std::int64_t samples) {
  return {
      {.claim = ApproximateDp{Epsilon{epsilon}, Delta{delta}}, .seed = 7}, samples / 4, samples};
}

const ReportedQuantity& delta_quantity(const PairEvidence& evidence) {
  return evidence.quantities[0];
}

TEST(Release, BoundsHoldTheTruthOfTheActionsAndOfTheRelease) {
  const ThresholdRelease release(0.5, {0.2, 0.5, 0.9});
  for (const double epsilon : {0.0, 0.5, 1.0, 1.5}) {
    const auto evidence =
        audit_by_release(release, release_plan(epsilon, 0.01, 20'000), {}).value();
    const auto& delta = delta_quantity(evidence);
    EXPECT_LE(delta.lower.value, release.delta(epsilon)) << epsilon;
    EXPECT_GE(delta.lower.value, 0.85 * release.delta(epsilon) - 0.01) << epsilon;
    EXPECT_GE(delta.upper.value, release.release_delta(epsilon)) << epsilon;
    EXPECT_LE(delta.upper.value, 1.1 * release.release_delta(epsilon) + 0.01) << epsilon;
  }
}

TEST(Release, TheLevelOfTheActionsIsBoundedOnBothSides) {
  const ThresholdRelease release(1.0, {0.5});
  const auto evidence = audit_by_release(release, release_plan(0.5, 1e-3, 20'000), {}).value();
  const auto& level = evidence.quantities[1];
  EXPECT_GT(level.lower.value, 0.3);
  EXPECT_LE(release.delta(level.upper.value), 1e-3);
  EXPECT_GE(release.delta(level.lower.value), 1e-3);
}

TEST(PosteriorTree, EstimatesByTheLongestBeginningThatEnoughRunsShare) {
  std::vector<ReleasedPlay> from_base, from_neighbour;
  for (int i = 0; i < 200; ++i) {
    from_base.push_back({{0, 1, i}, 2.0});
    from_neighbour.push_back({{1, 1, i}, -2.0});
  }
  const detail::PosteriorTree tree(from_base, from_neighbour);
  const double s = 1.0 / (1.0 + std::exp(-2.0));
  EXPECT_NEAR(tree({0, 1, 1000}).of_base, s, 0.02);
  EXPECT_NEAR(tree({1, 1, 3}).of_base, 1.0 - s, 0.02);
  EXPECT_NEAR(tree({1, 1, 3}).of_neighbour, s, 0.02);
  EXPECT_EQ(tree({7}).of_base, 0.5);
  EXPECT_EQ(tree({}).of_neighbour, 0.5);
}

TEST(PosteriorTree, WeighsTiltedRunsSoThatLossesBeyondAnyNumberOfRunsAreTold) {
  std::vector<ReleasedPlay> from_base, from_neighbour;
  for (int i = 0; i < 200; ++i) {
    from_base.push_back({{1}, 40.0, 1e-5});
    from_neighbour.push_back({{0}, -40.0, 1e-5});
  }
  const auto estimate = detail::PosteriorTree(from_base, from_neighbour, 0.0)({1});
  EXPECT_NEAR(estimate.of_base, 1e-5, 1e-12);
  EXPECT_NEAR(estimate.of_base / estimate.of_neighbour, std::exp(40.0), 1e-6 * std::exp(40.0));
}

}  // namespace
}  // namespace assay
