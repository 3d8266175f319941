// Accounts of chains, conversion tables and calibrations against closed forms, 50-digit binomials,
// enumeration and quadrature.
#include "assay/mechanisms/accounting/account/account.hpp"

#include <atomic>
#include <boost/multiprecision/cpp_bin_float.hpp>

#include "assay/mechanisms/accounting/account/composed_calibration.hpp"
#include "assay/mechanisms/accounting/account/convert.hpp"
#include "assay/mechanisms/accounting/composition.hpp"
#include "assay/mechanisms/accounting/conversions.hpp"
#include "assay/mechanisms/accounting/gdp.hpp"
#include "assay/mechanisms/accounting/optimal_composition.hpp"
#include "assay/mechanisms/accounting/pld/pld_composition.hpp"
#include "assay/mechanisms/accounting/zcdp.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

using AskedOfAccount = AccountTarget::Asked;
using Big = boost::multiprecision::cpp_bin_float_50;

AccountTarget eps_at(double delta) { return {AskedOfAccount::kEpsilonAtDelta, delta}; }
AccountTarget delta_at(double eps) { return {AskedOfAccount::kDeltaAtEpsilon, eps}; }

AccountAnswer answer_of(const std::vector<ChainStep>& chain, AccountTarget target) {
  return must(account_for(chain, std::vector{target})).front();
}

std::string account_error(const std::vector<ChainStep>& chain, AccountTarget target) {
  return refusal_of(account_for(chain, std::vector{target}));
}

void expect_between(const AccountAnswer& answer, double truth, double width) {
  ASSERT_TRUE(answer.lower);
  EXPECT_LE(*answer.lower, truth);
  EXPECT_GE(answer.upper, truth);
  EXPECT_LE(answer.upper - *answer.lower, width);
}

// delta of `count` releases of (eps, own)-DP at `at`, in 50 digits.
Big binary_delta(const Big& eps, const Big& own, int count, const Big& at) {
  const Big e = exp(eps);
  Big weight = pow(e / (1 + e), count);  // no lies
  Big profile = 0;
  for (int lies = 0; lies <= count; ++lies) {
    const Big loss = Big(count - 2 * lies) * eps;
    if (loss > at) profile += weight * (1 - exp(at - loss));
    weight = weight * (count - lies) / (lies + 1) / e;
  }
  const Big kept = pow(1 - own, count);
  return 1 - kept + kept * profile;
}
double binomial_delta(double eps, double own, int count, double at) {
  return static_cast<double>(binary_delta(eps, own, count, at));
}

// The 96 settings of everyday use: the answer is tight, contains the binomial, and the
// distributions alone, without the closed form, are as tight.
TEST(Account, OfEverydayBinaryLevelsIsTight) {
  int settings = 0;
  for (const double eps : {0.1, 0.5, 1.0, 2.0}) {
    for (const int count : {1, 3, 20}) {
      for (const double delta : {1e-6, 1e-9}) {
        const double own = 1e-12;
        const std::tuple<StepMechanism, Big, double> levels[] = {
            {PureStep{eps}, Big(eps), 0.0},
            {ApproximateStep{eps, own}, Big(eps), own},
            {RandomizedResponseStep{eps, 2}, Big(eps), 0.0},
            {DiscreteLaplaceStep{1.0 / eps}, 1 / Big(1.0 / eps), 0.0}};
        for (const auto& [step, level, own_delta] : levels) {
          SCOPED_TRACE(to_string(step) + " x " + std::to_string(count) + " at " +
                       std::to_string(delta));
          const auto answer = answer_of({{step, count, ""}}, eps_at(delta));
          ASSERT_TRUE(answer.lower);
          EXPECT_LT(answer.upper - *answer.lower, 1e-9 * answer.upper);
          // Above the target just below the interval, and not above it at its end.
          EXPECT_GE(binary_delta(level, own_delta, count, *answer.lower), delta);
          EXPECT_LE(binary_delta(level, own_delta, count, answer.upper), delta);
          const auto losses = step_losses(step);
          const auto alone =
              pld_epsilon(std::vector{PldTerm{(*losses)->dominating.remove, count}}, Delta{delta});
          const double lower = alone->lower.value.value, upper = alone->upper.value.value;
          EXPECT_LT(upper - lower, 1e-3 * upper);
          EXPECT_GE(binary_delta(level, own_delta, count, lower), delta);
          EXPECT_LE(binary_delta(level, own_delta, count, upper), delta);
          ++settings;
        }
      }
    }
  }
  EXPECT_EQ(settings, 96);
}

// Two lattices on one grid at a large tilt end in no number at all, which was taken for a bound of 0.
TEST(Account, WhatTheDistributionsCannotSayIsNoBound) {
  const std::vector<ChainStep> chain = {{DiscreteGaussianStep{6.546167374717098}, 20, ""},
                                        {DiscreteGaussianStep{0.9477219653779103}, 4, ""}};
  for (const double delta : {1e-12, 1e-150, 1e-250}) {
    const auto answer = answer_of(chain, eps_at(delta));
    EXPECT_GT(answer.upper, 17.6) << delta;
    EXPECT_LE(answer.lower.value_or(0.0), answer.upper) << delta;
    if (delta == 1e-12) {
      EXPECT_LE(answer.upper - answer.lower.value_or(0.0), 1e-3);
    }
  }
}

