// Audit cases of additive noise: answers plus independent noise of one scale.
//
// Laws of the loss, with d_i how far coordinate i moves, b the scale and L the loss log dP/dQ:
//   Laplace, one coordinate     delta(eps) = 1 - e^((eps - d/b)/2) for eps < d/b, else 0        (1)
//   Laplace, several            the sum of independent losses of (1), by accounting/pld
//   Gaussian                    L ~ N(mu^2/2, mu^2), mu = |d|_2/sigma: the profile of mu-GDP     (2)
//   discrete Laplace            the noise at or below 0, at 1..d - 1, at or above d: sufficient    (3)
//   discrete Gaussian           delta(eps) = P(Y > t - d) - e^eps P(Y > t), t = eps s^2/d + d/2  (4)
// All are the same in both orientations, by symmetry of the noise.
//
// Proofs for all pairs. Laplace and discrete Laplace: |log f(y) - log f(y - d)| <= |d|/b for either
// density, so |L| <= |d|_1/b <= epsilon. Prefix sums are one to one in the noisy cells, whose laws
// these are; m copies lose m times as much at most. Gaussian: (2) increases with mu, and mu <=
// sensitivity/sigma. Discrete Gaussian: L increases with y, so delta(eps) is the largest of (4) over
// integers t; each of these increases with d, hence so does delta(eps), and d <= sensitivity.
//
// Reference: those of the mechanisms; (4) Canonne, Kamath, Steinke (NeurIPS 2020), theorem 7.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assay/auditors/paired/mechanisms/mechanism_case.hpp"

