// A series is one curve of a simulation: many runs of one policy in one environment.
//
//     auto series = make_series("eta=1 b=9", policy, arms);
//     auto leader = make_series("leader", policy, StochasticLosses(losses));
//
// Every repetition copies the given policy and environment. There is one virtual call per chunk; all code
// below it is a template. The loop is that of play(), in parts between recorded rounds.
//
// Regret after t rounds, n_i pulls of arm i whose mean reward is mu_i, mu* the largest mean:
//   pseudo    sum_i n_i (mu* - mu_i)                                                       (1)
//   realised  mu* t - (sum of the rewards drawn)                                           (2)
// Both have the same expectation; (1) varies less and lies in [0, t (mu* - min mu)].
//
// An environment has means(). It can also have: `earned(action, feedback)`, the reward of the action
// in the feedback's rounds, if the feedback is not the reward; `best()`, the mean reward of the best
// action in a round, if that is not the largest mean; `gap(action)`, the mean loss in a round against
// the best action, if that depends on the round (a context), and then (1) is summed round by round.
// count_pulls counts arms; a family with another kind of action overloads it. A policy with accounting
// of its runs has `odometer()`.
//
// Reference: Ou, Avella Medina, Cummings, "Thompson Sampling Itself is Differentially Private",
// whose equation (3) is (2). Threads: a series is read-only; many threads may call play() at once.
#pragma once

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "assay/policies/simulation/moments.hpp"
#include "assay/policies/simulation/play.hpp"

namespace assay {

// The repetitions [first, end) of a series, and the streams of their random numbers: the policy and the
// environment have a purpose each, and the number of the repetition is the replicate.
struct ChunkPlan {
  std::span<const std::int64_t> rounds;  // recorded, ascending
  std::uint64_t seed = 0;
  std::uint64_t policy_purpose = 0;
  std::uint64_t environment_purpose = 0;
  Phase phase = Phase::kCertify;
  std::int64_t first = 0;
  std::int64_t end = 0;
  const std::atomic<bool>* cancel = nullptr;  // polled at least every million rounds

  bool cancelled() const { return cancel != nullptr && cancel->load(std::memory_order_relaxed); }
  ReplayStream stream(std::uint64_t purpose, std::int64_t repetition, std::uint64_t lane) const {
    return ReplayStream({seed, purpose, static_cast<std::uint64_t>(repetition), lane, phase});
  }
};

struct ChunkResult {
  Moments pseudo;                      // regret (1) at each recorded round
  Moments realised;                    // regret (2)
  std::vector<double> final_pseudo;    // regret (1) of each repetition at the last round
  std::vector<double> final_realised;  // regret (2) of each repetition at the last round
  std::vector<double> instance_mu;     // per repetition; empty where the policy has no accounting
  std::vector<std::int64_t> pulls;     // per arm, summed over repetitions

  friend bool operator==(const ChunkResult&, const ChunkResult&) = default;
  static auto byte_fields(auto& self) {
    return std::tie(self.pseudo, self.realised, self.final_pseudo, self.final_realised,
                    self.instance_mu, self.pulls);
  }
};

struct SimulatedSeries {
  std::string id;  // unique in a simulation; it determines the random streams
  std::vector<double> means;
  bool has_instance_privacy = false;
  // The names of policies that run in the same rounds; empty for a single policy. Each has its own result. In
  // a chunk their columns, final regrets and pulls follow one another, policy by policy.
  std::vector<std::string> together;
  // Returns nothing if the chunk was cancelled.
  std::function<std::optional<ChunkResult>(const ChunkPlan&)> play;

  std::size_t results() const { return together.empty() ? 1 : together.size(); }
  double largest_gap() const {  // mu* - min mu
    const auto [low, high] = std::minmax_element(means.begin(), means.end());
    return *high - *low;
  }
};

// A policy that states the privacy cost of each of its runs (bandits/instance_privacy.hpp).
template <class P>
concept Metered = Policy<P> && requires(const P& policy, const typename P::Action& action) {
  policy.odometer().pulled(std::int64_t{}, action);
  { policy.odometer().mu(std::int64_t{}) } -> std::same_as<double>;
};

inline void count_pulls(int action, std::int64_t rounds, std::span<std::int64_t> pulls) {
  pulls[static_cast<std::size_t>(action)] += rounds;
}

namespace detail {

struct NoOdometer {
  static void pulled(std::int64_t, const auto&) {}
  static double mu(std::int64_t) { return 0.0; }
};

// Runs one repetition at a time and reuses the arrays.
template <Policy P, StochasticEnvironment E>
class RepetitionPlayer {
 public:
  RepetitionPlayer(const P& policy, const E& environment, std::span<const std::int64_t> rounds)
      : policy_(policy),
        environment_(environment),
        rounds_(rounds),
        pulls_(environment.means().size()),
        pseudo_(rounds.size()),
        realised_(rounds.size()) {}

