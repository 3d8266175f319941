// Second, plain implementations of the comparators of Thompson sampling, written from their
// algorithms on whole histories, with faults that tests plant in them.
#pragma once

#include "assay/mechanisms/noise/laplace.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/policies/bandits/anytime_lazy_ucb.hpp"
#include "assay/policies/bandits/dp_successive_elimination.hpp"
#include "assay/policies/bandits/ucb1.hpp"
#include "assay/policies/concepts.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {

enum class BaselineFault {
  kNone,
  kNotForgotten,  // a mean also reads the rewards that earlier means have read
  kHalfNoise,     // noise of scale 1/(2 eps R)
};

struct PlainRelease {
  int arm;
  std::int64_t rewards;  // R
  double value;
};

struct PlainRun {
  Transcript actions;
  std::vector<PlainRelease> releases;
};

using RewardOf = std::function<double(std::int64_t round, int action)>;

inline double plain_noise(double epsilon, double rewards, BaselineFault fault,
                          ReplayStream& random) {
  const double factor = fault == BaselineFault::kHalfNoise ? 2.0 : 1.0;
  return Laplace::create(0.0, 1.0 / (factor * epsilon * rewards)).value().sample(random);
}

inline PlainRun plain_lazy_ucb(const AnytimeLazyUcbConfig& config, std::int64_t rounds,
                               const RewardOf& reward, ReplayStream random,
                               BaselineFault fault = BaselineFault::kNone) {
  const auto arms = static_cast<std::size_t>(config.arms);
  std::vector<std::vector<double>> history(arms);
  std::vector<PlainRelease> last(arms);
  PlainRun run;
  for (std::int64_t t = 1; t <= rounds; ++t) {
    std::size_t play = static_cast<std::size_t>(t - 1);
    if (t > config.arms) {
      double best = -std::numeric_limits<double>::infinity();
      for (std::size_t j = 0; j < arms; ++j) {
        const double n = static_cast<double>(last[j].rewards);
        const double log_t = std::log(static_cast<double>(t));
        const double index = last[j].value + std::sqrt(config.mean_bonus * log_t / n) +
                             config.noise_bonus * log_t / (config.epsilon * n);
        if (index > best) {
          best = index;
          play = j;
        }
      }
    }
    auto& rewards = history[play];
    rewards.push_back(reward(t - 1, static_cast<int>(play)));
    run.actions.push_back(static_cast<int>(play));
    // Phase r ends with reward 2^(r+1) - 1 of its arm and began after reward 2^r - 1.
    const std::size_t next = rewards.size() + 1;
    if ((next & (next - 1)) != 0) continue;
    const std::size_t size = next / 2;
    const std::size_t read = fault == BaselineFault::kNotForgotten ? rewards.size() : size;
    const double mean =
        std::accumulate(rewards.end() - static_cast<std::ptrdiff_t>(read), rewards.end(), 0.0) /
        static_cast<double>(read);
    last[play] = {static_cast<int>(play), static_cast<std::int64_t>(size),
                  mean + plain_noise(config.epsilon, static_cast<double>(size), fault, random)};
    run.releases.push_back(last[play]);
  }
  return run;
}

