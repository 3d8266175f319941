// Calibration: the smallest noise scale for a target (eps, delta).
//
//   Gaussian noise      s = D/mu, mu the largest with delta_mu(eps) <= delta (gdp.hpp)         (1)
//   Laplace noise       b = D/e, e = eps - 2 log(1 - delta) for one answer: its exact profile is
//                       1 - exp((eps - e)/2); for several, D in L1, e by (3)                   (2)
//   any e-DP mechanism  is (eps, delta)-DP for e = log((e^eps + delta)/(1 - delta))            (3)
//   report noisy max    Laplace, exponential, Gumbel: b = 2 D/e, or D/e where all answers move in
//                       the same direction, e by (3); discrete Laplace: the same with 2 D or D
//                       rounded up to an integer; Gaussian: s = sqrt(n) D/mu, mu by (1)        (4)
//   peeling             s rounds of report noisy max with Laplace noise of scale b, each 2 D/b-DP,
//                       and after each, if values are released, the chosen answer with fresh
//                       noise of the same scale, D/b-DP                                        (5)
//   binary tree         one of T inputs moves h = floor(log2 T) + 1 nodes, numbers, by at most D:
//                       Gaussian s = sqrt(h) D/mu; Laplace: h releases, each D/b-DP            (6)
// For (5) and (6) with Laplace noise the result is the smallest b for which one of three
// certificates holds: the sum of the levels; their optimal composition (optimal_composition.hpp);
// their Renyi curves (renyi.hpp). At delta = 0 that is the sum. Where delta > 0 smaller noise may be
// enough: (1) and (2) for one answer are exact, the others are the best that these theorems prove.
//
// Direction: every scale is rounded up, and its certificate uses upper bounds computed at it.
// Accuracy: (1) to (4) 1e-11 relative above the exact scale.
// Reference: Balle, Wang (ICML 2018), theorem 8, for (1); Dwork, Roth (2014), section 3.3, for (4);
// Dwork, Su, Zhang, "Differentially private false discovery rate control" (2021), for peeling;
// Dwork, Naor, Pitassi, Rothblum (STOC 2010) and Chan, Shi, Song (2011) for the tree; Kairouz, Oh,
// Viswanath (2017) for (3).
// Threads: pure functions. Cost: 0.1 ms; (5) and (6) 64 times O(releases), at most 0.2 s.
#pragma once

#include <cstdint>

#include "assay/mechanisms/accounting/guarantee.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/noisy_max/max_noise.hpp"

namespace assay {

using NoiseScale = Quantity<struct NoiseScaleTag>;  // a standard deviation for Gaussian noise

// An upper bound on the smallest scale that the certificate needs.
using CalibratedScale = Result<UpperBound<NoiseScale>>;

// Errors, here and below: epsilon not finite and above 0; delta outside [0, 1), or 0 for Gaussian
// noise; sensitivity not finite and above 0; a count out of range; a scale that no double holds.

// (1), D in L2.
CalibratedScale gaussian_scale(const ApproximateDp& target, double sensitivity);

// (2), D in L1 over all answers. The number of answers is required: at delta > 0 the scale for one
// answer is not proved to serve several.
CalibratedScale laplace_scale(const ApproximateDp& target, double sensitivity,
                              std::int64_t answers);

struct NoisyMaxAnswers {
  std::int64_t count = 2;    // n
  double sensitivity = 1.0;  // D: how far each answer moves
  bool monotone = false;     // all in the same direction, as counts do when one record is added
};
// (4).
CalibratedScale noisy_max_scale(const ApproximateDp& target, MaxNoise noise,
                                const NoisyMaxAnswers& answers);

struct Peeling {
  std::int64_t rounds = 1;   // s, at most 100,000
  double sensitivity = 1.0;  // D, of each answer
  bool releases_values = true;
};
// (5).
CalibratedScale peeling_scale(const ApproximateDp& target, const Peeling& peeling);

// floor(log2 horizon) + 1. Precondition: horizon >= 1.
std::int64_t tree_levels(std::int64_t horizon);
// (6).
CalibratedScale tree_gaussian_scale(const ApproximateDp& target, std::int64_t horizon,
                                    double sensitivity);
CalibratedScale tree_laplace_scale(const ApproximateDp& target, std::int64_t horizon,
                                   double sensitivity);

}  // namespace assay
