// Composition: sums, the optimal composition against 50 digits, advanced composition against both,
// parallel composition, groups, and contradictory chains.
#include "assay/mechanisms/accounting/composition.hpp"

#include <boost/multiprecision/cpp_bin_float.hpp>

#include "assay/mechanisms/accounting/advanced_composition.hpp"
#include "assay/mechanisms/accounting/conversions.hpp"
#include "assay/mechanisms/accounting/gdp.hpp"
#include "assay/mechanisms/accounting/optimal_composition.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

using Big = boost::multiprecision::cpp_bin_float_50;

template <class Level>
Result<Level> composed_levels(const std::vector<Level>& levels) {
  return compose(std::span<const Level>(levels));
}

// The profile of k randomised responses, binomial coefficients and all, in 50 digits.
Big exact_profile(double eps, std::int64_t k, double at) {
  Big term = pow(1 + exp(-Big(eps)), -Big(k));  // p_0
  Big sum = 0;
  for (std::int64_t l = 0; l <= k; ++l) {
    const Big excess = Big(k - 2 * l) * Big(eps) - Big(at);
    if (excess > 0) sum += term * (1 - exp(-excess));
    term *= Big(k - l) / Big(l + 1) * exp(-Big(eps));
  }
  return sum < 1 ? sum : Big(1);  // the last of the 50 digits
}

TEST(OptimalComposition, EnclosesTheExactProfileOfRandomizedResponses) {
  for (const double eps : {1e-3, 0.1, 1.0, 6.0}) {
    for (const std::int64_t count : {1, 2, 7, 64, 501}) {
      const auto whole = *OptimalComposition::create({Epsilon{eps}, {}}, count);
      const double full = eps * static_cast<double>(count);
      for (const double part : {0.0, 0.01, 0.3, 0.5, 0.9, 0.999999}) {
        const Big exact = exact_profile(eps, count, full * part);
        const auto delta = whole.delta_at(Epsilon{full * part});
        EXPECT_LE(Big(delta.lower.value.value), exact) << eps << " " << count << " " << part;
        EXPECT_GE(Big(delta.upper.value.value), exact) << eps << " " << count << " " << part;
        const auto log_profile = whole.log_profile_at(Epsilon{full * part});
        EXPECT_LE(Big(log_profile.lower), log(exact));
        EXPECT_GE(Big(log_profile.upper), log(exact));
        EXPECT_LE(log_profile.upper - log_profile.lower, 1e-11);
      }
      EXPECT_EQ(whole.delta_at(Epsilon{std::nextafter(full, kInfinity)}).upper.value.value, 0.0);
    }
  }
}

// At (k - 2 i) eps, with delta > 0: the formula as the paper prints it.
TEST(OptimalComposition, IsTheoremThreePointThree) {
  const double eps = 0.4;
  const double delta = 1e-3;
  const std::int64_t count = 9;
  const auto whole = *OptimalComposition::create({Epsilon{eps}, Delta{delta}}, count);
  for (std::int64_t i = 0; 2 * i <= count; ++i) {
    Big sum = 0;
    Big binomial = 1;
    for (std::int64_t l = 0; l < i; ++l) {
      sum += binomial * (exp(Big(count - l) * Big(eps)) - exp(Big(count - 2 * i + l) * Big(eps)));
      binomial = binomial * Big(count - l) / Big(l + 1);
    }
    const Big inner = sum / pow(1 + exp(Big(eps)), Big(count));
    const Big exact = 1 - pow(1 - Big(delta), Big(count)) * (1 - inner);
    const double at = static_cast<double>(count - 2 * i) * eps;
    const auto found = whole.delta_at(Epsilon{at});
    EXPECT_NEAR(found.upper.value.value, exact.convert_to<double>(), 1e-14);
    EXPECT_NEAR(found.lower.value.value, exact.convert_to<double>(), 1e-14);
  }
}

