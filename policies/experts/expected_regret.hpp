// The expected pseudo-regret of RNM-FTNL on losses drawn anew each round, without sampling.
//
//   after T rounds: sum over epochs r of (rounds of r up to T) sum_j Delta_j P[J_(r-1) = j]    (1)
//   J_0 uniform; J_r the noisy leader on sums of n = 2^(r-1) independent losses,
//   n low_j + (high_j - low_j) Bin(n, p_j), or, resampled, Bin(n, mean_j)                      (2)
// Losses that all lie on multiples of 0.1, 0.01 or 0.001 are summed in whole numbers.
// Accuracy: 1e-12 of each probability, and 1e-30 besides: (2) leaves out what the binomial law's
// tails hold of that, and what is left sums to 1.
// Threads: pure. Cost: a quadrature of grouped_noisy_max.hpp an epoch, over at most 26 standard
// deviations of each sum.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assay/policies/environments/two_point_losses.hpp"
#include "assay/policies/experts/leader_noise.hpp"
#include "assay/policies/experts/rnm_ftnl.hpp"

namespace assay {

// `count` experts, at least one, that draw their losses from one law.
struct ExpertsOfLaw {
  TwoPointLaw law;
  double count = 1.0;
};

struct ExpectedRegret {
  std::vector<double> gap_of_epoch;  // sum_j Delta_j P[J_(r-1) = j], r = 1, 2, ...

  // (1), T at most the horizon it was computed for.
  double after(std::int64_t rounds) const;
};

// Up to `horizon` >= 1. At least one group.
ExpectedRegret expected_regret(const LeaderNoiseLaw& noise, bool resample,
                               std::span<const ExpertsOfLaw> experts, std::int64_t horizon);
// Up to the horizon of the configuration. As many losses as actions.
ExpectedRegret expected_regret(const RnmFtnl& policy, const TwoPointLosses& losses);

}  // namespace assay