TEST(Account, AnswersAtTheEndsOfTheStatedRanges) {
  const double inf = kInfinity;
  const struct {
    StepMechanism step;
    std::int64_t count;
    AccountTarget target;
    double low, high;  // what the answer lies within
  } cases[] = {{PureStep{264.663}, 1, eps_at(1e-6), 264.66299, 264.663},
               {PureStep{300.0}, 1000, eps_at(1e-300), 299999.999, 300000.0},
               {ApproximateStep{299.0, 1e-9}, 3, eps_at(1e-6), 896.99, 897.0},
               {RandomizedResponseStep{250.0, 5}, 2, delta_at(499.0), 0.63212, 0.632121},
               {GaussianStep{1.09837}, 640197, eps_at(9.86e-18), 271517.59603, 271517.596032},
               {GdpStep{5.82236}, 265321, delta_at(1e-4), 0.9999999, 1.0},
               {LaplaceStep{1.0}, 1, eps_at(1e-280), 1.0 - 1e-12, 1.0 + 1e-12},
               {LaplaceStep{18.5884}, 3, eps_at(1e-138), 0.1613909, 0.16139098},
               {GaussianStep{1.0}, 1, delta_at(1e6), 0.0, 1e-300},
               {DiscreteGaussianStep{0.05}, 1, eps_at(1e-30), 199.999, 400.0},
               {DiscreteLaplaceStep{0.01}, 7, eps_at(1e-290), 699.999, 700.001},
               {FinitePairStep{{0.5, 0.5}, {1e-290, 1.0}}, 2, eps_at(1e-3), 1334.0, 1336.0},
               {FinitePairStep{{1.0, 0.0}, {0.5, 0.5}}, 1000000, eps_at(1e-9), 693147.0, inf}};
  for (const auto& [step, count, target, low, high] : cases) {
    SCOPED_TRACE(to_string(step));
    const auto answer = answer_of({{step, count, ""}}, target);
    ASSERT_TRUE(answer.lower);
    EXPECT_GE(*answer.lower, low);
    EXPECT_LE(answer.upper, high);
    EXPECT_LE(*answer.lower, answer.upper);
  }
}

// Subsampled Gaussian noise has no closed form: one release at the other end of the tail.
TEST(Account, KeepsTheTailsThatATinyDeltaNeeds) {
  const auto answer =
      answer_of({{SampledStep{GaussianStep{2.0}, PoissonSampler{0.5}}, 3, ""}}, eps_at(1e-100));
  ASSERT_TRUE(answer.lower);
  EXPECT_LT(answer.upper - *answer.lower, 1e-3 * answer.upper);
}

TEST(Account, EndsWhereItIsInterrupted) {
  const std::atomic<bool> cancel = true;
  RunControl control{.cancel = &cancel};
  const std::vector<ChainStep> chain = {{LaplaceStep{5.0}, 20, ""}};
  const auto error = error_of(account_for(chain, std::vector{eps_at(1e-6)}, control));
  EXPECT_EQ(error.code, ErrorCode::kInterrupted);
  EXPECT_EQ(account_curves(chain, control).error().code, ErrorCode::kInterrupted);
  const std::vector terms{PldTerm{*loss_of::laplace(5.0), 20}};
  EXPECT_EQ(pld_epsilon(terms, Delta{1e-6}, {.cancel = &cancel}).error().code,
            ErrorCode::kInterrupted);
}

TEST(Account, OfBinaryPairsContainsTheBinomialIn50Digits) {
  for (const double at : {0.0, 0.5, 2.0}) {
    const double pure = binomial_delta(0.125, 0.0, 40, at);
    for (const StepMechanism& step :
         {StepMechanism(PureStep{0.125}), StepMechanism(RandomizedResponseStep{0.125, 2}),
          StepMechanism(DiscreteLaplaceStep{8.0})}) {
      const auto answer = answer_of({{step, 40, ""}}, delta_at(at));
      expect_between(answer, pure, 1e-3 * pure);
      ASSERT_TRUE(answer.closed);
      EXPECT_LE(answer.closed->lower, pure);
      EXPECT_GE(answer.closed->upper, pure);
    }
    const double own = binomial_delta(0.125, 1e-4, 40, at);
    expect_between(answer_of({{ApproximateStep{0.125, 1e-4}, 40, ""}}, delta_at(at)), own,
                   1e-3 * own);
  }
}

TEST(Account, EpsilonInvertsTheBinomial) {
  for (const double own : {0.0, 1e-8}) {
    const auto answer = answer_of({{ApproximateStep{0.125, own}, 40, ""}}, eps_at(1e-5));
    EXPECT_LE(answer.upper - *answer.lower, 1e-4);
    EXPECT_GT(binomial_delta(0.125, own, 40, *answer.lower), 1e-5 * (1 - 1e-12));
    EXPECT_LE(binomial_delta(0.125, own, 40, answer.upper), 1e-5);
    ASSERT_TRUE(answer.closed);
    EXPECT_LE(binomial_delta(0.125, own, 40, answer.closed->upper), 1e-5);
    EXPECT_GE(binomial_delta(0.125, own, 40, answer.closed->lower), 1e-5 * (1 - 1e-11));
  }
}

