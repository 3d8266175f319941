#include "assay/mechanisms/noisy_max/noisy_max_distribution.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/policies/bandits/explore_then_commit.hpp"
#include "assay/tests/support/plain_baselines.hpp"
#include "assay/tests/support/recorded_rewards.hpp"
#include "assay/tests/support/repetitions.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

using detail::ArmFate;

// Rewards without pattern, the better the lower the arm.
double uneven_reward(std::int64_t round, int action) {
  const double luck = static_cast<double>((round * 7919 + action * 104729) % 1000) / 999.0;
  return 0.6 * luck + 0.4 / (1 + action);
}

DpSuccessiveEliminationConfig elimination(std::int64_t arms, std::int64_t horizon, double epsilon,
                                          double beta = 0.0, double epoch_scale = 1.0) {
  return DpSuccessiveEliminationConfig{.arms = arms,
                                       .horizon = horizon,
                                       .epsilon = epsilon,
                                       .beta = beta,
                                       .epoch_scale = epoch_scale};
}

AnytimeLazyUcbConfig lazy_ucb(std::int64_t arms, double epsilon) {
  return AnytimeLazyUcbConfig{.arms = arms, .epsilon = epsilon};
}

void expect_same_releases(const PlainRun& run, const PlainRun& plain) {
  ASSERT_LE(run.releases.size(), plain.releases.size());
  for (std::size_t i = 0; i < run.releases.size(); ++i) {
    EXPECT_EQ(run.releases[i].arm, plain.releases[i].arm);
    EXPECT_EQ(run.releases[i].rewards, plain.releases[i].rewards);
    EXPECT_NEAR(run.releases[i].value, plain.releases[i].value, 1e-12);
  }
}

// --- DP successive elimination ------------------------------------------------------------------

