// Audit cases of additive noise: answers plus independent noise of one scale.
//
// Distributions of the loss L = log dP/dQ, with b the scale and d_i the distance by which
// coordinate i moves:
//   Laplace, one coordinate     delta(eps) = 1 - e^((eps - d/b)/2) for eps < d/b, else 0        (1)
//   Laplace, several            the sum of independent losses of (1), by accounting/pld
//   Gaussian                    L ~ N(mu^2/2, mu^2), mu = |d|_2/sigma: the profile of mu-GDP   (2)
//   discrete Laplace            the noise at or below 0, at 1..d - 1, at or above d: sufficient  (3)
//   discrete Gaussian           delta(eps) = P(Y > t - d) - e^eps P(Y > t), t = eps s^2/d + d/2  (4)
//   discrete Laplace, one coordinate, with a = e^(-1/b) and k = ceil((d - eps b)/2) - 1:
//     delta(eps) = P(Y <= k) - e^eps P(Y <= k - d)
//                = 1 - a^(k+1)/(1 + a) - e^eps a^(d-k)/(1 + a)                                  (5)
//   snapped Laplace             outputs between the answers, and the two sides beyond them       (6)
// All but (6) are the same in both orientations, by symmetry of the noise. The mechanisms on a grid
// are (4) and (5) in its steps; d is the distance by which the rounded answer moves.
// Proofs of (5), (6) and for all pairs: docs/proofs/additive_noise.md.
//
// References: those of the mechanisms; (4) Canonne, Kamath, Steinke (NeurIPS 2020), theorem 7.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assay/auditors/mechanisms/mechanism_case.hpp"
#include "assay/mechanisms/numerics/enclosure.hpp"
#include "assay/mechanisms/numerics/rounding.hpp"
#include "assay/mechanisms/release/fixed_point.hpp"

