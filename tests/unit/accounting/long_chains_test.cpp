// Chains of many kinds of steps, of few outputs, and budgets that are spent on the way, against closed forms, sums over
// all outputs, and values of contour integrals that share no code with the library.
#include "assay/mechanisms/accounting/account/account.hpp"
#include "assay/mechanisms/accounting/account/composed_calibration.hpp"
#include "assay/mechanisms/accounting/account/internal/composed_chain.hpp"
#include "assay/mechanisms/accounting/filters.hpp"
#include "assay/mechanisms/accounting/gdp.hpp"
#include "assay/mechanisms/accounting/pld/pld_composition.hpp"
#include "assay/mechanisms/accounting/zcdp.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

constexpr AccountTarget kEpsAtMillionth{AccountTarget::Asked::kEpsilonAtDelta, 1e-6};

AccountAnswer long_chain_answer(const std::vector<ChainStep>& chain) {
  return must(account_for(chain, std::vector{kEpsAtMillionth})).front();
}

// The truth lies within, and the interval is no wider than this part of it.
void expect_around_part(double lower, double upper, double truth, double part) {
  EXPECT_LE(lower, truth);
  EXPECT_GE(upper, truth);
  EXPECT_LE(upper - lower, part * truth);
}

TEST(LongChains, EqualStepsAreOne) {
  std::vector<ChainStep> chain(1000, {LaplaceStep{50.0, 1.0}, 2, "one"});
  chain.insert(chain.begin() + 500, {GaussianStep{50.0, 1.0}, 3, "other"});
  const auto kinds = merged_steps(chain);
  ASSERT_EQ(kinds.size(), 2U);
  EXPECT_EQ(kinds[0].count, 2000);
  EXPECT_EQ(kinds[1].count, 3);
  EXPECT_EQ(kinds[1].label, "other");
  const auto all = long_chain_answer(chain);
  const auto few = long_chain_answer(kinds);
  EXPECT_EQ(*all.lower, *few.lower);
  EXPECT_EQ(all.upper, few.upper);
  // Other parameters or moves are another kind.
  EXPECT_EQ(merged_steps(std::vector<ChainStep>{{GaussianStep{1.0, 1.0}, 1, "", 1},
                                                {GaussianStep{1.0, 1.0}, 1, "", 2},
                                                {GaussianStep{1.0 + 0x1p-52, 1.0}, 1, "", 1},
                                                {GdpStep{1.0}, 1, "", 1}})
                .size(),
            4U);
}

TEST(LongChains, UnlikeGaussianNoiseIsOneGaussian) {
  for (const std::int64_t kinds : {2, 9, 70, 400}) {
    SCOPED_TRACE(kinds);
    std::vector<PldTerm> terms;
    double squares = 0.0;
    for (std::int64_t i = 0; i < kinds; ++i) {
      const double sigma =
          10.0 + 30.0 * static_cast<double>((i * 7919) % kinds) / static_cast<double>(kinds);
      const std::int64_t count = 1 + i % 3;
      terms.push_back({must(loss_of::gaussian(sigma)), count});
      squares += static_cast<double>(count) / (sigma * sigma);
    }
    const Mu mu{std::sqrt(squares)};
    const auto eps = must(pld_epsilon(terms, Delta{1e-8}));
    expect_around_part(eps.lower.value.value, eps.upper.value.value,
                       gdp_epsilon(mu, Delta{1e-8}).value, 1e-3);
    const Epsilon far = gdp_epsilon(mu, Delta{1e-8});
    const auto delta = must(pld_delta(terms, far));
    expect_around_part(delta.lower.value.value, delta.upper.value.value, gdp_delta(mu, far).value,
                       0.02);
  }
}

