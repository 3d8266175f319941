// The noise of a follow-the-noisy-leader policy: its distribution, its scale, and the distribution of the
// leader.
//
//   leader = argmax_j (s_j + Q_j), scores s_j fixed or random, Q_j i.i.d. noises                (1)
//   b = 2/eps for Laplace and Gumbel, 1/eps for exponential noise, as the paper prints it       (2)
// Reference: Wu, Wang, "Improved Regret in Stochastic Decision-Theoretic Online Learning under
// Differential Privacy", Theorems 2 and 4. rnm_ftnl.hpp says which of these scales are
// private.
// Threads: pure. Cost of a distribution: grouped_noisy_max.hpp.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/noise/exponential.hpp"
#include "assay/mechanisms/noise/gumbel.hpp"
#include "assay/mechanisms/noise/laplace.hpp"
#include "assay/mechanisms/noisy_max/grouped_noisy_max.hpp"

namespace assay {

enum class LeaderNoise { kLaplace, kExponential, kGumbel };
constexpr std::array<std::pair<LeaderNoise, std::string_view>, 3> enum_names(LeaderNoise) {
  return {{{LeaderNoise::kLaplace, "laplace"},
           {LeaderNoise::kExponential, "exponential"},
           {LeaderNoise::kGumbel, "gumbel"}}};
}
inline constexpr std::array kLeaderNoises{LeaderNoise::kLaplace, LeaderNoise::kExponential,
                                          LeaderNoise::kGumbel};

using LeaderNoiseDistribution = std::variant<Laplace, Exponential, Gumbel>;

// Errors: noise that is not one of the three, a scale that is not positive and finite.
Result<LeaderNoiseDistribution> leader_noise(LeaderNoise noise, double scale);

// The scale (2), rounded up. Preconditions: epsilon > 0, and (2) neither underflows nor overflows.
double printed_scale(LeaderNoise noise, double epsilon);
LeaderNoiseDistribution printed_noise(LeaderNoise noise, double epsilon);

// For groups of experts: the log-probability, for each group, that one given expert of it is the leader (1).
std::vector<double> leader_log_probabilities(const LeaderNoiseDistribution& noise,
                                             std::span<const ScoreGroup> groups,
                                             const RunControl& control = {});

}  // namespace assay