TEST(DpSuccessiveElimination, EpochsHaveThePapersLengthNoiseAndWidth) {
  // |S| = 5, e = 2, beta = 1/1e5, eps = 1/2: the first term of R_e is the larger.
  const auto epoch = detail::elimination_epoch(elimination(5, 100'000, 0.5), 2, 5);
  const double log8 = std::log(8 * 5 * 4 * 1e5);
  const double log4 = std::log(4 * 5 * 4 * 1e5);
  EXPECT_EQ(epoch.pulls, static_cast<std::int64_t>(32 * log8 * 16) + 1);
  const double pulls = static_cast<double>(epoch.pulls);
  EXPECT_DOUBLE_EQ(epoch.noise_scale, 2.0 / pulls);
  EXPECT_NEAR(epoch.width, 2 * std::sqrt(log8 / (2 * pulls)) + 2 * log4 * 2 / pulls, 1e-15);
}

TEST(DpSuccessiveElimination, SmallEpsilonMakesTheNoiseDecideTheLength) {
  const auto epoch = detail::elimination_epoch(elimination(3, 1000, 0.01, 0.25), 1, 3);
  EXPECT_EQ(epoch.pulls, static_cast<std::int64_t>(8 * std::log(48.0) * 2 / 0.01) + 1);
}

TEST(DpSuccessiveElimination, EpochsThatCannotEndHaveALengthBeyondTheHorizon) {
  const auto epoch = detail::elimination_epoch(elimination(2, 1'000'000'000, 1e-6), 60, 2);
  EXPECT_GT(epoch.pulls, 1'000'000'000);
}

TEST(DpSuccessiveElimination, PlaysWhatThePlainImplementationPlays) {
  for (const std::int64_t arms : {2, 3, 7}) {
    for (const double epsilon : {0.3, 5.0, 200.0}) {
      for (const double scale : {1e-6, 1e-3, 1e-2, 0.1, 1.0}) {
        const auto config = elimination(arms, 20'000, epsilon, scale < 0.1 ? 1.0 : 0.0, scale);
        const ReplayStream random({.seed = 4, .replicate = static_cast<std::uint64_t>(arms)});
        const auto run = run_elimination(config, config.horizon, uneven_reward, random);
        const auto plain = plain_elimination(config, config.horizon, uneven_reward, random);
        ASSERT_EQ(run.actions, plain.actions) << arms << ' ' << epsilon << ' ' << scale;
        expect_same_releases(run, plain);
      }
    }
  }
}

TEST(DpSuccessiveElimination, AnEpochIsRoundRobinAndOnlyItsEndDrawsOneWordPerArm) {
  const auto config = elimination(3, 1000, 1.0, 1.0, 1e-2);
  auto policy = DpSuccessiveElimination::create(config).value();
  const auto pulls = policy.epoch_pulls();
  ASSERT_EQ(pulls, static_cast<std::int64_t>(0.32 * std::log(24.0) * 4) + 1);
  ReplayStream random({.seed = 1});
  for (std::int64_t t = 0; t < 3 * pulls; ++t) {
    EXPECT_EQ(policy.choose(random), static_cast<int>(t % 3));
    policy.observe(0.5);
  }
  EXPECT_EQ(random.buffered(), 0);  // nothing drawn yet
  EXPECT_EQ(policy.epoch(), 1);
  EXPECT_THAT(policy.last_release().means, SizeIs(0));
  policy.choose(random);
  EXPECT_EQ(random.buffered(), 1);  // three of a block's four words
  EXPECT_EQ(policy.epoch(), 2);
  EXPECT_EQ(policy.last_release().epoch.pulls, pulls);
  ASSERT_THAT(policy.last_release().means, SizeIs(3));
  ReplayStream same({.seed = 1});
  const auto noise = Laplace::create(0.5, 1.0 / static_cast<double>(pulls)).value();
  for (int arm = 0; arm < 3; ++arm) {
    EXPECT_EQ(policy.last_release().means[static_cast<std::size_t>(arm)].arm, arm);
    EXPECT_DOUBLE_EQ(policy.last_release().means[static_cast<std::size_t>(arm)].value,
                     noise.sample(same));
  }
}

TEST(DpSuccessiveElimination, TheLastArmIsPlayedForEverWithoutAnotherDraw) {
  const auto config = elimination(2, 5000, 1000.0, 1.0, 0.05);
  auto policy = DpSuccessiveElimination::create(config).value();
  ReplayStream random({.seed = 2});
  for (int t = 0; t < 5000; ++t) {
    const int action = policy.choose(random);
    policy.observe(action == 1 ? 1.0 : 0.0);
  }
  EXPECT_EQ(policy.epoch(), 2);
  EXPECT_THAT(policy.active(), ElementsAre(1));
  EXPECT_EQ(policy.epoch_pulls(), 0);
  EXPECT_EQ(random.buffered(), 2);
}

TEST(DpSuccessiveElimination, GuaranteesPureDpOfTheActions) {
  const auto guarantee =
      DpSuccessiveElimination::create(elimination(2, 10, 0.75)).value().guarantee();
  EXPECT_EQ(std::get<PureDp>(guarantee.level).epsilon, Epsilon{0.75});
  EXPECT_EQ(guarantee.relation, Relation::kReplaceOneReward);
  EXPECT_EQ(guarantee.view, View::kActions);
  EXPECT_THAT(guarantee.source, HasSubstr("Optimal Private Stopping Rule"));
}

template <Policy P>
void expect_config_refused(const typename P::Config& config, const char* message,
                           const char* path) {
  const auto error = error_of(P::create(config));
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(error.message, message);
  EXPECT_EQ(error.path, path);
}

TEST(Baselines, RefuseBadConfigurationsWithTheFieldAndWhatIsAllowed) {
  expect_config_refused<DpSuccessiveElimination>(elimination(1, 10, 1.0),
                                                 "arms must be 2 to 1e+05, not 1", "/arms");
  expect_config_refused<DpSuccessiveElimination>(elimination(2, 0, 1.0),
                                                 "horizon must be 1 to 1e+09, not 0", "/horizon");
  expect_config_refused<DpSuccessiveElimination>(
      elimination(2, 10, 0.0), "epsilon must be 1e-06 to 1e+06, not 0", "/epsilon");
  expect_config_refused<DpSuccessiveElimination>(elimination(2, 10, 1.0, 1.5),
                                                 "beta must be 0 to 1, not 1.5", "/beta");
  expect_config_refused<DpSuccessiveElimination>(
      elimination(2, 10, 1.0, 0.0, 0.0), "epoch_scale must be 1e-09 to 1, not 0", "/epoch_scale");
  expect_config_refused<AnytimeLazyUcb>(lazy_ucb(100'001, 1.0),
                                        "arms must be 2 to 1e+05, not 100001", "/arms");
  expect_config_refused<AnytimeLazyUcb>(lazy_ucb(2, kInfinity),
                                        "epsilon must be 1e-06 to 1e+06, not inf", "/epsilon");
  auto config = lazy_ucb(2, 1.0);
  config.mean_bonus = -1.0;
  expect_config_refused<AnytimeLazyUcb>(config, "mean_bonus must be 0 to 1000, not -1",
                                        "/mean_bonus");
  config = lazy_ucb(2, 1.0);
  config.noise_bonus = std::nan("");
  expect_config_refused<AnytimeLazyUcb>(config, "noise_bonus must be 0 to 1000, not nan",
                                        "/noise_bonus");
  expect_config_refused<Ucb1>(Ucb1Config{0}, "arms must be 2 to 1024, not 0", "/arms");
}

// --- Its likelihood -----------------------------------------------------------------------------

double log_survivors(std::vector<double> means, double scale, double width,
                     std::vector<ArmFate> fates) {
  return detail::log_survivor_probability(means, scale, width, fates);
}

TEST(SurvivorDistribution, TwoArmsHaveTheClosedFormOfALaplaceDifference) {
  const auto kept = ArmFate::kSurvives;
  const auto dropped = ArmFate::kDropped;
  // The difference D of two Laplace variables of scale 1: P(D > t) = (2 + t) e^-t / 4, t >= 0.
  const auto log_above = [](double t) {
    return t >= 0.0 ? std::log((2.0 + t) / 4.0) - t : std::log1p(-(2.0 - t) / 4.0 * std::exp(t));
  };
  for (const double scale : {1.0, 1e-3}) {
    for (const double gap : {0.0, 0.3, 5.0, 60.0, 250.0}) {
      for (const double width : {0.5, 4.0, 30.0, 200.0}) {
        const std::vector<double> means{gap * scale, 0.0};
        const double first_alone = log_above(width - gap);
        const double second_alone = log_above(width + gap);
        const double tolerance = 2e-13 * (1.0 + std::abs(second_alone));
        EXPECT_NEAR(log_survivors(means, scale, width * scale, {kept, dropped}), first_alone,
                    tolerance);
        EXPECT_NEAR(log_survivors(means, scale, width * scale, {dropped, kept}), second_alone,
                    tolerance);
        const double neither = std::exp(log_survivors(means, scale, width * scale, {kept, kept}));
        EXPECT_NEAR(neither + std::exp(first_alone) + std::exp(second_alone), 1.0, 1e-13);
      }
    }
  }
}

TEST(SurvivorDistribution, SumsToOneOverAllSets) {
  ReplayStream random({.seed = 8});
  for (const std::size_t arms : {2u, 3u, 5u, 8u}) {
    for (const double scale : {1e-6, 1e-2, 0.1, 1.0}) {
      std::vector<double> means(arms);
      for (double& mean : means) mean = random.uniform();
      means[1] = means[0];  // kinks that coincide
      const double width = 0.4 + 3.0 * scale;
      double sum = 0.0;
      for (unsigned set = 0; set < 1u << arms; ++set) {
        std::vector<ArmFate> fates;
        for (std::size_t j = 0; j < arms; ++j) {
          fates.push_back((set >> j & 1u) != 0 ? ArmFate::kSurvives : ArmFate::kDropped);
        }
        sum += portable_exp(log_survivors(means, scale, width, fates));
      }
      EXPECT_NEAR(sum, 1.0, 1e-12) << arms << " arms, scale " << scale;
    }
  }
}

TEST(SurvivorDistribution, AnOpenArmIsTheSumOverBothItsFates) {
  const std::vector<double> means{0.2, 0.5, 0.45, 0.1};
  const auto distribution = [&](ArmFate third, ArmFate fourth) {
    return log_survivors(means, 0.15, 0.3, {ArmFate::kDropped, ArmFate::kSurvives, third, fourth});
  };
  const auto kept = ArmFate::kSurvives;
  const auto dropped = ArmFate::kDropped;
  const auto open = ArmFate::kOpen;
  EXPECT_NEAR(distribution(open, kept),
              log_add_exp(distribution(kept, kept), distribution(dropped, kept)), 1e-13);
  EXPECT_NEAR(distribution(open, open),
              log_add_exp(distribution(kept, open), distribution(dropped, open)), 1e-13);
  EXPECT_NEAR(log_survivors(means, 0.15, 0.3, {open, open, open, open}), 0.0, 1e-13);
}

TEST(SurvivorDistribution, SomeArmSurvives) {
  EXPECT_EQ(log_survivors({0.1, 0.2}, 1.0, 0.5, {ArmFate::kDropped, ArmFate::kDropped}),
            -kInfinity);
}

// Probability of all continuations of `prefix` by one action, summed, equals its own; returns the
// number of transcripts of positive probability.
int check_tree(const DpSuccessiveEliminationConfig& config, const RewardStream& rewards,
               Transcript& prefix) {
  const auto likelihood = [&] {
    return log_likelihood(config, prefix, std::span(rewards).first(prefix.size())).value();
  };
  const double whole = likelihood();
  if (whole == -kInfinity) return 0;
  if (prefix.size() == rewards.size()) return 1;
  double sum = -kInfinity;
  int leaves = 0;
  for (int action = 0; action < config.arms; ++action) {
    prefix.push_back(action);
    sum = log_add_exp(sum, likelihood());
    leaves += check_tree(config, rewards, prefix);
    prefix.pop_back();
  }
  EXPECT_NEAR(sum, whole, 1e-12 * (1.0 + std::abs(whole)));
  return leaves;
}

TEST(EliminationLikelihood, SumsToOneOverAllTranscriptsFromEveryPrefixOn) {
  struct Case {
    std::int64_t arms;
    double epsilon, epoch_scale;
    std::size_t rounds;
  };
  for (const auto& [arms, epsilon, scale, rounds] :
       {Case{2, 3.0, 1e-9, 9},  // epochs of one pull
        Case{3, 8.0, 1e-3, 9}, Case{3, 50.0, 5e-3, 14}, Case{4, 20.0, 2e-3, 12}}) {
    const auto config = elimination(arms, static_cast<std::int64_t>(rounds), epsilon, 1.0, scale);
    RewardStream rewards;
    for (std::size_t t = 0; t < rounds; ++t) {
      rewards.push_back(t % static_cast<std::size_t>(arms) == 0 ? 1.0 : 0.1 * (t % 3));
    }
    Transcript prefix;
    EXPECT_GT(check_tree(config, rewards, prefix), 3) << arms << ' ' << scale;
  }
}

TEST(EliminationLikelihood, IsZeroInLogUntilAnEpochHasEndedAndBeenSeen) {
  const auto config = elimination(2, 100, 1.0);  // the first epoch is longer than the horizon
  const Transcript actions{0, 1, 0, 1, 0};
  EXPECT_EQ(log_likelihood(config, actions, RewardStream(5, 0.5)).value(), 0.0);
  EXPECT_EQ(log_likelihood(config, {}, {}).value(), 0.0);
}

TEST(EliminationLikelihood, IsMinusInfinityForWhatThePolicyCannotPlay) {
  const auto config = elimination(3, 100, 1.0, 1.0, 1e-9);  // R_1 = 1
  const auto of = [&](const Transcript& actions) {
    return log_likelihood(config, actions, RewardStream(actions.size(), 0.5)).value();
  };
  EXPECT_EQ(of({0, 2, 1}), -kInfinity);           // not in order
  EXPECT_EQ(of({0, 1, 2, 1, 1, 0}), -kInfinity);  // a dropped arm comes back
  EXPECT_GT(of({0, 1, 2, 1, 1, 1}), -kInfinity);
}

TEST(EliminationLikelihood, RefusesWhatIsNoTranscriptOfTheConfiguration) {
  const auto config = elimination(3, 4, 1.0);
  const auto error = [](const auto& result) { return result.error().to_string(); };
  EXPECT_EQ(error(log_likelihood(config, {0, 1}, RewardStream(3, 0.5))),
            "/rewards: a transcript needs one reward per action: 2 actions, 3 rewards");
  EXPECT_EQ(error(log_likelihood(config, {0, 1, 2, 0, 1}, RewardStream(5, 0.5))),
            "/actions: a transcript has at most horizon = 4 actions, not 5");
  EXPECT_EQ(error(log_likelihood(config, {0, 3}, RewardStream(2, 0.5))),
            "/actions: action 2 must be 0 to 2, not 3");
  EXPECT_FALSE(log_likelihood(config, {0, 1}, RewardStream{0.5, 1.5}));
  EXPECT_EQ(log_likelihood(elimination(65, 4, 1.0), {}, {}).error().code, ErrorCode::kLimit);
  EXPECT_EQ(error(log_likelihood(elimination(1, 4, 1.0), {}, {})),
            "/arms: arms must be 2 to 1e+05, not 1");
}

// --- Anytime-Lazy-UCB ---------------------------------------------------------------------------

TEST(AnytimeLazyUcb, PlaysWhatThePlainImplementationPlays) {
  for (const std::int64_t arms : {2, 5, 20}) {
    for (const double epsilon : {0.1, 1.0, 100.0}) {
      auto config = lazy_ucb(arms, epsilon);
      if (arms == 20) config.mean_bonus = 0.5;
      const ReplayStream random({.seed = 5, .replicate = static_cast<std::uint64_t>(arms)});
      const auto run = run_lazy_ucb(config, 5000, uneven_reward, random);
      const auto plain = plain_lazy_ucb(config, 5000, uneven_reward, random);
      ASSERT_EQ(run.actions, plain.actions) << arms << ' ' << epsilon;
      expect_same_releases(run, plain);
    }
  }
}

// It compares indices only where a lead may have ended, also when leads are small, equal or never end.
TEST(AnytimeLazyUcb, ComparesIndicesAsRarelyAsItMay) {
  const auto equal_reward = [](std::int64_t, int) { return 0.5; };
  for (const auto& [arms, mean_bonus, noise_bonus] :
       {std::tuple{2, 3.0, 3.0}, {40, 3.0, 3.0}, {40, 0.0, 3.0}, {7, 0.5, 0.0}, {3, 0.0, 0.0}}) {
    auto config = lazy_ucb(arms, 1e6);
    config.mean_bonus = mean_bonus;
    config.noise_bonus = noise_bonus;
    const ReplayStream random({.seed = 8});
    EXPECT_EQ(run_lazy_ucb(config, 60'000, equal_reward, random).actions,
              plain_lazy_ucb(config, 60'000, equal_reward, random).actions)
        << arms << ' ' << mean_bonus << ' ' << noise_bonus;
  }
}

TEST(AnytimeLazyUcb, PhasesDoubleAndForget) {
  auto policy = AnytimeLazyUcb::create(lazy_ucb(3, 2.0)).value();
  ReplayStream random({.seed = 6});
  std::vector<std::int64_t> pulls(3, 0);
  std::int64_t releases = 0;
  for (int t = 0; t < 2000; ++t) {
    const int action = policy.choose(random);
    EXPECT_TRUE(t >= 3 || action == t);
    for (int arm = 0; arm < 3; ++arm) {
      const auto n = pulls[static_cast<std::size_t>(arm)];
      std::int64_t last = 0;
      while (2 * last + 1 <= n) last = 2 * last + 1;  // rewards read: 1 + 2 + ... + 2^r
      EXPECT_EQ(policy.released_rewards(arm), (last + 1) / 2);
      EXPECT_EQ(policy.waiting_rewards(arm), n - last);
    }
    policy.observe(0.5);
    const auto n = ++pulls[static_cast<std::size_t>(action)];
    releases += (n & (n + 1)) == 0;
  }
  policy.choose(random);
  EXPECT_EQ(policy.releases(), releases);
}

TEST(AnytimeLazyUcb, GuaranteesPureDpOfTheActions) {
  const auto guarantee = AnytimeLazyUcb::create(lazy_ucb(2, 0.5)).value().guarantee();
  EXPECT_EQ(std::get<PureDp>(guarantee.level).epsilon, Epsilon{0.5});
  EXPECT_EQ(guarantee.relation, Relation::kReplaceOneReward);
  EXPECT_EQ(guarantee.view, View::kActions);
  EXPECT_THAT(guarantee.source, HasSubstr("Anytime-Lazy-UCB"));
}

// --- UCB1 ---------------------------------------------------------------------------------------

TEST(Ucb1, PlaysWhatThePlainImplementationPlaysAndDrawsNothing) {
  for (const std::int64_t arms : {2, 5, 20}) {
    auto policy = Ucb1::create(Ucb1Config{arms}).value();
    ReplayStream random({.seed = 7});
    Transcript actions;
    for (int t = 0; t < 3000; ++t) {
      actions.push_back(policy.choose(random));
      policy.observe(uneven_reward(t, actions.back()));
    }
    EXPECT_EQ(actions, plain_ucb1(Ucb1Config{arms}, 3000, uneven_reward));
    EXPECT_EQ(random.buffered(), 0);
  }
}

TEST(Ucb1, ItsMeansAndPullsAreTheHandComputedOnes) {
  auto policy = Ucb1::create(Ucb1Config{2}).value();
  ReplayStream random({});
  Transcript actions;
  for (const double reward : {1.0, 0.0, 0.5, 0.25}) {
    actions.push_back(policy.choose(random));
    policy.observe(reward);
  }
  // n = 2: 1 against 0. n = 3: 3/4 + sqrt(log 3) = 1.798 against sqrt(2 log 3) = 1.482.
  EXPECT_THAT(actions, ElementsAre(0, 1, 0, 0));
  EXPECT_EQ(policy.pulls(0), 3);
  EXPECT_DOUBLE_EQ(policy.mean(0), 1.75 / 3);
}

TEST(Ucb1, SaysThatItIsNotPrivate) {
  const auto guarantee = Ucb1::create(Ucb1Config{}).value().guarantee();
  EXPECT_EQ(std::get<PureDp>(guarantee.level).epsilon.value, kInfinity);
  EXPECT_EQ(to_string(guarantee.level), "eps = inf");
  EXPECT_THAT(guarantee.source, HasSubstr("not private"));
}

// The arms of the first `rounds` rounds, in which arm j always pays rewards[j].
std::vector<int> played(const ExploreThenCommitConfig& config, const std::vector<double>& rewards,
                        int rounds, std::uint64_t seed) {
  auto policy = ExploreThenCommit::create(config).value();
  ReplayStream random({.seed = seed});
  std::vector<int> arms;
  for (int t = 0; t < rounds; ++t) {
    arms.push_back(policy.choose(random));
    policy.observe(rewards[static_cast<std::size_t>(arms.back())]);
  }
  return arms;
}

TEST(ExploreThenCommit, PlaysInTurnAndThenOneArm) {
  const auto arms = played({3, 4, 1e6}, {0.25, 1.0, 0.5}, 40, 1);
  for (int t = 0; t < 12; ++t) EXPECT_EQ(arms[static_cast<std::size_t>(t)], t % 3);
  for (std::size_t t = 12; t < arms.size(); ++t) EXPECT_EQ(arms[t], 1);
}

// The arm it keeps follows the law of report noisy max, which is computed in another way; and that law
// moves by at most e^eps when one reward changes.
TEST(ExploreThenCommit, KeepsAnArmByTheDistributionOfItsNoisyTotals) {
  const ExploreThenCommitConfig config{3, 4, 0.5};
  const std::vector<double> totals{1.0, 4.0, 2.0}, neighbour{1.0, 3.0, 2.0};
  const auto noise = Laplace::create(0.0, 2.0).value();
  const auto distribution = noisy_max_log_probabilities(noise, totals);
  const auto other = noisy_max_log_probabilities(noise, neighbour);
  std::vector<double> counts(3, 0.0);
  const int runs = repetitions(20'000);
  for (int run = 0; run < runs; ++run) {
    counts[static_cast<std::size_t>(
        played(config, {0.25, 1.0, 0.5}, 13, static_cast<std::uint64_t>(run)).back())] += 1.0;
  }
  for (std::size_t j = 0; j < 3; ++j) {
    const double p = std::exp(distribution[j]);
    EXPECT_NEAR(counts[j], runs * p, 5.0 * std::sqrt(runs * p * (1.0 - p))) << j;
    EXPECT_LE(std::abs(distribution[j] - other[j]), config.epsilon);
  }
}

}  // namespace
}  // namespace assay
