// Two copies of one policy on a neighbouring pair of inputs, led along the same actions.
//
// That is all a white-box audit needs to see of a policy: the exact, path and likelihood methods
// are templates over this concept. P is the law of the transcript under the old input, Q under the
// new one; the privacy loss of a transcript is L = log P - log Q, a sum over its rounds.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <span>

#include "assay/mechanisms/core/progress.hpp"
#include "assay/mechanisms/core/quantities.hpp"
#include "assay/mechanisms/numerics/gaussian_argmax.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"

namespace assay {

enum class Side { kOld, kNew };

template <class T>
concept PairProcess = std::copyable<T> &&
    requires(T process, const T& view, ReplayStream& random, Side side, int action,
             ArgmaxPrecision precision, std::span<double> out) {
  { view.horizon() } -> std::convertible_to<std::int64_t>;
  { view.action_count() } -> std::convertible_to<int>;
  // Rounds played so far.
  { view.round() } -> std::convertible_to<std::int64_t>;
  process.restart();
  // Both sides are in the same state, so that this round cannot lose anything.
  { view.agrees() } -> std::same_as<bool>;
  // Only one action is possible this round, on both sides.
  { view.forced() } -> std::same_as<bool>;
  // Draws this round's action from one side's own sampler; does not advance.
  { process.draw(side, random) } -> std::same_as<int>;
  // The probabilities that the sides report for one action, and for all of them.
  { view.log_probability(action, precision) } -> std::same_as<PairLogProbability>;
  view.log_probabilities(precision, out, out);
  // Plays `action` on both sides and feeds each the reward of its own input.
  process.advance(action);
  // A proved mu such that this pair is mu-GDP (augmented release); infinity where none is known.
  { view.augmented_mu() } -> std::same_as<UpperBound<Mu>>;
};

namespace detail {

// Up to here the arms share their nodes, and a round takes microseconds; beyond, each probability is
// integrated by itself, and all of 1,024 take seconds.
inline constexpr int kArmsAtOnce = 16;

// Estimates, in quarters of a microsecond, from which default amounts of work are chosen: functions of
// the number of actions alone, so that no default depends on the machine.
inline double one_action_work(std::int64_t actions) {
  const auto k = static_cast<double>(actions);
  return actions <= kArmsAtOnce ? k : 2.0 * k * std::max(1.0, k / 128.0);
}
inline double all_actions_work(std::int64_t actions) {
  const auto k = static_cast<double>(actions);
  return actions <= kArmsAtOnce ? k : k * one_action_work(actions);
}

// The probabilities of all actions; false where it was stopped, the spans then being unfinished.
template <PairProcess Process>
bool log_probabilities_unless(StopPoll& poll, const Process& process, ArgmaxPrecision precision,
                              std::span<double> log_p, std::span<double> log_q) {
  if (poll()) return false;
  if (process.action_count() <= kArmsAtOnce || process.forced()) {
    process.log_probabilities(precision, log_p, log_q);
    return true;
  }
  for (std::size_t a = 0; a < log_p.size(); ++a) {
    if (poll()) return false;
    const auto step = process.log_probability(static_cast<int>(a), precision);
    log_p[a] = step.p;
    log_q[a] = step.q;
  }
  return true;
}

}  // namespace detail

}  // namespace assay
