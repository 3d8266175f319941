// The simulation runner against plain loops.
#include "assay/policies/simulation/simulation.hpp"

#include <atomic>
#include <span>

#include "assay/policies/bandits/modified_thompson_sampling.hpp"
#include "assay/policies/bandits/ucb1.hpp"
#include "assay/policies/environments/bernoulli_arms.hpp"
#include "assay/policies/environments/truncated_exponential_arms.hpp"
#include "assay/policies/simulation/round_grid.hpp"
#include "assay/tests/support/repetitions.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

constexpr std::int64_t kHorizon = 300;

ModifiedThompsonSampling simulated_policy(std::int64_t pre_pulls, double variance) {
  ModifiedThompsonSamplingConfig config{
      .arms = 3, .horizon = kHorizon, .pre_pulls = pre_pulls, .variance = variance};
  return ModifiedThompsonSampling::create(config).value();
}

BernoulliArms bernoulli() { return BernoulliArms::create({0.7, 0.5, 0.2}).value(); }

Simulation small_simulation(std::int64_t repetitions) {
  Simulation simulation{.id = "test", .horizon = kHorizon, .repetitions = repetitions, .seed = 5};
  simulation.series.push_back(make_series("b=0", simulated_policy(0, 1.0), bernoulli()));
  simulation.series.push_back(make_series("b=7", simulated_policy(7, 3.0), bernoulli()));
  simulation.series.push_back(
      make_series("exponential", simulated_policy(2, 1.0),
                  TruncatedExponentialArms::create({0.1, 1.0, 5.0}).value()));
  return simulation;
}

SimulationResult run_simulation(const Simulation& simulation, int threads = 1) {
  auto runner = SimulationRunner::create({}, {.threads = threads}).value();
  return *runner.run(simulation).value();
}

// One repetition, one round after another; nothing shared with the runner but policy and arms.
struct PlainRepetition {
  std::vector<double> pseudo;  // after each round
  std::vector<double> realised;
  std::vector<std::int64_t> pulls = std::vector<std::int64_t>(3, 0);
  double mu = 0.0;
};

template <class E>
PlainRepetition plain_run(ModifiedThompsonSampling policy, const E& arms, const std::string& series,
                          std::uint64_t repetition) {
  const auto purpose = [&](const std::string& role) {
    return hash_purpose("simulate/test/" + series + "/" + role);
  };
  ReplayStream choices({.seed = 5, .purpose = purpose("policy"), .replicate = repetition});
  ReplayStream luck(
      {.seed = 5, .purpose = purpose("environment"), .replicate = repetition, .lane = 1});
  std::vector<double> spent(3, 0.0);  // (1) of instance_privacy.hpp, round by round
  PlainRepetition out;
  double pseudo = 0.0;
  double rewards = 0.0;
  for (std::int64_t t = 0; t < kHorizon; ++t) {
    for (std::size_t j = 0; j < spent.size(); ++j) {
      const auto pulls = static_cast<double>(policy.counts()[j]);
      if (!policy.is_forced() && pulls > 0.0) {
        spent[j] += 1.0 / (policy.config().variance * (pulls + 1.0));
      }
    }
    const int action = policy.choose(choices);
    const double reward = arms.feedback(t, action, luck);
    policy.observe(reward);
    ++out.pulls[static_cast<std::size_t>(action)];
    pseudo += arms.means()[0] - arms.means()[static_cast<std::size_t>(action)];
    rewards += reward;
    out.pseudo.push_back(pseudo);
    out.realised.push_back(arms.means()[0] * static_cast<double>(t + 1) - rewards);
  }
  out.mu = std::sqrt(*std::max_element(spent.begin(), spent.end()));
  return out;
}