// Sampled Gaussian noise of q = 0.01 and sigma = 1, 1,000 times, at delta = 1e-6: 2.1245152 for a removed record, by a
// contour integral. As many kinds as the steps are split into, a little apart on either side, stay near it.
TEST(LongChains, UnlikeSampledNoiseIsNearTheValueOfEqualNoise) {
  for (const std::int64_t kinds : {4, 20, 500}) {
    SCOPED_TRACE(kinds);
    std::vector<PldTerm> terms;
    for (std::int64_t i = 0; i < kinds; ++i) {
      const double apart =
          1e-9 * static_cast<double>(2 * i - kinds + 1) / static_cast<double>(kinds);
      terms.push_back(
          {must(loss_of::subsampled_gaussian(1.0 + apart, 0.01, SamplingDirection::kRemove)),
           1000 / kinds});
    }
    const auto eps = must(pld_epsilon(terms, Delta{1e-6}));
    EXPECT_LE(eps.lower.value.value, 2.1245152 + 1e-6);
    EXPECT_GE(eps.upper.value.value, 2.1245152 - 1e-6);
    EXPECT_LE(eps.upper.value.value - eps.lower.value.value, 1e-3 * 2.1245152);
  }
}

StepMechanism sampled_gaussian(double sigma, double sampling) {
  return must(make_step(
      "subsampled-gaussian",
      std::vector<KeyValue>{{"sigma", number_text(sigma)}, {"sampling", number_text(sampling)}}));
}

// More noise and a smaller sample lose less, so a chain lies between the equal chains of its extremes.
TEST(LongChains, OfThousandsOfSampledKindsLieBetweenTheirExtremes) {
  std::vector<ChainStep> chain;
  for (int i = 0; i < 1000; ++i) {
    const double part = static_cast<double>((i * 7919) % 1000) / 1000.0;
    chain.push_back({sampled_gaussian(1.0 + 0.01 * part, 0.01 * (1.0 + 0.02 * part)), 1, ""});
  }
  const auto answer = long_chain_answer(chain);
  const auto most = long_chain_answer({{sampled_gaussian(1.0, 0.0102), 1000, ""}});
  const auto least = long_chain_answer({{sampled_gaussian(1.01, 0.01), 1000, ""}});
  EXPECT_LE(*answer.lower, most.upper);
  EXPECT_GE(answer.upper, *least.lower);
  EXPECT_LE(answer.upper - *answer.lower, 1e-3 * answer.upper);
  EXPECT_EQ(answer.worse_order, "remove");
}

// delta(eps) of n releases of a pair of three outputs, by the counts of each.
long double counted_delta(const std::array<long double, 3>& p, const std::array<long double, 3>& q,
                          int n, long double eps) {
  long double sum = 0.0L;
  for (int i = 0; i <= n; ++i) {
    for (int j = 0; i + j <= n; ++j) {
      const std::array<int, 3> times = {i, j, n - i - j};
      long double log_mass = std::lgamma(static_cast<long double>(n + 1)), loss = 0.0L;
      for (std::size_t k = 0; k < 3; ++k) {
        log_mass += times[k] * std::log(p[k]) - std::lgamma(static_cast<long double>(times[k] + 1));
        loss += times[k] * std::log(p[k] / q[k]);
      }
      if (loss > eps) sum += std::exp(log_mass) * -std::expm1(eps - loss);
    }
  }
  return sum;
}

TEST(FewOutputs, AreASumOverAllOfThem) {
  const FinitePairStep pair{{0.7, 0.25, 0.05}, {0.65, 0.28, 0.07}};
  for (const int n : {1, 3, 8}) {
    for (const double at : {0.01, 0.1, 0.3}) {
      const auto truth =
          static_cast<double>(counted_delta({0.7L, 0.25L, 0.05L}, {0.65L, 0.28L, 0.07L}, n, at));
      const PldTerm term{must(loss_of::finite_pair(pair.p, pair.q)), n};
      const auto whole = detail::enumerated({&term, 1});
      ASSERT_TRUE(whole);
      const auto bounds =
          detail::enumerated_bounds(*whole, {AccountTarget::Asked::kDeltaAtEpsilon, at});
      EXPECT_LE(bounds.low, truth * (1.0 + 1e-13));
      EXPECT_GE(bounds.high, truth * (1.0 - 1e-13));
      EXPECT_LE(bounds.high - bounds.low, 1e-11 * truth);
      const auto eps = detail::enumerated_bounds(
          *whole, {AccountTarget::Asked::kEpsilonAtDelta, std::max(truth, 1e-300)});
      if (truth > 0.0) expect_around_part(eps.low, eps.high, at, 1e-8);
    }
  }
  // A density, or too many outputs, has no list.
  const PldTerm density{must(loss_of::laplace(2.0)), 1};
  EXPECT_FALSE(detail::enumerated({&density, 1}));
  const PldTerm many{must(loss_of::finite_pair(pair.p, pair.q)), 9};
  EXPECT_FALSE(detail::enumerated({&many, 1}));
}