TEST(OptimalComposition, OfOneReleaseIsItsProfile) {
  const ApproximateDp each{Epsilon{1.0}, Delta{1e-4}};
  const auto whole = *OptimalComposition::create(each, 1);
  for (const double at : {0.0, 0.5, 1.0, 2.0}) {
    const double expected = approximate_at_epsilon(each, Epsilon{at}).delta.value;
    EXPECT_NEAR(whole.delta_at(Epsilon{at}).upper.value.value, expected, 1e-14);
  }
}

TEST(OptimalComposition, AtAHundredThousandReleasesStaysNarrowAndNearItsGaussianLimit) {
  const std::int64_t count = 100'000;
  const double eps = 0.01;
  const auto whole = *OptimalComposition::create({Epsilon{eps}, {}}, count);
  for (const double at : {0.0, 5.0, 20.0, 60.0, 500.0}) {
    const auto log_profile = whole.log_profile_at(Epsilon{at});
    EXPECT_LT(log_profile.upper - log_profile.lower, 5e-10);
    EXPECT_GT(log_profile.upper - log_profile.lower, 0.0);
  }
  // mu^2 = 2 k eps tanh(eps/2) = 10: the central limit, to the order of eps.
  const double mu = std::sqrt(2.0 * count * eps * std::tanh(eps / 2.0));
  const double limit = gdp_delta(Mu{mu}, Epsilon{10.0}).value;
  EXPECT_NEAR(whole.delta_at(Epsilon{10.0}).upper.value.value / limit, 1.0, 1e-3);
  const double found = whole.epsilon_at(Delta{1e-6})->value.value;
  EXPECT_LE(whole.delta_at(Epsilon{found}).upper.value.value, 1e-6);
  EXPECT_GT(whole.delta_at(Epsilon{found * (1 - 1e-9)}).upper.value.value, 1e-6);
}

TEST(OptimalComposition, ReachesDeltasThatUnderflow) {
  const auto whole = *OptimalComposition::create({Epsilon{1.0}, {}}, 3000);
  const auto log_profile = whole.log_profile_at(Epsilon{2990.0});
  EXPECT_LT(log_profile.upper, -900.0 + 10.0);
  EXPECT_GT(log_profile.lower, -1000.0);
  EXPECT_LT(log_profile.upper - log_profile.lower, 1e-10);
  EXPECT_GT(whole.delta_at(Epsilon{2990.0}).upper.value.value, 0.0) << "never silently 0";
}

TEST(OptimalComposition, RefusesBadInputAndADeltaBelowItsOwn) {
  const auto refused = [](double eps, double delta, std::int64_t count) {
    return error_of(OptimalComposition::create({Epsilon{eps}, Delta{delta}}, count)).message;
  };
  EXPECT_THAT(refused(-1.0, 0.0, 2), HasSubstr("epsilon must be in [0, 300], not -1"));
  EXPECT_THAT(refused(std::nan(""), 0.0, 2), HasSubstr("epsilon must be in [0, 300]"));
  EXPECT_THAT(refused(1.0, 1.0, 2), HasSubstr("delta must be in [0, 1), not 1"));
  EXPECT_THAT(refused(1.0, 0.0, 0), HasSubstr("count must be 1 to 1000000, not 0"));
  const auto whole = *OptimalComposition::create({Epsilon{1.0}, Delta{1e-3}}, 10);
  EXPECT_THAT(whole.epsilon_at(Delta{1e-3}), IsRefused("the delta of the levels themselves"));
  EXPECT_FALSE(whole.epsilon_at(Delta{std::nan("")}));
  EXPECT_TRUE(whole.epsilon_at(Delta{0.1}));
  EXPECT_EQ(OptimalComposition::create({Epsilon{0.0}, {}}, 5)->delta_at({}).upper.value.value, 0.0);
}

