// The regret of runs of a target, against simulations that give each reward once its arm is chosen.
#include "assay/auditors/regret/program_regret.hpp"

#include "assay/tests/support/function_target.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

constexpr std::uint64_t kRegretSeed = 5;
constexpr std::int64_t kRunsOfATarget = 40;

RegretTable table_in(RegretEnvironment environment, std::vector<double> values,
                     std::int64_t horizon, std::optional<InputKind> kind = {}) {
  return must(regret_table({}, kind, {environment, std::move(values), horizon}));
}

TargetRegrets regrets_of(const RegretTable& table, PlayFunction play, int threads = 1,
                         std::int64_t runs = kRunsOfATarget) {
  auto players = must(
      Players::create(std::make_unique<FunctionTarget>(table.shape, std::move(play)), threads));
  RunControl control;
  control.threads = threads;
  return play_regrets(players, table, kRegretSeed, "a target", 0, runs, control);
}

// Chooses at random one time in ten, and otherwise the arm with the largest mean so far; the first of several.
class NoisyGreedy {
 public:
  explicit NoisyGreedy(std::size_t arms) : sums_(arms, 0.0), counts_(arms, 0.0) {}
  std::size_t choose(ReplayStream& random) const {
    const double coin = random.uniform();
    const auto any = static_cast<std::size_t>(random.uniform() * static_cast<double>(sums_.size()));
    if (coin < 0.1) return any;
    std::size_t best = 0;
    for (std::size_t a = 1; a < sums_.size(); ++a) {
      if (mean(a) > mean(best)) best = a;
    }
    return best;
  }
  void learn(std::size_t arm, double reward) {
    sums_[arm] += reward;
    counts_[arm] += 1.0;
  }

 private:
  double mean(std::size_t arm) const {
    return counts_[arm] == 0.0 ? 1.0 : sums_[arm] / counts_[arm];
  }
  std::vector<double> sums_, counts_;
};

// The random numbers of the environment, and of a function target, in run i.
ReplayStream luck_of(std::int64_t i) {
  return ReplayStream({kRegretSeed, hash_purpose("regret/environment"),
                       static_cast<std::uint64_t>(i), 1, Phase::kCertify});
}
ReplayStream choices_of(std::int64_t i) {
  const auto seed = play_seeds({kRegretSeed, "a target"}, i, 1).front();
  return ReplayStream({seed, hash_purpose("tests/function-target")});
}

template <class Arms>
void expect_as_simulated(const RegretTable& table, const Arms& arms) {
  const auto count = arms.means().size();
  const double best = *std::max_element(arms.means().begin(), arms.means().end());
  const auto made =
      regrets_of(table, [&](const InputTable& input, ReplayStream& random, auto& out) {
        NoisyGreedy policy(count);
        for (const double reward : input.values) {
          const std::size_t arm = policy.choose(random);
          policy.learn(arm, reward);
          out.push_back(static_cast<double>(arm));
        }
      });
  ASSERT_FALSE(made.error) << made.error->message;
  ASSERT_EQ(made.regrets.size(), static_cast<std::size_t>(kRunsOfATarget));
  for (std::int64_t i = 0; i < kRunsOfATarget; ++i) {
    NoisyGreedy policy(count);
    ReplayStream choices = choices_of(i), luck = luck_of(i);
    double regret = 0.0;
    for (std::int64_t t = 0; t < table.shape.horizon; ++t) {
      const std::size_t arm = policy.choose(choices);
      policy.learn(arm, arms.feedback(t, static_cast<int>(arm), luck));
      regret += best - arms.means()[arm];
    }
    EXPECT_NEAR(made.regrets[static_cast<std::size_t>(i)], regret, 1e-9) << i;
  }
  EXPECT_GT(made.executions, kRunsOfATarget);
  EXPECT_LE(made.executions, kRunsOfATarget * (table.shape.horizon + 1));
}

TEST(ProgramRegrets, OfABanditAreThoseOfARunThatLearnsEachRewardInItsRound) {
  const std::vector<double> means = {0.4, 0.7, 0.5};
  expect_as_simulated(table_in(RegretEnvironment::kBernoulliArms, means, 60),
                      must(BernoulliArms::create(means)));
  expect_as_simulated(table_in(RegretEnvironment::kUniformArms, means, 60),
                      must(UniformArms::create(means)));
  expect_as_simulated(table_in(RegretEnvironment::kTruncatedExponentialArms, {1.0, 5.0}, 30),
                      must(TruncatedExponentialArms::create({1.0, 5.0})));
}