TEST(Account, OfGaussianNoiseAndGdpContainsTheClosedForm) {
  const std::vector<ChainStep> chain = {{GaussianStep{6.0, 3.0}, 30, ""}, {GdpStep{0.7}, 5, ""}};
  const Mu mu{std::sqrt(30 * 0.25 + 5 * 0.49)};
  expect_between(answer_of(chain, eps_at(1e-6)), gdp_epsilon(mu, Delta{1e-6}).value, 1e-4);
  const double delta = gdp_delta(mu, Epsilon{8.0}).value;
  expect_between(answer_of(chain, delta_at(8.0)), delta, 1e-3 * delta);
}

TEST(Account, OfOneLaplaceReleaseIsItsClosedForm) {
  const auto answer = answer_of({{LaplaceStep{3.0, 2.0}, 1, ""}}, eps_at(0.01));
  const double truth = 2.0 / 3.0 + 2.0 * std::log1p(-0.01);
  expect_between(answer, truth, 1e-4);
  EXPECT_NEAR(answer.closed->upper, truth, 1e-14);
}

// Outputs of several steps one after another, as one finite pair.
struct ProductDistribution {
  std::vector<double> p = {1.0};
  std::vector<double> q = {1.0};
  void add(const std::vector<double>& p2, const std::vector<double>& q2) {
    ProductDistribution next{{}, {}};
    for (std::size_t i = 0; i < p.size(); ++i) {
      for (std::size_t j = 0; j < p2.size(); ++j) {
        next.p.push_back(p[i] * p2[j]);
        next.q.push_back(q[i] * q2[j]);
      }
    }
    *this = next;
  }
  double delta(double eps) const {
    double remove = 0.0, add = 0.0;
    for (std::size_t i = 0; i < p.size(); ++i) {
      remove += std::max(0.0, p[i] - std::exp(eps) * q[i]);
      add += std::max(0.0, q[i] - std::exp(eps) * p[i]);
    }
    return std::max(remove, add);
  }
};

TEST(Account, OfMixedFiniteStepsIsTheWorseOrderOfTheirEnumeration) {
  const std::vector<double> p = {0.5, 0.4, 0.1}, q = {0.2, 0.3, 0.5};
  const double e = std::exp(0.4), d = 0.01;
  const std::vector<ChainStep> chain = {{FinitePairStep{p, q}, 2, ""},
                                        {ApproximateStep{0.4, d}, 1, ""},
                                        {RandomizedResponseStep{0.4, 3}, 2, ""}};
  ProductDistribution distribution;
  distribution.add(p, q);
  distribution.add(p, q);
  distribution.add({d, (1 - d) * e / (1 + e), (1 - d) / (1 + e), 0},
                   {0, (1 - d) / (1 + e), (1 - d) * e / (1 + e), d});
  for (int i = 0; i < 2; ++i) {
    distribution.add({e / (e + 2), 1 / (e + 2), 1 / (e + 2)},
                     {1 / (e + 2), e / (e + 2), 1 / (e + 2)});
  }
  for (const double eps : {0.0, 0.7, 1.9}) {
    const double truth = distribution.delta(eps);
    expect_between(answer_of(chain, delta_at(eps)), truth, 1e-3 * truth + 1e-12);
  }
}

TEST(Account, OfASampledGaussianTakesTheWorseOrderAndSaysWhich) {
  const SampledStep step{GaussianStep{2.0, 2.0}, PoissonSampler{0.05}};
  const auto answer = answer_of({{step, 50, ""}}, eps_at(1e-5));
  double worst = 0.0;
  for (const auto direction : {SamplingDirection::kRemove, SamplingDirection::kAdd}) {
    const std::vector<PldTerm> terms{{*loss_of::subsampled_gaussian(1.0, 0.05, direction), 50}};
    worst = std::max(worst, pld_epsilon(terms, Delta{1e-5})->upper.value.value);
  }
  EXPECT_NEAR(answer.upper, worst, 1e-9);
  EXPECT_LE(answer.upper - *answer.lower, 1e-4);
  EXPECT_EQ(answer.worse_order, "remove");
}

// D_order of (1 - q) N(0, s^2) + q N(1, s^2) against N(0, s^2), by the trapezoidal rule.
double sampled_divergence(double sigma, double q, double order) {
  double sum = 0.0;
  const double step = 0.01;
  for (double x = -12.0; x < 12.0 + order / sigma; x += step) {
    const double ratio = 1 - q + q * std::exp((x - 0.5 / sigma) / sigma);
    sum += step * std::exp(-0.5 * x * x + order * std::log(ratio)) / std::sqrt(2 * M_PI);
  }
  return std::log(sum) / (order - 1);
}

TEST(Account, RenyiCurveOfASampledGaussianIsItsDivergenceAtWholeOrdersAndAboveItBetween) {
  const auto curve = *step_renyi(SampledStep{GaussianStep{3.0, 2.0}, PoissonSampler{0.1}});
  for (const double order : {2.0, 5.0, 16.0}) {
    const double truth = sampled_divergence(1.5, 0.1, order);
    EXPECT_GE(curve.at(order).value.value, truth * (1 - 1e-11)) << order;
    EXPECT_LE(curve.at(order).value.value, truth * (1 + 1e-9)) << order;
  }
  for (const double order : {1.3, 2.5, 17.0}) {
    EXPECT_GE(curve.at(order).value.value, sampled_divergence(1.5, 0.1, order)) << order;
  }
}

