// The checks of check.hpp: what holds passes, planted faults are found and made simple, and a check of a property that
// holds fails no more often than its alpha says, whatever simpler cases do by chance.
#include "assay/check.hpp"

#include "assay/examples/property_tests/explore_then_commit.hpp"
#include "assay/examples/property_tests/own_mechanism.hpp"
#include "assay/examples/property_tests/own_policy.hpp"
#include "assay/mechanisms/accounting/composition.hpp"
#include "assay/mechanisms/release/discrete_noise_mechanisms.hpp"
#include "assay/mechanisms/release/randomized_response.hpp"
#include "assay/policies/experts/rnm_ftnl.hpp"
#include "assay/tests/support/binomial_limit.hpp"
#include "assay/tests/support/repetitions.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

using detail::CaseTree;
using ::testing::HasSubstr;
using ::testing::Not;

// ---- error probabilities ------------------------------------------------------------------------

// A case that satisfies its property, by a test that errs exactly as often as it may.
Result<Judgement> judged_by_chance(const Trial& trial) {
  ReplayStream random({trial.seed, hash_purpose("tests/by chance")});
  return Judgement{.fails = random.uniform() < trial.alpha, .is_exact = false};
}

// So many simpler cases, each of which satisfies its property, with as many below it.
CaseTree::Next cases_by_chance(int count) {
  return [left = count, count]() mutable -> std::shared_ptr<const CaseTree> {
    if (left-- == 0) return nullptr;
    return std::make_shared<const CaseTree>(CaseTree{judged_by_chance, [] { return "simpler"; },
                                                     [count] { return cases_by_chance(count); }});
  };
}

