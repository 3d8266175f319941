// Samplers of the experts family follow their laws. Chi-squared tests at alpha = 1e-6 each, so that
// all of them together err once in 10,000 changes of seed.
#include <boost/math/distributions/binomial.hpp>

#include "assay/mechanisms/random/binomial_count.hpp"
#include "assay/policies/environments/stochastic_losses.hpp"
#include "assay/policies/experts/ftnl_distribution.hpp"
#include "assay/policies/experts/hedge.hpp"
#include "assay/policies/experts/random_prefix.hpp"
#include "assay/policies/simulation/play.hpp"
#include "assay/tests/support/experts_cases.hpp"
#include "assay/tests/support/goodness_of_fit.hpp"
#include "assay/tests/support/recorded_losses.hpp"

namespace assay {
namespace {

// p-value of counts of all of the draws.
double p_of_counts(const std::vector<double>& distribution, const std::vector<double>& counts) {
  return fit_of_counts(distribution, counts, std::accumulate(counts.begin(), counts.end(), 0.0))
      .p_value;
}

std::vector<double> exponentials(std::span<const double> logs) {
  std::vector<double> out;
  for (const double log : logs) out.push_back(std::exp(log));
  return out;
}

TEST(BinomialCountSampler, FollowsTheBinomialDistribution) {
  const int draws = 100'000;
  std::uint64_t replicate = 0;
  for (const std::int64_t trials : {1, 7, 64, 65, 1000}) {
    for (const double p : {0.001, 0.3, 0.5, 0.9}) {
      ReplayStream random({11, hash_purpose("tests/binomial-count"), replicate++});
      std::vector<double> counts(static_cast<std::size_t>(trials) + 1);
      for (int i = 0; i < draws; ++i) {
        ++counts[static_cast<std::size_t>(
            binomial_count(random, trials, probability_threshold(p)))];
      }
      const boost::math::binomial_distribution<> exact(static_cast<double>(trials), p);
      std::vector<double> distribution;
      for (std::int64_t k = 0; k <= trials; ++k) {
        distribution.push_back(boost::math::pdf(exact, static_cast<double>(k)));
      }
      EXPECT_GT(p_of_counts(distribution, counts), kTestAlpha) << trials << " trials of " << p;
    }
  }
}

constexpr std::int64_t kHorizon = 8;  // its last action reads rounds 4..7

// The last leader's law for fixed rows of losses, by playing.
std::vector<double> play_rows(const RnmFtnl& fresh, const InputTable& losses, int runs,
                              std::uint64_t lane) {
  std::vector<double> counts(static_cast<std::size_t>(losses.columns));
  for (int i = 0; i < runs; ++i) {
    const ReplayStream random(
        {12, hash_purpose("tests/ftnl-law"), static_cast<std::uint64_t>(i), lane});
    ++counts[static_cast<std::size_t>(play_recorded(fresh, losses, random).back())];
  }
  return counts;
}

TEST(RnmFtnlSampler, PlaysTheDistributionOfItsSums) {
  InputTable losses = InputTable::zeros(kHorizon, 3);
  const double rows[4][3] = {{0.1, 1.0, 0.4}, {0.9, 0.3, 0.0}, {0.5, 0.8, 0.2}, {1.0, 0.6, 0.7}};
  for (int t = 0; t < 4; ++t) std::copy(rows[t], rows[t] + 3, losses.row(3 + t).begin());
  const int runs = 40'000;
  std::uint64_t lane = 0;
  for (const LeaderNoise noise : kLeaderNoises) {
    for (const bool resample : {false, true}) {
      const auto policy = ftnl(3, kHorizon, noise, resample);
      FtnlDistribution distribution(policy);
      for (int t = 0; t < 4; ++t) distribution.observe(losses.row(3 + t));
      EXPECT_GT(p_of_counts(exponentials(distribution.log_probabilities()),
                            play_rows(policy, losses, runs, lane++)),
                kTestAlpha)
          << detail::value_text(noise) << resample;
    }
  }
}

// What J_3 plays on drawn losses: round by round and by whole epochs.
std::vector<double> play_drawn(const RnmFtnl& fresh, const TwoPointLosses& losses, bool by_epoch,
                               int runs, std::uint64_t lane) {
  std::vector<double> counts(static_cast<std::size_t>(losses.actions()));
  std::vector<double> row(static_cast<std::size_t>(losses.actions()));
  for (int i = 0; i < runs; ++i) {
    ReplayStream random(
        {13, hash_purpose("tests/ftnl-epochs"), static_cast<std::uint64_t>(i), lane});
    ReplayStream luck({14, hash_purpose("tests/ftnl-epochs"), static_cast<std::uint64_t>(i), lane});
    RnmFtnl policy = fresh;
    int last = -1;
    if (by_epoch) {
      StochasticLosses drawn(losses);
      play(policy, drawn, kHorizon, random, luck,
           [&](std::int64_t, int action, const auto&) { last = action; });
    } else {
      for (std::int64_t t = 0; t < kHorizon; ++t) {
        last = policy.choose(random);
        losses.losses(luck, row);
        policy.observe(row, random);
      }
    }
    ++counts[static_cast<std::size_t>(last)];
  }
  return counts;
}

TEST(RnmFtnlSampler, WholeEpochsHaveTheDistributionOfTheirRounds) {
  const auto losses = TwoPointLosses::create({{0.3, 0.3, 1.0}, {0.0, 0.4, 0.8}, {0.2, 1.0, 0.25}});
  const int runs = 40'000;
  std::uint64_t lane = 0;
  for (const bool resample : {false, true}) {
    const auto policy = ftnl(3, kHorizon, LeaderNoise::kExponential, resample);
    const auto a = play_drawn(policy, *losses, false, runs, lane++);
    const auto b = play_drawn(policy, *losses, true, runs, lane++);
    double statistic = 0.0;  // homogeneity of two samples of one size
    for (std::size_t j = 0; j < a.size(); ++j) {
      statistic += (a[j] - b[j]) * (a[j] - b[j]) / (a[j] + b[j]);
    }
    EXPECT_GT(chi_squared_p(statistic, static_cast<double>(a.size()) - 1.0), kTestAlpha)
        << resample;
  }
}

// With resampling and losses of mean mu the sums are Binomial(4, mu), whatever the losses' law is.
TEST(RnmFtnlSampler, ResampledSumsOfDrawnLossesAreBinomialInTheirMean) {
  const auto losses = TwoPointLosses::create({{0.3, 0.3, 1.0}, {0.0, 0.4, 0.8}}).value();
  const auto policy = ftnl(2, kHorizon, LeaderNoise::kGumbel, true);
  FtnlDistribution distribution(policy);
  for (int t = 0; t < 4; ++t) distribution.observe(losses.means());
  const int runs = 40'000;
  EXPECT_GT(p_of_counts(exponentials(distribution.log_probabilities()),
                        play_drawn(policy, losses, true, runs, 7)),
            kTestAlpha);
}

TEST(HedgeSampler, FollowsItsDistribution) {
  HedgeConfig config{.actions = 3};
  auto policy = Hedge::create(config).value();
  ReplayStream random({15, hash_purpose("tests/hedge")});
  for (int t = 0; t < 5; ++t) {
    policy.choose(random);
    policy.observe(std::vector<double>{0.2, 0.5, 0.9}, random);
  }
  const auto p = exponentials(policy.log_probabilities());
  const int draws = 100'000;
  std::vector<double> counts(3);
  for (int i = 0; i < draws; ++i) ++counts[static_cast<std::size_t>(policy.choose(random))];
  EXPECT_GT(p_of_counts(p, counts), kTestAlpha);
}

TEST(RandomPrefixSampler, IsTheMixtureOfSoftmaxOverItsPrefixes) {
  RandomPrefixConfig config{.horizon = kHorizon};
  const auto fresh = RandomPrefix::create(config).value();
  InputTable losses = InputTable::zeros(kHorizon, 2);
  const double rows[4][2] = {{1.0, 0.0}, {1.0, 0.0}, {0.0, 1.0}, {0.0, 1.0}};
  for (int t = 0; t < 4; ++t) std::copy(rows[t], rows[t] + 2, losses.row(3 + t).begin());
  // Prefixes of 3 and 4 rounds of the block: sums (2, 1) and (2, 2).
  const double first = 0.5 * (std::exp(-1.0) / (std::exp(-1.0) + std::exp(-0.5)) + 0.5);
  const int runs = 100'000;
  std::vector<double> counts(2);
  for (int i = 0; i < runs; ++i) {
    const ReplayStream random({16, hash_purpose("tests/prefix"), static_cast<std::uint64_t>(i)});
    ++counts[static_cast<std::size_t>(play_recorded(fresh, losses, random).back())];
  }
  EXPECT_GT(p_of_counts({first, 1.0 - first}, counts), kTestAlpha);
}

TEST(TwoPointLossesSampler, CountsHaveTheDistributionOfTheLosses) {
  const auto losses = TwoPointLosses::create({{0.0, 1.0, 0.3}, {0.0, 1.0, 0.7}}).value();
  const int draws = 40'000;
  ReplayStream random({17, hash_purpose("tests/two-point")});
  std::vector<double> row(2);
  std::vector<std::int64_t> high(2);
  std::vector<double> singles(2);
  std::vector<double> counts(11);
  for (int i = 0; i < draws; ++i) {
    losses.losses(random, row);
    ++singles[row[1] == 1.0 ? 1 : 0];
    losses.high_counts(10, random, high);
    ++counts[static_cast<std::size_t>(high[1])];
  }
  EXPECT_GT(p_of_counts({0.3, 0.7}, singles), kTestAlpha);
  const boost::math::binomial_distribution<> exact(10, 0.7);
  std::vector<double> distribution;
  for (int k = 0; k <= 10; ++k) distribution.push_back(boost::math::pdf(exact, k));
  EXPECT_GT(p_of_counts(distribution, counts), kTestAlpha);
}

}  // namespace
}  // namespace assay
