// Steps of the mechanisms of mechanisms/release that are not noise on an answer.
//
// kind                  what it releases                     pair of one release
//   exponential           a candidate, by weights              bounded range r (privacy_loss.hpp, (8))          (1)
//   permute-and-flip      a candidate, by coins                Laplace noise that is r-DP                       (2)
//   noisy-max             the index of the largest noisy       exponential noise (2), Laplace noise (2), Gumbel
//                         score                                noise (1)
//   unary-encoding        k bits, the value's own one set      the bits of two values                           (3)
//   rappor                the bits of a filter                 two filters that share no bit                    (4)
//   truncated-geometric   a count with geometric noise,        randomised response at log(1 + 2^-bits)          (5)
//                         clamped
// r is epsilon, or 2 sensitivity/scale; half of it if all scores move in the same direction (monotone).
//
// (1), (2): docs/proofs/noisy_max_pairs.md. For one release they are exact: two candidates attain them, except with Laplace
// noise. Composed, they are above all data sets. The pairs below are those of two candidates whose scores are d apart and move
// against each other: (F(d), 1 - F(d)) against (F(d - r), 1 - F(d - r)), F the distribution function of the difference of two
// noises, at the d that leaks most; with Laplace noise one candidate is against up to six. Any of these is a lower bound.
// (3): p (1 - q)/((1 - p) q) = e^epsilon is the ratio of the two outputs that tell the values apart, exact.
// (4): with P_1 and P_0 the probabilities of a reported 1, i ones in the first filter's bits and j in the second's have the
// loss (i - j) log(P_1 (1 - P_0)/(P_0 (1 - P_1))). Filters that share bits reveal a part of this; hashes for which no two values
// have filters apart leak less.
// (5): counts c and c + 1, of which the noise hides all but the side of the outcome, exact.
// Renyi curves: (2) has that of Laplace noise, and (1) at most, with A = e^r - e^((1 - a) r) and B = 1 - e^((1 - a) r),
//   D_a = ((a - 1) log u + log A - log a - log(e^r - 1))/(a - 1),  u = (a - 1) A/(a B)          (6)
// docs/proofs/release_pairs.md has the proofs of (3) to (5).
// Errors name the parameter and its range. Threads: values. Cost: at most 1 ms.
#pragma once

#include <cstdint>
#include <string_view>

#include "assay/mechanisms/accounting/account/step_kinds.hpp"
#include "assay/mechanisms/accounting/renyi.hpp"
#include "assay/mechanisms/accounting/zcdp.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/noisy_max/max_noise.hpp"
#include "assay/mechanisms/numerics/enclosure.hpp"

