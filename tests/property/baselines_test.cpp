// The two facts that the privacy proofs of the comparators rest on, and what follows from them: a
// reward enters exactly one noisy mean, with weight 1/R, or none; the loss of a transcript never
// exceeds epsilon.
#include <bit>

#include "assay/policies/simulation/play.hpp"
#include "assay/tests/support/plain_baselines.hpp"
#include "assay/tests/support/property_testing.hpp"
#include "assay/tests/support/recorded_rewards.hpp"

namespace assay {
namespace {

RewardStream any_rewards(std::int64_t rounds) {
  ReplayStream random = arbitrary_stream();
  RewardStream rewards;
  for (std::int64_t t = 0; t < rounds; ++t) rewards.push_back(random.uniform());
  return rewards;
}

RewardOf pays(const RewardStream& rewards) {
  return [&rewards](std::int64_t round, int) { return rewards[static_cast<std::size_t>(round)]; };
}

// How often `arm` was played in rounds 0..round.
std::int64_t pulls_until(const Transcript& actions, std::size_t round, int arm) {
  return std::count(actions.begin(), actions.begin() + static_cast<std::ptrdiff_t>(round) + 1, arm);
}

// Two runs on streams that differ by `step` in the reward of `arm`, along the same actions: the one
// release that `reads` moves by step / R, all others keep their bits. Returns how many moved.
template <class Reads>
int moved_releases(const PlainRun& one, const PlainRun& two, double step, const Reads& reads) {
  RC_ASSERT(one.releases.size() == two.releases.size());
  int moved = 0;
  for (std::size_t i = 0; i < one.releases.size(); ++i) {
    const double change = two.releases[i].value - one.releases[i].value;
    if (reads(i)) {
      RC_ASSERT(std::abs(change - step / static_cast<double>(one.releases[i].rewards)) < 1e-12);
      ++moved;
    } else {
      RC_ASSERT(change == 0.0);
    }
  }
  return moved;
}

constexpr double kStep = 1e-6;  // too small to change an action, but for near ties

RC_GTEST_PROP(AnytimeLazyUcb, EveryRewardEntersExactlyOneReleaseWithWeightOneOverItsSize, ()) {
  AnytimeLazyUcbConfig config{.arms = *rc::gen::inRange<std::int64_t>(2, 6),
                              .epsilon = *rc::gen::element(0.2, 1.0, 20.0)};
  const auto rounds = *rc::gen::inRange<std::int64_t>(2, 600);
  const auto tau = static_cast<std::size_t>(*rc::gen::inRange<std::int64_t>(0, rounds));
  const ReplayStream random = arbitrary_stream();
  const auto rewards = any_rewards(rounds);
  auto changed = rewards;
  changed[tau] += changed[tau] < 0.5 ? kStep : -kStep;
  const auto one = run_lazy_ucb(config, rounds, pays(rewards), random);
  const auto two = run_lazy_ucb(config, rounds, pays(changed), random);
  RC_PRE(one.actions == two.actions);
  const int arm = one.actions[tau];
  const auto nth = static_cast<std::uint64_t>(pulls_until(one.actions, tau, arm));
  const auto size = static_cast<std::int64_t>(std::bit_floor(nth));  // of the phase of that reward
  const int moved = moved_releases(one, two, changed[tau] - rewards[tau], [&](std::size_t i) {
    return one.releases[i].arm == arm && one.releases[i].rewards == size;
  });
  // The phase ended, and a round followed in which its mean was drawn.
  const auto before_last = static_cast<std::size_t>(rounds) - 2;
  const bool ended = pulls_until(one.actions, before_last, arm) >= 2 * size - 1;
  RC_ASSERT(moved == (ended ? 1 : 0));
}

RC_GTEST_PROP(DpSuccessiveElimination, EveryRewardEntersExactlyOneReleaseWithWeightOneOverItsSize,
              ()) {
  DpSuccessiveEliminationConfig config{.arms = *rc::gen::inRange<std::int64_t>(2, 6),
                                       .horizon = *rc::gen::inRange<std::int64_t>(2, 600),
                                       .epsilon = *rc::gen::element(0.2, 1.0, 20.0),
                                       .beta = 1.0,
                                       .epoch_scale = *rc::gen::element(1e-9, 1e-3, 1e-2)};
  const auto rounds = config.horizon;
  const auto tau = static_cast<std::size_t>(*rc::gen::inRange<std::int64_t>(0, rounds));
  const ReplayStream random = arbitrary_stream();
  const auto rewards = any_rewards(rounds);
  auto changed = rewards;
  changed[tau] += changed[tau] < 0.5 ? kStep : -kStep;
  const auto one = run_elimination(config, rounds, pays(rewards), random);
  const auto two = run_elimination(config, rounds, pays(changed), random);
  RC_PRE(one.actions == two.actions);
  // The releases of an arm read its pulls 1..R_1, R_1 + 1..R_1 + R_2, and so on.
  const int arm = one.actions[tau];
  const auto nth = pulls_until(one.actions, tau, arm);
  std::vector<bool> reads(one.releases.size());
  std::int64_t first = 1;
  for (std::size_t i = 0; i < reads.size(); ++i) {
    if (one.releases[i].arm != arm) continue;
    reads[i] = nth >= first && nth < first + one.releases[i].rewards;
    first += one.releases[i].rewards;
  }
  const int moved = moved_releases(one, two, changed[tau] - rewards[tau],
                                   [&](std::size_t i) { return reads[i]; });
  RC_ASSERT(moved == (nth < first ? 1 : 0));
}

RC_GTEST_PROP(DpSuccessiveElimination, NoTranscriptLosesMoreThanEpsilon, ()) {
  DpSuccessiveEliminationConfig config{.arms = *rc::gen::inRange<std::int64_t>(2, 5),
                                       .horizon = *rc::gen::inRange<std::int64_t>(2, 120),
                                       .epsilon = *rc::gen::element(0.3, 2.0, 30.0),
                                       .beta = 1.0,
                                       .epoch_scale = *rc::gen::element(1e-9, 2e-3, 1e-2)};
  auto rewards = any_rewards(config.horizon);
  const ReplayStream random = arbitrary_stream();
  const auto actions = run_elimination(config, config.horizon, pays(rewards), random).actions;
  const double log_p = log_likelihood(config, actions, rewards).value();
  const auto tau = static_cast<std::size_t>(*rc::gen::inRange<std::int64_t>(0, config.horizon));
  rewards[tau] = *rc::gen::element(0.0, 1.0);
  const double log_q = log_likelihood(config, actions, rewards).value();
  RC_ASSERT(std::isfinite(log_p));
  RC_ASSERT(std::abs(log_p - log_q) <= config.epsilon * (1.0 + 1e-12) + 1e-11);
}

}  // namespace
}  // namespace assay