template <class E>
void expect_same_as_plain_runs(const SeriesResult& series, const std::vector<std::int64_t>& rounds,
                               const ModifiedThompsonSampling& policy, const E& arms) {
  const auto repetitions = static_cast<std::uint64_t>(series.repetitions());
  std::vector<std::int64_t> pulls(3, 0);
  std::vector<PlainRepetition> runs;
  for (std::uint64_t r = 0; r < repetitions; ++r) {
    runs.push_back(plain_run(policy, arms, series.id, r));
    EXPECT_NEAR(series.all.final_pseudo[r], runs.back().pseudo.back(), 1e-9);
    EXPECT_NEAR(series.all.final_realised[r], runs.back().realised.back(), 1e-9);
    EXPECT_NEAR(series.all.instance_mu[r], runs.back().mu, 1e-9 * runs.back().mu);
    for (std::size_t i = 0; i < 3; ++i) pulls[i] += runs.back().pulls[i];
  }
  EXPECT_EQ(series.all.pulls, pulls);
  for (std::size_t k = 0; k < rounds.size(); ++k) {
    const auto t = static_cast<std::size_t>(rounds[k] - 1);
    double sum = 0.0;
    double squares = 0.0;
    for (const auto& one : runs) sum += one.pseudo[t];
    const double mean = sum / static_cast<double>(runs.size());
    for (const auto& one : runs) squares += (one.pseudo[t] - mean) * (one.pseudo[t] - mean);
    EXPECT_NEAR(series.all.pseudo.mean[k], mean, 1e-9) << "round " << rounds[k];
    EXPECT_NEAR(series.all.pseudo.squares[k], squares, 1e-8 * (1.0 + squares));
  }
}

TEST(Simulation, GivesTheRegretsPullsAndInstancePrivacyOfAPlainLoop) {
  const auto result = run_simulation(small_simulation(12));
  expect_same_as_plain_runs(result.at(0), result.rounds, simulated_policy(0, 1.0), bernoulli());
  expect_same_as_plain_runs(result.at(1), result.rounds, simulated_policy(7, 3.0), bernoulli());
  expect_same_as_plain_runs(result.at(2), result.rounds, simulated_policy(2, 1.0),
                            TruncatedExponentialArms::create({0.1, 1.0, 5.0}).value());
}

TEST(Simulation, PrePullsHaveTheSameRegretInEveryRepetition) {
  const auto result = run_simulation(small_simulation(12));
  const auto& series = result.at(1);  // 7 pulls each of gaps 0, 0.2, 0.5: rounds 1..21
  for (std::size_t k = 0; k < result.rounds.size() && result.rounds[k] <= 21; ++k) {
    EXPECT_EQ(series.all.pseudo.squares[k], 0.0);
    EXPECT_EQ(normal_half_width(series.all.pseudo, k), 0.0);
  }
}

TEST(Simulation, DoesNotDependOnTheNumberOfThreads) {
  const std::int64_t chunks_and_a_half = 3 * chunk_repetitions(kHorizon) / 2;
  auto simulation = small_simulation(chunks_and_a_half);
  simulation.series.pop_back();
  if (kSanitized) simulation.series.pop_back();
  const auto one = run_simulation(simulation, 1);
  const auto three = run_simulation(simulation, 3);
  for (std::size_t i = 0; i < one.series.size(); ++i) {
    EXPECT_EQ(one.at(i).all, three.at(i).all);
    EXPECT_EQ(one.at(i).repetitions(), chunks_and_a_half);
  }
}

TEST(Simulation, SeriesShareTheEnvironmentsLuckOnlyWhenTold) {
  // Two policies that always play in order: their rewards are the luck of the arms.
  auto simulation = small_simulation(4);
  simulation.series.clear();
  for (const char* id : {"one", "two"}) {
    simulation.series.push_back(make_series(id, simulated_policy(100, 1.0), bernoulli()));
  }
  const auto own = run_simulation(simulation);
  EXPECT_NE(own.at(0).all.final_realised, own.at(1).all.final_realised);
  simulation.luck = Luck::kShared;
  const auto shared = run_simulation(simulation);
  EXPECT_EQ(shared.at(0).all.final_realised, shared.at(1).all.final_realised);
}

