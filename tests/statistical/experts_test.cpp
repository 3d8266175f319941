// Samplers of the experts family follow their laws. Chi-squared tests at alpha = 1e-6 each, so that
// all of them together err once in 10,000 changes of seed.
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>

#include "assay/mechanisms/random/binomial_count.hpp"
#include "assay/policies/environments/stochastic_losses.hpp"
#include "assay/policies/experts/ftnl_law.hpp"
#include "assay/policies/experts/hedge.hpp"
#include "assay/policies/experts/random_prefix.hpp"
#include "assay/policies/simulation/play.hpp"
#include "assay/tests/support/binomial_limit.hpp"
#include "assay/tests/support/experts_cases.hpp"
#include "assay/tests/support/recorded_losses.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

// p-value of counts against probabilities; cells expected fewer than 10 times are taken together.
double fit_of_counts(const std::vector<double>& law, const std::vector<int>& counts, int draws) {
  double statistic = 0.0;
  int cells = 0;
  double rest_expected = 0.0;
  int rest = 0;
  const auto add = [&](double expected, int count) {
    statistic += (count - expected) * (count - expected) / expected;
    ++cells;
  };
  for (std::size_t i = 0; i < law.size(); ++i) {
    if (law[i] * draws >= 10.0) {
      add(law[i] * draws, counts[i]);
    } else {
      rest_expected += law[i] * draws;
      rest += counts[i];
    }
  }
  if (rest_expected >= 1.0) add(rest_expected, rest);
  if (rest_expected < 1e-3 && rest > 2) return 0.0;
  return boost::math::cdf(boost::math::complement(boost::math::chi_squared(cells - 1), statistic));
}

TEST(BinomialCountSampler, FollowsTheBinomialLaw) {
  const int draws = 100'000;
  std::uint64_t replicate = 0;
  for (const std::int64_t trials : {1, 7, 64, 65, 1000}) {
    for (const double p : {0.001, 0.3, 0.5, 0.9}) {
      ReplayStream random({11, hash_purpose("tests/binomial-count"), replicate++});
      std::vector<int> counts(static_cast<std::size_t>(trials) + 1);
      for (int i = 0; i < draws; ++i) {
        ++counts[static_cast<std::size_t>(
            binomial_count(random, trials, probability_threshold(p)))];
      }
      const boost::math::binomial_distribution<> exact(static_cast<double>(trials), p);
      std::vector<double> law;
      for (std::int64_t k = 0; k <= trials; ++k) {
        law.push_back(boost::math::pdf(exact, static_cast<double>(k)));
      }
      EXPECT_GT(fit_of_counts(law, counts, draws), kTestAlpha) << trials << " trials of " << p;
    }
  }
}

constexpr std::int64_t kHorizon = 8;  // its last action reads rounds 4..7

// The last leader's law for fixed rows of losses, by playing.
std::vector<int> play_rows(const RnmFtnl& fresh, const InputTable& losses, int plays,
                           std::uint64_t lane) {
  std::vector<int> counts(static_cast<std::size_t>(losses.columns));
  for (int i = 0; i < plays; ++i) {
    const ReplayStream random(
        {12, hash_purpose("tests/ftnl-law"), static_cast<std::uint64_t>(i), lane});
    ++counts[static_cast<std::size_t>(play_recorded(fresh, losses, random).back())];
  }
  return counts;
}

TEST(RnmFtnlSampler, PlaysTheLawOfItsSums) {
  InputTable losses = InputTable::zeros(kHorizon, 3);
  const double rows[4][3] = {{0.1, 1.0, 0.4}, {0.9, 0.3, 0.0}, {0.5, 0.8, 0.2}, {1.0, 0.6, 0.7}};
  for (int t = 0; t < 4; ++t) std::copy(rows[t], rows[t] + 3, losses.row(3 + t).begin());
  const int plays = 40'000;
  std::uint64_t lane = 0;
  for (const LeaderNoise noise : kLeaderNoises) {
    for (const bool resample : {false, true}) {
      const auto policy = ftnl(3, kHorizon, noise, resample);
      FtnlLaw law(policy);
      for (int t = 0; t < 4; ++t) law.observe(losses.row(3 + t));
      std::vector<double> p;
      for (const double log_p : law.log_probabilities()) p.push_back(std::exp(log_p));
      EXPECT_GT(fit_of_counts(p, play_rows(policy, losses, plays, lane++), plays), kTestAlpha)
          << detail::value_text(noise) << resample;
    }
  }
}

