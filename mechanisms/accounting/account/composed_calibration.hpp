// Finds the smallest noise for a target (eps, delta) over many releases, with certified bounds on its delta.
//
// calibrate.hpp is enough for one release, and always for Gaussian noise, since n Gaussian releases of
// sensitivity D are one of sensitivity sqrt(n) D. Other releases are composed as pairs of distributions,
//   laplace     n pairs of Laplace noise D apart; of a vector, n of randomised response, eps D/b;
//               if one record moves k answers by D each, k n pairs of Laplace noise
//   noisy-max   at eps = 2 D/b (D/b for monotone answers). Gumbel noise: n of the bounded range eps; Laplace and
//               exponential noise: n of Laplace noise that loses at most eps; discrete Laplace noise: n of
//               randomised response. docs/proofs/noisy_max_pairs.md, (1) and (2), proves that these dominate
//   peeling     s n of Laplace noise at 2 D/b for the choices, and s n at D/b for the values
//   tree        n h of Laplace noise, h = floor(log2 T) + 1
//   discrete-laplace, randomized-response   k n of randomised response; discrete-gaussian   k n of its own pair
// and a search finds the scale b:
//   delta_upper(b) <= delta        certifies b                                                  (1)
//   delta_lower(b) >  delta        certifies that no scale up to b is enough for these pairs    (2)
// (2) holds because a larger scale never loses more. Laplace noise of scale b' > b is noise of
// scale b with independent noise added: the ratio of the characteristic functions,
//   (1 + b^2 t^2)/(1 + b'^2 t^2) = r + (1 - r)/(1 + b'^2 t^2),   r = b^2/b'^2                    (3)
// is that of 0 with probability r and of Laplace noise of scale b' otherwise. Randomised response
// of a smaller eps is DP at the larger eps, so it is a post-processing of the response at the larger; and so for a
// smaller bounded range. For discrete Gaussian noise (2) is not proved, so its sigma is certified by (1) alone, and no
// smaller one is refuted; the search starts at the sigma of zCDP (filters.hpp).
// So the smallest scale is between the two ends that the search finds. (1) needs no monotonicity. If
// calibrate.hpp gives a smaller scale for the same number of releases, the result is that scale.
//
// At delta = 0 the scale is the one at which the largest losses sum to eps.
// Errors: those of calibrate.hpp; scale/sensitivity outside 0.01 to 1e6; over 1e9 releases; more moves than answers.
// Threads: pure functions. Cost: up to 40 compositions, 0.1 to 1 s.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "assay/mechanisms/accounting/calibrate.hpp"
#include "assay/mechanisms/core/progress.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/noisy_max/max_noise.hpp"

namespace assay {

enum class CalibratedKind {
  kGaussian,
  kLaplace,
  kNoisyMax,
  kPeeling,
  kTree,
  kDiscreteGaussian,
  kDiscreteLaplace,
  kRandomizedResponse  // the scale is 1/eps of each response
};

struct CalibrationRequest {
  CalibratedKind kind = CalibratedKind::kGaussian;
  ApproximateDp target;
  double sensitivity = 1.0;
  std::int64_t compose = 1;  // releases of the whole mechanism, 1 to 1e9
  // Laplace: the length of a vector of L1 sensitivity D. Noisy max: the number of answers.
  std::int64_t answers = 1;
  // Gaussian, Laplace, also on integers, where D is 1: one record moves at most so many answers, each by at most D. Without
  // it, for noise on reals, D is the L2 distance
  // (Gaussian) or the L1 distance (Laplace) by which the whole vector moves.
  std::optional<std::int64_t> moves;
  bool monotone = false;                // noisy max
  MaxNoise noise = MaxNoise::kLaplace;  // noisy max; tree: Laplace or Gaussian
  std::int64_t rounds = 1;              // peeling
  bool releases_values = true;          // peeling
  std::int64_t horizon = 1;             // tree
};

struct CalibratedNoise {
  double scale = 0.0;                // of the noise; the standard deviation if it is Gaussian
  std::optional<double> none_below;  // certified: for these pairs no scale up to this one is enough
  std::string certificate;
  Interval<Delta> achieved;  // delta at the target's eps, recomputed at this scale
  std::string achieved_by;   // the method of that computation
};

// Errors also: kInterrupted.
Result<CalibratedNoise> calibrate(const CalibrationRequest& request,
                                  const RunControl& control = {});

}  // namespace assay