TEST(Account, RenyiCurveOfAFinitePairIsTheLargerOrder) {
  const std::vector<double> p = {0.5, 0.4, 0.1}, q = {0.2, 0.3, 0.5};
  const auto curve = *step_renyi(FinitePairStep{p, q});
  for (const double order : {1.5, 3.0, 20.0}) {
    double forward = 0.0, backward = 0.0;
    for (std::size_t i = 0; i < p.size(); ++i) {
      forward += std::pow(p[i], order) * std::pow(q[i], 1 - order);
      backward += std::pow(q[i], order) * std::pow(p[i], 1 - order);
    }
    const double truth = std::log(std::max(forward, backward)) / (order - 1);
    EXPECT_NEAR(curve.at(order).value.value, truth, 1e-12);
    EXPECT_GE(curve.at(order).value.value, truth - 1e-15);
  }
}

TEST(Account, AtDeltaZeroIsTheSumOfTheLargestLossesOfTheWorseOrder) {
  const FinitePairStep pair{{0.5, 0.5}, {0.8, 0.2}};  // largest losses log 2.5 and log 1.6
  const FinitePairStep mirrored{{0.8, 0.2}, {0.5, 0.5}};
  const double both = std::log(2.5) + std::log(1.6);
  expect_between(answer_of({{pair, 1, ""}, {mirrored, 1, ""}}, eps_at(0.0)), both, 1e-14);
  expect_between(answer_of({{pair, 2, ""}}, eps_at(0.0)), 2 * std::log(2.5), 1e-14);
  expect_between(answer_of({{LaplaceStep{4.0, 1.0}, 8, ""}}, eps_at(0.0)), 2.0, 1e-14);
}

TEST(Account, BeyondTheLargestLossDeltaIsZero) {
  for (const StepMechanism& step :
       {StepMechanism(LaplaceStep{4.0, 1.0}), StepMechanism(PureStep{0.25}),
        StepMechanism(FinitePairStep{{0.5, 0.5}, {0.6, 0.4}})}) {
    const auto answer = answer_of({{step, 8, ""}}, delta_at(2.0 + 1e-9));
    EXPECT_EQ(answer.lower, 0.0);
    EXPECT_EQ(answer.upper, 0.0);
  }
  EXPECT_GT(*answer_of({{PureStep{0.25}, 8, ""}}, delta_at(2.0 - 1e-3)).lower, 0.0);
}

TEST(Account, StepsWithOddLatticesAndALossNearTheLargestAreComposed) {
  // The tilted law is nearly one atom: its variance is no guide to a grid.
  const std::vector<ChainStep> chain = {{DiscreteLaplaceStep{1.461}, 1, ""},
                                        {DiscreteLaplaceStep{1.3149}, 1, ""}};
  const double a = 1 / 1.461, b = 1 / 1.3149;
  const double top = 1 / ((1 + std::exp(-a)) * (1 + std::exp(-b)));  // of loss a + b
  const double truth = a + b + std::log1p(-3.5e-6 / top);
  const auto answer = answer_of(chain, eps_at(3.5e-6));
  EXPECT_LE(*answer.lower, truth);
  EXPECT_GE(answer.upper, truth);
}

TEST(Account, AnInfiniteEpsilonIsProvedAndExplained) {
  const auto gaussian = answer_of({{GaussianStep{1.0, 1.0}, 1, ""}}, eps_at(0.0));
  EXPECT_EQ(gaussian.lower, kInfinity);
  EXPECT_THAT(gaussian.why_infinite, HasSubstr("gaussian: its noise can lose any eps"));
  // A mechanism of rho-zCDP may be one of pure DP; beside Gaussian noise nothing is.
  const auto level = answer_of({{ZcdpStep{0.1}, 1, ""}}, eps_at(0.0));
  EXPECT_FALSE(level.lower);
  EXPECT_EQ(level.upper, kInfinity);
  EXPECT_THAT(level.why_infinite, HasSubstr("no finite eps follows at delta = 0: zcdp"));
  const auto both =
      answer_of({{ZcdpStep{0.1}, 1, ""}, {GaussianStep{1.0, 1.0}, 1, ""}}, eps_at(0.0));
  EXPECT_EQ(both.lower, kInfinity);
  EXPECT_THAT(both.why_infinite, HasSubstr("at delta = 0: gaussian: its noise can lose any eps"));
  const auto own = answer_of({{ApproximateStep{0.1, 1e-6}, 100, ""}}, eps_at(1e-5));
  EXPECT_EQ(own.lower, kInfinity);
  EXPECT_THAT(own.why_infinite, HasSubstr("more than delta = 1e-05"));
  // At the level's own delta distributions have no room left; the level itself answers.
  const auto exact = answer_of({{ApproximateStep{1.0, 1e-6}, 1, ""}}, eps_at(1e-6));
  EXPECT_EQ(exact.upper, 1.0);
  EXPECT_THAT(exact.route, HasSubstr("basic composition"));
}

TEST(Account, ComposedDistributionsReportNoFiniteEpsilonBelowTheirMassAtInfinity) {
  const auto distribution = (*step_losses(ApproximateStep{0.1, 1e-8}))->dominating.remove;
  const std::vector<PldTerm> terms{{distribution, 100}};
  EXPECT_EQ(pld_epsilon(terms, Delta{1e-7})->upper.value.value, kInfinity);
}

