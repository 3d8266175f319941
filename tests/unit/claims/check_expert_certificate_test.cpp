// The checks of certificates about RNM-FTNL: what is computed again, against closed forms, and
// every way in which such a certificate can be wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "assay/auditors/registry/certificates.hpp"
#include "assay/mechanisms/release/report_noisy_max.hpp"
#include "assay/tests/support/sample_certificates.hpp"

namespace assay {
namespace {

using testing::epoch_certificate;
using testing::growth_certificate;
using ::testing::HasSubstr;
using testing::integral_certificate;
using testing::regret_certificate;

EpochCounterexample& epoch_counterexample(Certificate& c) {
  return c.counterexample.as<EpochCounterexample>();
}

TEST(CheckExpertCertificate, SoundOnesRefute) {
  for (const auto& certificate :
       {epoch_certificate(), regret_certificate(), integral_certificate(), growth_certificate()}) {
    const auto check = check_certificate(certificate);
    ASSERT_TRUE(check) << check.error().to_string();
    EXPECT_TRUE(check->refutes) << check->conclusion;
    EXPECT_THAT(check->conclusion, HasSubstr("Refuted: "));
    EXPECT_GE(check->steps.size(), 3u);
  }
}

TEST(CheckExpertCertificate, TheFirstEpochOfTwoActionsLosesTheLogOfTwoEMinusOne) {
  const auto check = check_certificate(epoch_certificate()).value();
  EXPECT_NEAR(std::log(check.p / check.q), std::log(2.0 * std::exp(1.0) - 1.0), 1e-14);
  EXPECT_THAT(check.conclusion, HasSubstr("is not 1-differentially private"));
  EXPECT_THAT(check.conclusion, HasSubstr("1.4898801"));
}

// With several actions and sums that are not whole, against the quadrature of the mechanism.
TEST(CheckExpertCertificate, EpochsOfManyActionsAgreeWithTheMechanism) {
  for (const auto noise :
       {LeaderNoise::kLaplace, LeaderNoise::kExponential, LeaderNoise::kGumbel}) {
    EpochCounterexample epoch;
    epoch.noise = noise;
    epoch.epsilon = 0.75;
    epoch.others = {1.25, 0.5, 0.5, 2.75};
    epoch.before = {0.0, 1.0, 0.25, 1.0};
    epoch.after = {1.0, 0.0, 0.5, 0.0};
    epoch.action = 0;
    ReportNoisyMaxConfig config;
    config.answers = 4;
    config.epsilon = noise == LeaderNoise::kExponential ? 1.5 : 0.75;
    config.noise = noise == LeaderNoise::kLaplace  ? MaxNoise::kLaplace
                   : noise == LeaderNoise::kGumbel ? MaxNoise::kGumbel
                                                   : MaxNoise::kExponential;
    const auto choice = ReportNoisyMax::create(config).value();
    double log_p[2];
    for (const bool after : {false, true}) {
      std::vector<double> scores;
      for (std::size_t i = 0; i < 4; ++i) {
        scores.push_back(-epoch.others[i] - (after ? epoch.after : epoch.before)[i]);
      }
      log_p[after ? 1 : 0] = choice.log_pmf(scores)[0];
    }
    epoch.p = std::exp(log_p[0]);
    epoch.q = std::exp(log_p[1]);
    epoch.loss = log_p[0] - log_p[1];
    const auto check = check_certificate({"ftnl-dp-laplace", epoch});
    ASSERT_TRUE(check) << check.error().to_string();
    EXPECT_NEAR(check->p / epoch.p, 1.0, 1e-12);
    EXPECT_NEAR(check->q / epoch.q, 1.0, 1e-12);
    EXPECT_EQ(check->refutes, epoch.loss > 0.75);
  }
}

TEST(CheckExpertCertificate, WhatDoesNotRefuteIsSaidSo) {
  auto corrected = epoch_certificate();
  epoch_counterexample(corrected).noise =
      LeaderNoise::kGumbel;  // softmax(-eps G/2): loss 1/2 at eps = 1/2
  epoch_counterexample(corrected).epsilon = 0.5;
  const double p = 1.0 / (1.0 + std::exp(-0.25));
  epoch_counterexample(corrected).p = p;
  epoch_counterexample(corrected).q = 1.0 - p;
  epoch_counterexample(corrected).loss = 0.25;
  const auto check = check_certificate(corrected);
  ASSERT_TRUE(check) << check.error().to_string();
  EXPECT_FALSE(check->refutes);
  EXPECT_THAT(check->conclusion, HasSubstr("Not refuted by this"));

  auto growth = growth_certificate();
  auto& rates = growth.counterexample.as<GrowthCounterexample>();
  rates.split = 7.75;  // left of the range that has both
  const double rho = -std::log1p(0.5 * std::expm1(-0.125));
  rates.rate_below = 0.5 / 7.75 - rho;
  rates.rate_above = 0.5 * (0.125 - 1.0 / 7.75);
  EXPECT_FALSE(check_certificate(growth).value().refutes);
}

struct ExpertLie {
  std::string name;
  Certificate certificate;
  std::function<void(Certificate&)> tell;
  std::string path;
  std::string message;
};

TEST(CheckExpertCertificate, EveryLieIsRefusedByName) {
  const auto regret_of = [](Certificate& c) -> RegretCounterexample& {
    return c.counterexample.as<RegretCounterexample>();
  };
  const auto integral_of = [](Certificate& c) -> IntegralMismatch& {
    return c.counterexample.as<IntegralMismatch>();
  };
  const auto growth_of = [](Certificate& c) -> GrowthCounterexample& {
    return c.counterexample.as<GrowthCounterexample>();
  };
  const std::vector<ExpertLie> lies = {
      {"p", epoch_certificate(), [](auto& c) { epoch_counterexample(c).p *= 1.0 + 3e-9; },
       "/numbers/p", "but the inputs give"},
      {"q", epoch_certificate(), [](auto& c) { epoch_counterexample(c).q *= 1.0 + 3e-9; },
       "/numbers/q", "but the inputs give"},
      {"loss", epoch_certificate(), [](auto& c) { epoch_counterexample(c).loss += 1e-8; },
       "/numbers/loss", "but the inputs give"},
      {"lengths", epoch_certificate(), [](auto& c) { epoch_counterexample(c).after.pop_back(); },
       "/counterexample/after", "must have 2 losses"},
      {"loss vector", epoch_certificate(), [](auto& c) { epoch_counterexample(c).before[1] = 1.5; },
       "/counterexample/before/1", "from 0 to 1, not 1.5"},
      {"action", epoch_certificate(), [](auto& c) { epoch_counterexample(c).action = 2; },
       "/counterexample/action", "1 to 2, not 3"},
      {"epsilon", epoch_certificate(), [](auto& c) { epoch_counterexample(c).epsilon = 0.0; },
       "/counterexample/epsilon", "from 0.001 to 100"},
      {"kind", epoch_certificate(), [](auto& c) { c.claim = "ftnl-conjecture"; },
       "/counterexample/kind", "must be growth"},
      {"regret", regret_certificate(), [&](auto& c) { regret_of(c).regret += 1e-6; },
       "/numbers/regret", "but the inputs give"},
      {"bound", regret_certificate(), [&](auto& c) { regret_of(c).bound -= 1e-6; },
       "/numbers/bound", "but the inputs give"},
      {"times", regret_certificate(), [&](auto& c) { regret_of(c).gaps[1].times = 2.5; },
       "/counterexample/gaps/1/times", "must be a whole number"},
      {"epochs", regret_certificate(), [&](auto& c) { regret_of(c).epochs = 61; },
       "/counterexample/epochs", "1 to 60, not 61"},
      {"integral", integral_certificate(), [&](auto& c) { integral_of(c).integral = 1.0; },
       "/numbers/integral", "states 1"},
      {"first level", integral_certificate(), [&](auto& c) { integral_of(c).levels[0] = 0.5; },
       "/counterexample/levels/0", "must be 0"},
      {"second level", integral_certificate(), [&](auto& c) { integral_of(c).levels[1] = 0.0; },
       "/counterexample/levels/1", "must be positive"},
      {"rate", growth_certificate(), [&](auto& c) { growth_of(c).rate_above *= 2.0; },
       "/numbers/rate_above", "but the inputs give"},
      {"gap", growth_certificate(), [&](auto& c) { growth_of(c).gap = growth_of(c).epsilon; },
       "/counterexample/gap", "must be above epsilon"},
  };
  for (auto lie : lies) {
    lie.tell(lie.certificate);
    const auto check = check_certificate(lie.certificate);
    ASSERT_FALSE(check) << lie.name;
    EXPECT_EQ(check.error().path, lie.path) << lie.name;
    EXPECT_THAT(check.error().message, HasSubstr(lie.message)) << lie.name;
  }
}

}  // namespace
}  // namespace assay
