// The pairs that dominate the noisy max (docs/proofs/noisy_max_pairs.md), against its exact probabilities: random scores
// and neighbours, all sets of winners, all tests.
#include "assay/mechanisms/noisy_max/noisy_max_distribution.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/tests/support/property_testing.hpp"

namespace assay {
namespace {

constexpr double kRounding = 1e-12;

// f of (1), the smallest type II error at type I error a.
double laplace_trade_off(double epsilon, double a) {
  if (a <= 0.5 * std::exp(-epsilon)) return 1.0 - std::exp(epsilon) * a;
  if (a <= 0.5) return std::exp(-epsilon) / (4.0 * a);
  return std::exp(-epsilon) * (1.0 - a);
}

// The profile of (2) at a = e^x.
double bounded_range_delta(double epsilon, double x) {
  if (x >= epsilon) return 0.0;
  if (x <= -epsilon) return 1.0 - std::exp(x);
  const double root = std::exp(epsilon / 2.0) - std::exp(x / 2.0);
  return root * root / std::expm1(epsilon);
}

struct Winners {
  std::vector<double> base, neighbour;  // probabilities
  double epsilon = 0.0;
};

template <class Noise>
Noise noise_of(double scale) {
  if constexpr (std::is_same_v<Noise, Exponential>) {
    return must(Noise::create(scale));
  } else {
    return must(Noise::create(0.0, scale));
  }
}

// Sensitivity 1. Half of the moves are to the ends, where most is lost.
template <class Noise>
Winners random_winners() {
  const double scale = log_uniform(0.3, 20.0);
  const bool monotone = *rc::gen::arbitrary<bool>();
  const auto noise = noise_of<Noise>(scale);
  std::vector<double> base, neighbour;
  const int count = *rc::gen::inRange(2, 7);
  for (int i = 0; i < count; ++i) {
    base.push_back(scale * uniform(-4.0, 4.0));
    const double most = uniform(0.0, 1.0) < 0.5 ? 1.0 : uniform(0.0, 1.0);
    const double least = monotone ? 0.0 : -1.0;
    neighbour.push_back(base.back() + (*rc::gen::arbitrary<bool>() ? most : least * most));
  }
  const auto probabilities = [&](const std::vector<double>& scores) {
    auto values = noisy_max_log_probabilities(noise, scores);
    for (double& value : values) value = portable_exp(value);
    return values;
  };
  return {probabilities(base), probabilities(neighbour), (monotone ? 1.0 : 2.0) / scale};
}

// Of all sets: the worst room above the curve.
double least_room(const Winners& winners, double epsilon) {
  double least = 1.0;
  for (unsigned set = 0; set < 1u << winners.base.size(); ++set) {
    double p = 0.0, other = 0.0;
    for (std::size_t i = 0; i < winners.base.size(); ++i) {
      (set >> i & 1u) != 0 ? p += winners.base[i] : other += winners.neighbour[i];
    }
    least = std::min(least, other - laplace_trade_off(epsilon, p));
  }
  return least;
}

template <class Noise>
void keeps_the_curve_of_laplace_noise() {
  const auto winners = random_winners<Noise>();
  RC_ASSERT(least_room(winners, winners.epsilon) >= -kRounding);
}

RC_GTEST_PROP(NoisyMaxPairs, LaplaceNoiseLosesNoMoreThanOneLaplaceAnswer, ()) {
  keeps_the_curve_of_laplace_noise<Laplace>();
}

RC_GTEST_PROP(NoisyMaxPairs, ExponentialNoiseLosesNoMoreThanOneLaplaceAnswer, ()) {
  keeps_the_curve_of_laplace_noise<Exponential>();
}

RC_GTEST_PROP(NoisyMaxPairs, GumbelNoiseKeepsTheProfileOfItsBoundedRange, ()) {
  const auto winners = random_winners<Gumbel>();
  for (int step = -24; step <= 24; ++step) {
    const double x = winners.epsilon * step / 22.0;  // a little beyond the ends too
    double delta = 0.0;
    for (std::size_t i = 0; i < winners.base.size(); ++i) {
      delta += std::max(0.0, winners.base[i] - std::exp(x) * winners.neighbour[i]);
    }
    RC_ASSERT(delta <= bounded_range_delta(winners.epsilon, x) + kRounding);
  }
}

// At one release two candidates attain the pairs, so that nothing smaller would do.
TEST(NoisyMaxPairs, AreAttainedByTwoCandidates) {
  constexpr double kEpsilon = 0.8, kLess = 0.999;
  const auto pair = [](const auto& noise, double gap) {
    const auto values = [&](double at) {
      auto logs = noisy_max_log_probabilities(noise, std::vector{at, 0.0});
      return std::vector{portable_exp(logs[0]), portable_exp(logs[1])};
    };
    return Winners{values(gap), values(gap + kEpsilon), kEpsilon};
  };
  const auto laplace = pair(noise_of<Exponential>(1.0), -0.3);
  EXPECT_NEAR(least_room(laplace, kEpsilon), 0.0, 1e-14);
  EXPECT_LT(least_room(laplace, kLess * kEpsilon), -1e-5);
  // P is the neighbour. Its loss at the first index is t = (eps + log a)/2, here eps/2.
  const double gap = -std::log(std::expm1(kEpsilon / 2.0) / -std::expm1(-kEpsilon / 2.0));
  const auto gumbel = pair(noise_of<Gumbel>(1.0), gap);
  const double delta = gumbel.neighbour[0] - gumbel.base[0];
  EXPECT_NEAR(delta, bounded_range_delta(kEpsilon, 0.0), 1e-14);
  EXPECT_GT(delta, bounded_range_delta(kLess * kEpsilon, 0.0) + 1e-5);
}

}  // namespace
}  // namespace assay