TEST(Account, OfZcdpIsAnUpperBoundThatCoversItsGaussian) {
  const double mu = 0.5;
  const ZcdpStep level{mu * mu / 2};
  const std::vector<ChainStep> with_level = {{level, 10, ""}, {LaplaceStep{20.0, 1.0}, 50, ""}};
  const std::vector<ChainStep> with_noise = {{GdpStep{mu}, 10, ""},
                                             {LaplaceStep{20.0, 1.0}, 50, ""}};
  const std::vector<ChainStep> with_delta = {{level, 10, ""}, {ApproximateStep{0.2, 1e-9}, 3, ""}};
  for (const auto target : {eps_at(1e-6), delta_at(9.0)}) {
    const auto bound = answer_of(with_level, target);
    EXPECT_FALSE(bound.lower);
    EXPECT_GE(bound.upper, *answer_of(with_noise, target).lower);
    EXPECT_TRUE(std::isfinite(answer_of(with_delta, target).upper));
    EXPECT_THAT(answer_of(with_delta, target).route, HasSubstr("the other steps at"));
  }
  EXPECT_LE(answer_of(with_level, eps_at(1e-6)).upper,
            answer_of(with_noise, eps_at(1e-6)).upper * 1.3);
}

TEST(Account, OtherAccountingsAreTheLibrarysOwnAndSaySoWhereTheyHaveNone) {
  std::map<std::string, OtherAccounting> by_name;
  const auto answer = answer_of({{PureStep{0.1}, 100, ""}}, eps_at(1e-6));
  for (const auto& other : answer.others) by_name[other.name] = other;
  EXPECT_EQ(by_name.size(), 7u);
  EXPECT_NEAR(*by_name["basic composition"].upper, 10.0, 1e-12);
  const auto rho = zcdp_rho(PureDp{Epsilon{0.1}})->value.value * 100;
  EXPECT_NEAR(*by_name["zCDP"].upper, zcdp_epsilon(Rho{rho}, Delta{1e-6})->value.value, 1e-9);
  const auto whole = OptimalComposition::create({Epsilon{0.1}, {}}, 100);
  EXPECT_EQ(*by_name["optimal composition"].upper, whole->epsilon_at(Delta{1e-6})->value.value);
  const double mu = to_gaussian(PureDp{Epsilon{0.1}})->mu.value * 10;
  EXPECT_NEAR(*by_name["Gaussian DP"].upper, gdp_epsilon(Mu{mu}, Delta{1e-6}).value, 1e-9);
  EXPECT_TRUE(std::is_sorted(answer.others.begin(), answer.others.end(),
                             [](const auto& a, const auto& b) { return *a.upper < *b.upper; }));
  const auto none = answer_of({{ApproximateStep{0.1, 1e-9}, 2, ""}}, eps_at(1e-6));
  for (const auto& other : none.others) {
    if (other.name == "zCDP") {
      EXPECT_THAT(other.why_not, HasSubstr("has a delta of its own"));
    }
  }
}

TEST(Account, RefusesChainsAndTargetsOutOfRange) {
  const StepMechanism step = PureStep{1.0};
  EXPECT_EQ(account_error({}, eps_at(0.1)), "a chain needs a step");
  EXPECT_THAT(account_error({{step, 0, ""}}, eps_at(0.1)),
              HasSubstr("count must be 1 to 1000000000"));
  EXPECT_THAT(account_error({{step, kMostReleases, ""}, {step, 1, ""}}, eps_at(0.1)),
              HasSubstr("count must be at most 1000000000 over all steps, not 1000000001"));
  EXPECT_THAT(account_error({{step, 1, ""}}, eps_at(1.0)),
              HasSubstr("delta must be in [0, 1), not 1"));
  EXPECT_THAT(account_error({{step, 1, ""}}, delta_at(-1.0)),
              HasSubstr("at_epsilon must be finite"));
  EXPECT_THAT(account_error({{step, 1, ""}}, delta_at(std::nan(""))), HasSubstr("not nan"));
}

TEST(AccountCurves, ContainTheProfileAndTheTradeOffOfGaussianNoise) {
  const auto curves =
      must(account_curves(std::vector<ChainStep>{{GaussianStep{10.0, 1.0}, 100, ""}}));
  for (const auto& point : curves.profile) {
    const double truth = gdp_delta(Mu{1.0}, Epsilon{point.epsilon}).value;
    EXPECT_LE(point.lower, truth * (1 + 1e-13));
    EXPECT_GE(point.upper, truth * (1 - 1e-13));
    const double least = truth > 1e-9 ? point.upper / 1.02 : 0.0;
    EXPECT_GE(point.lower, least) << point.epsilon;
  }
  for (const auto& point : curves.trade_off) {
    const double truth = gdp_trade_off(Mu{1.0}, point.type_one);
    EXPECT_LE(point.lower, truth + 1e-14) << point.type_one;
    EXPECT_GE(point.upper, truth - 1e-14) << point.type_one;
    EXPECT_LE(point.upper - point.lower, 0.02) << point.type_one;
  }
}

TEST(AccountCurves, OfALevelWithoutAPairAreOneSided) {
  const auto curves = must(account_curves(std::vector<ChainStep>{{ZcdpStep{0.125}, 1, ""}}));
  EXPECT_FALSE(curves.two_sided);
  for (const auto& point : curves.profile) {
    EXPECT_GE(point.upper, gdp_delta(Mu{0.5}, Epsilon{point.epsilon}).value);
  }
  for (const auto& point : curves.trade_off) {
    EXPECT_LE(point.lower, gdp_trade_off(Mu{0.5}, point.type_one) + 1e-14);
  }
}