TEST(FewOutputs, OfWhichSomeAreInfinitelyLossyKeepTheirProbability) {
  const std::vector<double> p = {0.5, 0.499, 0.001}, q = {0.4, 0.6, 0.0};
  const PldTerm term{must(loss_of::finite_pair(p, q)), 3};
  const auto whole = detail::enumerated({&term, 1});
  ASSERT_TRUE(whole);
  const double certain = 1.0 - std::pow(0.999, 3);
  EXPECT_LE(whole->at_infinity.low, certain * (1.0 + 1e-12));
  EXPECT_GE(whole->at_infinity.high, certain * (1.0 - 1e-12));
  EXPECT_LE(whole->at_infinity.high - whole->at_infinity.low, 1e-12);
}

// Rare outputs whose losses have no common lattice: a grid rounds each of them apart.
TEST(FewOutputs, OfManyReleasesAreTightWithoutALattice) {
  const std::vector<double> p = {0.899, 0.0905, 0.0105}, q = {0.9, 0.09, 0.01};
  EXPECT_EQ(must(loss_of::finite_pair(p, q)).lattice, 0.0);
  EXPECT_EQ(must(loss_of::finite_pair(q, p)).lattice, 0.0);
  for (const int n : {60, 200, 450}) {
    SCOPED_TRACE(n);
    const auto eps =
        must(pld_epsilon(std::vector{PldTerm{must(loss_of::finite_pair(p, q)), n}}, Delta{1e-6}));
    const std::array<long double, 3> big_p = {0.899L, 0.0905L, 0.0105L};
    const std::array<long double, 3> big_q = {0.9L, 0.09L, 0.01L};
    EXPECT_GE(counted_delta(big_p, big_q, n, eps.lower.value.value), 1e-6L * (1.0L - 1e-9L));
    EXPECT_LE(counted_delta(big_p, big_q, n, eps.upper.value.value), 1e-6L * (1.0L + 1e-9L));
    EXPECT_LE(eps.upper.value.value - eps.lower.value.value, 2e-4);
  }
}

TEST(LongChains, AskedForSeveralTargetsAnswerEachAsAlone) {
  const std::vector<ChainStep> chain{{GaussianStep{20.0, 1.0}, 10, ""},
                                     {LaplaceStep{30.0, 1.0}, 10, ""}};
  const std::vector<AccountTarget> targets{kEpsAtMillionth,
                                           {AccountTarget::Asked::kDeltaAtEpsilon, 0.5},
                                           {AccountTarget::Asked::kEpsilonAtDelta, 1e-9}};
  const auto together = other_accountings(chain, targets);
  ASSERT_EQ(together.size(), targets.size());
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const auto alone = other_accountings(chain, {&targets[i], 1}).front();
    ASSERT_EQ(together[i].size(), alone.size());
    for (std::size_t k = 0; k < alone.size(); ++k) {
      EXPECT_EQ(together[i][k].name, alone[k].name);
      EXPECT_EQ(together[i][k].upper, alone[k].upper);
    }
  }
}

// ---- noise on integers --------------------------------------------------------------------------

