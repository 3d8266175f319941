// Parameters that were solved for, against closed forms that share no code with compositions.
#include "assay/mechanisms/accounting/account/solve.hpp"

#include "assay/mechanisms/accounting/calibrate.hpp"
#include "assay/mechanisms/accounting/gdp.hpp"
#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

constexpr ApproximateDp kSolveTarget{Epsilon{1.0}, Delta{1e-4}};

SolvedParameter solved(const OpenStep& open, const ApproximateDp& target = kSolveTarget,
                       const std::vector<ChainStep>& others = {}) {
  return must(solve_parameter(open, others, target));
}
OpenStep open_step(const char* mechanism, std::vector<KeyValue> parameters, const char* name,
                   std::int64_t count = 1) {
  return {mechanism, std::move(parameters), count, 1, "", name, {}};
}

// The delta of one release of Gaussian noise on a Poisson sample, a record removed:
// q times the delta of the noise at log((e^eps - 1 + q)/q).
double poisson_delta(double sigma, double q, double eps) {
  const double at = std::log((std::exp(eps) - 1.0 + q) / q);
  return q * gdp_delta(Mu{1.0 / sigma}, Epsilon{at}).value;
}

TEST(SolvedParameter, IsBetweenTheSidesOfTheClosedFormOfGaussianNoise) {
  const double truth = gaussian_scale(kSolveTarget, 5.0)->value.value;
  const auto sigma = solved(open_step("gaussian", {}, "sigma", 25));
  EXPECT_GE(sigma.value, truth * (1.0 - 1e-9));
  EXPECT_LE(sigma.value, truth * (1.0 + 1e-5));
  ASSERT_TRUE(sigma.refuted);
  EXPECT_LT(*sigma.refuted, truth);
  EXPECT_GT(*sigma.refuted, truth * (1.0 - 1e-4));
  EXPECT_TRUE(sigma.more_is_safer);
  EXPECT_THAT(sigma.monotone, HasSubstr("independent noise added"));
  // And back: as many releases as that noise allows, in counts and in answers moved.
  const double three = gaussian_scale(kSolveTarget, std::sqrt(40.0))->value.value;
  for (const char* name : {"compose", "moves"}) {
    const auto most = solved(open_step("gaussian", {{"sigma", number_text(three * 1.0001)}}, name));
    EXPECT_EQ(most.value, 40.0) << name;
    EXPECT_EQ(most.refuted, 41.0) << name;
  }
}

TEST(SolvedParameter, IsBetweenTheSidesOfTheClosedFormOfASample) {
  const std::vector<KeyValue> sampled = {{"sampler", "poisson"}, {"sampling", "0.1"}};
  const auto sigma = solved(open_step("gaussian", sampled, "sigma"));
  EXPECT_LE(poisson_delta(sigma.value, 0.1, 1.0), 1e-4 * (1.0 + 1e-9));
  ASSERT_TRUE(sigma.refuted);
  EXPECT_GT(poisson_delta(*sigma.refuted, 0.1, 1.0), 1e-4);
  EXPECT_GT(*sigma.refuted, sigma.value * (1.0 - 1e-4));
  const auto sampling = solved(open_step("subsampled-gaussian", {{"sigma", "0.8"}}, "sampling"));
  EXPECT_LE(poisson_delta(0.8, sampling.value, 1.0), 1e-4 * (1.0 + 1e-9));
  ASSERT_TRUE(sampling.refuted);
  EXPECT_GT(poisson_delta(0.8, *sampling.refuted, 1.0), 1e-4);
  EXPECT_LT(*sampling.refuted, sampling.value * (1.0 + 1e-4));
}

TEST(SolvedParameter, OfAChainLeavesRoomForTheOtherSteps) {
  const std::vector<ChainStep> others = {{GdpStep{0.1}, 4, ""}};
  const double mu = 1.0 / gaussian_scale(kSolveTarget, 1.0)->value.value;
  const double left = std::sqrt(mu * mu - 0.04);  // 4 times 0.1^2 is spent
  const auto found = solved(open_step("gdp", {}, "mu"), kSolveTarget, others);
  EXPECT_NEAR(found.value, left, 1e-4 * left);
  EXPECT_LE(found.value, left * (1.0 + 1e-9));
  ASSERT_TRUE(found.refuted);
  EXPECT_GT(*found.refuted, left);
}

TEST(SolvedParameter, AtDeltaZeroIsThatOfTheLargestLosses) {
  const ApproximateDp pure{Epsilon{1.0}, Delta{0.0}};
  const auto epsilon = solved(open_step("randomized-response", {}, "epsilon", 8), pure);
  EXPECT_LE(epsilon.value, 0.125);
  EXPECT_GT(epsilon.value, 0.125 * (1.0 - 1e-5));
  const ApproximateDp more{Epsilon{1.001}, Delta{0.0}};  // the sum of four is rounded up
  const auto most = solved(open_step("laplace", {{"scale", "4"}}, "compose"), more);
  EXPECT_EQ(most.value, 4.0);
  EXPECT_EQ(most.refuted, 5.0);
}

