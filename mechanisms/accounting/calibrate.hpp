// Finds the smallest noise scale for a target (eps, delta). D is the distance by which one record moves
// the answers.
//
//   Gaussian noise      s = D/mu, mu the largest with delta_mu(eps) <= delta (gdp.hpp)         (1)
//   Laplace noise       b = D/e. One answer: e = eps - 2 log(1 - delta), since the exact profile is
//                       1 - exp((eps - e)/2). Several answers: D in L1, e by (3)               (2)
//   any e-DP mechanism  is (eps, delta)-DP for e = log((e^eps + delta)/(1 - delta))            (3)
//   report noisy max    Laplace, exponential, Gumbel: b = 2 D/e, or D/e if all answers move in the
//                       same direction, e by (3); discrete Laplace: the same with 2 D or D rounded
//                       up to an integer; Gaussian: s = sqrt(n) D/mu, mu by (1)                (4)
//   peeling             s rounds of report noisy max with Laplace noise of scale b, each 2 D/b-DP;
//                       if values are released, each round also releases the chosen answer with
//                       fresh noise of the same scale, D/b-DP                                  (5)
//   binary tree         one of T inputs moves the numbers of h = floor(log2 T) + 1 nodes, each by at
//                       most D. Gaussian: s = sqrt(h) D/mu; Laplace: h releases, each D/b-DP   (6)
// For (5) and (6) with Laplace noise the result is the smallest b that one of three theorems allows:
// the sum of the levels, their optimal composition (optimal_composition.hpp), or their Renyi curves
// (renyi.hpp). At delta = 0 that is the sum. (1), and (2) for one answer, are exact. The other scales
// are the smallest that these theorems prove; at delta > 0 less noise may be enough.
//
// Direction: every scale is rounded up. Upper bounds computed at that scale prove the level.
// Accuracy: (1) to (4) are at most 1e-11 (relative) above the exact scale.
// Reference: Balle, Wang (ICML 2018), theorem 8, for (1); Dwork, Roth (2014), section 3.3, for (4);
// Dwork, Su, Zhang, "Differentially private false discovery rate control" (2021), for peeling;
// Dwork, Naor, Pitassi, Rothblum (STOC 2010) and Chan, Shi, Song (2011) for the tree; Kairouz, Oh,
// Viswanath (2017) for (3).
// Threads: pure functions. Cost: 0.1 ms; for (5) and (6) 64 times O(releases), at most 0.2 s.
#pragma once

#include <cstdint>

#include "assay/mechanisms/accounting/guarantee.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/noisy_max/max_noise.hpp"

namespace assay {

using NoiseScale = Quantity<struct NoiseScaleTag>;  // for Gaussian noise the standard deviation

// An upper bound on the smallest scale that proves the target.
using CalibratedScale = Result<UpperBound<NoiseScale>>;

// Errors of all functions below: epsilon or sensitivity infinite or not above 0; delta outside [0, 1),
// or 0 for Gaussian noise; a count out of range; a scale that no double holds.

// By (1). `sensitivity` is D in L2.
CalibratedScale gaussian_scale(const ApproximateDp& target, double sensitivity);

// By (2). `sensitivity` is D in L1 over all answers. The number of answers matters: at delta > 0 no proof shows that
// the scale for one answer is enough for several.
CalibratedScale laplace_scale(const ApproximateDp& target, double sensitivity,
                              std::int64_t answers);

struct NoisyMaxAnswers {
  std::int64_t count = 2;    // n
  double sensitivity = 1.0;  // D: how far each answer moves
  bool monotone = false;     // all move in the same direction, as counts do if a record is added
};
// By (4).
CalibratedScale noisy_max_scale(const ApproximateDp& target, MaxNoise noise,
                                const NoisyMaxAnswers& answers);

struct Peeling {
  std::int64_t rounds = 1;   // s, at most 100,000
  double sensitivity = 1.0;  // D, of each answer
  bool releases_values = true;
};
// By (5).
CalibratedScale peeling_scale(const ApproximateDp& target, const Peeling& peeling);

// The number of nodes that contain one input, floor(log2 horizon) + 1. Precondition: horizon >= 1.
std::int64_t tree_levels(std::int64_t horizon);
// By (6).
CalibratedScale tree_gaussian_scale(const ApproximateDp& target, std::int64_t horizon,
                                    double sensitivity);
CalibratedScale tree_laplace_scale(const ApproximateDp& target, std::int64_t horizon,
                                   double sensitivity);

}  // namespace assay
