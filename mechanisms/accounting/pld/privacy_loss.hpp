// The distribution of the privacy loss of one release. An accountant needs nothing else of the release.
//
// For a pair (P, Q) of output distributions the loss of an output is L = log dP/dQ. Its distribution
// under P has atoms, pieces on which it is a smooth increasing function of a real outcome, and mass
// at +infinity.
//   delta(eps) = P(L = inf) + E[(1 - e^(eps - L))+ ; L < inf]                                   (1)
// The functions below make it for the pair of neighbours that dominates all others of a mechanism. For
// continuous noise a sensitivity s divides the scale by s; for integer noise it is the `shift`.
//   gaussian                N(1, sigma^2) and N(0, sigma^2): L ~ N(mu^2/2, mu^2), mu = 1/sigma  (2)
//   laplace                 Laplace noise of scale b, 1 apart: |L| <= 1/b, atoms at the ends    (3)
//   randomized_response     k answers: the true one with e^eps/(e^eps + k - 1)                  (4)
//   discrete_laplace        two, s apart: L = (2 k - s)/b at outcomes k = 1..s - 1, and at the
//                           ends k <= 0, of mass e^(-s/b)/(1 + e^(-1/b)), and k >= s, 1/(1 + ..) (5)
//   discrete_gaussian       N_Z(0, sigma^2) and its shift by s: L = s (2 k + s)/(2 sigma^2)     (6)
//   finite_pair             any p and q over finitely many outputs
//   bounded_range           dominates all mechanisms whose losses lie in [t - eps, t] for some t: no atoms, under P
//                           the density e^((eps + l)/2)/(2 (e^eps - 1)) of losses l in [-eps, eps]; profile
//                           (e^(eps/2) - sqrt a)^2/(e^eps - 1) at a = e^eps' (docs/proofs/noisy_max_pairs.md)  (8)
//   subsampled_gaussian     Poisson sampling with probability q; the record is in P (remove):
//                           (1 - q) N(0, sigma^2) + q N(1, sigma^2) against N(0, sigma^2); or in
//                           Q (add): the same pair the other way around                         (7)
//
// Accuracy: tails of mass at most e^log_tail are cut off and counted (mass_below, mass_above).
// Weights are right to `weight_error` plus 4 u (1 + |log weight|) of themselves, losses to
// loss_error (u = 2^-53).
// Reference: Zhu, Dong, Wang (AISTATS 2022), for the dominating pairs of (7); Kairouz, Oh,
// Viswanath (2017) for (4); Canonne, Kamath, Steinke (2020) for (6); Dong, Durfee, Rogers (ICML 2020), who
// introduced bounded ranges, for (8). Threads: a value, read-only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "assay/mechanisms/core/result.hpp"

namespace assay {

struct LossAtom {
  double loss = 0.0;      // finite
  double log_mass = 0.0;  // of P
};

// Outcomes low..high of P, with a density e^log_density, on which the loss increases. The densities
// of both P and Q must be entire (sums of normal or exponential densities), so that Gauss-Legendre rules of 3, 6 and
// 12 points on panels of at most 1/50, 1 and 9 times `panel` have relative errors below u/8.
struct LossPiece {
  double low = 0.0;
  double high = 0.0;
  double panel = 0.0;
  std::function<double(double)> log_density;
  std::function<double(double)> loss;
  std::function<double(double)> outcome;  // the inverse of loss
  // Upper bounds on the mass of all outcomes above (below) one, also beyond the piece; or empty.
  std::function<double(double)> mass_above;
  std::function<double(double)> mass_below;
  // Optional and faster than log_density and loss: the densities of P and Q at n outcomes, each right to 8 u of itself.
  std::function<void(const double* outcomes, std::size_t n, double* p, double* q)> densities = {};
  // Optional and faster than log_density and loss apart, with the same bits.
  std::function<std::pair<double, double>(double)> density_and_loss = {};
};

struct PrivacyLoss {
  std::vector<LossAtom> atoms;  // by increasing loss
  std::vector<LossPiece> pieces;
  double mass_at_infinity = 0.0;  // a lower bound; the rest of the truth is in mass_above
  double mass_above = 0.0;        // upper bound on the mass cut off at the high end
  double mass_below = 0.0;        // and at the low end
  double loss_error = 0.0;        // absolute
  double weight_error = 0.0;      // relative
  double lattice = 0.0;           // all atoms are multiples of it; 0 says nothing
};

enum class SamplingDirection { kRemove, kAdd };

inline constexpr double kDefaultLogTail = -80.0;

namespace loss_of {

Result<PrivacyLoss> gaussian(double sigma, double log_tail = kDefaultLogTail);
Result<PrivacyLoss> laplace(double scale);
Result<PrivacyLoss> randomized_response(double epsilon, std::int64_t answers = 2);
Result<PrivacyLoss> discrete_laplace(double scale, std::int64_t shift = 1);
Result<PrivacyLoss> discrete_gaussian(double sigma, std::int64_t shift = 1,
                                      double log_tail = kDefaultLogTail);
Result<PrivacyLoss> subsampled_gaussian(double sigma, double sampling, SamplingDirection direction,
                                        double log_tail = kDefaultLogTail);
Result<PrivacyLoss> bounded_range(double epsilon);  // 1e-6 to 100
// Entries in [0, 1] that sum to 1 within 1e-12. Outputs of p alone become mass at infinity.
Result<PrivacyLoss> finite_pair(std::span<const double> p, std::span<const double> q);

}  // namespace loss_of
}  // namespace assay
