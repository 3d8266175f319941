// What a sequential policy is, and what a transparent one adds.
//
// One round: `choose` draws an action from the policy's own randomness, then `observe` gives it the
// feedback of that action. A TransparentPolicy can also say the probability of each action before
// it is drawn, and be led along a given transcript with `advance` in place of `choose`: that is all
// an exact privacy loss needs.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/mechanisms/accounting/guarantee.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"

namespace assay {

// Constants as the paper prints them, or as a proof supports them. The convention of every policy
// whose paper's claim does not follow from its noise, or can be sharpened:
//   * its configuration has the field `calibration`, kCorrected by default;
//   * kPaper claims, and where the noise is set from a level uses, the paper's constants as printed,
//     right or wrong; kCorrected the sharpest that the policy's header proves;
//   * guarantee().source names the theorem of the one in force.
// Rules between fields ("b N <= T") live in the configuration's check(), whose error names the
// field to change, in words and as its path ("/pre_pulls"), with the numbers that clash.
enum class Calibration { kPaper, kCorrected };
constexpr std::array<std::pair<Calibration, std::string_view>, 2> enum_names(Calibration) {
  return {{{Calibration::kPaper, "paper"}, {Calibration::kCorrected, "corrected"}}};
}

// The public output of a bandit: the arms played, in order, counted from 0.
using Transcript = std::vector<int>;

template <class P>
concept Policy = std::copyable<P> && requires(P policy, const P& view, ReplayStream& random,
                                              const typename P::Config& config, double feedback) {
  { P::create(config) } -> std::same_as<Result<P>>;
  { policy.choose(random) } -> std::same_as<int>;
  policy.observe(feedback);
  { view.guarantee() } -> std::same_as<Guarantee>;
  { view.config() } -> std::same_as<const typename P::Config&>;
};

template <class P>
concept TransparentPolicy = Policy<P> && requires(P policy, const P& view, int action) {
  { view.log_probability(action) } -> std::same_as<double>;
  policy.advance(action);
};

}  // namespace assay