TEST(PropertyCheckAlpha, BoundsHowOftenACheckOfWhatHoldsFails) {
  const int runs = repetitions(20'000);
  constexpr double kAlpha = 0.2;
  const int failures = count_runs(runs, [&](std::uint64_t seed) {
    const auto drawn = std::make_shared<const CaseTree>(
        CaseTree{judged_by_chance, [] { return "drawn"; }, [] { return cases_by_chance(0); }});
    return !detail::run_check("null", {.seed = seed, .cases = 25, .alpha = kAlpha},
                              [&](int) { return drawn; });
  });
  // 25 cases at 0.1/25 each fail with probability 1 - (1 - 0.004)^25 = 0.0953 together.
  EXPECT_LE(failures, binomial_limit(runs, kAlpha / 2.0, 1));
  EXPECT_GE(failures, runs / 12) << "the alpha is not spent";
}

TEST(PropertyCheckAlpha, HoldsForTheSimplestCaseOfManyThatFailByChance) {
  // The drawn case does violate its property. None of the simpler ones does, but there are so many that one of them
  // fails nearly always; it must not be certified more often than with the half of alpha that is left.
  const int runs = repetitions(4000);
  constexpr double kAlpha = 0.2;
  int illustrations = 0;
  const int certified = count_runs(runs, [&](std::uint64_t seed) {
    const auto drawn = std::make_shared<const CaseTree>(
        CaseTree{[](const Trial&) -> Result<Judgement> {
                   return Judgement{true, false, "drawn"};
                 },
                 [] { return "drawn"; }, [] { return cases_by_chance(400); }});
    const auto outcome = detail::run_check("null", {.seed = seed, .cases = 4, .alpha = kAlpha},
                                           [&](int) { return drawn; });
    EXPECT_FALSE(outcome);
    illustrations += outcome.is_illustration ? 1 : 0;
    return outcome.message.find("Simplest") != std::string::npos && !outcome.is_illustration;
  });
  EXPECT_LE(certified, binomial_limit(runs, kAlpha / 2.0, 1));
  EXPECT_GE(illustrations, runs / 2);
}

TEST(PropertyCheckAlpha, HoldsForEventsOfAMechanismAtItsExactLevel) {
  // Each run checks a mechanism whose loss is its level, by counting.
  const int runs = repetitions(20);
  const int failures = count_runs(runs, [](std::uint64_t seed) {
    const auto audited =
        std::shared_ptr<const AuditCase>(make_mechanism_case_of<NoisySum<false>>({.id = "sum"}));
    const Judge<DrawnCase> by_events = [&](const DrawnCase& drawn, const Trial& trial) {
      AuditRequest request{.parameters = drawn.parameters,
                           .input = AuditInput::of("drawn", "", drawn.pair),
                           .method = Method::kEvents,
                           .confidence = 1.0 - trial.alpha,
                           .seed = trial.seed,
                           .samples = 100};
      const auto report = audited->run(request, RunControl{});
      return report ? Result<Judgement>(Judgement{report->verdict == Verdict::kViolated, false, {}})
                    : Result<Judgement>(tl::make_unexpected(report.error()));
    };
    return !detail::run_check<DrawnCase>(
        "events", drawn_cases(audited), {.seed = seed, .cases = 4, .alpha = 0.1}, by_events,
        [](const DrawnCase&) { return std::string(); },
        [](const DrawnCase&) { return std::vector<CaseSize>(); });
  });
  EXPECT_LE(failures, binomial_limit(runs, 0.05, 1));
}

// ---- privacy ------------------------------------------------------------------------------------

TEST(PropertyOfPrivacy, PassesForAPolicyThatKeepsItsLevel) {
  EXPECT_TRUE(check_privacy_level<StayPolicy<false>>({.cases = 30}));
  EXPECT_TRUE(check_privacy_level<RnmFtnl>({.cases = 10}));
}

// Spends twice its level, but only in a run that explores for long.
class FaultyWhenLong : public ExploreThenCommit {
 public:
  FaultyWhenLong(ExploreThenCommit policy, double stated)
      : ExploreThenCommit(std::move(policy)), stated_(stated) {}
  static Result<FaultyWhenLong> create(ExploreConfig config) {
    const double stated = config.epsilon;
    if (config.pulls >= 10) config.epsilon *= 2.0;
    return FaultyWhenLong(ASSAY_TRY(ExploreThenCommit::create(config)), stated);
  }
  Guarantee guarantee() const {
    auto guarantee = ExploreThenCommit::guarantee();
    guarantee.level = PureDp{Epsilon{stated_}};
    return guarantee;
  }

 private:
  double stated_;
};

TEST(PropertyOfPrivacy, ReachesRunsThatALateFaultNeeds) {
  const auto outcome = check_privacy_level<FaultyWhenLong>();
  EXPECT_FALSE(outcome) << outcome.message;
  EXPECT_THAT(outcome.message, HasSubstr("pulls = 10, "));
  const auto kept = check_privacy_level<FaultyWhenLong>({.parameters = {{"pulls", "10"}}});
  EXPECT_FALSE(kept) << kept.message;
}

TEST(PropertyOfPrivacy, SaysWhatAPassCovered) {
  const auto outcome = check_privacy_level<ExploreThenCommit>({.cases = 40});
  ASSERT_TRUE(outcome) << outcome.message;
  EXPECT_THAT(outcome.message, ::testing::ContainsRegex("passed 40 cases, seed 1: [0-9]+ judged "
                                                        "exactly, [1-9][0-9]* by samples\n"
                                                        "    horizon [3-5] to [345][0-9], pulls 1 "
                                                        "to [0-9]+, epsilon 0.1.* to [78].*\n"
                                                        "    the outputs on D and D' were seen to "
                                                        "differ in [123][0-9] of 40 cases\n"));
  EXPECT_THAT(outcome.message, Not(HasSubstr("could have failed")));
}

// It learns nothing, so no case can fail.
class DeafPolicy : public StayPolicy<false> {
 public:
  explicit DeafPolicy(StayPolicy<false> policy) : StayPolicy<false>(std::move(policy)) {}
  static Result<DeafPolicy> create(const StayConfig& config) {
    return DeafPolicy(ASSAY_TRY(StayPolicy<false>::create(config)));
  }
  void observe(double) {}
};

TEST(PropertyOfPrivacy, SaysThatHardlyAnyCaseCouldHaveFailed) {
  const auto outcome =
      check_privacy_level<DeafPolicy>({.cases = 10, .parameters = {{"horizon", "3"}}});
  ASSERT_TRUE(outcome) << outcome.message;
  EXPECT_THAT(outcome.message,
              AllOf(HasSubstr("10 judged exactly, 0 by samples\n    horizon = 3, "),
                    HasSubstr("were seen to differ in 0 of 10 cases\n    Fewer than a tenth of the "
                              "cases could have failed")));
}

TEST(PropertyOfPrivacy, FindsTheSmallestCounterexampleOfABrokenPolicy) {
  const auto outcome = check_privacy_level<StayPolicy<true>>();
  EXPECT_FALSE(outcome);
  EXPECT_FALSE(outcome.is_illustration);
  // One reward, and the action after it.
  EXPECT_THAT(outcome.message, HasSubstr("Simplest counterexample (exact):\n"
                                         "    horizon = 2, epsilon = 1\n"
                                         "    D   0;0\n"
                                         "    D'  1;0\n"
                                         "    Violated: eps at delta = 0 is at least 1.9999; the "
                                         "claim allows 1\n"
                                         "    reward of round 1 of 2: 0 -> 1\n"
                                         "    the actions 0, 1 have probability 0.440399 on D and "
                                         "0.0596015 on D', a loss of 2\n"));
}

TEST(PropertyOfPrivacy, FindsAPolicyThatViolatesAClaimOfTheCaller) {
  EXPECT_FALSE(check_privacy_level<StayPolicy<false>>({.cases = 10, .claim = "eps=0.05"}));
  EXPECT_TRUE(check_privacy_level<StayPolicy<false>>({.cases = 10, .claim = "eps=20"}));
}

// The probabilities that this policy states are not those that it draws by.
class UntoldPolicy : public StayPolicy<false> {
 public:
  explicit UntoldPolicy(StayPolicy<false> policy) : StayPolicy<false>(std::move(policy)) {}
  static Result<UntoldPolicy> create(const StayConfig& config) {
    return UntoldPolicy(ASSAY_TRY(StayPolicy<false>::create(config)));
  }
  int choose(ReplayStream& random) {
    StayPolicy<false>::choose(random);
    advance(0);
    return 0;
  }
};

TEST(PropertyOfPrivacy, FailsAPolicyWhoseActionsDoNotFollowItsProbabilities) {
  const auto outcome = check_privacy_level<UntoldPolicy>({.cases = 10});
  EXPECT_FALSE(outcome);
  EXPECT_THAT(outcome.message, HasSubstr("do not follow the probabilities"));
}

// From the third round on, its probabilities do not sum to 1; or it throws.
template <bool kThrows>
class FailingPolicy : public StayPolicy<false> {
 public:
  explicit FailingPolicy(StayPolicy<false> policy) : StayPolicy<false>(std::move(policy)) {}
  static Result<FailingPolicy> create(const StayConfig& config) {
    return FailingPolicy(ASSAY_TRY(StayPolicy<false>::create(config)));
  }
  void observe(double reward) {
    StayPolicy<false>::observe(reward);
    ++rounds_;
  }
  double log_probability(int arm) const {
    if (kThrows && rounds_ == 2) throw std::runtime_error("no such round");
    return StayPolicy<false>::log_probability(arm) - (rounds_ >= 2 ? 0.1 : 0.0);
  }

 private:
  int rounds_ = 0;
};

TEST(PropertyOfPrivacy, FailsAPolicyThatFailsAndFindsTheShortestRun) {
  for (const auto& outcome : {check_privacy_level<FailingPolicy<false>>({.cases = 20}),
                              check_privacy_level<FailingPolicy<true>>({.cases = 20})}) {
    EXPECT_FALSE(outcome);
    EXPECT_THAT(outcome.message, HasSubstr("    horizon = 3, epsilon = 1\n    the class failed: "));
  }
}

// One relation each, by distributions, densities and counts.
TEST(PropertyOfPrivacy, PassesForMechanismsThatKeepTheirLevel) {
  EXPECT_TRUE(check_privacy_level<NoisySum<false>>({.cases = 6}));
  EXPECT_TRUE(
      check_privacy_level<RandomizedResponse>({.cases = 20, .domain = Domain{0.0, 8.0, true}}));
  EXPECT_TRUE(check_privacy_level<DiscreteLaplaceMechanism>(
      {.cases = 4, .parameters = {{"sensitivity", "1"}}}));
}

TEST(PropertyOfPrivacy, FindsABrokenMechanismByCountingAndCertifiesItOnFreshRuns) {
  const auto outcome = check_privacy_level<NoisySum<true>>({.cases = 10, .runs = 3000});
  EXPECT_FALSE(outcome);
  EXPECT_THAT(outcome.message, HasSubstr("    epsilon = 1, inputs = 1\n    D   0\n    D'  1\n"));
  EXPECT_THAT(outcome.message, HasSubstr("the event"));
  EXPECT_THAT(outcome.message, HasSubstr("\n    the output is 0 in "));
  EXPECT_THAT(outcome.message, HasSubstr("Simplest counterexample (certified, with the case below, "
                                         "at confidence 0.999)"));
  EXPECT_FALSE(outcome.is_illustration);
}

// ---- sensitivity --------------------------------------------------------------------------------

double mean_of(const InputTable& input) {
  return std::accumulate(input.values.begin(), input.values.end(), 0.0) /
         static_cast<double>(input.values.size());
}

TEST(PropertyOfSensitivity, ComparesEveryNorm) {
  const auto pairs = neighbouring_pairs({.kind = InputKind::kExperts, .arms = 4, .horizon = 3});
  const auto sums = [](const InputTable& input) {
    std::vector<double> sum(4);
    for (std::size_t i = 0; i < input.values.size(); ++i) sum[i % 4] += input.values[i];
    return sum;
  };
  EXPECT_TRUE(check_sensitivity(pairs, sums, StatisticNorm::kL1, 4.0));
  EXPECT_TRUE(check_sensitivity(pairs, sums, StatisticNorm::kL2, 2.0));
  EXPECT_TRUE(check_sensitivity(pairs, sums, StatisticNorm::kMax, 1));
  EXPECT_FALSE(check_sensitivity(pairs, sums, StatisticNorm::kL1, 3.9));
  EXPECT_FALSE(check_sensitivity(pairs, sums, StatisticNorm::kL2, 1.99));
  EXPECT_FALSE(check_sensitivity(pairs, sums, StatisticNorm::kMax, 0.99));
}

TEST(PropertyOfSensitivity, FindsTheShortestInput) {
  const auto pairs =
      neighbouring_pairs({.kind = InputKind::kBandit, .horizon = 12}, PairLength::kUpToShape);
  const auto stated = [](const InputTable& input) {
    return 1.0 / static_cast<double>(input.values.size());
  };
  EXPECT_TRUE(check_sensitivity(pairs, mean_of, StatisticNorm::kL1, stated));
  // A mean moves by 1/n, so a limit of 0.3 fails with up to 3 rewards; one is the fewest.
  const auto outcome = check_sensitivity(pairs, mean_of, StatisticNorm::kL1, 0.3);
  EXPECT_FALSE(outcome);
  EXPECT_THAT(outcome.message,
              HasSubstr("    D   0\n    D'  1\n    the statistic moves by 1 in L1; "
                        "the stated sensitivity is 0.3\n"));
}

TEST(PropertyOfSensitivity, TakesInputsOfAnyType) {
  const auto pairs = rc::gen::map(rc::gen::arbitrary<std::vector<int>>(), [](auto list) {
    auto longer = list;
    longer.push_back(1);
    return std::pair(list, longer);
  });
  const auto size = [](const std::vector<int>& list) { return static_cast<double>(list.size()); };
  EXPECT_TRUE(check_sensitivity(pairs, size, StatisticNorm::kL1, 1));
  EXPECT_THAT(check_sensitivity(pairs, size, StatisticNorm::kL1, 0).message,
              HasSubstr("D   []\n    D'  [1]"));
  const auto never = [](const std::vector<int>&) { return std::nan(""); };
  EXPECT_FALSE(check_sensitivity(pairs, never, StatisticNorm::kMax, 1));
}

// ---- composition --------------------------------------------------------------------------------

// The accounting makes the sum of at least two levels smaller by this factor.
template <class Level>
CheckOutcome check_scaled(double factor) {
  return check_composition<Level>(
      [factor](std::span<const Level> levels) -> Result<Level> {
        auto sum = ASSAY_TRY(Result<Level>(compose(levels)));
        if (levels.size() < 2) return sum;
        if constexpr (std::is_same_v<Level, RenyiDp>) {
          return RenyiDp([=](double order) { return sum.at(order).value.value * factor; });
        } else if constexpr (std::is_same_v<Level, GaussianDp>) {
          sum.mu.value *= factor;
        } else if constexpr (std::is_same_v<Level, ZeroConcentratedDp>) {
          sum.rho.value *= factor;
        } else if constexpr (std::is_same_v<Level, ApproximateDp>) {
          sum.delta.value *= factor;
        } else {
          sum.epsilon.value *= factor;
        }
        return sum;
      },
      {.cases = 40});
}

TEST(PropertyOfComposition, FindsSumsThatAreTooSmall) {
  EXPECT_THAT(
      check_scaled<PureDp>(1.0 - 1e-6).message,
      HasSubstr(
          "\n    levels of the releases: eps = 1, eps = 1\n    the accounting returned eps = 2; "));
  EXPECT_THAT(
      check_scaled<ApproximateDp>(0.99).message,
      HasSubstr("\n    levels of the releases: eps = 1, eps = 1, each with delta = 0.01\n"));
  EXPECT_THAT(check_scaled<GaussianDp>(0.99).message,
              HasSubstr("\n    levels of the releases: mu = 1, mu = 1\n"));
  EXPECT_THAT(check_scaled<ZeroConcentratedDp>(0.99).message,
              HasSubstr("those of randomised responses with eps = 1, eps = 1\n"));
  EXPECT_THAT(check_scaled<RenyiDp>(1.0 - 1e-6).message,
              HasSubstr("those of randomised responses with eps = 1, eps = 1\n"));
  const auto refuses = [](std::span<const PureDp>) -> Result<PureDp> {
    return fail(ErrorCode::kInvalidArgument, "no more releases");
  };
  EXPECT_THAT(check_composition<PureDp>(refuses, {.cases = 3}).message,
              HasSubstr("gave up after 30 discarded cases; the last: no more releases"));
}

// ---- regret -------------------------------------------------------------------------------------

TEST(PropertyOfRegret, ComparesTheCertifiedRegretWithTheBound) {
  // Any policy loses at most the largest gap in every round, which no test can contradict.
  const auto worst = [](const auto&, const RegretSetting& setting) {
    const auto [low, high] = std::minmax_element(setting.values.begin(), setting.values.end());
    return static_cast<double>(setting.horizon) * (*high - *low) * 0.999;
  };
  EXPECT_TRUE(check_regret_bound<StayPolicy<false>>(worst, {.cases = 10}));
  EXPECT_TRUE(check_regret_bound<RnmFtnl>(worst, {.cases = 10}));
  const auto none = [](const auto&, const RegretSetting&) { return 0.0; };
  const auto outcome = check_regret_bound<StayPolicy<false>>(none, {.cases = 10});
  EXPECT_FALSE(outcome);
  EXPECT_FALSE(outcome.is_illustration);
  EXPECT_THAT(outcome.message, HasSubstr("bernoulli-arms with means 0, 1, 1 rounds; epsilon = 1"));
}

TEST(PropertyOfRegret, NamesAnEnvironmentThatDoesNotFit) {
  const auto none = [](const auto&, const RegretSetting&) { return 0.0; };
  const auto outcome = check_regret_bound<RnmFtnl>(
      none, {.cases = 2, .environment = RegretEnvironment::kBernoulliArms});
  EXPECT_FALSE(outcome);
  EXPECT_THAT(outcome.message, HasSubstr("environment must be bernoulli-losses"));
}

// ---- plans and results --------------------------------------------------------------------------

TEST(PropertyCheckPlan, OutOfRangeIsRefusedAndDoesNotPass) {
  const auto said = [](const CheckPlan& plan) {
    const auto outcome = check_privacy_level<StayPolicy<false>>(plan);
    EXPECT_FALSE(outcome);
    return outcome.message;
  };
  EXPECT_THAT(said({.cases = 0}), HasSubstr("cases must be 1 to 1000000, not 0"));
  EXPECT_THAT(said({.alpha = 0.0}), HasSubstr("alpha must be above 0 and at most 0.5, not 0"));
  EXPECT_THAT(said({.alpha = std::nan("")}), HasSubstr("alpha must be above 0"));
  EXPECT_THAT(said({.cases = 1000, .alpha = 1e-7}), HasSubstr("alpha must be at least 1e-9"));
  EXPECT_THAT(said({.runs = 99}), HasSubstr("runs must be 100 to"));
  EXPECT_THAT(said({.most_rounds = 0}), HasSubstr("most_rounds must be 1 to 1000000, not 0"));
}

// A guarantee of neighbours that a bandit does not have.
class StrangePolicy : public StayPolicy<false> {
 public:
  explicit StrangePolicy(StayPolicy<false> policy) : StayPolicy<false>(std::move(policy)) {}
  static Result<StrangePolicy> create(const StayConfig& config) {
    return StrangePolicy(ASSAY_TRY(StayPolicy<false>::create(config)));
  }
  Guarantee guarantee() const {
    auto stated = StayPolicy<false>::guarantee();
    stated.relation = Relation::kAddOrRemoveOneRecord;
    return stated;
  }
};

TEST(PropertyCheckPlan, ThatNoCaseFitsIsAnErrorBeforeAnythingIsDrawn) {
  const auto outcomes = {
      check_privacy_level<StayPolicy<false>>({.parameters = {{"horizn", "4"}}}),
      check_privacy_level<StayPolicy<false>>({.parameters = {{"horizon", "-4"}}}),
      check_privacy_level<ExploreThenCommit>({.parameters = {{"horizon", "2"}}}),
      check_privacy_level<StayPolicy<false>>({.claim = "eps=x"}),
      check_privacy_level<StrangePolicy>(),
      check_regret_bound<StayPolicy<false>>([](const auto&, const auto&) { return 0.0; },
                                            {.parameters = {{"epsilom", "4"}}})};
  std::string messages;
  for (const auto& outcome : outcomes) {
    EXPECT_FALSE(outcome);
    EXPECT_EQ(outcome.discarded, 0);
    EXPECT_THAT(outcome.message, Not(HasSubstr("gave up")));
    messages += outcome.message;
  }
  EXPECT_THAT(messages,
              AllOf(HasSubstr("'horizn'; did you mean 'horizon'"), HasSubstr("-4"),
                    HasSubstr("pulls must be below horizon/2"), HasSubstr("eps=x"),
                    HasSubstr("relation"), HasSubstr("'epsilom'; did you mean 'epsilon'")));
}

TEST(PropertyCheckOutcome, ShowsWhatIsCertifiedBeforeAnIllustration) {
  // The simpler case fails once, when it is found, and not on fresh runs, which have more alpha.
  const auto drawn = std::make_shared<const CaseTree>(
      CaseTree{[](const Trial&) -> Result<Judgement> {
                 return Judgement{true, false, "found"};
               },
               [] { return "drawn"; },
               [] {
                 return [left = 1]() mutable -> std::shared_ptr<const CaseTree> {
                   if (left-- == 0) return nullptr;
                   return std::make_shared<const CaseTree>(
                       CaseTree{[](const Trial& trial) -> Result<Judgement> {
                                  return Judgement{trial.alpha < 0.01, false, "by chance"};
                                },
                                [] { return "simpler"; }, [] { return cases_by_chance(0); }});
                 };
               }});
  const auto outcome =
      detail::run_check("test", {.cases = 4, .alpha = 0.02}, [&](int) { return drawn; });
  EXPECT_TRUE(outcome.is_illustration);
  EXPECT_EQ(outcome.message,
            "test failed at case 1 of 4, seed 1.\n"
            "Counterexample (certified at confidence 0.98):\n    drawn\n    found\n"
            "A simpler case (an illustration: fresh runs did not confirm it):\n"
            "    simpler\n    by chance\n");
}

TEST(PropertyCheckOutcome, IsAnAssertionWithItsMessageAndFollowsTheSeed) {
  const auto of_seed = [](std::uint64_t seed) {
    return check_privacy_level<StayPolicy<true>>({.seed = seed, .cases = 20});
  };
  const auto outcome = of_seed(5);
  EXPECT_EQ(::testing::AssertionResult(outcome).message(), outcome.message);
  EXPECT_EQ(of_seed(5).message, outcome.message);
  EXPECT_NE(of_seed(6).message, outcome.message);
}

}  // namespace
}  // namespace assay