  // False if the run was cancelled.
  bool play(const ChunkPlan& plan, ReplayStream choices, ReplayStream luck) {
    P policy = policy_;
    E environment = environment_;
    auto odometer = odometer_of(policy);
    std::fill(pulls_.begin(), pulls_.end(), 0);
    std::int64_t played = 0;
    double earned = 0.0;
    double missed = 0.0;
    for (std::size_t k = 0; k < rounds_.size(); ++k) {
      while (played < rounds_[k]) {
        if (plan.cancelled()) return false;
        const std::int64_t part = std::min(rounds_[k] - played, kLongestPart);
        play_from(played, policy, environment, part, choices, luck,
                  [&, pulls = std::span(pulls_)](
                      std::int64_t round, const typename P::Action& action, const auto& feedback) {
                    count_pulls(action, rounds_of(feedback), pulls);
                    earned += earned_by(environment, action, feedback);
                    if constexpr (kHasGaps) {
                      missed += static_cast<double>(rounds_of(feedback)) * environment.gap(action);
                    }
                    odometer.pulled(round, action);
                  });
        played += part;
      }
      pseudo_[k] = kHasGaps ? missed : pseudo_regret(pulls_, environment.means());  // (1)
      realised_[k] = best_of(environment) * static_cast<double>(played) - earned;   // (2)
    }
    instance_mu_ = odometer.mu(played);
    return true;
  }

  void add_to(ChunkResult& result) const {
    result.pseudo.add(pseudo_);
    result.realised.add(realised_);
    result.final_pseudo.push_back(pseudo_.back());
    result.final_realised.push_back(realised_.back());
    if constexpr (Metered<P>) result.instance_mu.push_back(instance_mu_);
    for (std::size_t i = 0; i < pulls_.size(); ++i) result.pulls[i] += pulls_[i];
  }

 private:
  // Parts would divide the blocks of an EpochPolicy, which plays them fast.
  static constexpr std::int64_t kLongestPart = EpochPolicy<P> && BlocksOf<E, P>
                                                   ? std::numeric_limits<std::int64_t>::max()
                                                   : std::int64_t{1} << 20;
  static constexpr bool kHasGaps = requires(const E& e, const typename P::Action& a) { e.gap(a); };

  static auto odometer_of(const P& policy) {
    if constexpr (Metered<P>) {
      return policy.odometer();
    } else {
      return NoOdometer{};
    }
  }
  static double earned_by(const E& environment, const auto& action, const auto& feedback) {
    if constexpr (requires { environment.earned(action, feedback); }) {
      return environment.earned(action, feedback);
    } else {
      return feedback;
    }
  }
  static double best_of(const E& environment) {
    if constexpr (requires { environment.best(); }) {
      return environment.best();
    } else {
      return *std::max_element(environment.means().begin(), environment.means().end());
    }
  }

  const P& policy_;
  const E& environment_;
  std::span<const std::int64_t> rounds_;
  std::vector<std::int64_t> pulls_;
  std::vector<double> pseudo_;
  std::vector<double> realised_;
  double instance_mu_ = 0.0;
};

}  // namespace detail

// Runs the repetitions of the chunk; returns nothing if it was cancelled.
template <Policy P, StochasticEnvironment E>
std::optional<ChunkResult> play_chunk(const P& policy, const E& environment,
                                      const ChunkPlan& plan) {
  ChunkResult result;
  result.pulls.assign(environment.means().size(), 0);
  detail::RepetitionPlayer<P, E> player(policy, environment, plan.rounds);
  for (std::int64_t repetition = plan.first; repetition < plan.end; ++repetition) {
    if (plan.cancelled() || !player.play(plan, plan.stream(plan.policy_purpose, repetition, 0),
                                         plan.stream(plan.environment_purpose, repetition, 1))) {
      return std::nullopt;
    }
    player.add_to(result);
  }
  return result;
}

template <Policy P, StochasticEnvironment E>
SimulatedSeries make_series(std::string id, P policy, E environment) {
  SimulatedSeries series;
  series.id = std::move(id);
  series.means.assign(environment.means().begin(), environment.means().end());
  series.has_instance_privacy = Metered<P>;
  series.play = [policy = std::move(policy), environment = std::move(environment)](
                    const ChunkPlan& plan) { return play_chunk(policy, environment, plan); };
  return series;
}

}  // namespace assay