TEST(AdvancedComposition, IsNeverBelowTheOptimalOneAndNeverAboveTheOriginal) {
  for (const double eps : {0.01, 0.1, 1.0}) {
    for (const std::int64_t count : {1, 10, 300}) {
      for (const double slack : {1e-2, 1e-6}) {
        const ApproximateDp each{Epsilon{eps}, Delta{1e-9}};
        const std::vector<ApproximateDp> levels(static_cast<std::size_t>(count), each);
        const auto original = *advanced_composition_drv(each, count, Delta{slack});
        const auto advanced = *advanced_composition(levels, Delta{slack});
        const auto optimal = *OptimalComposition::create(each, count);
        EXPECT_LE(optimal.delta_at(advanced.epsilon).upper.value.value,
                  advanced.delta.value * (1 + 1e-9));
        EXPECT_LE(advanced.epsilon, original.epsilon);
        EXPECT_LE(advanced.delta.value, original.delta.value);
        EXPECT_LE(advanced.epsilon.value, eps * static_cast<double>(count) * (1 + 1e-13));
      }
    }
  }
}

TEST(AdvancedComposition, IsThePrintedFormula) {
  const double k = 200;
  const auto original = *advanced_composition_drv({Epsilon{0.1}, Delta{1e-8}}, 200, Delta{1e-5});
  EXPECT_NEAR(original.epsilon.value,
              0.1 * std::sqrt(2 * k * std::log(1e5)) + k * 0.1 * std::expm1(0.1), 1e-12);
  EXPECT_NEAR(original.delta.value, 200e-8 + 1e-5, 1e-18);
  const std::vector<ApproximateDp> levels = {
      {Epsilon{0.1}, {}}, {Epsilon{0.2}, {}}, {Epsilon{0.3}, Delta{1e-4}}};
  // Three releases: the sum is the least.
  EXPECT_NEAR(advanced_composition(levels, Delta{1e-5})->epsilon.value, 0.6, 1e-14);
  EXPECT_NEAR(advanced_composition(levels, Delta{1e-5})->delta.value, 1 - (1 - 1e-5) * (1 - 1e-4),
              1e-15);
  std::vector<ApproximateDp> many;
  double mean = 0.0;
  double squares = 0.0;
  for (int i = 0; i < 500; ++i) {
    const double eps = 0.01 + 1e-5 * i;
    many.push_back({Epsilon{eps}, {}});
    mean += eps * std::tanh(eps / 2);
    squares += eps * eps;
  }
  const double by_slack = mean + std::sqrt(2 * squares * std::log(1e5));
  const double by_spread =
      mean + std::sqrt(2 * squares * std::log(std::exp(1.0) + std::sqrt(squares) / 1e-5));
  EXPECT_NEAR(advanced_composition(many, Delta{1e-5})->epsilon.value, std::min(by_slack, by_spread),
              1e-12);
}

TEST(AdvancedComposition, RefusesBadInput) {
  EXPECT_THAT(advanced_composition_drv({Epsilon{1.0}, {}}, 0, Delta{0.1}),
              IsRefused("count must be 1 to"));
  EXPECT_THAT(advanced_composition_drv({Epsilon{1.0}, {}}, 2, Delta{0.0}),
              IsRefused("slack must be in (0, 1), not 0"));
  EXPECT_THAT(advanced_composition_drv({Epsilon{1.0}, Delta{0.1}}, 20, Delta{0.1}),
              IsRefused("delta of the whole reaches 1"));
  EXPECT_THAT(advanced_composition_drv({Epsilon{800.0}, {}}, 20, Delta{0.1}),
              IsRefused("epsilon of the whole overflows"));
  EXPECT_EQ(advanced_composition({}, Delta{0.1}).error().path, "/levels");
  const std::vector<ApproximateDp> bad = {{Epsilon{1.0}, {}}, {Epsilon{1.0}, Delta{-0.1}}};
  EXPECT_EQ(advanced_composition(bad, Delta{0.1}).error().path, "/levels/1/delta");
}

