// An environment that draws new contexts from a Gaussian distribution in each round. Rewards are linear in the
// contexts.
//
// Symbols: K arms, d entries of a context, c the correlation, z standard normal.
//   autoregressive   x_1 = z_1,  x_j = c x_(j-1) + sqrt(1 - c^2) z_j: Cov(x_i, x_j) = c^|i-j|   (1)
//   equicorrelated   x_j = sqrt(c) g + sqrt(1 - c) z_j, g one more for each arm: Cov = c        (2)
//   truncated at m > 0: every entry is moved into [-m, m]. The rewards use the entries as moved, so that
//   |x_j| <= m holds for everything that a policy sees                                          (3)
//   reward of arm i = <x_i, beta> + e, with one draw e a round for all arms:
//   N(0, w^2), or uniform on [-w, w]                                                            (4)
// Arms and rounds are independent. A round draws (K d, and K for (2)) + 1 random numbers, whatever the
// action.
//
// Regret: gap(action) is the regret of the round's action, max_i <x_i, beta> - <x_a, beta>. The mean
// reward of every arm over rounds is 0; earned() is the reward minus the round's best mean, so that
// the realised regret is best() times rounds, which is 0, minus the earned sum.
//
// Reference: Chakraborty, Roy, Basu, "FLIPHAT", section 6: (1) with c = 0.1, w = 0.1, d = 400. Its
// contexts are not bounded, although its theorems assume it: (3).
// Threads: a value that holds a round; use one per run. The same bits on every machine.
// Cost: 7 ns an entry: 9 us a round at K = 3, d = 400.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/policies/environments/environment.hpp"
#include "assay/policies/sparse/contexts.hpp"

namespace assay {

enum class ContextCovariance { kAutoregressive, kEquicorrelated };
constexpr std::array<std::pair<ContextCovariance, std::string_view>, 2> enum_names(
    ContextCovariance) {
  return {{{ContextCovariance::kAutoregressive, "autoregressive"},
           {ContextCovariance::kEquicorrelated, "equicorrelated"}}};
}
enum class RewardNoise { kGaussian, kUniform };
constexpr std::array<std::pair<RewardNoise, std::string_view>, 2> enum_names(RewardNoise) {
  return {{{RewardNoise::kGaussian, "gaussian"}, {RewardNoise::kUniform, "uniform"}}};
}

struct GaussianContextsConfig {
  std::int64_t arms = 3;
  std::int64_t dimension = 400;
  ContextCovariance covariance = ContextCovariance::kAutoregressive;
  double correlation = 0.1;
  double truncation = 0.0;
  RewardNoise reward_noise = RewardNoise::kGaussian;
  double noise_width = 0.1;

  static void fields(auto&& visit) {
    using C = GaussianContextsConfig;
    visit(field("arms", &C::arms, Range{2, kMostContextArms}, "K", "number of arms"));
    visit(field("dimension", &C::dimension, Range{1, kMostContextDimension}, "d",
                "entries of a context"));
    visit(
        field("covariance", &C::covariance, Range{}, "", "covariance of the entries of a context"));
    visit(field("correlation", &C::correlation, Range{-0.999, 0.999}, "c",
                "correlation of adjacent entries, or of any two"));
    visit(field("truncation", &C::truncation, Range{0, 1e6}, "m",
                "bound of every entry; 0 for none"));
    visit(field("reward_noise", &C::reward_noise, Range{}, "",
                "distribution of the noise of rewards"));
    visit(field("noise_width", &C::noise_width, Range{0, 1e6}, "w",
                "standard deviation of Gaussian noise, half the width of uniform noise"));
  }
  Status check() const;  // K d at most 1e7; a correlation of any two is not negative
};

class GaussianContexts {
 public:
  // Further errors: those of check_signal().
  static Result<GaussianContexts> create(const GaussianContextsConfig& config, SparseVector signal);

  // Draws the contexts by (1) to (3). The result is valid until the next call.
  ContextSet context(std::int64_t round, ReplayStream& random);
  // The reward (4), in the round of the last context().
  double feedback(std::int64_t round, int action, ReplayStream& random) const;

  std::span<const double> means() const { return means_; }
  static double best() { return 0.0; }
  double earned(int, double reward) const { return reward - most_; }
  double gap(int action) const { return most_ - scores_[static_cast<std::size_t>(action)]; }

  const GaussianContextsConfig& config() const { return config_; }
  const SparseVector& signal() const { return signal_; }  // beta

 private:
  GaussianContexts(const GaussianContextsConfig& config, SparseVector signal);

  GaussianContextsConfig config_;
  SparseVector signal_;
  double inherited_;            // c, or sqrt(c)
  double fresh_;                // sqrt(1 - c^2), or sqrt(1 - c)
  std::vector<double> values_;  // the round's contexts
  std::vector<double> scores_;  // <x_i, beta> of the round
  std::vector<double> means_;   // over rounds
  double most_ = 0.0;           // the largest score
};

static_assert(StochasticEnvironment<GaussianContexts>);

}  // namespace assay
