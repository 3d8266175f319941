// Frequencies of choose() against exp(log_probability()): chi-square at alpha = 1e-6, fixed seeds.
#include <boost/math/distributions/chi_squared.hpp>

#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/policies/bandits/modified_thompson_sampling.hpp"
#include "assay/tests/support/binomial_limit.hpp"
#include "assay/tests/support/testing.hpp"

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

double chi_square(const ModifiedThompsonSampling& policy, std::uint64_t seed, int& cells) {
  const auto arms = policy.means().size();
  std::vector<double> counts(arms, 0.0);
  for (int k = 0; k < kPosteriorDraws; ++k) {
    auto copy = policy;
    ReplayStream random({.seed = seed, .replicate = static_cast<std::uint64_t>(k)});
    counts[static_cast<std::size_t>(copy.choose(random))] += 1.0;
  }
  double statistic = 0.0;
  double rare_count = 0.0;
  double rare_expected = 0.0;
  cells = 0;
  const auto add = [&](double count, double expected) {
    statistic += (count - expected) * (count - expected) / expected;
    ++cells;
  };
  for (std::size_t i = 0; i < arms; ++i) {
    const double expected =
        kPosteriorDraws * portable_exp(policy.log_probability(static_cast<int>(i)));
    if (expected < 20.0) {
      rare_count += counts[i];
      rare_expected += expected;
    } else {
      add(counts[i], expected);
    }
  }
  if (rare_expected >= 5.0) add(rare_count, rare_expected);
  return statistic;
}

TEST(ThompsonSamplingLaw, ChooseDrawsTheReportedProbabilities) {
  const std::vector<History> histories = {
      {2, 1.0, {}, {}},
      {2, 1.0, {0, 0, 0, 1}, {1.0, 1.0, 0.5, 0.0}},
      {3, 2.0, {0, 1, 1, 2, 2, 2, 2}, {0.5, 1.0, 1.0, 0.0, 0.0, 0.0, 0.1}},
      {10, 1.0, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9}, {0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 1, 1}},
      {20, 1.0, {3, 3, 3, 3, 17, 17, 19}, {1, 1, 1, 1, 0, 0, 1}},
  };
  std::uint64_t seed = 1;
  for (const auto& history : histories) {
    int cells = 0;
    const double statistic = chi_square(after(history), seed++, cells);
    ASSERT_GE(cells, 2);
    const boost::math::chi_squared law(cells - 1);
    EXPECT_LT(statistic, boost::math::quantile(boost::math::complement(law, kTestAlpha)))
        << history.arms << " arms";
  }
}

TEST(ThompsonSamplingLaw, TheTestSeesASamplerThatIsAFewPercentTooNarrow) {
  // The law of c = 1 against draws of c = 1.1: the same test has to reject.
  const History wide{3, 1.1, {0, 1, 1, 2, 2, 2}, {1.0, 1.0, 1.0, 0.0, 0.0, 0.0}};
  History narrow = wide;
  narrow.variance = 1.0;
  const auto sampler = after(wide);
  const auto reported = after(narrow);
  std::vector<double> counts(3, 0.0);
  for (int k = 0; k < kPosteriorDraws; ++k) {
    auto copy = sampler;
    ReplayStream random({.seed = 50, .replicate = static_cast<std::uint64_t>(k)});
    counts[static_cast<std::size_t>(copy.choose(random))] += 1.0;
  }
  double statistic = 0.0;
  for (int i = 0; i < 3; ++i) {
    const double expected = kPosteriorDraws * portable_exp(reported.log_probability(i));
    const double gap = counts[static_cast<std::size_t>(i)] - expected;
    statistic += gap * gap / expected;
  }
  const boost::math::chi_squared law(2);
  EXPECT_GT(statistic, boost::math::quantile(boost::math::complement(law, kTestAlpha)));
}

}  // namespace
}  // namespace assay