TEST(Compose, AddsUpByTheRuleOfEachLevel) {
  EXPECT_NEAR(composed_levels<PureDp>({{Epsilon{0.1}}, {Epsilon{0.2}}})->epsilon.value, 0.3, 1e-15);
  const auto approximate = *composed_levels<ApproximateDp>(
      {{Epsilon{1.0}, Delta{0.1}}, {Epsilon{2.0}, Delta{0.2}}, {Epsilon{0.0}, {}}});
  EXPECT_NEAR(approximate.epsilon.value, 3.0, 1e-14);
  EXPECT_NEAR(approximate.delta.value, 1 - 0.9 * 0.8, 1e-15);
  EXPECT_GE(Big(approximate.delta.value), 1 - (1 - Big(0.1)) * (1 - Big(0.2)));
  EXPECT_NEAR(composed_levels<GaussianDp>({{Mu{3.0}}, {Mu{4.0}}})->mu.value, 5.0, 1e-14);
  EXPECT_NEAR(composed_levels<GaussianDp>({{Mu{3e-200}}, {Mu{4e-200}}})->mu.value / 5e-200, 1.0,
              1e-14);
  EXPECT_NEAR(composed_levels<GaussianDp>({{Mu{3e200}}, {Mu{4e200}}})->mu.value / 5e200, 1.0,
              1e-14);
  EXPECT_NEAR(composed_levels<ZeroConcentratedDp>({{Rho{0.5}}, {Rho{0.25}}})->rho.value, 0.75,
              1e-15);
  EXPECT_EQ(composed_levels<PureDp>({})->epsilon.value, 0.0);
  EXPECT_EQ(composed_levels<PureDp>({{Epsilon{0.1}}})->epsilon.value, 0.1) << "one level is itself";
  EXPECT_EQ(composed_levels<GaussianDp>({{Mu{0.1}}})->mu.value, 0.1);
  const std::vector<RenyiDp> curves(3, *to_renyi(GaussianDp{Mu{0.5}}));
  EXPECT_NEAR(compose(std::span<const RenyiDp>(curves)).at(4.0).value.value, 3 * 4 * 0.125, 1e-14);
}

