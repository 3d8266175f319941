// Exact low-probability paths: certified lower bounds on mu without sampling.
#include "assay/auditors/methods/paths.hpp"

#include "assay/tests/support/randomized_response_pair.hpp"
#include "assay/tests/support/thompson_pairs.hpp"

namespace assay {
namespace {

ThompsonPair<> zero_rewards_first_changed(std::int64_t arms, std::int64_t horizon) {
  return thompson_pair(
      arms, stream_pair(std::vector<double>(static_cast<std::size_t>(horizon), 0.0), 1, 1.0));
}

std::vector<int> one_then_two(std::int64_t horizon) {
  std::vector<int> path(static_cast<std::size_t>(horizon), 1);
  path.front() = 0;
  return path;
}

TEST(Paths, TheProductFormulaOfOneTranscriptMatchesTheClosedForm) {
  // Transcript 1,2,2,...: P = 2^-T under r_1 = 0; under r_1 = 1 arm 1 keeps mean 1/2, variance 1/2.
  const std::int64_t horizon = 100;
  const auto event = evaluate_path(zero_rewards_first_changed(2, horizon), one_then_two(horizon));
  EXPECT_NEAR(event.log_p, -100.0 * std::log(2.0), 1e-11);
  double log_q = std::log(0.5);
  for (int n = 0; n < 99; ++n) {
    const double z = -0.5 / std::sqrt(0.5 + 1.0 / (n + 1));
    log_q += std::log(0.5 * std::erfc(-z / std::sqrt(2.0)));
  }
  EXPECT_NEAR(event.log_q, log_q, 1e-10);
}

TEST(Paths, OneTranscriptOfTinyProbabilityForcesALargeMu) {
  const auto mu = [](std::int64_t horizon) {
    return evaluate_path(zero_rewards_first_changed(2, horizon), one_then_two(horizon))
        .mu.value.value;
  };
  EXPECT_NEAR(mu(100), 4.9371, 1e-4);  // sampling sees 1.4 to 1.8; the claim is 7.07
  EXPECT_GE(mu(1000), 16.1);           // the claim is 22.4
}

TEST(Paths, TheSearchFindsAtLeastTheStructuralPath) {
  const auto found = search_paths(zero_rewards_first_changed(2, 100), 16, 2);
  const auto structural = evaluate_path(zero_rewards_first_changed(2, 100), one_then_two(100));
  EXPECT_GE(found.largest_mu.mu.value.value, structural.mu.value.value);
}

TEST(Paths, NoPathForcesMoreThanTheEnumeratedMu) {
  const auto process = zero_rewards_first_changed(3, 7);
  const auto exact = ExactLoss::create(enumerate_transcripts(process, 2).value()).value();
  const auto found = search_paths(process, 64, 2);
  EXPECT_LE(found.largest_mu.mu.value.value, exact.mu().upper.value.value);
  EXPECT_GE(found.largest_mu.mu.value.value, 0.5 * exact.mu().lower.value.value);
  // A beam as wide as the tree finds the largest loss.
  const auto wide = search_paths(process, 2187, 2);
  EXPECT_NEAR(std::fabs(wide.largest_loss.loss()),
              std::max(exact.largest_loss(Orientation::kBaseToNeighbour),
                       exact.largest_loss(Orientation::kNeighbourToBase)),
              1e-9);
}

TEST(Paths, DeltaOfAPathIsBelowTheTrueDelta) {
  const std::int64_t horizon = 8;
  const double epsilon0 = 0.4;
  const auto found = search_paths(RandomizedResponsePair(horizon, epsilon0), 8, 1);
  for (const double epsilon : {0.0, 0.5, 1.5, 3.0}) {
    const double path = found.largest_loss.delta(Epsilon{epsilon}).value.value;
    EXPECT_GT(path, 0.0);
    EXPECT_LE(path, RandomizedResponsePair::delta(horizon, epsilon0, epsilon));
  }
  EXPECT_NEAR(std::fabs(found.largest_loss.loss()), horizon * epsilon0, 1e-12);
}

}  // namespace
}  // namespace assay
