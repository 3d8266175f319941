// What a sequential policy is: what it sees, does and learns in a round; what a transparent and an
// epoch-wise one add.
//
// One round: the policy sees a Context, draws an Action from its own randomness (`choose`), then
// learns the Feedback of that action (`observe`). It names the three types, and one play loop
// (simulation/play.hpp) and one series (simulation/series.hpp) serve every family:
//
//   family                  Context                Action              Feedback
//   bandits                 NoContext              int, the arm        double, its reward
//   experts                 NoContext              int, the expert     span<const double>, all losses
//   best arm, fixed budget  NoContext              int, the arm        double; the environment counts
//                                                                      the pulls of its reward table
//   dueling                 NoContext              pair of arms        bool, whether the first won
//   sparse linear           matrix, K rows of d    int, the row        double, its reward
//
// A policy without context has `choose(random)`, others `choose(context, random)`. `observe` takes
// the feedback alone, or `random` too where learning draws.
//
// A TransparentPolicy can also say the probability of each action before it is drawn, and be led
// along a given transcript with `advance` in place of `choose`: that is all an exact privacy loss
// needs. An EpochPolicy keeps its action for a stretch of rounds and reads no more of them than a
// summary, so that a simulation may hand it a stretch at once.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/mechanisms/accounting/guarantee.hpp"
#include "assay/mechanisms/core/configured.hpp"
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

struct NoContext {};

// The base of a policy: the three types, and its configuration.
template <class C, class ContextType, class ActionType, class FeedbackType>
class PolicyOf : public Configured<C> {
 public:
  using Context = ContextType;
  using Action = ActionType;
  using Feedback = FeedbackType;

 protected:
  using Configured<C>::Configured;
};
// The action is the arm, the feedback its reward.
template <class C>
using BanditPolicy = PolicyOf<C, NoContext, int, double>;
// The action is the expert, the feedback the losses of all, each in [0, 1].
template <class C>
using ExpertPolicy = PolicyOf<C, NoContext, int, std::span<const double>>;

template <class P>
concept Policy = std::copyable<P> &&(requires(P policy, const typename P::Context& context,
                                              ReplayStream& random) {
                   { policy.choose(context, random) } -> std::same_as<typename P::Action>;
                 } || (std::same_as<typename P::Context, NoContext> &&
                       requires(P policy, ReplayStream& random) {
                         { policy.choose(random) } -> std::same_as<typename P::Action>;
                       })) &&
                 (
                     requires(P policy, const typename P::Feedback& feedback) {
                       policy.observe(feedback);
                     } ||
                     requires(P policy, const typename P::Feedback& feedback,
                              ReplayStream& random) { policy.observe(feedback, random); }) &&
                 requires(const P& view, const typename P::Config& config) {
  { P::create(config) } -> std::same_as<Result<P>>;
  { view.guarantee() } -> std::same_as<Guarantee>;
  { view.config() } -> std::same_as<const typename P::Config&>;
};

template <class P>
concept TransparentPolicy = Policy<P> &&
    requires(P policy, const P& view, const typename P::Action& action) {
  { view.log_probability(action) } -> std::same_as<double>;
  policy.advance(action);
};

template <class P>
concept EpochPolicy = Policy<P> && std::same_as<typename P::Context, NoContext> &&
    requires(P policy, const P& view, const typename P::Stretch& stretch, ReplayStream& random) {
  // Rounds from now on, this one included, that surely play the action of choose().
  { view.rounds_left() } -> std::same_as<std::int64_t>;
  // In place of observe() and choose() for the stretch's rounds, at most rounds_left().
  policy.observe_rounds(stretch, random);
};

}  // namespace assay