namespace assay {

namespace detail {

// Independent Laplace noise of scale b on entries that move as the pair's do, `copies` times over.
Result<KnownProfile> laplace_profile(const RowPair& pair, double scale, std::int64_t copies,
                                     const PrivacyLevel& claim, Delta delta0);
Result<KnownProfile> gaussian_profile(const RowPair& pair, double scale);
Result<KnownProfile> discrete_gaussian_profile(const RowPair& pair, double scale);
// (3) in every coordinate that moves. Errors: more than 2^20 outcomes.
Result<EnumeratedLaws> discrete_laplace_laws(const RowPair& pair, double scale);
// The whole distance in one entry, and in equal parts of two and four.
std::vector<RowPair> split_moves(double distance);
// One cell of three moves by 1.
std::vector<RowPair> one_of_three();

}  // namespace detail

template <>
struct Paired<idealized::LaplaceMechanism> {
  using M = idealized::LaplaceMechanism;
  static constexpr std::string_view kAbout =
      "Each answer of a vector is released with independent Laplace noise of scale "
      "sensitivity/epsilon. Neighbouring databases have answers at most `sensitivity` apart in L1 "
      "distance. The hardest pair moves one answer by all of it.";
  static constexpr std::string_view kInput = "any number of answers";
  static constexpr std::string_view kReference =
      "Dwork, McSherry, Nissim, Smith, \"Calibrating noise to sensitivity\" (TCC 2006)";
  static constexpr bool kProved = true;
  static Status check(const M& m, const RowPair& pair) {
    return distance_at_most(pair, RowNorm::kL1, m.config().sensitivity);
  }
  static std::vector<RowPair> hard_pairs(const M& m) {
    return detail::split_moves(m.config().sensitivity);
  }
  static Result<KnownProfile> profile(const M& m, const RowPair& pair, const PrivacyLevel& claim,
                                      Delta delta0) {
    return detail::laplace_profile(pair, m.noise().scale(), 1, claim, delta0);
  }
};

template <>
struct Paired<idealized::GaussianMechanism> {
  using M = idealized::GaussianMechanism;
  static constexpr std::string_view kAbout =
      "Each answer of a vector is released with independent Gaussian noise, calibrated to "
      "(epsilon, "
      "delta). Neighbouring databases have answers at most `sensitivity` apart in L2 distance; "
      "every pair at that distance is a hardest one.";
  static constexpr std::string_view kInput = "any number of answers";
  static constexpr std::string_view kReference =
      "Balle, Wang, \"Improving the Gaussian mechanism for differential privacy\" (ICML 2018)";
  static constexpr bool kProved = true;
  static Status check(const M& m, const RowPair& pair) {
    return distance_at_most(pair, RowNorm::kL2, m.config().sensitivity);
  }
  static std::vector<RowPair> hard_pairs(const M& m) { return {{{0.0}, {m.config().sensitivity}}}; }
  static Result<KnownProfile> profile(const M& m, const RowPair& pair, const PrivacyLevel&, Delta) {
    return detail::gaussian_profile(pair, m.noise().scale());
  }
};

template <>
struct Paired<DiscreteLaplaceMechanism> {
  using M = DiscreteLaplaceMechanism;
  static constexpr std::string_view kAbout =
      "Each integer answer of a vector is released with independent discrete Laplace noise of "
      "scale "
      "sensitivity/epsilon. Neighbouring databases have answers at most `sensitivity` apart in L1 "
      "distance.";
  static constexpr std::string_view kInput = "any number of integer answers";
  static constexpr std::string_view kReference =
      "Ghosh, Roughgarden, Sundararajan, \"Universally utility-maximizing privacy mechanisms\" "
      "(STOC 2009)";
  static constexpr bool kProved = true;
  static Status check(const M& m, const RowPair& pair) {
    return distance_at_most(pair, RowNorm::kL1, static_cast<double>(m.config().sensitivity));
  }
  static std::vector<RowPair> hard_pairs(const M& m);
  static Result<EnumeratedLaws> laws(const M& m, const RowPair& pair) {
    return detail::discrete_laplace_laws(
        pair, static_cast<double>(m.config().sensitivity) / m.config().epsilon);
  }
};

template <>
struct Paired<DiscreteGaussianMechanism> {
  using M = DiscreteGaussianMechanism;
  static constexpr std::string_view kAbout =
      "An integer answer is released with discrete Gaussian noise. Neighbouring databases have "
      "answers at most `sensitivity` apart, and pairs at that distance are the hardest.";
  static constexpr std::string_view kInput = "one integer";
  static constexpr std::string_view kReference =
      "Canonne, Kamath, Steinke, \"The discrete Gaussian for differential privacy\" (NeurIPS 2020)";
  static constexpr bool kProved = true;
  static Status check(const M& m, const RowPair& pair) {
    return distance_at_most(pair, RowNorm::kL1, static_cast<double>(m.config().sensitivity));
  }
  static std::vector<RowPair> hard_pairs(const M& m) {
    return {{{0.0}, {static_cast<double>(m.config().sensitivity)}}};
  }
  static Result<KnownProfile> profile(const M& m, const RowPair& pair, const PrivacyLevel&, Delta) {
    return detail::discrete_gaussian_profile(pair, m.config().scale);
  }
};

template <>
struct Paired<idealized::NoisyHistogram> {
  using M = idealized::NoisyHistogram;
  static constexpr std::string_view kAbout =
      "Every cell of a histogram is released with Laplace noise of scale 1/epsilon. Neighbouring "
      "histograms differ by at most 1 in one cell.";
  static constexpr std::string_view kInput = "any number of cells";
  static constexpr std::string_view kReference =
      "Dwork, McSherry, Nissim, Smith, \"Calibrating noise to sensitivity\" (TCC 2006)";
  static constexpr bool kProved = true;
  static Status check(const M&, const RowPair& pair) { return one_entry_moves_at_most(pair, 1.0); }
  static std::vector<RowPair> hard_pairs(const M&) { return detail::one_of_three(); }
  static Result<KnownProfile> profile(const M& m, const RowPair& pair, const PrivacyLevel& claim,
                                      Delta delta0) {
    return detail::laplace_profile(pair, m.noise().scale(), 1, claim, delta0);
  }
};

template <>
struct Paired<idealized::PrefixSum> {
  using M = idealized::PrefixSum;
  static constexpr std::string_view kAbout =
      "The running sums of a histogram's noisy cells, Laplace noise of scale 1/epsilon on each. "
      "They "
      "are one to one in the noisy cells, so the loss is that of the noisy histogram.";
  static constexpr std::string_view kInput = "any number of cells";
  static constexpr std::string_view kReference =
      "Wang, Ding, Wang, Kifer, Zhang, \"Proving differential privacy with shadow execution\" "
      "(PLDI "
      "2019)";
  static constexpr bool kProved = true;
  static Status check(const M&, const RowPair& pair) { return one_entry_moves_at_most(pair, 1.0); }
  static std::vector<RowPair> hard_pairs(const M&) { return detail::one_of_three(); }
  static Result<KnownProfile> profile(const M& m, const RowPair& pair, const PrivacyLevel& claim,
                                      Delta delta0) {
    return detail::laplace_profile(pair, 1.0 / m.config().epsilon, 1, claim, delta0);
  }
};

template <>
struct Paired<idealized::ParallelLaplace> {
  using M = idealized::ParallelLaplace;
  static constexpr std::string_view kAbout =
      "The same answers are released `copies` times, each time with fresh Laplace noise of scale "
      "1/epsilon. The losses of the copies add up.";
  static constexpr std::string_view kInput = "any number of answers";
  static constexpr std::string_view kReference =
      "Dwork, McSherry, Nissim, Smith, \"Calibrating noise to sensitivity\" (TCC 2006)";
  static constexpr bool kProved = true;
  static Status check(const M&, const RowPair& pair) { return one_entry_moves_at_most(pair, 1.0); }
  static std::vector<RowPair> hard_pairs(const M&) { return {{{0.0}, {1.0}}}; }
  static Result<KnownProfile> profile(const M& m, const RowPair& pair, const PrivacyLevel& claim,
                                      Delta delta0) {
    return detail::laplace_profile(pair, 1.0 / m.config().epsilon, m.config().copies, claim,
                                   delta0);
  }
};

}  // namespace assay
