// The exact method against closed forms: T-fold randomised response, and Thompson sampling by hand.
#include "assay/auditors/methods/exact.hpp"

#include "assay/mechanisms/accounting/gdp.hpp"
#include "assay/tests/support/randomized_response_pair.hpp"
#include "assay/tests/support/thompson_pairs.hpp"

namespace assay {
namespace {

constexpr double kEpsilon0 = 0.3;

ExactLoss exact_randomized_response(std::int64_t horizon) {
  auto distributions = enumerate_transcripts(RandomizedResponsePair(horizon, kEpsilon0), 1);
  auto exact = ExactLoss::create(std::move(distributions.value()));
  return std::move(exact.value());
}

TEST(Exact, PrivacyProfileOfRandomisedResponseIsTheBinomialSum) {
  for (const std::int64_t horizon : {1, 2, 7, 12}) {
    const auto exact = exact_randomized_response(horizon);
    for (const double epsilon : {0.0, 0.1, 0.3, 0.75, 1.5, 3.3}) {
      const double truth = RandomizedResponsePair::delta(horizon, kEpsilon0, epsilon);
      for (const auto o : {Orientation::kBaseToNeighbour, Orientation::kNeighbourToBase}) {
        const auto delta = exact.delta(Epsilon{epsilon}, o);
        EXPECT_LE(delta.lower.value.value, truth + 1e-15) << horizon << " " << epsilon;
        EXPECT_GE(delta.upper.value.value, truth - 1e-15) << horizon << " " << epsilon;
        EXPECT_LE(delta.upper.value.value - delta.lower.value.value, 2e-12);
      }
    }
  }
}

TEST(Exact, EpsilonInvertsTheProfileAndIsTheLargestLossAtDeltaZero) {
  const std::int64_t horizon = 9;
  const auto exact = exact_randomized_response(horizon);
  const double delta = 0.01;
  const auto epsilon = exact.epsilon(Delta{delta}, Orientation::kBaseToNeighbour);
  EXPECT_GE(RandomizedResponsePair::delta(horizon, kEpsilon0, epsilon.lower.value.value),
            delta - 1e-12);
  EXPECT_LE(RandomizedResponsePair::delta(horizon, kEpsilon0, epsilon.upper.value.value),
            delta + 1e-12);
  EXPECT_LE(epsilon.upper.value.value - epsilon.lower.value.value, 1e-9);
  const auto pure = exact.epsilon(Delta{0.0}, Orientation::kNeighbourToBase);
  EXPECT_NEAR(pure.lower.value.value, kEpsilon0 * horizon, 1e-11);
  EXPECT_NEAR(pure.upper.value.value, kEpsilon0 * horizon, 1e-11);
}

TEST(Exact, SmallestMuIsTheLargestOverAllLikelihoodRatioTests) {
  // One round: a single test, so mu = Phi^{-1}(p) - Phi^{-1}(1 - p) = 2 Phi^{-1}(p).
  const auto exact = exact_randomized_response(1);
  const double log_p = -std::log1p(std::exp(-kEpsilon0));
  const double log_q = -std::log1p(std::exp(kEpsilon0));
  const double truth = mu_from_event(log_p, log_q).value;
  EXPECT_LE(exact.mu().lower.value.value, truth);
  EXPECT_GE(exact.mu().upper.value.value, truth);
  EXPECT_NEAR(exact.mu().lower.value.value, truth, 1e-11);
}

TEST(Exact, SmallestMuDominatesTheWholeProfileAndNothingSmallerDoes) {
  const auto exact = exact_randomized_response(10);
  const double mu = exact.mu().upper.value.value;
  double tightest = 1.0;
  for (int i = 0; i <= 600; ++i) {
    const double epsilon = 3.0 * i / 600.0;
    const double delta =
        exact.delta(Epsilon{epsilon}, Orientation::kBaseToNeighbour).upper.value.value;
    if (delta < 1e-9) break;
    const double gaussian = gdp_delta(Mu{mu}, Epsilon{epsilon}).value;
    EXPECT_GE(gaussian * (1.0 + 1e-6), delta) << epsilon;
    tightest = std::min(tightest, gaussian / delta - 1.0);
  }
  EXPECT_LT(tightest, 0.02);
}

TEST(Exact, MuAboveDeltaZeroIsTheLargestMuOfTheProfileThere) {
  const auto exact = exact_randomized_response(12);
  for (const double delta0 : {1e-1, 1e-3, 1e-6}) {
    const auto bounds = exact.mu_above(Delta{delta0});
    double brute = 0.0;
    for (int i = 0; i <= 3600; ++i) {
      const double epsilon = 3.6 * i / 3600.0;
      const double delta = RandomizedResponsePair::delta(12, kEpsilon0, epsilon);
      if (delta <= delta0) break;
      brute = std::max(brute, gdp_mu(Epsilon{epsilon}, Delta{delta}).value);
    }
    EXPECT_LE(brute, bounds.upper.value.value + 1e-12) << delta0;
    EXPECT_NEAR(brute, bounds.lower.value.value, 1e-3 * brute) << delta0;
    EXPECT_LE(bounds.upper.value.value, exact.mu().upper.value.value);
    EXPECT_NEAR(bounds.upper.value.value, bounds.lower.value.value, 1e-5);
  }
}

TEST(Exact, TwoRoundsOfThompsonSamplingMatchTheHandComputation) {
  // N = 2, r_1: 0 -> 1. Round 1 is a fair coin. In round 2 the played arm has mean 0 or 1/2 and
  // variance 1/2, the other one mean 0 and variance 1.
  const auto process = thompson_pair(2, stream_pair({0.0, 0.0}, 1, 1.0));
  const auto exact = ExactLoss::create(enumerate_transcripts(process, 2).value()).value();
  const double again = 0.5 * std::erfc(-0.5 / std::sqrt(1.5) / std::sqrt(2.0));
  const double delta = again - 0.5;  // at eps = 0, toward the new side
  EXPECT_NEAR(exact.delta(Epsilon{0.0}, Orientation::kNeighbourToBase).lower.value.value, delta,
              1e-12);
  EXPECT_NEAR(exact.delta(Epsilon{0.0}, Orientation::kBaseToNeighbour).lower.value.value, delta,
              1e-12);
  EXPECT_NEAR(exact.largest_loss(Orientation::kNeighbourToBase), std::log(again / 0.5), 1e-12);
}

TEST(Exact, ProbabilitiesOfAllTranscriptsSumToOne) {
  for (const std::int64_t arms : {2, 3}) {
    const InputPair pair = stream_pair({0.0, 1.0, 0.3, 0.7, 1.0, 0.0}, 2, 0.0);
    const auto exact =
        must(ExactLoss::create(enumerate_transcripts(thompson_pair(arms, pair), 2).value()));
    EXPECT_LE(exact.sum_error(), 1e-12);
  }
}

TEST(Exact, PrePullsAreForcedAndLoseNothing) {
  const InputPair pair = stream_pair({0.0, 0.0, 1.0, 0.0, 0.5}, 1, 1.0);
  const auto exact =
      ExactLoss::create(enumerate_transcripts(thompson_pair(2, pair, 2), 1).value()).value();
  // Four forced rounds leave one free one, after which arm 1 has mean 0 or 1/3, arm 2 1/3.
  EXPECT_EQ(exact.corners().size(), 2u);
  const double scale = std::sqrt(2.0 / 3.0);
  const auto phi = [&](double z) { return 0.5 * std::erfc(-z / scale / std::sqrt(2.0)); };
  EXPECT_NEAR(exact.delta(Epsilon{0.0}, Orientation::kBaseToNeighbour).lower.value.value,
              phi(0.0) - phi(-1.0 / 3.0), 1e-12);
}

TEST(Exact, MoreTranscriptsThanTheLimitIsAnErrorThatNamesIt) {
  const InputPair pair = stream_pair(std::vector<double>(25, 0.0), 1, 1.0);
  const auto error = error_of(enumerate_transcripts(thompson_pair(2, pair), 1));
  EXPECT_EQ(error.code, ErrorCode::kLimit);
  EXPECT_NE(error.message.find("2^24"), std::string::npos);
  EXPECT_EQ(error.path, "/horizon");
}

TEST(Exact, ProbabilitiesThatDoNotSumToOneAreAnError) {
  EnumeratedDistributions distributions{.log_p = {std::log(0.5), std::log(0.49)},
                                        .log_q = {std::log(0.5), std::log(0.5)}};
  const auto error = error_of(ExactLoss::create(distributions));
  EXPECT_EQ(error.code, ErrorCode::kNumerical);
}

TEST(Exact, ResultDoesNotDependOnTheNumberOfThreads) {
  const InputPair pair = stream_pair({0.0, 1.0, 0.25, 1.0, 0.0, 0.5, 1.0}, 1, 1.0);
  const auto one = enumerate_transcripts(thompson_pair(3, pair), 1).value();
  const auto two = enumerate_transcripts(thompson_pair(3, pair), 3).value();
  EXPECT_EQ(one.log_p, two.log_p);
  EXPECT_EQ(one.log_q, two.log_q);
}

}  // namespace
}  // namespace assay