namespace assay {

namespace detail {

// A number that moves by `distance` under its own noise, released `copies` times.
struct NoisyMove {
  Enclosure distance;  // positive
  double scale = 1.0;
  std::int64_t copies = 1;
};

// The moves of a pair's entries, within the rounding of a difference of doubles.
std::vector<NoisyMove> moves_of(const InputPair& pair, double scale, std::int64_t copies = 1);
// The same in steps of a grid.
std::vector<NoisyMove> grid_moves(const FixedPoint& grid, const InputPair& pair, double scale);

// The losses under independent noise of one kind on each move. For the discrete kinds distances must be whole
// numbers.
Result<KnownProfile> laplace_profile(std::span<const NoisyMove> moves, const PrivacyLevel& claim,
                                     Delta delta0);
Result<KnownProfile> gaussian_profile(std::span<const NoisyMove> moves);
// One move uses (5); several use composition.
Result<KnownProfile> discrete_laplace_profile(std::span<const NoisyMove> moves,
                                              const PrivacyLevel& claim, Delta delta0);
// One move uses (4); several use composition.
Result<KnownProfile> discrete_gaussian_profile(std::span<const NoisyMove> moves,
                                               const PrivacyLevel& claim, Delta delta0);
// (3) for every move. Errors: more than 2^20 outcomes.
Result<EnumeratedDistributions> discrete_laplace_distributions(std::span<const NoisyMove> moves);
// Pairs that move one entry by the whole distance, or two or four entries by equal parts of it.
std::vector<InputPair> split_moves(double distance);
// Pairs in which one of three cells moves by 1.
std::vector<InputPair> one_of_three();
// Pairs in which the first of n answers moves by the full distance, from 0 and from the answer that rounding to the
// grid moves furthest.
std::vector<InputPair> moves_on_grid(const FixedPoint& grid, std::int64_t answers, double distance);

// The traits for neighbours at most `sensitivity` apart, with the proof for all pairs in docs/proofs/additive_noise.md.
// A mechanism may list harder pairs.
template <class Mechanism, RowNorm norm>
struct DistanceTraits {
  using M = Mechanism;
  static constexpr bool kProved = true;
  static Status check(const M& m, const InputPair& pair) {
    return distance_at_most(pair, norm, static_cast<double>(m.config().sensitivity));
  }
  static std::vector<InputPair> hard_pairs(const M& m) {
    return {{{0.0}, {static_cast<double>(m.config().sensitivity)}}};
  }
};

// The traits for neighbours in which one answer moves by at most 1, with the same proof.
template <class Mechanism>
struct OneAnswerTraits {
  using M = Mechanism;
  static constexpr bool kProved = true;
  static Status check(const M&, const InputPair& pair) {
    return one_entry_moves_at_most(pair, 1.0);
  }
};

}  // namespace detail

template <>
struct AuditTraits<LaplaceMechanism> : detail::DistanceTraits<LaplaceMechanism, RowNorm::kL1> {
  static constexpr std::string_view kAbout =
      "Each answer of a vector is rounded to a grid and released with exact discrete Laplace noise "
      "in steps of the grid. Neighbouring databases have answers at most `sensitivity` apart in L1 "
      "distance. The hardest pair moves one answer by this distance, across the most steps.";
  static constexpr std::string_view kInput = "as many answers as the parameter `answers` states";
  static constexpr std::string_view kReference =
      "Dwork, McSherry, Nissim, Smith, \"Calibrating noise to sensitivity\" (TCC 2006); Ghosh, "
      "Roughgarden, Sundararajan (STOC 2009) for integers";
  static std::vector<InputPair> hard_pairs(const M& m) {
    return detail::moves_on_grid(m.grid(), m.config().answers, m.config().sensitivity);
  }
  static Result<KnownProfile> profile(const M& m, const InputPair& pair, const PrivacyLevel& claim,
                                      Delta delta0) {
    return detail::discrete_laplace_profile(detail::grid_moves(m.grid(), pair, m.noise().scale()),
                                            claim, delta0);
  }
};

template <>
struct AuditTraits<GaussianMechanism> : detail::DistanceTraits<GaussianMechanism, RowNorm::kL2> {
  static constexpr std::string_view kAbout =
      "Each answer of a vector is rounded to a grid and released with exact discrete Gaussian "
      "noise in steps of the grid. Neighbouring databases have answers at most `sensitivity` apart "
      "in L2 distance. One answer attains its delta; for several answers the level follows from "
      "zCDP and is not tight.";
  static constexpr std::string_view kInput = "as many answers as the parameter `answers` states";
  static constexpr std::string_view kReference =
      "Canonne, Kamath, Steinke, \"The discrete Gaussian for differential privacy\" (NeurIPS 2020)";
  static std::vector<InputPair> hard_pairs(const M& m) {
    return detail::moves_on_grid(m.grid(), m.config().answers, m.config().sensitivity);
  }
  static Result<KnownProfile> profile(const M& m, const InputPair& pair, const PrivacyLevel& claim,
                                      Delta delta0) {
    return detail::discrete_gaussian_profile(detail::grid_moves(m.grid(), pair, m.noise().scale()),
                                             claim, delta0);
  }
};

template <>
struct AuditTraits<SnappedLaplace> : detail::DistanceTraits<SnappedLaplace, RowNorm::kL1> {
  static constexpr std::string_view kAbout =
      "The mechanism releases one answer plus Laplace noise in doubles, clamped and rounded to a "
      "coarse grid. Neighbouring databases have answers at most `sensitivity` apart. The audit "
      "counts every double that may be released.";
  static constexpr std::string_view kInput = "one answer";
  static constexpr std::string_view kReference =
      "Mironov, \"On significance of the least significant bits for differential privacy\" (CCS "
      "2012)";
  // (6). Errors: answers too far apart, or too near the bound, for (6).
  static Result<EnumeratedDistributions> distributions(const M& m, const InputPair& pair);
  // A probability takes milliseconds, and few outputs occur, so each is computed once.
  static Result<ReleaseLoss> losses(const M& m, const InputPair& pair);
};

template <>
struct AuditTraits<idealized::LaplaceMechanism>
    : detail::DistanceTraits<idealized::LaplaceMechanism, RowNorm::kL1> {
  static constexpr std::string_view kAbout =
      "Each answer of a vector is released with independent Laplace noise of scale "
      "sensitivity/epsilon. Neighbouring databases have answers at most `sensitivity` apart in L1 "
      "distance. The hardest pair moves one answer by this distance.";
  static constexpr std::string_view kInput = "any number of answers";
  static constexpr std::string_view kReference =
      "Dwork, McSherry, Nissim, Smith, \"Calibrating noise to sensitivity\" (TCC 2006)";
  static std::vector<InputPair> hard_pairs(const M& m) {
    return detail::split_moves(m.config().sensitivity);
  }
  static Result<KnownProfile> profile(const M& m, const InputPair& pair, const PrivacyLevel& claim,
                                      Delta delta0) {
    return detail::laplace_profile(detail::moves_of(pair, m.noise().scale()), claim, delta0);
  }
};

template <>
struct AuditTraits<idealized::GaussianMechanism>
    : detail::DistanceTraits<idealized::GaussianMechanism, RowNorm::kL2> {
  static constexpr std::string_view kAbout =
      "Each answer of a vector is released with independent Gaussian noise, calibrated to "
      "(epsilon, delta). Neighbouring databases have answers at most `sensitivity` apart in L2 "
      "distance. All pairs at that distance are equally hard.";
  static constexpr std::string_view kInput = "any number of answers";
  static constexpr std::string_view kReference =
      "Balle, Wang, \"Improving the Gaussian mechanism for differential privacy\" (ICML 2018)";
  static Result<KnownProfile> profile(const M& m, const InputPair& pair, const PrivacyLevel&,
                                      Delta) {
    return detail::gaussian_profile(detail::moves_of(pair, m.noise().scale()));
  }
};

template <>
struct AuditTraits<DiscreteLaplaceMechanism>
    : detail::DistanceTraits<DiscreteLaplaceMechanism, RowNorm::kL1> {
  static constexpr std::string_view kAbout =
      "Each integer answer of a vector is released with independent discrete Laplace noise of "
      "scale sensitivity/epsilon. Neighbouring databases have answers at most `sensitivity` apart "
      "in L1 distance.";
  static constexpr std::string_view kInput = "any number of integer answers";
  static constexpr std::string_view kReference =
      "Ghosh, Roughgarden, Sundararajan, \"Universally utility-maximizing privacy mechanisms\" "
      "(STOC 2009)";
  static std::vector<InputPair> hard_pairs(const M& m);
  static Result<EnumeratedDistributions> distributions(const M& m, const InputPair& pair) {
    return detail::discrete_laplace_distributions(detail::moves_of(pair, m.noise().scale()));
  }
};

template <>
struct AuditTraits<DiscreteGaussianMechanism>
    : detail::DistanceTraits<DiscreteGaussianMechanism, RowNorm::kL1> {
  static constexpr std::string_view kAbout =
      "An integer answer is released with discrete Gaussian noise. Neighbouring databases have "
      "answers at most `sensitivity` apart. Pairs at that distance are the hardest.";
  static constexpr std::string_view kInput = "one integer";
  static constexpr std::string_view kReference =
      "Canonne, Kamath, Steinke, \"The discrete Gaussian for differential privacy\" (NeurIPS 2020)";
  static Result<KnownProfile> profile(const M& m, const InputPair& pair, const PrivacyLevel& claim,
                                      Delta delta0) {
    return detail::discrete_gaussian_profile(detail::moves_of(pair, m.noise().scale()), claim,
                                             delta0);
  }
};

template <>
struct AuditTraits<idealized::NoisyHistogram> : detail::OneAnswerTraits<idealized::NoisyHistogram> {
  static constexpr std::string_view kAbout =
      "Every cell of a histogram is released with Laplace noise of scale 1/epsilon. Neighbouring "
      "histograms differ by at most 1 in one cell.";
  static constexpr std::string_view kInput = "any number of cells";
  static constexpr std::string_view kReference =
      "Dwork, McSherry, Nissim, Smith, \"Calibrating noise to sensitivity\" (TCC 2006)";
  static std::vector<InputPair> hard_pairs(const M&) { return detail::one_of_three(); }
  static Result<KnownProfile> profile(const M& m, const InputPair& pair, const PrivacyLevel& claim,
                                      Delta delta0) {
    return detail::laplace_profile(detail::moves_of(pair, m.noise().scale()), claim, delta0);
  }
};

template <>
struct AuditTraits<idealized::PrefixSum> : detail::OneAnswerTraits<idealized::PrefixSum> {
  static constexpr std::string_view kAbout =
      "The running sums of a histogram's cells are released, with Laplace noise of scale 1/epsilon "
      "on each cell. They determine the noisy cells, so the loss is that of the noisy histogram.";
  static constexpr std::string_view kInput = "any number of cells";
  static constexpr std::string_view kReference =
      "Wang, Ding, Wang, Kifer, Zhang, \"Proving differential privacy with shadow execution\" "
      "(PLDI 2019)";
  static std::vector<InputPair> hard_pairs(const M&) { return detail::one_of_three(); }
  static Result<KnownProfile> profile(const M& m, const InputPair& pair, const PrivacyLevel& claim,
                                      Delta delta0) {
    return detail::laplace_profile(
        detail::moves_of(pair, detail::divide_up(1.0, m.config().epsilon)), claim, delta0);
  }
};

template <>
struct AuditTraits<idealized::ParallelLaplace>
    : detail::OneAnswerTraits<idealized::ParallelLaplace> {
  static constexpr std::string_view kAbout =
      "The same answers are released `copies` times, each time with fresh Laplace noise of scale "
      "1/epsilon. The losses of the copies add up.";
  static constexpr std::string_view kInput = "any number of answers";
  static constexpr std::string_view kReference =
      "Dwork, McSherry, Nissim, Smith, \"Calibrating noise to sensitivity\" (TCC 2006)";
  static std::vector<InputPair> hard_pairs(const M&) { return {{{0.0}, {1.0}}}; }
  static Result<KnownProfile> profile(const M& m, const InputPair& pair, const PrivacyLevel& claim,
                                      Delta delta0) {
    return detail::laplace_profile(
        detail::moves_of(pair, detail::divide_up(1.0, m.config().epsilon), m.config().copies),
        claim, delta0);
  }
};

}  // namespace assay