TEST(Compose, RepeatsLikeTheSum) {
  EXPECT_NEAR(compose_repeated(PureDp{Epsilon{0.1}}, 1000)->epsilon.value, 100.0, 1e-12);
  EXPECT_NEAR(compose_repeated(GaussianDp{Mu{0.1}}, 10'000)->mu.value, 10.0, 1e-13);
  EXPECT_NEAR(compose_repeated(ZeroConcentratedDp{Rho{0.1}}, 10)->rho.value, 1.0, 1e-14);
  const auto approximate = *compose_repeated(ApproximateDp{Epsilon{0.5}, Delta{1e-3}}, 100);
  EXPECT_NEAR(approximate.delta.value, 1 - std::pow(1 - 1e-3, 100), 1e-14);
  EXPECT_NEAR(compose_repeated(*laplace_renyi(Epsilon{1.0}), 7)->at(3.0).value.value,
              7 * laplace_renyi(Epsilon{1.0})->at(3.0).value.value, 1e-13);
  EXPECT_THAT(compose_repeated(PureDp{Epsilon{1.0}}, 0), IsRefused("count must be"));
}

TEST(Compose, RefusesWhatIsOutOfRangeOrOverflows) {
  EXPECT_THAT(composed_levels<PureDp>({{Epsilon{1.0}}, {Epsilon{std::nan("")}}}),
              IsRefused("levels/1/epsilon must be finite and at least 0"));
  EXPECT_EQ(composed_levels<GaussianDp>({{Mu{kInfinity}}}).error().path, "/levels/0/mu");
  EXPECT_EQ(composed_levels<ZeroConcentratedDp>({{Rho{-1.0}}}).error().path, "/levels/0/rho");
  EXPECT_THAT(composed_levels<ApproximateDp>({{Epsilon{1.0}, Delta{1.0}}}),
              IsRefused("levels/0/delta must be in [0, 1), not 1"));
  EXPECT_THAT(composed_levels<PureDp>({{Epsilon{1e308}}, {Epsilon{1e308}}}),
              IsRefused("epsilon of the whole overflows"));
  EXPECT_THAT(compose_repeated(ZeroConcentratedDp{Rho{1e308}}, 10),
              IsRefused("rho of the whole overflows"));
  EXPECT_THAT(compose_repeated(GaussianDp{Mu{1e308}}, 1'000'000),
              IsRefused("mu of the whole overflows"));
  EXPECT_THAT(compose_repeated(ApproximateDp{{}, Delta{0.5}}, 10'000),
              IsRefused("delta of the whole reaches 1"));
}

TEST(ComposeParallel, IsTheLargestByPositionAndTheTwoLargestByValue) {
  const std::vector<PureDp> pure = {{Epsilon{0.5}}, {Epsilon{2.0}}, {Epsilon{1.0}}};
  EXPECT_EQ(compose_parallel(pure, Partition::kByPosition)->epsilon.value, 2.0);
  EXPECT_NEAR(compose_parallel(pure, Partition::kByValue)->epsilon.value, 3.0, 1e-14);
  const std::vector<GaussianDp> gaussian = {{Mu{3.0}}, {Mu{1.0}}, {Mu{4.0}}};
  EXPECT_NEAR(compose_parallel(gaussian, Partition::kByValue)->mu.value, 5.0, 1e-14);
  const std::vector<ApproximateDp> mixed = {
      {Epsilon{2.0}, Delta{1e-9}}, {Epsilon{1.0}, Delta{1e-3}}, {Epsilon{0.1}, Delta{1e-4}}};
  const auto by_position = *compose_parallel(mixed, Partition::kByPosition);
  EXPECT_EQ(by_position, (ApproximateDp{Epsilon{2.0}, Delta{1e-3}})) << "covers every part";
  const auto by_value = *compose_parallel(mixed, Partition::kByValue);
  EXPECT_NEAR(by_value.epsilon.value, 3.0, 1e-14);
  EXPECT_NEAR(by_value.delta.value, 1 - (1 - 1e-3) * (1 - 1e-4), 1e-16);
  EXPECT_EQ(compose_parallel(std::span<const PureDp>(), Partition::kByValue).error().path,
            "/levels");
}

TEST(Group, MultipliesByTheRuleOfEachLevel) {
  EXPECT_EQ(for_group(PureDp{Epsilon{0.3}}, 1)->epsilon.value, 0.3);
  EXPECT_NEAR(for_group(PureDp{Epsilon{0.3}}, 5)->epsilon.value, 1.5, 1e-14);
  EXPECT_NEAR(for_group(GaussianDp{Mu{0.3}}, 5)->mu.value, 1.5, 1e-14);
  EXPECT_NEAR(for_group(ZeroConcentratedDp{Rho{0.3}}, 5)->rho.value, 7.5, 1e-14);
  const auto approximate = *for_group(ApproximateDp{Epsilon{0.3}, Delta{1e-6}}, 4);
  double sum = 0.0;
  for (int j = 0; j < 4; ++j) sum += std::exp(0.3 * j);
  EXPECT_NEAR(approximate.delta.value / (1e-6 * sum), 1.0, 1e-14);
  EXPECT_NEAR(for_group(ApproximateDp{{}, Delta{1e-6}}, 4)->delta.value, 4e-6, 1e-20);
  EXPECT_THAT(for_group(ApproximateDp{Epsilon{1.0}, Delta{0.1}}, 4),
              IsRefused("delta of the group reaches 1"));
  EXPECT_THAT(for_group(PureDp{Epsilon{1.0}}, 0), IsRefused("size must be 1 to"));
  EXPECT_FALSE(for_group(ZeroConcentratedDp{Rho{1e300}}, 1'000'000));
}

TEST(Group, OfARenyiCurveFollowsItsConditionOnOrders) {
  const RenyiDp curve = *to_renyi(ZeroConcentratedDp{Rho{0.1}});
  EXPECT_NEAR(for_group(curve, 2)->at(3.0).value.value, 3 * 0.1 * 6.0, 1e-14);
  EXPECT_NEAR(for_group(curve, 3)->at(3.0).value.value, 9 * 0.1 * 12.0, 1e-13);
  EXPECT_EQ(for_group(curve, 4)->at(1.2).value.value, for_group(curve, 4)->at(2.0).value.value);
  // Looser than the rule for zCDP, and never below it.
  for (const std::int64_t size : {2, 4, 16}) {
    const double exact = for_group(ZeroConcentratedDp{Rho{0.1}}, size)->rho.value;
    EXPECT_GE(for_group(curve, size)->at(5.0).value.value, 5.0 * exact);
  }
}

Guarantee guarantee_of(const PrivacyLevel& level, View view = View::kOutput,
                       Relation relation = Relation::kReplaceOneRecord) {
  return {level, relation, view, "a theorem"};
}

TEST(ComposeGuarantees, KeepsRelationAndViewAndFindsTheCommonLevel) {
  const std::vector<Guarantee> pure = {guarantee_of(PureDp{Epsilon{1.0}}),
                                       guarantee_of(PureDp{Epsilon{2.0}})};
  const auto whole = *compose(std::span<const Guarantee>(pure));
  EXPECT_NEAR(std::get<PureDp>(whole.level).epsilon.value, 3.0, 1e-14);
  EXPECT_EQ(whole.relation, Relation::kReplaceOneRecord);
  EXPECT_EQ(whole.source, "composition of: a theorem");
  const std::vector<Guarantee> with_mu = {guarantee_of(PureDp{Epsilon{1.0}}),
                                          guarantee_of(GaussianDp{Mu{2.0}})};
  const double mu = to_gaussian(PureDp{Epsilon{1.0}})->mu.value;
  EXPECT_NEAR(std::get<GaussianDp>(compose(std::span<const Guarantee>(with_mu))->level).mu.value,
              std::hypot(mu, 2.0), 1e-13);
  const std::vector<Guarantee> with_delta = {guarantee_of(PureDp{Epsilon{1.0}}),
                                             guarantee_of(ApproximateDp{Epsilon{1.0}, Delta{0.1}})};
  EXPECT_NEAR(
      std::get<ApproximateDp>(compose(std::span<const Guarantee>(with_delta))->level).delta.value,
      0.1, 1e-15);
}

TEST(ComposeGuarantees, RefusesContradictoryChains) {
  const auto message = [](const std::vector<Guarantee>& chain) {
    return error_of(compose(std::span<const Guarantee>(chain))).message;
  };
  const auto pure = guarantee_of(PureDp{Epsilon{1.0}});
  EXPECT_THAT(message({}), HasSubstr("guarantees must not be empty"));
  EXPECT_THAT(message({pure, guarantee_of(PureDp{}, View::kActions)}),
              HasSubstr("guarantees/1/view must be that of the first, \"the output\""));
  EXPECT_THAT(message({pure, guarantee_of(PureDp{}, View::kOutput, Relation::kOneAnswer)}),
              HasSubstr("guarantees/1/relation must be"));
  EXPECT_THAT(message({guarantee_of(GaussianDp{Mu{1.0}}),
                       guarantee_of(ApproximateDp{Epsilon{1.0}, Delta{1e-6}})}),
              HasSubstr("must not mix mu with delta above 0"));
}

TEST(PostProcessing, ChangesTheViewAlone) {
  const Guarantee release = guarantee_of(GaussianDp{Mu{1.0}}, View::kAugmentedRelease);
  const Guarantee actions = after_post_processing(release, View::kActions, "argmax");
  EXPECT_EQ(actions.level, release.level);
  EXPECT_EQ(actions.relation, release.relation);
  EXPECT_EQ(actions.view, View::kActions);
  EXPECT_EQ(actions.source, "a theorem; post-processing: argmax");
}

}  // namespace
}  // namespace assay