// What J_3 plays on drawn losses: round by round and by whole epochs.
std::vector<int> play_drawn(const RnmFtnl& fresh, const TwoPointLosses& losses, bool by_epoch,
                            int plays, std::uint64_t lane) {
  std::vector<int> counts(static_cast<std::size_t>(losses.actions()));
  std::vector<double> row(static_cast<std::size_t>(losses.actions()));
  for (int i = 0; i < plays; ++i) {
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

TEST(RnmFtnlSampler, WholeEpochsHaveTheLawOfTheirRounds) {
  const auto losses = TwoPointLosses::create({{0.3, 0.3, 1.0}, {0.0, 0.4, 0.8}, {0.2, 1.0, 0.25}});
  const int plays = 40'000;
  std::uint64_t lane = 0;
  for (const bool resample : {false, true}) {
    const auto policy = ftnl(3, kHorizon, LeaderNoise::kExponential, resample);
    const auto a = play_drawn(policy, *losses, false, plays, lane++);
    const auto b = play_drawn(policy, *losses, true, plays, lane++);
    double statistic = 0.0;  // homogeneity of two samples of one size
    for (std::size_t j = 0; j < a.size(); ++j) {
      statistic += static_cast<double>((a[j] - b[j]) * (a[j] - b[j])) / (a[j] + b[j]);
    }
    EXPECT_GT(boost::math::cdf(boost::math::complement(
                  boost::math::chi_squared(static_cast<double>(a.size()) - 1.0), statistic)),
              kTestAlpha)
        << resample;
  }
}

// With resampling and losses of mean mu the sums are Binomial(4, mu), whatever the losses' law is.
TEST(RnmFtnlSampler, ResampledSumsOfDrawnLossesAreBinomialInTheirMean) {
  const auto losses = TwoPointLosses::create({{0.3, 0.3, 1.0}, {0.0, 0.4, 0.8}}).value();
  const auto policy = ftnl(2, kHorizon, LeaderNoise::kGumbel, true);
  FtnlLaw law(policy);
  for (int t = 0; t < 4; ++t) law.observe(losses.means());
  std::vector<double> p;
  for (const double log_p : law.log_probabilities()) p.push_back(std::exp(log_p));
  const int plays = 40'000;
  EXPECT_GT(fit_of_counts(p, play_drawn(policy, losses, true, plays, 7), plays), kTestAlpha);
}

TEST(HedgeSampler, FollowsItsLaw) {
  HedgeConfig config{.actions = 3};
  auto policy = Hedge::create(config).value();
  ReplayStream random({15, hash_purpose("tests/hedge")});
  for (int t = 0; t < 5; ++t) {
    policy.choose(random);
    policy.observe(std::vector<double>{0.2, 0.5, 0.9}, random);
  }
  std::vector<double> p;
  for (const double log_p : policy.log_probabilities()) p.push_back(std::exp(log_p));
  const int draws = 100'000;
  std::vector<int> counts(3);
  for (int i = 0; i < draws; ++i) ++counts[static_cast<std::size_t>(policy.choose(random))];
  EXPECT_GT(fit_of_counts(p, counts, draws), kTestAlpha);
}

TEST(RandomPrefixSampler, IsTheMixtureOfSoftmaxOverItsPrefixes) {
  RandomPrefixConfig config{.horizon = kHorizon};
  const auto fresh = RandomPrefix::create(config).value();
  InputTable losses = InputTable::zeros(kHorizon, 2);
  const double rows[4][2] = {{1.0, 0.0}, {1.0, 0.0}, {0.0, 1.0}, {0.0, 1.0}};
  for (int t = 0; t < 4; ++t) std::copy(rows[t], rows[t] + 2, losses.row(3 + t).begin());
  // Prefixes of 3 and 4 rounds of the block: sums (2, 1) and (2, 2).
  const double first = 0.5 * (std::exp(-1.0) / (std::exp(-1.0) + std::exp(-0.5)) + 0.5);
  const int plays = 100'000;
  std::vector<int> counts(2);
  for (int i = 0; i < plays; ++i) {
    const ReplayStream random({16, hash_purpose("tests/prefix"), static_cast<std::uint64_t>(i)});
    ++counts[static_cast<std::size_t>(play_recorded(fresh, losses, random).back())];
  }
  EXPECT_GT(fit_of_counts({first, 1.0 - first}, counts, plays), kTestAlpha);
}

TEST(TwoPointLossesSampler, CountsHaveTheLawOfTheLosses) {
  const auto losses = TwoPointLosses::create({{0.0, 1.0, 0.3}, {0.0, 1.0, 0.7}}).value();
  const int draws = 40'000;
  ReplayStream random({17, hash_purpose("tests/two-point")});
  std::vector<double> row(2);
  std::vector<std::int64_t> high(2);
  std::vector<int> singles(2);
  std::vector<int> counts(11);
  for (int i = 0; i < draws; ++i) {
    losses.losses(random, row);
    ++singles[row[1] == 1.0 ? 1 : 0];
    losses.high_counts(10, random, high);
    ++counts[static_cast<std::size_t>(high[1])];
  }
  EXPECT_GT(fit_of_counts({0.3, 0.7}, singles, draws), kTestAlpha);
  const boost::math::binomial_distribution<> exact(10, 0.7);
  std::vector<double> law;
  for (int k = 0; k <= 10; ++k) law.push_back(boost::math::pdf(exact, k));
  EXPECT_GT(fit_of_counts(law, counts, draws), kTestAlpha);
}

}  // namespace
}  // namespace assay
