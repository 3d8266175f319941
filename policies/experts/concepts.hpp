// What a policy with full information is: it plays one of K experts, then sees the losses of all.
//
// An EpochPolicy keeps its action for the rounds of an epoch and reads no more of them than how
// often each loss occurred, so that a simulation may hand it an epoch at once.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>

#include "assay/mechanisms/accounting/guarantee.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/policies/environments/two_point_losses.hpp"

namespace assay {

template <class P>
concept ExpertsPolicy = std::copyable<P> &&
    requires(P policy, const P& view, ReplayStream& random, const typename P::Config& config,
             std::span<const double> losses) {
  { P::create(config) } -> std::same_as<Result<P>>;
  { policy.choose(random) } -> std::same_as<int>;
  // The losses of all experts in the round just played, each in [0, 1].
  policy.observe(losses, random);
  { view.guarantee() } -> std::same_as<Guarantee>;
  { view.config() } -> std::same_as<const typename P::Config&>;
};

template <class P>
concept EpochPolicy = ExpertsPolicy<P> &&
    requires(P policy, const P& view, ReplayStream& random, const TwoPointLosses& losses,
             std::span<const std::int64_t> high_counts, std::int64_t rounds) {
  // Rounds from now on, this one included, that surely play the action of choose().
  { view.rounds_left() } -> std::same_as<std::int64_t>;
  // In place of observe() and choose() for `rounds` <= rounds_left() rounds.
  policy.observe_rounds(losses, high_counts, rounds, random);
};

}  // namespace assay
