// The checks of reported probabilities: false alarms at alpha = 0.05 under the null (limits as in
// binomial_limit.hpp), and the number of transcripts that a planted mismatch needs at alpha = 1e-3.
#include "assay/auditors/statistics/reported_probabilities.hpp"
#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/tests/support/binomial_limit.hpp"

namespace assay {
namespace {

constexpr int kArms = 3;
using Arms = std::array<double, kArms>;

// The softmax bandit of the prototype: actions ~
// exp(eta S_k), S_k the rewards that arm k has earned.
struct SoftmaxBandit {
  double reported_eta = 0.12;
  double sampled_eta = 0.12;
  double leak = 0.0;  // of the round before's rewards into the sampler
  int horizon = 200;

  void play(ReplayStream& random, ReportedProbabilityTest& test) const {
    Arms sums{};
    Arms rewards{};
    for (int t = 0; t < horizon; ++t) {
      const Arms reported = log_softmax(sums, reported_eta, {}, 0.0);
      const Arms sampled = log_softmax(sums, sampled_eta, rewards, leak);
      Arms other = sums;
      other[0] -= 1.0;
      const int action = draw(sampled, random.uniform());
      test.round(reported, log_softmax(other, reported_eta, {}, 0.0), rewards, action);
      for (std::size_t k = 0; k < kArms; ++k) {
        rewards[k] = random.uniform() < 0.3 + 0.1 * static_cast<double>(k) ? 1.0 : 0.0;
      }
      sums[static_cast<std::size_t>(action)] += rewards[static_cast<std::size_t>(action)];
    }
    test.end_transcript();
  }

  static Arms log_softmax(const Arms& sums, double eta, const Arms& rewards, double tilt) {
    Arms logs;
    double norm = -1e300;
    for (std::size_t k = 0; k < kArms; ++k) {
      logs[k] = eta * sums[k] + tilt * rewards[k];
      norm = log_add_exp(norm, logs[k]);
    }
    for (double& x : logs) x -= norm;
    return logs;
  }

  static int draw(const Arms& logs, double u) {
    int k = 0;
    for (; k + 1 < kArms; ++k) {
      u -= portable_exp(logs[static_cast<std::size_t>(k)]);
      if (u < 0.0) break;
    }
    return k;
  }
};

// Transcripts until the alarm, at most `limit`.
int transcripts_to_alarm(const SoftmaxBandit& bandit, double alpha, int limit, std::uint64_t run) {
  ReportedProbabilityTest test(alpha);
  for (int i = 0; i < limit; ++i) {
    ReplayStream random({21, hash_purpose("alarm"), static_cast<std::uint64_t>(i), run});
    bandit.play(random, test);
    if (test.evidence().alarm()) return i + 1;
  }
  return limit + 1;
}

int median_to_alarm(const SoftmaxBandit& bandit, int limit) {
  std::vector<int> counts;
  for (std::uint64_t run = 0; run < 21; ++run) {
    counts.push_back(transcripts_to_alarm(bandit, 1e-3, limit, run));
  }
  std::nth_element(counts.begin(), counts.begin() + 10, counts.end());
  return counts[10];
}

TEST(ProbabilityCheckAlarms, AreRareWhenTheReportedProbabilitiesAreTrue) {
  constexpr int kRuns = 1000;
  SoftmaxBandit bandit{.horizon = 40};
  const int alarms = count_runs(
      kRuns, [&](std::uint64_t run) { return transcripts_to_alarm(bandit, 0.05, 10, run) <= 10; });
  EXPECT_LE(alarms, binomial_limit(kRuns, 0.05, 1));
  RecordProperty("alarms", alarms);
}

TEST(ProbabilityCheckAlarms, ComeSoonWhenTheLearningRateIsNotTheReportedOne) {
  // Prototype: 6 transcripts at 1.3 times the reported rate, 38 at 1.1, 134 at 1.05.
  SoftmaxBandit bandit{.sampled_eta = 0.12 * 1.3};
  const int at_30_percent = median_to_alarm(bandit, 100);
  bandit.sampled_eta = 0.12 * 1.1;
  const int at_10_percent = median_to_alarm(bandit, 200);
  EXPECT_LE(at_30_percent, 12);
  EXPECT_LE(at_10_percent, 70);
  RecordProperty("transcripts at 1.3", at_30_percent);
  RecordProperty("transcripts at 1.1", at_10_percent);
}

TEST(ProbabilityCheckAlarms, ComeSoonWhenTheLastRewardsLeakIntoTheSampler) {
  SoftmaxBandit bandit{.leak = 0.3};
  const int count = median_to_alarm(bandit, 60);
  EXPECT_LE(count, 20);
  RecordProperty("transcripts", count);
}

// Losses, for the pair N(mu, 1) against N(0, 1), of outcomes of N(mean, 1).
std::vector<double> gaussian_losses(double mean, int count, double mu, std::uint64_t run,
                                    std::uint64_t lane) {
  ReplayStream random({22, hash_purpose("agreement"), run, lane});
  std::vector<double> losses(static_cast<std::size_t>(count));
  for (double& l : losses) l = mu * (mean + normal_quantile(random.uniform())) - mu * mu / 2.0;
  return losses;
}

TEST(AgreementAlarms, AreRareWhenTheLossesAreTrue) {
  constexpr int kRuns = 2000;
  int alarms = 0;
  for (const double mu : {0.3, 2.0}) {
    alarms += count_runs(kRuns / 2, [&](std::uint64_t run) {
      AgreementTest test(0.05);
      for (std::uint64_t look = 0; look < 4; ++look) {
        test.observe(gaussian_losses(mu, 100, mu, 4 * run + look, 0),
                     gaussian_losses(0.0, 100, mu, 4 * run + look, 1));
      }
      return test.evidence().alarm();
    });
  }
  EXPECT_LE(alarms, binomial_limit(kRuns, 0.05, 1));
  RecordProperty("alarms", alarms);
}

TEST(AgreementAlarms, ComeWhenTheLossesAreThoseOfAnotherPair) {
  // True distance 1; losses computed for 1.25 and for 0.8.
  for (const double reported : {1.25, 0.8}) {
    const int caught = count_runs(20, [&](std::uint64_t run) {
      AgreementTest test(1e-3);
      test.observe(gaussian_losses(1.0, 10000, reported, run, 2),
                   gaussian_losses(0.0, 10000, reported, run, 3));
      return test.evidence().alarm();
    });
    EXPECT_EQ(caught, 20) << reported;
  }
}

}  // namespace
}  // namespace assay
