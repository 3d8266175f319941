// Regret entries whose limit is the exact expectation: how often a verdict contradicts it, of many seeds.
//
// In the first round Thompson sampling chooses each arm with the same probability, so its expected regret is the mean
// of the gaps. UCB1 pulls arm 0 in the first round. The expected regret of a target that learns is enumerated.
#include "assay/auditors/regret/regret_job.hpp"

#include <cmath>

#include "assay/auditors/regret/program_regret.hpp"
#include "assay/auditors/statistics/betting.hpp"
#include "assay/tests/support/binomial_limit.hpp"
#include "assay/tests/support/function_target.hpp"
#include "assay/tests/support/repetitions.hpp"
#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

constexpr double kRegretAlpha = 0.1;  // of a job

RegretJob one_round() {
  RegretJob job;
  job.policy = "thompson-sampling";
  job.environment = RegretEnvironment::kBernoulliArms;
  job.means = {0.5, 0.9, 0.1};
  job.horizon = 1;
  job.runs = 300;
  job.alpha = kRegretAlpha;
  return job;
}

constexpr double kTruth = (0.4 + 0.0 + 0.8) / 3.0;

int verdicts(RegretJob job, int jobs, RegretVerdict wrong) {
  return count_runs(jobs, [&](std::uint64_t seed) {
    job.seed = seed;
    return must(run_job(job, Session{})).verdict() == wrong;
  });
}

TEST(RegretVerdicts, ContradictTheTruthNoMoreOftenThanAlpha) {
  const int jobs = repetitions(500);
  const int limit = binomial_limit(jobs, kRegretAlpha / 2.0, 4);  // each side has half of alpha
  RegretJob job = one_round();
  job.at_most = kTruth;
  EXPECT_LE(verdicts(job, jobs, RegretVerdict::kAbove), limit);
  job.at_most = kTruth - 1e-12;
  EXPECT_LE(verdicts(job, jobs, RegretVerdict::kWithin), limit);
  job.at_most.reset();
  job.baseline = "ucb1";
  job.at_most_times = kTruth / 0.4;
  EXPECT_LE(verdicts(job, jobs, RegretVerdict::kAbove), limit);
  job.at_most_times = kTruth / 0.4 - 1e-9;
  EXPECT_LE(verdicts(job, jobs, RegretVerdict::kWithin), limit);
}

TEST(RegretVerdicts, FindALimitThatIsFarFromTheTruth) {
  const int jobs = repetitions(40);
  RegretJob job = one_round();
  job.at_most = 0.5;
  EXPECT_EQ(verdicts(job, jobs, RegretVerdict::kWithin), jobs);
  job.at_most = 0.3;
  EXPECT_EQ(verdicts(job, jobs, RegretVerdict::kAbove), jobs);
}

// The probability that a policy for two arms chooses arm 1 after these arms and rewards: mostly the better one so far.
double chance_of_second(const std::vector<double>& arms, const std::vector<double>& rewards) {
  double difference = 0.0;
  for (std::size_t t = 0; t < arms.size(); ++t) {
    difference += (arms[t] == 1.0 ? 1.0 : -1.0) * (rewards[t] - 0.5);
  }
  return difference > 0.0 ? 0.9 : difference < 0.0 ? 0.2 : 0.5;
}

constexpr double kTwoMeans[] = {0.75, 0.5};

// The expected number of times that it still chooses arm 1, by all continuations.
double second_arms(std::vector<double> arms, std::vector<double> rewards, int rounds) {
  if (rounds == 0) return 0.0;
  double expected = 0.0;
  for (const double arm : {0.0, 1.0}) {
    const double chance = chance_of_second(arms, rewards);
    const double mean = kTwoMeans[static_cast<std::size_t>(arm)];
    for (const double reward : {0.0, 1.0}) {
      auto more_arms = arms, more_rewards = rewards;
      more_arms.push_back(arm);
      more_rewards.push_back(reward);
      expected += (arm == 1.0 ? chance : 1.0 - chance) * (reward == 1.0 ? mean : 1.0 - mean) *
                  (arm + second_arms(more_arms, more_rewards, rounds - 1));
    }
  }
  return expected;
}

