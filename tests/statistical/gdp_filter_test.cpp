// The law of the filtered policy's augmented loss: exactly that of eta-GDP once what is left of the
// budget is spent on one more Gaussian. Kolmogorov-Smirnov at alpha = 1e-6, fixed seeds.
#include "assay/policies/bandits/gdp_filter.hpp"
#include "../support/thompson_words.hpp"
#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/policies/inputs/reward_stream.hpp"
#include "assay/tests/support/binomial_limit.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

constexpr int kFilterRuns = 40'000;

struct Run {
  double loss = 0.0;      // log-likelihood ratio of all samples, the first reward 1 against 0
  double variance = 0.0;  // sum of mu_t^2
  bool stopped = false;
};

// The reward of round 1 is 1; on the neighbouring stream it is 0. In a later round theta_j, j the arm
// of round 1, is m + s z here and has mean m - 1/(n + 1) there: with mu = 1/(s (n + 1)) the loss of the
// round is mu z + mu^2/2.
Run filtered_run(const ModifiedThompsonSamplingConfig& config, double budget, std::uint64_t index) {
  auto policy = ModifiedThompsonSampling::create(config).value();
  auto filter = GdpFilter::create(config, Mu{budget}).value();
  ReplayStream random({.seed = 31, .purpose = hash_purpose("run"), .replicate = index});
  Run run;
  std::size_t changed = 0;
  while (policy.round() < config.horizon) {
    if (!filter.admit(policy)) {
      run.stopped = true;
      break;
    }
    if (policy.round() > 0) {
      const double shift = 1.0 / static_cast<double>(policy.counts()[changed] + 1);
      const double mu = shift / policy.scales()[changed];
      const double z = gaussian_from_word(
          words_of_round(random, static_cast<std::size_t>(config.arms))[changed]);
      run.loss += mu * z + 0.5 * mu * mu;
      run.variance += mu * mu;
    }
    const int action = policy.choose(random);
    if (policy.round() == 0) changed = static_cast<std::size_t>(action);
    policy.observe(policy.round() == 0 ? 1.0 : 0.5);
  }
  return run;
}

double distance_to_normal(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  double distance = 0.0;
  const double n = static_cast<double>(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double p = normal_cdf(values[i]);
    const double k = static_cast<double>(i);
    distance = std::max({distance, p - k / n, (k + 1.0) / n - p});
  }
  return distance;
}

TEST(GdpFilterLaw, TheAugmentedLossFilledUpToTheBudgetIsThatOfGdp) {
  ModifiedThompsonSamplingConfig config{.arms = 3};
  config.horizon = 5;  // some runs end before the budget is spent
  const double budget = 1.2;
  const double limit = budget * budget;
  std::vector<double> losses;
  std::vector<double> unfilled;
  int stopped = 0;
  for (std::uint64_t index = 0; index < kFilterRuns; ++index) {
    const auto run = filtered_run(config, budget, index);
    ASSERT_LE(run.variance, limit * (1.0 + 1e-12));
    stopped += run.stopped;
    const double rest = std::sqrt(std::max(0.0, limit - run.variance));
    ReplayStream more({.seed = 32, .purpose = hash_purpose("rest"), .replicate = index});
    const double filled = run.loss + rest * gaussian_from_word(more.next()) + 0.5 * rest * rest;
    losses.push_back((filled - 0.5 * limit) / budget);
    unfilled.push_back((run.loss - 0.5 * limit) / budget);
  }
  // Dvoretzky-Kiefer-Wolfowitz with Massart's constant: P(distance > d) <= 2 exp(-2 n d^2).
  const double bound = std::sqrt(std::log(2.0 / kTestAlpha) / (2.0 * kFilterRuns));
  EXPECT_LT(distance_to_normal(losses), bound);
  EXPECT_GT(distance_to_normal(unfilled), bound) << "the test has to see an unspent budget";
  EXPECT_GT(stopped, kFilterRuns / 20);
  EXPECT_LT(stopped, kFilterRuns);
}

}  // namespace
}  // namespace assay
