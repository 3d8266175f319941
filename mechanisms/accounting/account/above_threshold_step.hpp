// The step `above-threshold`: a flag for each answer, above a noisy threshold or below it (sparse vector).
//
// It stops after c flags above (`cutoff`); `resetting` gives the threshold new noise after each of them. Every answer moves by at
// most D (`sensitivity`), if `monotone` all of them in one direction. The noise of the threshold and of the answers is
//   laplace     scales 2/epsilon (2 c/epsilon if resetting) and 4 c/epsilon, D = 1, as in mechanisms/release/above_threshold.hpp
//   gaussian    deviations threshold_sigma and sigma, for at most K answers (`answers`)
//
// From above: reveal the threshold's noise, moved by D. Then the flags up to the next one above leak no more than the bit
// whether one of K answers is above, of answers that all move by m = 2 D (D if monotone), at the worst level:
//   H_b <= V(b) = sup over x of 1 - F(x)^K - b (1 - F(x + m)^K)                                 (1)
// for Gaussian noise, F its distribution function; with Laplace noise the x differ, and any K > 1 have
//   V(b) = sup over u of 1 - u - b (1 - t(u)), t(u) = F(F^-1(u) + m), and u^a below its touching point   (2)
// for the largest a <= 1 that has one. The pair: that of the threshold's noise moved by D, and c times that of V. If resetting
// both c times. Also valid, and taken if better:
//   laplace     randomised response at the largest loss, D/b_threshold + c m/b_answers          (3)
//   gaussian    mu-GDP, of all K noisy answers less the threshold, released in the clear        (4)
// From below: explicit answers, n that move one way and then c blocks of g that move the other way. The outcomes are a flag among
// the n, or how many of at most 64 blocks have a flag; after a flag the analyst goes on to the next block.
//   P(j) = integral over r of phi(r) F(r - l)^n C(c, j) (1 - F(r - h)^g)^j F(r - h)^(g (c - j))   (5)
// n, g and the levels l, h are those that leak most. Or one flag of one answer, or Laplace flags far below the threshold.
//
// docs/proofs/above_threshold.md has the proofs. Errors name the parameter and its range. Threads: values. Cost: 20 to 400 ms.
// Source: Lyu, Su, Li (PVLDB 2017), theorem 2, for (3) of Laplace noise that is not monotone.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "assay/mechanisms/accounting/account/step_kinds.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/enclosure.hpp"

namespace assay {

enum class FlagNoise { kLaplace, kGaussian };
constexpr std::array<std::pair<FlagNoise, std::string_view>, 2> enum_names(FlagNoise) {
  return {{{FlagNoise::kLaplace, "laplace"}, {FlagNoise::kGaussian, "gaussian"}}};
}

struct AboveThresholdStep {
  static constexpr std::string_view kName = "above-threshold";
  static constexpr std::string_view kTitle =
      "Flags of the answers above a noisy threshold (sparse vector)";
  double epsilon = 0.0;
  std::int64_t cutoff = 1;
  bool resetting = false;
  FlagNoise noise = FlagNoise::kLaplace;
  double threshold_sigma = 0.0;
  double sigma = 0.0;
  double sensitivity = 1.0;
  std::int64_t answers = 0;
  bool monotone = false;
  double group = 1.0;  // no parameter (step_kinds.hpp); Laplace noise is in a GroupStep
  static void fields(auto&& visit) {
    using C = AboveThresholdStep;
    constexpr Range kSigma{0.0, kStepScale.high};
    visit(field("epsilon", &C::epsilon, Range{0.0, 100.0}, "",
                "the eps of all flags together, for Laplace noise"));
    visit(field("cutoff", &C::cutoff, Range{1, 1e6}, "",
                "the number of flags above at which it stops"));
    visit(field("resetting", &C::resetting, Range{}, "",
                "whether the threshold gets new noise after each flag above"));
    visit(field("noise", &C::noise, Range{}, "", "the noise of the threshold and of the answers"));
    visit(field("threshold_sigma", &C::threshold_sigma, kSigma, "",
                "the standard deviation of the threshold's noise, if Gaussian"));
    visit(field("sigma", &C::sigma, kSigma, "",
                "the standard deviation of the answers' noise, if Gaussian"));
    visit(field("sensitivity", &C::sensitivity, kStepScale, "",
                "how far one record moves an answer; 1 for Laplace noise"));
    visit(field("answers", &C::answers, Range{0, 1e6}, "",
                "the most answers that are asked, 0 for any number with Laplace noise"));
    visit(field("monotone", &C::monotone, Range{}, "",
                "whether all answers of neighbours move in the same direction"));
  }
  bool shows(std::string_view parameter) const;  // of those that this noise has
  Status check() const;
  Result<StepLosses> losses(const LossAccuracy& accuracy) const;
  Known<detail::Enclosure> largest_loss() const;  // unknown for Gaussian noise
  std::optional<detail::Enclosure> mu() const;    // (4)
};

}  // namespace assay