TEST(Simulation, SeedPhaseAndNameEachGiveOtherStreams) {
  const auto base = small_simulation(3);
  const auto first = run_simulation(base).at(0).all.final_realised;
  auto other = base;
  other.seed = 6;
  EXPECT_NE(run_simulation(other).at(0).all.final_realised, first);
  other = base;
  other.phase = Phase::kSearch;
  EXPECT_NE(run_simulation(other).at(0).all.final_realised, first);
  other = base;
  other.id = "else";
  EXPECT_NE(run_simulation(other).at(0).all.final_realised, first);
  EXPECT_EQ(run_simulation(base).at(0).all.final_realised, first);
}

TEST(Simulation, AskedForTwiceIsRunOnce) {
  auto runner = SimulationRunner::create({}, {}).value();
  const auto first = runner.run(small_simulation(3)).value();
  EXPECT_EQ(runner.rounds_played(), 3 * 3 * kHorizon);
  EXPECT_EQ(runner.run(small_simulation(3)).value(), first);
  EXPECT_EQ(runner.rounds_played(), 3 * 3 * kHorizon);
}

TEST(Moments, MergedChunksAgreeWithOneLongRun) {
  std::vector<std::vector<double>> rows;
  for (int i = 0; i < 37; ++i) rows.push_back({std::sin(i), 1e6 + std::cos(i), 4.0});
  Moments all;
  Moments merged;
  for (std::size_t from = 0; from < rows.size(); from += 5) {
    Moments part;
    for (std::size_t i = from; i < std::min(from + 5, rows.size()); ++i) {
      all.add(rows[i]);
      part.add(rows[i]);
    }
    merged.merge(part);
  }
  EXPECT_EQ(merged.count, 37);
  for (std::size_t c = 0; c < 3; ++c) {
    EXPECT_NEAR(merged.mean[c], all.mean[c], 1e-9);
    EXPECT_NEAR(merged.squares[c], all.squares[c], 1e-8);
  }
  EXPECT_EQ(merged.squares[2], 0.0);
}

TEST(RoundGrid, AscendsFromTheFirstRoundToTheHorizon) {
  for (const std::int64_t horizon : {1, 2, 7, 100, 1000, 100'000, 1'000'000'000}) {
    const auto rounds = recorded_rounds(horizon);
    EXPECT_EQ(rounds.front(), 1);
    EXPECT_EQ(rounds.back(), horizon);
    EXPECT_LE(rounds.size(), 180U);
    for (std::size_t i = 1; i < rounds.size(); ++i) EXPECT_LT(rounds[i - 1], rounds[i]);
  }
  EXPECT_GE(recorded_rounds(100'000).size(), 120U);
  EXPECT_EQ(recorded_rounds(20).size(), 20U);
}

// An environment that interrupts its own run.
struct InterruptingArms {
  std::vector<double> arm_means = {0.7, 0.3};
  std::atomic<bool>* cancel = nullptr;
  std::atomic<std::int64_t>* rounds = nullptr;

  std::span<const double> means() const { return arm_means; }
  double feedback(std::int64_t round, int, ReplayStream&) {
    ++*rounds;
    if (round == 3'000'000) *cancel = true;
    return 0.5;
  }
};

TEST(Simulation, AnInterruptEndsALongRunBetweenItsRounds) {
  std::atomic<bool> cancel{false};
  std::atomic<std::int64_t> rounds{0};
  Simulation simulation{.id = "long", .horizon = 1'000'000'000, .repetitions = 2};
  simulation.series.push_back(make_series("ucb1", Ucb1::create({.arms = 2}).value(),
                                          InterruptingArms{.cancel = &cancel, .rounds = &rounds}));
  auto runner = SimulationRunner::create({}, {.cancel = &cancel}).value();
  EXPECT_EQ(runner.run(simulation).error().code, ErrorCode::kInterrupted);
  EXPECT_LE(rounds, 5'000'000);
}

}  // namespace
}  // namespace assay
