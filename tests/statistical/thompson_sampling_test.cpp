// Frequencies of choose() against exp(log_probability()): chi-square at alpha = 1e-6, fixed seeds.
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/policies/bandits/modified_thompson_sampling.hpp"
#include "assay/tests/support/goodness_of_fit.hpp"

namespace assay {
namespace {

constexpr int kPosteriorDraws = 400'000;

struct History {
  std::int64_t arms;
  double variance;
  std::vector<int> actions;
  std::vector<double> rewards;
};

ModifiedThompsonSampling after(const History& history) {
  ModifiedThompsonSamplingConfig config{
      .arms = history.arms, .horizon = 1'000'000, .variance = history.variance};
  auto policy = ModifiedThompsonSampling::create(config).value();
  for (std::size_t t = 0; t < history.actions.size(); ++t) {
    policy.advance(history.actions[t]);
    policy.observe(history.rewards[t]);
  }
  return policy;
}

// Draws of `sampler` against the probabilities that `reported` states.
FitOfCounts fit_of_choices(const ModifiedThompsonSampling& sampler,
                           const ModifiedThompsonSampling& reported, std::uint64_t seed) {
  std::vector<double> counts(reported.means().size(), 0.0), probabilities;
  for (int k = 0; k < kPosteriorDraws; ++k) {
    auto copy = sampler;
    ReplayStream random({.seed = seed, .replicate = static_cast<std::uint64_t>(k)});
    counts[static_cast<std::size_t>(copy.choose(random))] += 1.0;
  }
  for (std::size_t i = 0; i < counts.size(); ++i) {
    probabilities.push_back(portable_exp(reported.log_probability(static_cast<int>(i))));
  }
  return fit_of_counts(probabilities, counts, kPosteriorDraws);
}

TEST(ThompsonSamplingDistribution, ChooseDrawsTheReportedProbabilities) {
  const std::vector<History> histories = {
      {2, 1.0, {}, {}},
      {2, 1.0, {0, 0, 0, 1}, {1.0, 1.0, 0.5, 0.0}},
      {3, 2.0, {0, 1, 1, 2, 2, 2, 2}, {0.5, 1.0, 1.0, 0.0, 0.0, 0.0, 0.1}},
      {10, 1.0, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9}, {0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 1, 1}},
      {20, 1.0, {3, 3, 3, 3, 17, 17, 19}, {1, 1, 1, 1, 0, 0, 1}},
  };
  std::uint64_t seed = 1;
  for (const auto& history : histories) {
    const auto policy = after(history);
    const auto fit = fit_of_choices(policy, policy, seed++);
    ASSERT_GE(fit.cells, 2);
    EXPECT_GT(fit.p_value, kTestAlpha) << history.arms << " arms";
  }
}

TEST(ThompsonSamplingDistribution, TheTestSeesASamplerThatIsAFewPercentTooNarrow) {
  // The law of c = 1 against draws of c = 1.1: the same test has to reject.
  const History wide{3, 1.1, {0, 1, 1, 2, 2, 2}, {1.0, 1.0, 1.0, 0.0, 0.0, 0.0}};
  History narrow = wide;
  narrow.variance = 1.0;
  EXPECT_LT(fit_of_choices(after(wide), after(narrow), 50).p_value, kTestAlpha);
}

}  // namespace
}  // namespace assay