TEST(SolvedParameter, SaysWhatIsNotProved) {
  const auto discrete = solved(open_step("discrete-gaussian", {}, "sigma", 3));
  EXPECT_TRUE(discrete.refuted);
  EXPECT_EQ(discrete.monotone, "");
  const auto level = solved(open_step("zcdp", {}, "rho"));
  EXPECT_FALSE(level.refuted);
  EXPECT_FALSE(level.achieved.lower);
}

// The best of one run is the run: with gamma near 1 its noise is that of the run.
TEST(SolvedParameter, OfARunIsThatOfTheBestOfSeveral) {
  const std::vector<KeyValue> run = {{"run", "gaussian"}, {"run_compose", "4"}};
  auto once = run, often = run;
  once.push_back({"gamma", "0.99999999"});
  often.push_back({"gamma", "0.1"});
  const double one = gaussian_scale(kSolveTarget, 2.0)->value.value;
  const auto alone = solved(open_step("repeat-and-select", once, "sigma"));
  EXPECT_NEAR(alone.value, one, 5e-3 * one);
  EXPECT_GE(alone.value, one * (1.0 - 1e-6));
  const auto sigma = solved(open_step("repeat-and-select", often, "sigma"));
  EXPECT_GT(sigma.value, 1.5 * alone.value);
  ASSERT_TRUE(sigma.refuted);
  EXPECT_LT(*sigma.refuted, sigma.value);
  EXPECT_GT(*sigma.refuted, 0.9 * sigma.value);
  EXPECT_THAT(sigma.monotone, HasSubstr("independent noise added"));
  often.back().key = "sigma";
  often.back().value = number_text(sigma.value);
  const auto gamma = solved(open_step("repeat-and-select", often, "gamma"));
  EXPECT_NEAR(gamma.value, 0.1, 1e-4);
  EXPECT_TRUE(gamma.more_is_safer);
  EXPECT_EQ(gamma.monotone, "");
}

TEST(SolvedParameter, ErrorsNameTheParameter) {
  const auto refusal = [](const OpenStep& open) {
    return refusal_of(solve_parameter(open, {}, kSolveTarget));
  };
  EXPECT_THAT(refusal(open_step("laplace", {}, "sigma")),
              HasSubstr("'sigma' of laplace cannot be solved for, only scale, sensitivity"));
  EXPECT_THAT(refusal(open_step("gaussian", {{"sigma", "0.5"}}, "compose")),
              HasSubstr("no value of compose that is allowed is enough: the smallest tried is 1"));
  EXPECT_THAT(refusal(open_step("gaussian", {{"sampler", "poisson"}}, "sigma")),
              HasSubstr("needs sampling"));
}

TEST(CostsWithout, OneKindOfStepIsThatOfTheRest) {
  const std::vector<ChainStep> chain = {{GaussianStep{2.0, 1.0}, 1, ""},
                                        {LaplaceStep{4.0, 1.0}, 1, ""},
                                        {GaussianStep{2.0, 1.0}, 3, ""}};
  const AccountTarget target{AccountTarget::Asked::kEpsilonAtDelta, 1e-5};
  const auto without = must(costs_without(chain, target));
  ASSERT_EQ(without.size(), 2u);
  EXPECT_EQ(without[0].step, 0u);
  EXPECT_EQ(without[0].count, 4);
  EXPECT_NEAR(without[0].upper, 0.25 + 2.0 * std::log1p(-1e-5), 1e-9);  // Laplace noise alone
  EXPECT_EQ(without[1].step, 1u);
  const double rest = gdp_epsilon_upper(Mu{1.0}, std::log(1e-5)).value.value;
  EXPECT_NEAR(without[1].upper, rest, 1e-9 * rest);
  EXPECT_TRUE(must(costs_without(std::span(chain).first(1), target)).empty());
  std::vector<ChainStep> many;
  for (int i = 0; i < 512; ++i) many.push_back({GaussianStep{100.0 + i, 1.0}, 1, ""});
  EXPECT_EQ(must(costs_without(std::span(many).first(511), target)).size(), 5U);
  EXPECT_TRUE(must(costs_without(many, target)).empty());
}

TEST(AccountCurves, RatesEncloseThoseOfTheNormalTest) {
  const std::vector<ChainStep> chain = {{GdpStep{1.0}, 1, ""}};
  const auto curves = must(account_curves(chain));
  ASSERT_EQ(curves.rates.size(), 3u);
  for (const TradeOffBand& rate : curves.rates) {
    const double missed = normal_cdf(normal_ccdf_quantile(rate.type_one) - 1.0);
    EXPECT_LE(rate.lower, missed);
    EXPECT_GE(rate.upper, missed);
    EXPECT_LT(rate.upper - rate.lower, 0.01);
  }
}

}  // namespace
}  // namespace assay