// ---- steps --------------------------------------------------------------------------------------

struct BadStep {
  std::string name;
  std::string mechanism;
  std::vector<KeyValue> parameters;
  std::string message;
};

class BadStepTest : public ::testing::TestWithParam<BadStep> {};

TEST_P(BadStepTest, IsRefusedWithAMessageThatNamesTheField) {
  const auto error = error_of(make_step(GetParam().mechanism, GetParam().parameters));
  EXPECT_THAT(error.message, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Words, BadStepTest,
    ::testing::ValuesIn(std::vector<BadStep>{
        {"Name", "gausian", {}, "did you mean 'gaussian'"},
        {"Missing", "gaussian", {}, "gaussian needs sigma"},
        {"Other", "gaussian", {{"mu", "1"}}, "gaussian has no parameter 'mu', only sigma"},
        {"Twice", "pure", {{"epsilon", "1"}, {"epsilon", "2"}}, "epsilon is given twice"},
        {"Zero", "pure", {{"epsilon", "0"}}, "epsilon must be 1e-09 to 300, not 0"},
        {"Nan", "gdp", {{"mu", "nan"}}, "mu must be a finite number, not 'nan'"},
        {"Negative",
         "gaussian",
         {{"sigma", "1"}, {"sensitivity", "-1"}},
         "sensitivity must be 1e-12 to 1e+12, not -1"},
        {"Ratio",
         "laplace",
         {{"scale", "1"}, {"sensitivity", "1e4"}},
         "scale must be 0.01 to 1e+06 times the sensitivity, not 1e-04 times"},
        {"Delta",
         "approximate",
         {{"epsilon", "1"}, {"own_delta", "1"}},
         "own_delta must be 0 to 0.9999999999999999, not 1"},
        {"Sum", "finite-pair", {{"p", "0.5,0.4"}, {"q", "0.5,0.5"}}, "p must sum to 1"},
        {"Length", "finite-pair", {{"p", "1"}, {"q", "0.5,0.5"}}, "same number of entries"},
        {"Entry", "finite-pair", {{"p", "1,x"}, {"q", "1,0"}}, "p[1] must be a number"}}),
    [](const auto& tested) { return tested.param.name; });

// ---- conversions --------------------------------------------------------------------------------

std::optional<double> line_of(const ConversionTable& table, const std::string& to) {
  for (const auto& line : table.lines) {
    if (line.to == to) return line.upper;
  }
  ADD_FAILURE() << "no line " << to;
  return std::nullopt;
}

TEST(ConversionTables, AreTheConversionsOfTheGroupsLevel) {
  const auto gdp = must(conversion_table(GaussianDp{Mu{0.5}}, {{1e-5}, {2.0}, 3}));
  EXPECT_NEAR(*line_of(gdp, "mu-GDP"), 1.5, 1e-15);
  EXPECT_NEAR(*line_of(gdp, "rho-zCDP"), 1.125, 1e-14);
  EXPECT_NEAR(*line_of(gdp, "RDP of order 8"), 9.0, 1e-12);
  EXPECT_NEAR(*line_of(gdp, "eps at delta = 1e-05"), gdp_epsilon(Mu{1.5}, Delta{1e-5}).value,
              1e-12);
  EXPECT_NEAR(*line_of(gdp, "delta at eps = 2"), gdp_delta(Mu{1.5}, Epsilon{2.0}).value, 1e-13);
  EXPECT_FALSE(line_of(gdp, "eps-DP"));
  const auto zcdp = conversion_table(ZeroConcentratedDp{Rho{0.5}}, {{1e-6}, {}, 2});
  EXPECT_NEAR(*line_of(*zcdp, "rho-zCDP"), 2.0, 1e-14);
  EXPECT_NEAR(*line_of(*zcdp, "eps at delta = 1e-06, closed form"),
              2.0 + 2.0 * std::sqrt(2.0 * std::log(1e6)), 1e-12);
  const auto own =
      conversion_table(ApproximateDp{Epsilon{1.0}, Delta{1e-6}}, {{1e-5, 1e-7}, {}, 1});
  EXPECT_LT(*line_of(*own, "eps at delta = 1e-05"), 1.0);
  EXPECT_FALSE(line_of(*own, "eps at delta = 1e-07"));
}

TEST(ConversionTables, ToReplacedRecordsHaveAPrice) {
  ConversionRequest request{{1e-4}, {1.5}, 1, true};
  const double e = std::exp(1.0);
  const auto own = must(conversion_table(ApproximateDp{Epsilon{1.0}, Delta{1e-6}}, request));
  EXPECT_TRUE(own.replaces);
  EXPECT_EQ(own.level.rfind("eps = 2.0000000000000004, delta = 3.718", 0), 0U) << own.level;
  // Two tests, one after another: the corner of the first is at (1 - d)/(1 + e), and two of them are the best at eps in
  // (0, 2): the power at the level that the first test moves there.
  const double d = 1e-6, corner = (1.0 - d) / (1.0 + e), level = (corner - d) / e;
  EXPECT_NEAR(*line_of(own, "delta at eps = 1.5"),
              std::max(1.0 - corner - std::exp(1.5) * level,
                       1.0 - (1.0 - d - (1.0 - corner)) / e - std::exp(1.5) * corner),
              1e-12);
  const auto pure = must(conversion_table(PureDp{Epsilon{1.0}}, request));
  EXPECT_NEAR(*line_of(pure, "eps-DP"), 2.0, 1e-12);
  // Discrete Laplace noise that is shifted by 2: losses 2 and 0.
  EXPECT_NEAR(*line_of(pure, "delta at eps = 1.5"), (1.0 - std::exp(-0.5)) * e / (1.0 + e), 1e-12);
  EXPECT_NEAR(*line_of(pure, "eps at delta = 1e-04"), 2.0 + std::log1p(-1e-4 * (1.0 + e) / e),
              1e-9);
  for (const auto& line : pure.lines) {
    if (line.to == "eps-DP") {
      EXPECT_NEAR(line.original.value(), 1.0, 1e-12);
    }
    if (line.to == "eps at delta = 1e-04") {
      EXPECT_NEAR(line.original.value(), 1.0 + std::log1p(-1e-4 * (1.0 + e) / e), 1e-9);
    }
  }
  EXPECT_NEAR(*line_of(must(conversion_table(GaussianDp{Mu{0.5}}, request)), "mu-GDP"), 1.0, 1e-12);
  EXPECT_NEAR(*line_of(must(conversion_table(ZeroConcentratedDp{Rho{0.5}}, request)), "rho-zCDP"),
              2.0, 1e-12);
  request.group = 3;
  EXPECT_NEAR(*line_of(must(conversion_table(PureDp{Epsilon{1.0}}, request)), "eps-DP"), 6.0,
              1e-12);
  EXPECT_FALSE(must(conversion_table(PureDp{Epsilon{1.0}}, {})).lines.front().original);
}

TEST(ConversionTables, OfOneRenyiOrderAreTheFormulaAtThatOrderOrBetter) {
  const auto table = conversion_table(RenyiPoint{10.0, Epsilon{0.3}}, {{1e-6}, {}, 1});
  const double at_order = 0.3 + std::log(0.9) - std::log(1e-5) / 9.0;
  EXPECT_LE(*line_of(*table, "eps at delta = 1e-06"), at_order + 1e-7);
  EXPECT_GT(*line_of(*table, "eps at delta = 1e-06"), 0.3);
  EXPECT_FALSE(conversion_table(RenyiPoint{1.0, Epsilon{0.3}}, {}));
  EXPECT_FALSE(conversion_table(PureDp{Epsilon{1.0}}, {{}, {}, 0}));
  EXPECT_FALSE(conversion_table(PureDp{Epsilon{1e308}}, {{}, {}, 1000}));
}

// ---- calibrations -------------------------------------------------------------------------------

CalibratedNoise calibrated_noise(const CalibrationRequest& request) {
  return must(calibrate(request));
}

CalibrationRequest request_for(CalibratedKind kind, double delta, std::int64_t compose) {
  return CalibrationRequest{
      .kind = kind, .target = {Epsilon{1.0}, Delta{delta}}, .compose = compose};
}

TEST(Calibrations, OfGaussianNoiseAreTheSmallestByTheExactProfile) {
  const auto noise = calibrated_noise(request_for(CalibratedKind::kGaussian, 1e-6, 25));
  EXPECT_LE(gdp_delta(Mu{5.0 / noise.scale}, Epsilon{1.0}).value, 1e-6);
  EXPECT_GT(gdp_delta(Mu{5.0 / (noise.scale * (1 - 1e-10))}, Epsilon{1.0}).value, 1e-6);
}

TEST(Calibrations, OfComposedLaplaceNoiseLieBetweenAccountsOfBothEnds) {
  const auto noise = calibrated_noise(request_for(CalibratedKind::kLaplace, 1e-6, 30));
  const auto delta = [](double scale) {
    return answer_of({{LaplaceStep{scale, 1.0}, 30, ""}}, delta_at(1.0));
  };
  EXPECT_LE(*delta(noise.scale).lower, 1e-6);
  ASSERT_TRUE(noise.none_below);
  EXPECT_GE(delta(*noise.none_below).upper, 1e-6);
  EXPECT_LE(noise.scale, *noise.none_below * (1 + 1e-4));
  EXPECT_LE(noise.achieved.lower.value.value, 1e-6);
  EXPECT_GT(noise.achieved.upper.value.value, 0.99e-6);
  EXPECT_LT(noise.scale, 30.0);  // the sum of the levels
}

TEST(Calibrations, OfAnswersThatMoveAreThoseOfTheVectorsSensitivity) {
  auto five = request_for(CalibratedKind::kGaussian, 1e-6, 1);
  five.moves = 5;
  auto vector = five;
  vector.moves.reset();
  vector.sensitivity = std::sqrt(5.0);
  EXPECT_NEAR(calibrated_noise(five).scale, calibrated_noise(vector).scale, 1e-12);
  five.kind = CalibratedKind::kLaplace;
  five.target.delta = Delta{0.0};
  EXPECT_NEAR(calibrated_noise(five).scale, 5.0, 1e-12);
  five.target.delta = Delta{1e-6};
  EXPECT_EQ(calibrated_noise(five).scale,
            calibrated_noise(request_for(CalibratedKind::kLaplace, 1e-6, 5)).scale);
  five.answers = 4;
  EXPECT_THAT(calibrate(five), IsRefused("moves must be at most 4, the number of answers, not 5"));
}

TEST(Account, AnswersThatMoveAreComposedAsThatManyReleases) {
  for (const StepMechanism& step :
       {StepMechanism(GaussianStep{3.0, 0.5}), StepMechanism(LaplaceStep{4.0, 1.0}),
        StepMechanism(DiscreteGaussianStep{6.0}), StepMechanism(DiscreteLaplaceStep{5.0})}) {
    const auto moved = answer_of({{step, 7, "", 3}}, eps_at(1e-6));
    const auto composed = answer_of({{step, 21, ""}}, eps_at(1e-6));
    EXPECT_EQ(moved.lower, composed.lower);
    EXPECT_EQ(moved.upper, composed.upper);
  }
  expect_between(answer_of({{GaussianStep{2.0, 1.0}, 1, "", 5}}, delta_at(1.0)),
                 gdp_delta(Mu{std::sqrt(5.0) / 2.0}, Epsilon{1.0}).value, 1e-9);
  EXPECT_THAT(account_error({{PureStep{1.0}, 1, "", 2}}, eps_at(1e-6)),
              HasSubstr("moves is for noise that each answer gets independently, not for pure"));
  EXPECT_THAT(account_error({{GaussianStep{1.0, 1.0}, 1'000'000, "", 1001}}, eps_at(1e-6)),
              HasSubstr("moves must be at most 1000000000 times count together"));
}

TEST(Calibrations, OfComposedNoisyMaxOfLatticeNoiseAreThoseOfTheBinomial) {
  auto request = request_for(CalibratedKind::kNoisyMax, 1e-6, 20);
  request.noise = MaxNoise::kDiscreteLaplace;
  request.answers = 5;
  const auto noise = calibrated_noise(request);
  EXPECT_LE(binomial_delta(2.0 / noise.scale, 0.0, 20, 1.0), 1e-6);
  ASSERT_TRUE(noise.none_below);
  EXPECT_GT(binomial_delta(2.0 / *noise.none_below, 0.0, 20, 1.0), 1e-6);
  EXPECT_LE(noise.scale, *noise.none_below * (1 + 1e-4));
  request.monotone = true;
  EXPECT_NEAR(calibrated_noise(request).scale, noise.scale / 2, 1e-4 * noise.scale);
}

// The bounded range needs half of the noise that eps-DP does as far as many releases count, and the Laplace pair lies
// between.
TEST(Calibrations, OfComposedNoisyMaxCostLessThanTheirEpsilon) {
  const auto scale = [](MaxNoise noise) {
    auto request = request_for(CalibratedKind::kNoisyMax, 1e-6, 100);
    request.noise = noise;
    request.answers = 5;
    const auto found = calibrated_noise(request);
    EXPECT_LE(found.achieved.upper.value.value, 1e-6);
    EXPECT_LE(found.scale, *found.none_below * (1 + 1e-4));
    return found.scale;
  };
  const double gumbel = scale(MaxNoise::kGumbel), laplace = scale(MaxNoise::kLaplace);
  EXPECT_EQ(laplace, scale(MaxNoise::kExponential));
  EXPECT_LT(gumbel, 0.6 * scale(MaxNoise::kDiscreteLaplace));
  EXPECT_LT(gumbel, laplace);
  EXPECT_LT(laplace, scale(MaxNoise::kDiscreteLaplace));
  // The same as the accounts of their pairs.
  const std::vector<PldTerm> terms{{*loss_of::bounded_range(2.0 / gumbel), 100}};
  EXPECT_NEAR(must(pld_delta(terms, Epsilon{1.0})).upper.value.value, 1e-6, 1e-9);
}

TEST(Calibrations, NeverNeedMoreNoiseThanTheLibrarysCertificates) {
  const ApproximateDp target{Epsilon{1.0}, Delta{1e-6}};
  auto peeling = request_for(CalibratedKind::kPeeling, 1e-6, 1);
  peeling.rounds = 10;
  EXPECT_LE(calibrated_noise(peeling).scale, peeling_scale(target, {10, 1.0, true})->value.value);
  auto tree = request_for(CalibratedKind::kTree, 1e-6, 1);
  tree.horizon = 100;
  EXPECT_LE(calibrated_noise(tree).scale, tree_laplace_scale(target, 100, 1.0)->value.value);
  tree.noise = MaxNoise::kGaussian;
  EXPECT_NEAR(calibrated_noise(tree).scale, tree_gaussian_scale(target, 100, 1.0)->value.value,
              1e-9);
  const auto pure = calibrated_noise(request_for(CalibratedKind::kLaplace, 0.0, 7));
  EXPECT_GE(pure.scale, 7.0);
  EXPECT_LE(pure.scale, 7.0 * (1 + 1e-14));
  EXPECT_LT(*pure.none_below, 7.0);
}

TEST(Calibrations, RefuseWhatIsOutOfRange) {
  EXPECT_THAT(calibrate(request_for(CalibratedKind::kGaussian, 0.0, 1)),
              IsRefused("delta must be in (0, 1) for Gaussian noise"));
  EXPECT_THAT(calibrate(request_for(CalibratedKind::kLaplace, 1.0, 1)),
              IsRefused("delta must be in [0, 1)"));
  EXPECT_THAT(calibrate(request_for(CalibratedKind::kLaplace, 0.0, 0)),
              IsRefused("compose must be 1 to 1000000000"));
  auto many = request_for(CalibratedKind::kPeeling, 0.0, 1'000'000);
  many.rounds = 1'000'000;
  EXPECT_THAT(calibrate(many), IsRefused("rounds times compose must be at most"));
}

}  // namespace
}  // namespace assay
