// One curve of a simulation: a policy on an environment, repeated.
//
//     auto series = make_series("eta=1 b=9", policy, arms);
//
// The policy is a prototype, copied for every repetition. Below the one call per chunk everything
// is a template: the loop is that of play(), in segments between recorded rounds.
//
// Regret after t rounds, n_i pulls of arm i whose mean reward is mu_i, mu* the largest mean:
//   pseudo    sum_i n_i (mu* - mu_i)                                                       (1)
//   realised  mu* t - (sum of the rewards drawn)                                           (2)
// Both have the same expectation; (1) varies less, and lies in [0, t (mu* - min mu)].
// Reference: Ou, Avella Medina, Cummings, "Thompson Sampling Itself is Differentially Private",
// (2) is its equation (3). Threads: a series is read-only; play() may run on many at once.
#pragma once

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "assay/policies/simulation/instance_privacy.hpp"
#include "assay/policies/simulation/moments.hpp"
#include "assay/policies/simulation/play.hpp"

namespace assay {

// Repetitions [first, end) of a series, and where their words come from: policy and environment
// have a purpose each, the repetition is the replicate.
struct ChunkPlan {
  std::span<const std::int64_t> rounds;  // recorded, ascending
  std::uint64_t seed = 0;
  std::uint64_t policy_purpose = 0;
  std::uint64_t environment_purpose = 0;
  Phase phase = Phase::kCertify;
  std::int64_t first = 0;
  std::int64_t end = 0;
  const std::atomic<bool>* cancel = nullptr;  // polled between repetitions

  bool cancelled() const { return cancel != nullptr && cancel->load(std::memory_order_relaxed); }
  ReplayStream stream(std::uint64_t purpose, std::int64_t repetition, std::uint64_t lane) const {
    return ReplayStream({seed, purpose, static_cast<std::uint64_t>(repetition), lane, phase});
  }
};

struct ChunkResult {
  Moments pseudo;                      // regret (1) at each recorded round
  Moments realised;                    // regret (2)
  std::vector<double> final_pseudo;    // per repetition, at the last round
  std::vector<double> final_realised;  // likewise
  std::vector<double> instance_mu;     // per repetition; empty where the policy has no accounting
  std::vector<std::int64_t> pulls;     // per arm, summed over repetitions

  friend bool operator==(const ChunkResult&, const ChunkResult&) = default;
};

struct SimulatedSeries {
  std::string id;  // names its random streams; unique in a simulation
  std::vector<double> means;
  bool has_instance_privacy = false;
  // Nothing if the chunk was cancelled.
  std::function<std::optional<ChunkResult>(const ChunkPlan&)> play;

  double largest_gap() const {  // mu* - min mu
    const auto [low, high] = std::minmax_element(means.begin(), means.end());
    return *high - *low;
  }
};

// A policy whose runs InstancePrivacy can account for.
template <class P>
concept InstanceAccounted = Policy<P> && requires(const P& policy) {
  { policy.config().pre_pulls } -> std::convertible_to<std::int64_t>;
  { policy.config().variance } -> std::convertible_to<double>;
};

namespace detail {

// One repetition at a time; the arrays are reused.
template <Policy P, StochasticEnvironment E>
class RepetitionPlayer {
 public:
  RepetitionPlayer(const P& policy, const E& environment, std::span<const std::int64_t> rounds)
      : prototype_(policy),
        environment_(environment),
        rounds_(rounds),
        best_(*std::max_element(environment.means().begin(), environment.means().end())),
        pulls_(environment.means().size()),
        pseudo_(rounds.size()),
        realised_(rounds.size()) {}

  void play(ReplayStream choices, ReplayStream luck) {
    P policy = prototype_;
    std::fill(pulls_.begin(), pulls_.end(), 0);
    round_ = 0;
    reward_ = 0.0;
    std::optional<InstancePrivacy> privacy;
    std::int64_t accounted_from = 0;
    if constexpr (InstanceAccounted<P>) {
      accounted_from = static_cast<std::int64_t>(pulls_.size()) * policy.config().pre_pulls;
    }
    for (std::size_t k = 0; k < rounds_.size(); ++k) {
      if constexpr (InstanceAccounted<P>) {
        if (!privacy && accounted_from <= rounds_[k]) {
          advance(policy, accounted_from, choices, luck, [](std::int64_t, int) {});
          privacy.emplace(policy.config().variance, accounted_from, pulls_);
        }
      }
      if (privacy) {
        advance(policy, rounds_[k], choices, luck,
                [&privacy](std::int64_t round, int action) { privacy->pulled(round, action); });
      } else {
        advance(policy, rounds_[k], choices, luck, [](std::int64_t, int) {});
      }
      pseudo_[k] = pseudo_regret(pulls_, environment_.means());      // (1)
      realised_[k] = best_ * static_cast<double>(round_) - reward_;  // (2)
    }
    instance_mu_ = privacy ? privacy->mu(round_) : 0.0;
  }

  void add_to(ChunkResult& result) const {
    result.pseudo.add(pseudo_);
    result.realised.add(realised_);
    result.final_pseudo.push_back(pseudo_.back());
    result.final_realised.push_back(realised_.back());
    if constexpr (InstanceAccounted<P>) result.instance_mu.push_back(instance_mu_);
    for (std::size_t i = 0; i < pulls_.size(); ++i) result.pulls[i] += pulls_[i];
  }

 private:
  template <class Visit>
  void advance(P& policy, std::int64_t to, ReplayStream& choices, ReplayStream& luck,
               Visit&& visit) {
    double reward_sum = reward_;
    std::int64_t* const pulls = pulls_.data();
    play_from(round_, policy, environment_, to - round_, choices, luck,
              [&](std::int64_t round, int action, double reward) {
                ++pulls[action];
                reward_sum += reward;
                visit(round, action);
              });
    reward_ = reward_sum;
    round_ = to;
  }

  const P& prototype_;
  const E& environment_;
  std::span<const std::int64_t> rounds_;
  double best_;
  std::vector<std::int64_t> pulls_;
  std::vector<double> pseudo_;
  std::vector<double> realised_;
  std::int64_t round_ = 0;
  double reward_ = 0.0;
  double instance_mu_ = 0.0;
};

}  // namespace detail

template <Policy P, StochasticEnvironment E>
std::optional<ChunkResult> play_chunk(const P& policy, const E& environment,
                                      const ChunkPlan& plan) {
  ChunkResult result;
  result.pulls.assign(environment.means().size(), 0);
  detail::RepetitionPlayer<P, E> player(policy, environment, plan.rounds);
  for (std::int64_t repetition = plan.first; repetition < plan.end; ++repetition) {
    if (plan.cancelled()) return std::nullopt;
    player.play(plan.stream(plan.policy_purpose, repetition, 0),
                plan.stream(plan.environment_purpose, repetition, 1));
    player.add_to(result);
  }
  return result;
}

template <Policy P, StochasticEnvironment E>
SimulatedSeries make_series(std::string id, P policy, E environment) {
  SimulatedSeries series;
  series.id = std::move(id);
  series.means.assign(environment.means().begin(), environment.means().end());
  series.has_instance_privacy = InstanceAccounted<P>;
  series.play = [policy = std::move(policy), environment = std::move(environment)](
                    const ChunkPlan& plan) { return play_chunk(policy, environment, plan); };
  return series;
}

}  // namespace assay