TEST(IntegerCalibrations, OfDiscreteGaussianNoiseAreCertifiedAtTheirSigma) {
  CalibrationRequest request;
  request.kind = CalibratedKind::kDiscreteGaussian;
  request.target = {Epsilon{1.0}, Delta{1e-6}};
  request.compose = 100;
  const auto noise = must(calibrate(request));
  EXPECT_LE(noise.achieved.upper.value.value, 1e-6);
  EXPECT_FALSE(noise.none_below);  // monotonicity in sigma is not proved
  // At this sigma the noise is all but continuous, of mu = sqrt(100)/sigma.
  EXPECT_NEAR(gdp_delta(Mu{10.0 / noise.scale}, Epsilon{1.0}).value, 1e-6, 1e-9);
  const auto account =
      must(account_for(std::vector<ChainStep>{{DiscreteGaussianStep{noise.scale}, 100, ""}},
                       std::vector<AccountTarget>{{AccountTarget::Asked::kDeltaAtEpsilon, 1.0}}));
  EXPECT_LE(*account.front().lower, 1e-6);
  request.compose = 25;
  request.moves = 4;
  EXPECT_EQ(must(calibrate(request)).scale, noise.scale);
  request.sensitivity = 2.0;
  EXPECT_THAT(refusal_of(calibrate(request)),
              HasSubstr("sensitivity must be 1 for noise on integers"));
}

TEST(IntegerCalibrations, OfDiscreteLaplaceNoiseAndResponsesAreTheSmallest) {
  for (const auto kind : {CalibratedKind::kDiscreteLaplace, CalibratedKind::kRandomizedResponse}) {
    CalibrationRequest request;
    request.kind = kind;
    request.target = {Epsilon{1.0}, Delta{1e-6}};
    request.compose = 30;
    const auto noise = must(calibrate(request));
    ASSERT_TRUE(noise.none_below);
    const auto delta = [](double scale) {
      return must(account_for(
                      std::vector<ChainStep>{{RandomizedResponseStep{1.0 / scale, 2}, 30, ""}},
                      std::vector<AccountTarget>{{AccountTarget::Asked::kDeltaAtEpsilon, 1.0}}))
          .front();
    };
    EXPECT_LE(delta(noise.scale).upper, 1e-6 * (1.0 + 1e-9));
    EXPECT_GT(*delta(*noise.none_below).lower, 1e-6 * (1.0 - 1e-9));
    EXPECT_GT(*noise.none_below, noise.scale * (1.0 - 1e-5));
  }
}

// ---- budgets of filters -------------------------------------------------------------------------

TEST(FilterBudgets, AreTheLargestThatImplyTheTarget) {
  for (const double eps : {0.1, 1.0, 8.0}) {
    for (const double delta : {1e-3, 1e-9}) {
      const ApproximateDp target{Epsilon{eps}, Delta{delta}};
      const auto rho = must(zcdp_budget(target)).rho.value;
      EXPECT_LE(must(zcdp_epsilon(Rho{rho}, Delta{delta})).value.value, eps * (1.0 + 1e-12));
      EXPECT_GT(must(zcdp_epsilon(Rho{rho * (1.0 + 1e-9)}, Delta{delta})).value.value, eps);
      const auto mu = must(gaussian_budget(target)).mu.value;
      EXPECT_LE(gdp_delta(Mu{mu}, Epsilon{eps}).value, delta);
      EXPECT_GT(gdp_delta(Mu{mu * (1.0 + 1e-11)}, Epsilon{eps}).value, delta);
      EXPECT_GT(0.5 * mu * mu, rho);  // the exact profile spends less than the conversion of zCDP
    }
  }
  EXPECT_THAT(refusal_of(zcdp_budget({Epsilon{1.0}, Delta{0.0}})),
              HasSubstr("delta must be in (0, 1)"));
  EXPECT_THAT(refusal_of(gaussian_budget({Epsilon{0.0}, Delta{1e-6}})),
              HasSubstr("epsilon must be"));
}

}  // namespace
}  // namespace assay
