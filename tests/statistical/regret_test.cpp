// Regret entries whose limit is the exact expectation: how often a verdict contradicts it, of many seeds.
//
// In the first round Thompson sampling chooses each arm with the same probability, so its expected regret is the mean
// of the gaps. UCB1 pulls arm 0 in the first round.
#include "assay/auditors/regret/regret_job.hpp"
#include "assay/tests/support/binomial_limit.hpp"
#include "assay/tests/support/repetitions.hpp"

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

}  // namespace
}  // namespace assay
