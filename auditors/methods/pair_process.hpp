// Two copies of one policy on a neighbouring pair of inputs, led along the same actions.
//
// That is all a white-box audit needs to see of a policy: the exact, path and likelihood methods
// are templates over this concept. P is the law of the transcript under the old input, Q under the
// new one; the privacy loss of a transcript is L = log P - log Q, a sum over its rounds.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>

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

}  // namespace assay
