// Validity of the likelihood method, by simulation, on pairs whose truth is known by enumeration: three
// pairs, 2000 whole audits each. likelihood_validity_slow_test.cpp does the same at another level.
#include "assay/tests/support/likelihood_validity.hpp"

#include "assay/tests/support/repetitions.hpp"

namespace assay {
namespace {

using namespace validity;

const int kIntervalRuns = dear_repetitions(2000);

class Validity : public ::testing::TestWithParam<int> {};

TEST_P(Validity, NoIntervalMissesTheTruthMoreOftenThanItsShareOfAlphaAllows) {
  expect_valid_intervals(cases()[static_cast<std::size_t>(GetParam())], 0.05, kIntervalRuns);
}

INSTANTIATE_TEST_SUITE_P(ThreePairs, Validity, ::testing::Values(0, 1, 2));

class Boundary : public ::testing::TestWithParam<int> {};

TEST_P(Boundary, AClaimAtTheExactTruthIsConvictedAtMostEightTimesInTwoThousand) {
  const auto c = cases()[static_cast<std::size_t>(GetParam())];
  const Truth truth = enumerate_truth(c);
  const EnumeratedPair fresh(truth.distributions);
  const double claimed = truth.delta(c.epsilon);
  const int convicted = count_runs_in_parallel(kIntervalRuns, [&](std::size_t run) {
    const auto plan = plan_for(c, claimed, 1e-3, static_cast<int>(run));
    const auto evidence = audit_by_likelihood(fresh, PathSearchResult{}, plan, {}).value();
    return decide(plan.claim, evidence, std::nullopt).verdict == Verdict::kViolated;
  });
  EXPECT_LE(convicted, std::min(8, binomial_limit(kIntervalRuns, 1e-3, 1))) << c.name;
}

INSTANTIATE_TEST_SUITE_P(ThreePairs, Boundary, ::testing::Values(0, 1, 2));

// The intervals are not vacuous: with more transcripts they close in on the truth.
TEST(Sharpness, IntervalsCloseInOnTheEnumeratedTruth) {
  const auto c = cases()[0];
  const Truth truth = enumerate_truth(c);
  const EnumeratedPair fresh(truth.distributions);
  auto plan = plan_for(c, 0.5 * truth.delta(c.epsilon), 0.01, 7);
  plan.samples = 200'000;
  plan.pilot = 2048;
  plan.tilt_pilot = 256;
  const auto evidence = audit_by_likelihood(fresh, PathSearchResult{}, plan, RunControl{}).value();
  const auto* delta = find_quantity(evidence.quantities, QuantityKind::kDeltaAtEpsilon, c.epsilon);
  const double truth_delta = truth.delta(c.epsilon);
  EXPECT_GT(delta->lower.value, 0.95 * truth_delta);
  EXPECT_LT(delta->upper.value, 1.05 * truth_delta);
  EXPECT_EQ(decide(plan.claim, evidence, std::nullopt).verdict, Verdict::kViolated);
}

}  // namespace
}  // namespace assay
