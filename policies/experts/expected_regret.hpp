// Computes the expected pseudo-regret of RNM-FTNL with random losses in each round, without sampling.
//
//   after T rounds: sum over epochs r of (rounds of r up to T) sum_j Delta_j P[J_(r-1) = j]    (1)
//   J_0 uniform; J_r the noisy leader on sums of n = 2^(r-1) independent losses,
//   n low_j + (high_j - low_j) Bin(n, p_j), or, resampled, Bin(n, mean_j)                      (2)
// If all losses are multiples of 0.1, 0.01 or 0.001, the sums are whole numbers.
// Accuracy: 1e-12 of each probability, plus 1e-30, which is the part of the binomial tails that (2) omits
// (the rest sums to 1).
// Threads: pure. Cost: one quadrature of grouped_noisy_max.hpp for each epoch, over at most 26
// standard deviations of each sum.
#pragma once

#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "assay/policies/environments/two_point_losses.hpp"
#include "assay/policies/experts/leader_noise.hpp"
#include "assay/policies/experts/rnm_ftnl.hpp"

namespace assay {

// `count` experts, at least one, whose losses have one distribution.
struct ExpertsOfDistribution {
  TwoPointDistribution distribution;
  double count = 1.0;
};

struct ExpectedRegret {
  std::vector<double> gap_of_epoch;  // sum_j Delta_j P[J_(r-1) = j], r = 1, 2, ...

  // The regret (1). Precondition: `rounds` is at most the horizon of the computation.
  double after(std::int64_t rounds) const;
  static auto byte_fields(auto& self) { return std::tie(self.gap_of_epoch); }
};

// For up to `horizon` rounds. Preconditions: horizon >= 1, at least one group.
ExpectedRegret expected_regret(const LeaderNoiseDistribution& noise, bool resample,
                               std::span<const ExpertsOfDistribution> experts,
                               std::int64_t horizon);
// For up to the horizon of the configuration. Precondition: `losses` has as many experts as the policy.
ExpectedRegret expected_regret(const RnmFtnl& policy, const TwoPointLosses& losses);

}  // namespace assay
