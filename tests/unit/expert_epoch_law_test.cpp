// The law of an epoch's choice against closed forms, enumeration over the counts, and 50 digits.
#include "assay/auditors/claims/experts/epoch_law.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "assay/auditors/claims/experts/conjecture.hpp"
#include "assay/auditors/claims/experts/precise_law.hpp"
#include "assay/mechanisms/release/report_noisy_max.hpp"
#include "assay/tests/support/repetitions.hpp"

namespace assay {
namespace {

using namespace expert_checks;

constexpr ExpertNoise kNoises[] = {ExpertNoise::kLaplace, ExpertNoise::kExponential,
                                   ExpertNoise::kGumbel};

MaxNoise max_noise(ExpertNoise noise) {
  if (noise == ExpertNoise::kLaplace) return MaxNoise::kLaplace;
  return noise == ExpertNoise::kGumbel ? MaxNoise::kGumbel : MaxNoise::kExponential;
}

TEST(EpochLaw, BinomialWeightsAreThoseOfTheRecursion) {
  const auto law = binomial_law(4, 0.25, 3);
  EXPECT_EQ(law.least, 3);
  const double expected[] = {81.0 / 256, 108.0 / 256, 54.0 / 256, 12.0 / 256, 1.0 / 256};
  ASSERT_EQ(law.weights.size(), 5u);
  for (std::size_t k = 0; k < 5; ++k) EXPECT_NEAR(law.weights[k], expected[k], 1e-16);
  EXPECT_EQ(binomial_law(7, 0.0).weights.size(), 1u);
  EXPECT_EQ(binomial_law(7, 1.0).least, 7);
}

// K actions, own sum against the others': P = (1 - (1 - 1/e)^K) e/K, and e^-1/K the other way
// round.
TEST(EpochLaw, ExponentialNoiseAtOneStepIsTheClosedForm) {
  for (const double actions : {2.0, 3.0, 10.0, 1e6}) {
    const std::vector<ArmGroup> ahead{{binomial_law(0, 0.0, 0), 1.0},
                                      {binomial_law(0, 0.0, 1), actions - 1.0}};
    const std::vector<ArmGroup> behind{{binomial_law(0, 0.0, 1), 1.0},
                                       {binomial_law(0, 0.0, 0), actions - 1.0}};
    const double none = std::expm1(actions * std::log1p(-std::exp(-1.0)));
    const double first = choice_probabilities(ExpertNoise::kExponential, 1.0, ahead)[0];
    const double last = choice_probabilities(ExpertNoise::kExponential, 1.0, behind)[0];
    EXPECT_NEAR(first / (-none * std::exp(1.0) / actions), 1.0, 1e-13);
    EXPECT_NEAR(last / (std::exp(-1.0) / actions), 1.0, 1e-13);
  }
}

TEST(EpochLaw, MixturesAreTheEnumerationOfTheirCounts) {
  const double means[] = {0.2, 0.5, 0.9};
  for (const auto noise : kNoises) {
    for (const double epsilon : {0.05, 0.7, 4.0}) {
      std::vector<ArmGroup> groups;
      for (const double mean : means) groups.push_back({binomial_law(3, mean), 1.0});
      const double scale = noise_scale(noise, epsilon);
      const auto p = choice_probabilities(noise, scale, groups);
      ReportNoisyMaxConfig config;
      config.answers = 3;
      config.epsilon = 2.0 / scale;
      config.noise = max_noise(noise);
      const auto choice = ReportNoisyMax::create(config).value();
      double sums[3] = {};
      for (int a = 0; a < 64; ++a) {
        const int k[3] = {a % 4, a / 4 % 4, a / 16};
        double weight = 1.0;
        std::vector<double> scores;
        for (std::size_t i = 0; i < 3; ++i) {
          weight *= groups[i].losses.weights[static_cast<std::size_t>(k[i])];
          scores.push_back(-k[i]);
        }
        const auto log_p = choice.log_pmf(scores);
        for (std::size_t i = 0; i < 3; ++i) sums[i] += weight * std::exp(log_p[i]);
      }
      for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(p[i] / sums[i], 1.0, 1e-12);
    }
  }
}

TEST(EpochLaw, ProbabilitiesOfManyActionsSumToOne) {
  for (const auto noise : kNoises) {
    const std::vector<ArmGroup> groups{{binomial_law(64, 0.1), 1.0},
                                       {binomial_law(64, 0.5), 1.0},
                                       {binomial_law(64, 0.8), 300.0},
                                       {binomial_law(64, 1.0), 1e7}};
    for (const double epsilon : {0.05, 0.7, 4.0}) {
      const auto p = choice_probabilities(noise, noise_scale(noise, epsilon), groups);
      double total = 0.0;
      for (std::size_t i = 0; i < groups.size(); ++i) total += groups[i].arms * p[i];
      EXPECT_NEAR(total, 1.0, 1e-13);
    }
  }
}

TEST(EpochLaw, AgreesWithFiftyDigits) {
  for (const auto noise : kNoises) {
    for (const int epoch : {1, 3, kSanitized ? 3 : 5}) {
      for (const double epsilon : {0.06, 0.4}) {
        const ConjectureInstance instance{noise, epsilon,     epoch,     0.25,
                                          0.5,   {0.75, 1e5}, {0.6, 3.0}};
        const double here = log_needed_constant(instance, 9.0);
        EXPECT_NEAR(here, precise_log_needed_constant(instance, 9.0), 1e-12) << epoch << epsilon;
      }
    }
  }
}

// Far in the tail, where nothing may be lost to an absolute error: two actions of deterministic
// sums 0 and 64, where P = e^(-64 h) times 1/2 (exponential), (1/2 + 64 h/4) (Laplace).
TEST(EpochLaw, SmallProbabilitiesKeepTheirRelativeAccuracy) {
  const std::vector<ArmGroup> groups{{binomial_law(64, 0.0), 1.0}, {binomial_law(64, 1.0), 1.0}};
  const double h = 2.0;
  const double exponential = choice_probabilities(ExpertNoise::kExponential, 1.0 / h, groups)[1];
  const double laplace = choice_probabilities(ExpertNoise::kLaplace, 1.0 / h, groups)[1];
  const double gumbel = choice_probabilities(ExpertNoise::kGumbel, 1.0 / h, groups)[1];
  EXPECT_NEAR(exponential / (0.5 * std::exp(-128.0)), 1.0, 1e-12);
  EXPECT_NEAR(laplace / (32.5 * std::exp(-128.0)), 1.0, 1e-12);
  EXPECT_NEAR(gumbel / std::exp(-128.0), 1.0, 1e-12);
}

}  // namespace
}  // namespace assay
