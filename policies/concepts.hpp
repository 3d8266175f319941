// The requirements on a sequential policy (Policy), on one that knows the probabilities of its actions
// (TransparentPolicy), and on one that works in epochs (EpochPolicy).
//
// In a round the policy sees a Context, draws an Action with its own random numbers (`choose`), and
// then learns the Feedback of that action (`observe`). A policy defines these three types, so that one
// simulation loop (simulation/play.hpp) and one series (simulation/series.hpp) serve every family:
//
//   family                  Context                Action              Feedback
//   bandits                 NoContext              int, the arm        double, its reward
//   experts                 NoContext              int, the expert     span<const double>, all losses
//   best arm, fixed budget  NoContext              int, the arm        double, its reward; the
//                                                                      environment counts the pulls
//   dueling                 NoContext              pair of arms        bool, whether the first won
//   sparse linear           matrix, K rows of d    int, the row        double, its reward
//
// A policy without context has `choose(random)`; the others have `choose(context, random)`. `observe`
// takes the feedback, and also `random` if learning draws random numbers. Every policy also has
// `create(config)`, which returns an error for a configuration out of range, `guarantee()` with its
// level, relation and view, and `config()`.
//
// A TransparentPolicy can also state the log-probability of each action before it draws one. `advance`
// takes the place of `choose` and makes it follow a given transcript. An exact privacy loss needs no
// more. An EpochPolicy repeats its action for a block of rounds and reads only a summary of their
// feedback, so that a simulation may hand it the whole block at once.
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

// Whether a policy uses the constants that the paper prints, or those that a proof supports. A policy
// follows this convention if its paper's claim does not follow from its noise, or can be sharpened:
//   * Its configuration has the field `calibration`, which is kCorrected by default.
//   * kPaper uses the paper's constants as printed, right or wrong, for the claimed level, and for the
//     noise if the level determines it. kCorrected uses the best constants that the policy's header
//     proves.
//   * guarantee().source names the theorem of the constants in use.
// Rules between fields ("b N <= T") are in the configuration's check(). Its error names the field to
// change, also by its path ("/pre_pulls"), and the numbers that contradict each other.
enum class Calibration { kPaper, kCorrected };
constexpr std::array<std::pair<Calibration, std::string_view>, 2> enum_names(Calibration) {
  return {{{Calibration::kPaper, "paper"}, {Calibration::kCorrected, "corrected"}}};
}

// The public output of a bandit policy: the arms that it chose, round by round. Arms count from 0.
using Transcript = std::vector<int>;

struct NoContext {};

// The base of a policy: its three types and its configuration.
template <class C, class ContextType, class ActionType, class FeedbackType>
class PolicyOf : public Configured<C> {
 public:
  using Context = ContextType;
  using Action = ActionType;
  using Feedback = FeedbackType;

 protected:
  using Configured<C>::Configured;
};
// The action is an arm, and the feedback is its reward.
template <class C>
using BanditPolicy = PolicyOf<C, NoContext, int, double>;
// The action is an expert, and the feedback is the losses of all experts, each in [0, 1].
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
    requires(P policy, const P& view, const typename P::Block& block, ReplayStream& random) {
  // The number of rounds, this one included, that will certainly repeat the action of choose().
  { view.rounds_left() } -> std::same_as<std::int64_t>;
  // Replaces observe() and choose() for the rounds of the block. The block has at most rounds_left()
  // rounds.
  policy.observe_rounds(block, random);
};

}  // namespace assay
