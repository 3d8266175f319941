// Search for the neighbouring pair of reward streams that loses the most.
//
// Objective: for an (eps, delta) claim, delta(eps); for a mu claim, mu. It is computed
//   * exactly, by enumeration, while (number of actions)^T is small;
//   * for mu, as the largest mu that a beam of exact paths forces (no noise);
//   * otherwise by the Rao-Blackwell estimate of the symmetrised Kullback-Leibler divergence
//         J = E_P[sum_t KL(pi_t || pi'_t)] + E_Q[sum_t KL(pi'_t || pi_t)],                   (1)
//     smooth and of low variance, and the best few are ranked again by sampled delta(eps).
// Candidates share their random streams (common random numbers): that is for ranking only; whatever
// is certified afterwards uses fresh streams of another phase.
//
// Start: structural seeds (change at the first pull, extreme values, all-equal, alternating and
// switching rewards). Then rounds of proposals around the best pair: another position, other
// values, a block of rewards set to one level; the best proposal of a round is taken if it
// improves.
//
// With a fixed base (an input file) only the position and the new value are searched.
// Determinism: a function of the seed; not of the number of threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "assay/auditors/methods/losses.hpp"
#include "assay/auditors/methods/pair_evidence.hpp"
#include "assay/auditors/methods/paths.hpp"
#include "assay/auditors/neighbours/reward_pair.hpp"