TEST(ProgramRegretIntervals, MissTheEnumeratedRegretNoMoreOftenThanAlpha) {
  constexpr int kRounds = 5;
  const double truth = (kTwoMeans[0] - kTwoMeans[1]) * second_arms({}, {}, kRounds);
  const auto table = must(regret_table(
      {}, {}, {RegretEnvironment::kBernoulliArms, {kTwoMeans[0], kTwoMeans[1]}, kRounds}));
  auto players = must(Players::create(
      std::make_unique<FunctionTarget>(
          table.shape,
          [](const InputTable& input, ReplayStream& random, std::vector<double>& out) {
            std::vector<double> rewards;
            for (const double reward : input.values) {
              out.push_back(random.uniform() < chance_of_second(out, rewards) ? 1.0 : 0.0);
              rewards.push_back(reward);
            }
          }),
      1));
  constexpr std::int64_t kRuns = 300;
  const int jobs = repetitions(600);
  double sum = 0.0;
  int above = 0, below = 0;
  for (int job = 0; job < jobs; ++job) {
    const auto made = play_regrets(players, table, static_cast<std::uint64_t>(job), "a target", 0,
                                   kRuns, RunControl{});
    ASSERT_EQ(made.regrets.size(), static_cast<std::size_t>(kRuns));
    const auto interval = mean_interval_between(made.regrets, 0.0, table.most_regret,
                                                {.alpha = kRegretAlpha, .horizon = kRuns});
    above += interval.lower.value.value > truth ? 1 : 0;
    below += interval.upper.value.value < truth ? 1 : 0;
    for (const double regret : made.regrets) sum += regret;
  }
  const int limit = binomial_limit(jobs, kRegretAlpha / 2.0, 2);
  EXPECT_LE(above, limit);
  EXPECT_LE(below, limit);
  // Regrets lie in [0, 1.25], so the mean of n has a standard deviation of at most 0.625/sqrt(n).
  const double runs = static_cast<double>(jobs) * static_cast<double>(kRuns);
  EXPECT_NEAR(sum / runs, truth, 5.0 * 0.625 / std::sqrt(runs));  // 5.7e-7 if normal
}

class ProgramRegretVerdicts : public InAFolder {};

TEST_F(ProgramRegretVerdicts, ContradictTheTruthNoMoreOftenThanAlpha) {
  RegretJob job = one_round();
  job.policy = "";
  job.exec = std::string(ASSAY_PYTHON) + " " +
             folder.write("uniform.py",
                          "from assay_target import serve\n"
                          "serve(lambda rewards, shape, seed, rng:\n"
                          "      [rng.randrange(shape.arms) for _ in rewards], kind='bandit')\n");
  job.at_most = kTruth;
  job.runs = 100;
  const int jobs = repetitions(60);
  int above = 0, below = 0;
  for (int i = 0; i < jobs; ++i) {
    job.seed = static_cast<std::uint64_t>(i);
    const auto report = must(run_job(job, Session{}));
    above += report.verdict() == RegretVerdict::kAbove ? 1 : 0;
    below += report.regret.upper < kTruth ? 1 : 0;
  }
  const int limit = binomial_limit(jobs, kRegretAlpha / 2.0, 2);
  EXPECT_LE(above, limit);
  EXPECT_LE(below, limit);
}

// The algorithm of examples/targets/epsilon_greedy.py, written anew: the regret of a run in which arm 0 has the
// reward 1 with probability 0.8, and arm 1 with 0.4.
double greedy_regret(ReplayStream& random, int rounds) {
  double sums[2] = {}, counts[2] = {}, due[2] = {1.0, 1.0};
  double means[2] = {HUGE_VAL, HUGE_VAL};
  double regret = 0.0;
  for (int t = 0; t < rounds; ++t) {
    int arm = means[1] > means[0] ? 1 : 0;
    if (random.uniform() < 0.1) arm = random.uniform() < 0.5 ? 0 : 1;
    regret += arm == 1 ? 0.4 : 0.0;
    sums[arm] += random.uniform() < (arm == 0 ? 0.8 : 0.4) ? 1.0 : 0.0;
    if (++counts[arm] == due[arm]) {
      const double noise = std::log(random.uniform()) - std::log(random.uniform());
      means[arm] = (sums[arm] + noise) / counts[arm];
      sums[arm] = counts[arm] = 0.0;
      due[arm] *= 2.0;
    }
  }
  return regret;
}

TEST(ProgramRegretEstimates, AreThoseOfAPlainSimulationOfTheProgram) {
  RegretJob job;
  job.exec = ASSAY_PYTHON " " ASSAY_SOURCE_DIR "/examples/targets/epsilon_greedy.py";
  job.environment = RegretEnvironment::kBernoulliArms;
  job.means = {0.8, 0.4};
  job.horizon = 40;
  job.runs = repetitions(1000);
  job.at_most = 8.0;
  job.alpha = 1e-6;
  const auto report = must(run_job(job, Session{}));
  constexpr int kSimulated = 40'000;
  ReplayStream random({17});
  double sum = 0.0, squares = 0.0;
  for (int i = 0; i < kSimulated; ++i) {
    const double regret = greedy_regret(random, 40);
    sum += regret;
    squares += regret * regret;
  }
  const double mean = sum / kSimulated;
  const double deviation = std::sqrt(squares / kSimulated - mean * mean);
  const double error = deviation / std::sqrt(static_cast<double>(*job.runs)) +
                       deviation / std::sqrt(static_cast<double>(kSimulated));
  EXPECT_NEAR(report.regret.value, mean, 4.9 * error);  // 1e-6 if normal
  EXPECT_LT(report.regret.lower, mean);
  EXPECT_GT(report.regret.upper, mean);
  EXPECT_GT(report.executions, report.runs);
}

}  // namespace
}  // namespace assay