inline PlainRun plain_elimination(const DpSuccessiveEliminationConfig& config, std::int64_t rounds,
                                  const RewardOf& reward, ReplayStream random,
                                  BaselineFault fault = BaselineFault::kNone) {
  PlainRun run;
  const auto all = static_cast<std::size_t>(config.arms);
  const double beta = config.beta > 0.0 ? config.beta : 1.0 / static_cast<double>(config.horizon);
  std::vector<bool> alive(all, true);
  std::vector<double> sums(all, 0.0);
  const auto ended = [&] { return static_cast<std::int64_t>(run.actions.size()) == rounds; };
  for (int e = 1; !ended(); ++e) {
    const auto s = static_cast<double>(std::count(alive.begin(), alive.end(), true));
    const double gap = std::pow(0.5, e);
    const double length = std::max(32.0 * std::log(8.0 * s * e * e / beta) / (gap * gap),
                                   8.0 * std::log(4.0 * s * e * e / beta) / (config.epsilon * gap));
    const double pulls = std::floor(config.epoch_scale * length) + 1.0;
    if (fault != BaselineFault::kNotForgotten) sums.assign(all, 0.0);
    for (double r = 0.0; (r < pulls || s == 1.0) && !ended(); r += 1.0) {
      for (std::size_t a = 0; a < all && !ended(); ++a) {
        if (!alive[a]) continue;
        const auto t = static_cast<std::int64_t>(run.actions.size());
        sums[a] += reward(t, static_cast<int>(a));
        run.actions.push_back(static_cast<int>(a));
      }
    }
    if (ended()) break;
    std::vector<double> noisy(all, -std::numeric_limits<double>::infinity());
    for (std::size_t a = 0; a < all; ++a) {
      if (!alive[a]) continue;
      noisy[a] = sums[a] / pulls + plain_noise(config.epsilon, pulls, fault, random);
      run.releases.push_back({static_cast<int>(a), static_cast<std::int64_t>(pulls), noisy[a]});
    }
    const double h = std::sqrt(std::log(8.0 * s * e * e / beta) / (2.0 * pulls));
    const double c = std::log(4.0 * s * e * e / beta) / (pulls * config.epsilon);
    const double best = *std::max_element(noisy.begin(), noisy.end());
    for (std::size_t a = 0; a < all; ++a) {
      if (best - noisy[a] > 2.0 * h + 2.0 * c) alive[a] = false;
    }
  }
  return run;
}

inline Transcript plain_ucb1(const Ucb1Config& config, std::int64_t rounds,
                             const RewardOf& reward) {
  const auto arms = static_cast<std::size_t>(config.arms);
  std::vector<std::vector<double>> history(arms);
  Transcript actions;
  for (std::int64_t t = 0; t < rounds; ++t) {
    std::size_t play = static_cast<std::size_t>(t);
    if (t >= config.arms) {
      std::vector<double> index;
      for (const auto& rewards : history) {
        const double n = static_cast<double>(rewards.size());
        index.push_back(std::accumulate(rewards.begin(), rewards.end(), 0.0) / n +
                        std::sqrt(2.0 * std::log(static_cast<double>(t)) / n));
      }
      play = static_cast<std::size_t>(std::max_element(index.begin(), index.end()) - index.begin());
    }
    history[play].push_back(reward(t, static_cast<int>(play)));
    actions.push_back(static_cast<int>(play));
  }
  return actions;
}

// What a policy itself plays and releases.
inline PlainRun run_lazy_ucb(const AnytimeLazyUcbConfig& config, std::int64_t rounds,
                             const RewardOf& reward, ReplayStream random) {
  auto policy = AnytimeLazyUcb::create(config).value();
  PlainRun run;
  for (std::int64_t t = 0; t < rounds; ++t) {
    const auto before = policy.releases();
    const int last = run.actions.empty() ? 0 : run.actions.back();
    run.actions.push_back(policy.choose(random));
    if (policy.releases() > before) {
      run.releases.push_back({last, policy.released_rewards(last), policy.private_mean(last)});
    }
    policy.observe(reward(t, run.actions.back()));
  }
  return run;
}

inline PlainRun run_elimination(const DpSuccessiveEliminationConfig& config, std::int64_t rounds,
                                const RewardOf& reward, ReplayStream random) {
  auto policy = DpSuccessiveElimination::create(config).value();
  PlainRun run;
  for (std::int64_t t = 0; t < rounds; ++t) {
    const auto before = policy.epoch();
    run.actions.push_back(policy.choose(random));
    if (policy.epoch() > before) {
      const auto& release = policy.last_release();
      for (const auto& [arm, value] : release.means) {
        run.releases.push_back({arm, release.epoch.pulls, value});
      }
    }
    policy.observe(reward(t, run.actions.back()));
  }
  return run;
}

}  // namespace assay