TEST(ProgramRegrets, OfFixedChoicesAreSumsOfGaps) {
  const auto table = table_in(RegretEnvironment::kBernoulliArms, {0.75, 0.25}, 10);
  EXPECT_DOUBLE_EQ(table.most_regret, 5.0);
  const std::pair<std::vector<double>, double> choices[] = {{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 0.0},
                                                            {{1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, 5.0},
                                                            {{0, 1, 0, 1, 1, 0, 0, 0, 0, 0}, 1.5}};
  for (const auto& [actions, regret] : choices) {
    const auto made = regrets_of(
        table, [&chosen = actions](const InputTable&, ReplayStream&, auto& out) { out = chosen; });
    EXPECT_THAT(made.regrets, Each(regret));
  }
}

// Follows the expert with the least loss so far.
TEST(ProgramRegrets, OfExpertsAreThoseOfTheLossesTheyRead) {
  const auto table = table_in(RegretEnvironment::kBernoulliLosses, {0.5, 0.25, 0.3}, 20);
  EXPECT_EQ(table.shape.kind, InputKind::kExperts);
  EXPECT_DOUBLE_EQ(table.most_regret, 5.0);
  const auto follow = [&](const auto& losses_of, auto& actions) {
    std::vector<double> totals(3, 0.0);
    for (std::int64_t t = 0; t < 20; ++t) {
      actions.push_back(
          static_cast<double>(std::min_element(totals.begin(), totals.end()) - totals.begin()));
      const auto losses = losses_of(t);
      for (std::size_t j = 0; j < 3; ++j) totals[j] += losses[j];
    }
  };
  const auto made = regrets_of(table, [&](const InputTable& input, ReplayStream&, auto& out) {
    follow([&](std::int64_t t) { return input.row(t); }, out);
  });
  ASSERT_EQ(made.regrets.size(), static_cast<std::size_t>(kRunsOfATarget));
  EXPECT_EQ(made.executions, kRunsOfATarget);
  const auto means = must(TwoPointLosses::create({{0, 1, 0.5}, {0, 1, 0.25}, {0, 1, 0.3}}));
  for (std::int64_t i = 0; i < kRunsOfATarget; ++i) {
    StochasticLosses losses(means);
    ReplayStream luck = luck_of(i);
    std::vector<double> actions;
    follow([&](std::int64_t t) { return losses.feedback(t, 0, luck); }, actions);
    double regret = 0.0;
    for (const double action : actions) regret += losses.gap(static_cast<int>(action));
    EXPECT_NEAR(made.regrets[static_cast<std::size_t>(i)], regret, 1e-9) << i;
  }
}

// The winner of a duel meets the next arm; the outcomes are those that the environment gives to the same duels.
TEST(ProgramRegrets, OfDuelsCountBothArms) {
  const std::vector<double> scores = {0.2, 0.9, 0.6};
  const auto table = table_in(RegretEnvironment::kScoredDuels, scores, 30);
  EXPECT_EQ(table.shape.kind, InputKind::kDueling);
  EXPECT_DOUBLE_EQ(table.most_regret, 2.0 * 30 * 0.7);
  const auto meet = [&](const auto& wins, auto& arms) {
    int holder = 0;
    for (std::int64_t t = 0; t < 30; ++t) {
      const int other = (holder + 1 + static_cast<int>(t % 2)) % 3;
      arms.push_back(holder);
      arms.push_back(other);
      if (!wins(t, holder, other)) holder = other;
    }
  };
  const auto made = regrets_of(table, [&](const InputTable& input, ReplayStream&, auto& out) {
    meet([&](std::int64_t t, int a,
             int b) { return input.row(t)[static_cast<std::size_t>(3 * a + b)] == 1.0; },
         out);
  });
  ASSERT_EQ(made.regrets.size(), static_cast<std::size_t>(kRunsOfATarget)) << made.error->message;
  const auto duels = must(detail::ScoredDuels::create(scores));
  for (std::int64_t i = 0; i < kRunsOfATarget; ++i) {
    ReplayStream luck = luck_of(i);
    std::vector<double> arms;
    meet(
        [&](std::int64_t t, int a,
            int b) {  // The answer to "a or b?" is one bit, in either order of the question.
          return a < b ? duels.feedback(t, Duel{a, b}, luck) : !duels.feedback(t, Duel{b, a}, luck);
        },
        arms);
    double regret = 0.0;
    for (const double arm : arms) regret += 0.9 - scores[static_cast<std::size_t>(arm)];
    EXPECT_NEAR(made.regrets[static_cast<std::size_t>(i)], regret, 1e-9) << i;
  }
}

TEST(ProgramRegrets, OfABestArmProgramAreTheGapOfItsRecommendation) {
  const auto table = table_in(RegretEnvironment::kUniformArms, {0.2, 0.9}, 4, InputKind::kBestArm);
  EXPECT_TRUE(table.is_simple());
  EXPECT_DOUBLE_EQ(table.most_regret, 0.7);
  const auto recommends = [&](double arm) {
    return regrets_of(table,
                      [&](const InputTable& input, ReplayStream&, auto& out) {
                        EXPECT_EQ(input.columns, 2);
                        out = {1, 1, 1, 1, arm};
                      })
        .regrets;
  };
  EXPECT_THAT(recommends(1), Each(0.0));
  EXPECT_THAT(recommends(0), Each(DoubleEq(0.7)));
}

TEST(ProgramRegrets, DoNotDependOnTheThreads) {
  const auto table = table_in(RegretEnvironment::kBernoulliArms, {0.4, 0.7}, 20);
  const PlayFunction play = [](const InputTable& input, ReplayStream& random, auto& out) {
    NoisyGreedy policy(2);
    for (const double reward : input.values) {
      out.push_back(static_cast<double>(policy.choose(random)));
      policy.learn(static_cast<std::size_t>(out.back()), reward);
    }
  };
  const auto one = regrets_of(table, play, 1), three = regrets_of(table, play, 3);
  EXPECT_EQ(one.regrets, three.regrets);
  EXPECT_EQ(one.executions, three.executions);
}

TEST(ProgramRegrets, RefuseAProgramThatLooksAheadOrIgnoresItsSeed) {
  const auto table = table_in(RegretEnvironment::kBernoulliArms, {0.4, 0.7}, 20);
  const auto error = [&](PlayFunction play) {
    const auto made = regrets_of(table, std::move(play));
    return made.error ? made.error->message : "";
  };
  EXPECT_THAT(
      error([](const InputTable& input, ReplayStream&, auto& out) {
        for (const double reward : input.values) out.push_back(1.0 - reward);
      }),
      HasSubstr("draw all random numbers from the seed, keep nothing from run to run, and do "
                "not look ahead"));
  std::uint64_t runs = 0;
  EXPECT_THAT(error([&](const InputTable& input, ReplayStream&, auto& out) {
                ReplayStream own({++runs, 0});
                for (std::size_t t = 0; t < input.values.size(); ++t) {
                  out.push_back(own.uniform() < 0.5 ? 0.0 : 1.0);
                }
              }),
              HasSubstr("with the same seed and the same rewards before it chose arm "));
}

TEST(ProgramRegrets, KeepTheRunsBeforeOneThatFails) {
  const auto table = table_in(RegretEnvironment::kBernoulliArms, {0.4, 0.7}, 2);
  std::int64_t runs = 0;
  const auto made = regrets_of(table, [&](const InputTable&, ReplayStream&, auto& out) {
    if (++runs <= 8) out = {1, 1};  // a run is executed twice
  });
  EXPECT_EQ(made.regrets.size(), 4U);
  ASSERT_TRUE(made.error);
  EXPECT_EQ(made.error->code, ErrorCode::kTarget);
  EXPECT_THAT(made.error->message, HasSubstr("the function fails"));
}

TEST(ProgramRegrets, NameWhatDoesNotFit) {
  const auto why = [](InputShape shape, std::optional<InputKind> kind,
                      RegretEnvironment environment, std::vector<double> values,
                      std::int64_t horizon = 10) {
    return refusal_of(regret_table(shape, kind, {environment, std::move(values), horizon}));
  };
  using E = RegretEnvironment;
  const auto within = [](const char* domain) {
    InputShape shape;
    shape.domain = must(parse_domain(domain));
    return shape;
  };
  EXPECT_EQ(why({}, InputKind::kContextual, E::kBernoulliArms, {0.1, 0.2}),
            "kind must be bandit, best-arm, experts or dueling for a regret, not contextual: no "
            "environment here gives its inputs");
  EXPECT_THAT(why({}, InputKind::kMechanism, E::kBernoulliArms, {0.1, 0.2}),
              HasSubstr("not mechanism"));
  EXPECT_EQ(
      why({}, InputKind::kBandit, E::kBernoulliLosses, {0.1, 0.2}),
      "environment must be bernoulli-arms, uniform-arms or truncated-exponential-arms for kind "
      "bandit, not bernoulli-losses");
  EXPECT_EQ(why({}, InputKind::kDueling, E::kUniformArms, {0.1, 0.2}),
            "environment must be scored-duels for kind dueling, not uniform-arms");
  EXPECT_THAT(why({}, {}, E::kBernoulliArms, {0.1}), HasSubstr("arms must be 2 to 1024, not 1"));
  EXPECT_THAT(
      why({}, {}, E::kBernoulliArms, std::vector<double>(1000, 0.5), 100'000),
      StartsWith("horizon times the number of arms must be at most 4000000, not 100000000"));
  EXPECT_EQ(why(within("0.2:1"), {}, E::kBernoulliArms, {0.1, 0.2}),
            "domain must contain the rewards of bernoulli-arms, 0 and 1, and 0.2:1 does not");
  EXPECT_EQ(why(within("integers"), {}, E::kBernoulliArms, {0.1, 0.2}), "");
  EXPECT_EQ(why(within("-5:5"), {}, E::kTruncatedExponentialArms, {1, 2}), "");
  EXPECT_EQ(why(within("integers"), {}, E::kUniformArms, {0.1, 0.2}),
            "domain must contain the rewards of uniform-arms, 0:0.4, and integers does not");
  EXPECT_EQ(why(within("0:0.4"), {}, E::kUniformArms, {0.1, 0.2}), "");
  EXPECT_THAT(why(within("0:1"), {}, E::kScoredDuels, {0.1, 0.2}),
              HasSubstr("domain has no effect on kind dueling"));
}

}  // namespace
}  // namespace assay