namespace assay {

struct PairSearchPlan {
  PrivacyLevel claim = PureDp{};
  std::int64_t horizon = 1;
  int action_count = 2;
  std::int64_t first_free_round = 1;  // first round after the forced ones, for the structural seeds
  std::optional<RewardSequence> fixed_base;
  std::uint64_t seed = 0;
};

struct SearchResult {
  RewardPair pair;
  std::int64_t evaluated = 0;
  std::string how;  // one line for the report
};

// A batch of candidates to their objectives, in order.
using PairScorer = std::function<std::vector<double>(const std::vector<RewardPair>&)>;

// The two objectives: `coarse` ranks candidates, `fine` ranks the best few of them once more.
struct PairObjective {
  PairScorer coarse;
  PairScorer fine;  // empty where coarse is exact already
  std::string name;
  std::int64_t budget = 0;  // evaluations of `coarse`
};

std::vector<RewardPair> structural_seeds(const PairSearchPlan& plan);

SearchResult search_worst_pair(const PairSearchPlan& plan, const PairObjective& objective,
                               const RunControl& control);

namespace detail {

inline constexpr std::int64_t kExactSearchLimit = 8192;  // transcripts

// (1) on `transcripts` a side.
template <PairProcess Process>
double symmetrised_divergence(const Process& fresh, std::uint64_t seed, std::int64_t transcripts) {
  const auto actions = static_cast<std::size_t>(fresh.action_count());
  std::vector<double> log_p(actions);
  std::vector<double> log_q(actions);
  double total = 0.0;
  Process process = fresh;
  for (const Side side : {Side::kOld, Side::kNew}) {
    for (std::int64_t r = 0; r < transcripts; ++r) {
      ReplayStream random({seed, hash_purpose("search"), static_cast<std::uint64_t>(r),
                           side_lane(side), Phase::kSearch});
      process.restart();
      for (std::int64_t t = 0; t < process.horizon(); ++t) {
        if (!process.agrees() && !process.forced()) {
          process.log_probabilities(ArgmaxPrecision::kSampling, log_p, log_q);
          const auto& a = side == Side::kOld ? log_p : log_q;
          const auto& b = side == Side::kOld ? log_q : log_p;
          for (std::size_t i = 0; i < actions; ++i) total += portable_exp(a[i]) * (a[i] - b[i]);
        }
        process.advance(process.draw(side, random));
      }
    }
  }
  return total / static_cast<double>(transcripts);
}

// delta(eps) from `transcripts` a side, larger orientation.
template <PairProcess Process>
double sampled_delta(const Process& fresh, double epsilon, std::uint64_t seed,
                     std::int64_t transcripts) {
  double best = 0.0;
  Process process = fresh;
  for (const Side side : {Side::kOld, Side::kNew}) {
    double sum = 0.0;
    for (std::int64_t r = 0; r < transcripts; ++r) {
      const StreamId id{seed, hash_purpose("search/delta"), static_cast<std::uint64_t>(r),
                        side_lane(side), Phase::kSearch};
      const double loss = sample_loss(process, side, ReplayStream(id), nullptr);
      const double toward = side == Side::kOld ? loss : -loss;
      if (toward > epsilon) sum -= portable_expm1(epsilon - toward);
    }
    best = std::max(best, sum / static_cast<double>(transcripts));
  }
  return best;
}

template <PairProcess Process>
double exact_objective(const Process& fresh, const ClaimedQuantity& claimed) {
  auto laws = enumerate_transcripts(fresh, 1);
  if (!laws) return 0.0;
  const auto exact = ExactLoss::create(std::move(*laws));
  if (!exact) return 0.0;
  if (claimed.kind == QuantityKind::kMu) return exact->mu().lower.value.value;
  if (claimed.limit == 0.0) {  // a pure claim: the largest loss
    return std::max(exact->largest_loss(Orientation::kOldToNew),
                    exact->largest_loss(Orientation::kNewToOld));
  }
  const Epsilon epsilon{claimed.at};
  return std::max(exact->delta(epsilon, Orientation::kOldToNew).lower.value.value,
                  exact->delta(epsilon, Orientation::kNewToOld).lower.value.value);
}

template <class Factory>
PairScorer parallel_scorer(Factory make, const RunControl& control,
                           std::function<double(const decltype(make(RewardPair{}))&)> score) {
  return [make, &control, score](const std::vector<RewardPair>& pairs) {
    std::vector<double> scores(pairs.size());
    parallel_for(control.threads, pairs.size(),
                 [&](std::size_t i) { scores[i] = score(make(pairs[i])); });
    return scores;
  };
}

}  // namespace detail

// `make(pair)` returns the fresh pair process of a RewardPair. `control` must outlive the
// objective.
template <class Factory>
PairObjective make_objective(Factory make, const PairSearchPlan& plan, const RunControl& control) {
  using Process = decltype(make(RewardPair{}));
  const ClaimedQuantity claimed = claimed_quantity(plan.claim);
  const std::int64_t sampled_budget =
      std::clamp<std::int64_t>(100'000 / (plan.horizon * plan.action_count), 48, 600);
  const auto transcripts = detail::count_transcripts(plan.action_count, plan.horizon);
  PairObjective objective;
  if (transcripts && *transcripts <= detail::kExactSearchLimit) {
    objective.name = "exact enumeration";
    objective.budget = std::clamp<std::int64_t>(400'000 / *transcripts, 250, 1000);
    objective.coarse = detail::parallel_scorer(
        make, control, [claimed](const Process& p) { return detail::exact_objective(p, claimed); });
    return objective;
  }
  if (claimed.kind == QuantityKind::kMu || claimed.limit == 0.0) {
    constexpr int kBeam = 4;
    objective.name = "exact low-probability paths";
    objective.budget = sampled_budget;
    objective.coarse = detail::parallel_scorer(make, control, [claimed](const Process& p) {
      const auto found = search_paths(p, kBeam, 1);
      return claimed.kind == QuantityKind::kMu ? found.largest_mu.mu.value.value
                                               : std::fabs(found.largest_loss.loss());
    });
    return objective;
  }
  constexpr std::int64_t kCoarse = 8;
  constexpr std::int64_t kFine = 1024;
  objective.name = "sampled divergence, then sampled delta(eps)";
  objective.budget = sampled_budget;
  const std::uint64_t seed = plan.seed;
  objective.coarse = detail::parallel_scorer(make, control, [seed](const Process& p) {
    return detail::symmetrised_divergence(p, seed, kCoarse);
  });
  objective.fine = detail::parallel_scorer(make, control, [seed, claimed](const Process& p) {
    return detail::sampled_delta(p, claimed.at, seed, kFine);
  });
  return objective;
}

}  // namespace assay