namespace assay {

inline constexpr Range kSelectionLevel{2e-6, 100.0};
inline constexpr const char* kWeightsHelp = "the eps of the weights e^(eps score/(2 sensitivity))";
inline constexpr const char* kMonotoneHelp =
    "whether all scores of neighbours move in the same direction, which halves the loss";

// Every kind has losses() in both orders and largest_loss(), the least upper bound of the loss in either order; rho() where
// it is a better level of zCDP than that of the largest loss.
struct ExponentialStep {
  static constexpr std::string_view kName = "exponential";
  static constexpr std::string_view kTitle = "Exponential mechanism";
  double epsilon = 0.0;
  bool monotone = false;
  double group = 1.0;  // no parameter (step_kinds.hpp)
  static void fields(auto&& visit) {
    using C = ExponentialStep;
    visit(field("epsilon", &C::epsilon, kSelectionLevel, "", kWeightsHelp));
    visit(field("monotone", &C::monotone, Range{}, "", kMonotoneHelp));
  }
  Result<StepLosses> losses(const LossAccuracy& accuracy) const;
  detail::Enclosure largest_loss() const;
  detail::Enclosure rho() const;
  RenyiDp renyi() const;
};

struct PermuteAndFlipStep {
  static constexpr std::string_view kName = "permute-and-flip";
  static constexpr std::string_view kTitle = "Permute-and-flip";
  double epsilon = 0.0;
  bool monotone = false;
  double group = 1.0;  // no parameter (step_kinds.hpp)
  static void fields(auto&& visit) {
    using C = PermuteAndFlipStep;
    visit(field("epsilon", &C::epsilon, kSelectionLevel, "", kWeightsHelp));
    visit(field("monotone", &C::monotone, Range{}, "", kMonotoneHelp));
  }
  Result<StepLosses> losses(const LossAccuracy& accuracy) const;
  detail::Enclosure largest_loss() const;
  RenyiDp renyi() const;
};

struct NoisyMaxStep {
  static constexpr std::string_view kName = "noisy-max";
  static constexpr std::string_view kTitle = "The index of the largest of many noisy scores";
  MaxNoise noise = MaxNoise::kLaplace;
  double scale = 0.0;
  double sensitivity = 1.0;
  bool monotone = false;
  double group = 1.0;
  static void fields(auto&& visit) {
    using C = NoisyMaxStep;
    visit(field("noise", &C::noise, Range{}, "", "the noise of each score"));
    visit(field("scale", &C::scale, kStepScale, "", "the scale of the noise"));
    visit(
        field("sensitivity", &C::sensitivity, kStepScale, "", "how far one record moves a score"));
    visit(field("monotone", &C::monotone, Range{}, "", kMonotoneHelp));
  }
  Status check() const;
  Result<StepLosses> losses(const LossAccuracy& accuracy) const;
  detail::Enclosure largest_loss() const;
  detail::Enclosure rho() const;
  RenyiDp renyi() const;
};

struct UnaryEncodingStep {
  static constexpr std::string_view kName = "unary-encoding";
  static constexpr std::string_view kTitle = "Randomised response on the bits of a unary code";
  double epsilon = 0.0;
  bool symmetric = false;
  static void fields(auto&& visit) {
    using C = UnaryEncodingStep;
    visit(field("epsilon", &C::epsilon, kStepLevel, "", "the eps of the report"));
    visit(field("symmetric", &C::symmetric, Range{}, "",
                "whether ones and zeros are kept equally often; else ones half of the time"));
  }
  Result<StepLosses> losses(const LossAccuracy& accuracy) const;
  detail::Enclosure largest_loss() const;
};

struct RapporStep {
  static constexpr std::string_view kName = "rappor";
  static constexpr std::string_view kTitle = "RAPPOR: randomised response on a Bloom filter";
  std::int64_t hashes = 0;
  double permanent = 0.0;
  double one_if_zero = 0.0;
  double one_if_one = 1.0;
  static void fields(auto&& visit) {
    using C = RapporStep;
    visit(field("hashes", &C::hashes, Range{1, 64}, "m", "the number of hash functions"));
    visit(field("permanent", &C::permanent, Range{1e-9, 1.0 - 1e-9}, "f",
                "the noise f of the permanent response"));
    visit(field("one_if_zero", &C::one_if_zero, Range{0.0, 1.0}, "p",
                "the probability p of a reported 1 for a permanent bit 0"));
    visit(field("one_if_one", &C::one_if_one, Range{0.0, 1.0}, "q",
                "the probability q of a reported 1 for a permanent bit 1"));
  }
  Status check() const;
  Result<StepLosses> losses(const LossAccuracy& accuracy) const;
  detail::Enclosure largest_loss() const;
};

struct TruncatedGeometricStep {
  static constexpr std::string_view kName = "truncated-geometric";
  static constexpr std::string_view kTitle = "Geometric noise on a count, clamped to its range";
  std::int64_t bits = 0;
  static void fields(auto&& visit) {
    visit(field("bits", &TruncatedGeometricStep::bits, Range{1, 30}, "k",
                "the number k of the level log(1 + 2^-k)"));
  }
  Result<StepLosses> losses(const LossAccuracy& accuracy) const;
  detail::Enclosure largest_loss() const;
};

}  // namespace assay
