// Search for the neighbouring pair of inputs that loses the most: tables of rounds that differ in one.
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
// switching rows). Then rounds of proposals around the best pair: another position, other
// values, a block of rows set to one level; the best proposal of a round is taken if it
// improves.
//
// With a fixed base (an input file) only the position and the new value are searched.
//
// Budgets. What a pair takes is estimated from the sizes alone, and so is how many pairs are tried
// unless the plan says (kSearchWork): of streams too long for that the first rounds are looked at, and
// where even that is too much the first structural pair is taken as it is. A search that its control
// stops keeps the pairs scored before the first that was not, so that the same search with that many
// pairs finds the same one. A candidate is a short list of edits of a base that many share, and becomes
// a pair while it is scored.
// Determinism: a function of the seed; not of the number of threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assay/auditors/methods/losses.hpp"
#include "assay/auditors/methods/pair_evidence.hpp"
#include "assay/auditors/methods/paths.hpp"
#include "assay/policies/inputs/input_table.hpp"

namespace assay {

// What a subject lets the search do.
struct PairMoves {
  // Values that a row may take; the first and the last are the extremes.
  std::vector<std::vector<double>> levels = {{0.0}, {0.25}, {0.5}, {0.75}, {1.0}};
  std::int64_t first_free_round = 1;  // first round after the forced ones, for the structural seeds
};

struct PairSearchPlan {
  PrivacyLevel claim = PureDp{};
  std::int64_t horizon = 1;
  int action_count = 2;
  PairMoves moves;
  std::shared_ptr<const InputTable> fixed_base;  // or none
  std::uint64_t seed = 0;
  std::optional<std::int64_t> most_pairs;  // to be scored; default: by the sizes
};

struct SearchResult {
  InputPair pair;
  std::int64_t evaluated = 0;
  bool stopped = false;  // by the control
  std::string how;       // one line for the report
};

// Of one pair, on one thread; NaN where it was stopped.
using PairScore = std::function<double(const InputPair&, const RunControl&)>;

// The two objectives: `coarse` ranks candidates, `fine` ranks the best few of them once more.
struct PairObjective {
  PairScore coarse;
  PairScore fine;  // empty where coarse is exact already
  std::string name;
  std::int64_t budget = 0;  // evaluations of `coarse`, but for the starts
  std::int64_t most = std::numeric_limits<std::int64_t>::max();    // with the starts
  std::int64_t rounds = std::numeric_limits<std::int64_t>::max();  // that `coarse` looks at
};

SearchResult search_worst_pair(const PairSearchPlan& plan, const PairObjective& objective,
                               const RunControl& control);

namespace detail {

inline constexpr std::int64_t kExactSearchLimit = 8192;  // transcripts
inline constexpr double kSearchWork = 6e7;  // quarters of a microsecond, of each of the objectives
inline constexpr double kNotScored = std::numeric_limits<double>::quiet_NaN();

// (1) on `transcripts` a side, over the first `rounds`.
template <PairProcess Process>
double symmetrised_divergence(const Process& fresh, std::uint64_t seed, std::int64_t transcripts,
                              std::int64_t rounds, const RunControl& control) {
  const auto actions = static_cast<std::size_t>(fresh.action_count());
  std::vector<double> log_p(actions);
  std::vector<double> log_q(actions);
  double total = 0.0;
  Process process = fresh;
  StopPoll poll(control);
  for (const Side side : {Side::kOld, Side::kNew}) {
    for (std::int64_t r = 0; r < transcripts; ++r) {
      ReplayStream random({seed, hash_purpose("search"), static_cast<std::uint64_t>(r),
                           side_lane(side), Phase::kSearch});
      process.restart();
      for (std::int64_t t = 0; t < std::min(rounds, process.horizon()); ++t) {
        if (poll()) return kNotScored;
        if (!process.agrees() && !process.forced()) {
          if (!log_probabilities_unless(poll, process, ArgmaxPrecision::kSampling, log_p, log_q)) {
            return kNotScored;
          }
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
                     std::int64_t transcripts, const RunControl& control) {
  double best = 0.0;
  Process process = fresh;
  StopPoll poll(control);
  for (const Side side : {Side::kOld, Side::kNew}) {
    double sum = 0.0;
    for (std::int64_t r = 0; r < transcripts; ++r) {
      const StreamId id{seed, hash_purpose("search/delta"), static_cast<std::uint64_t>(r),
                        side_lane(side), Phase::kSearch};
      const double loss = sample_loss(process, side, ReplayStream(id), nullptr, poll);
      if (poll.stopped()) return kNotScored;
      const double toward = side == Side::kOld ? loss : -loss;
      if (toward > epsilon) sum -= portable_expm1(epsilon - toward);
    }
    best = std::max(best, sum / static_cast<double>(transcripts));
  }
  return best;
}

template <PairProcess Process>
double exact_objective(const Process& fresh, const ClaimedQuantity& claimed,
                       const RunControl& control = {}) {
  auto laws = enumerate_transcripts(fresh, control);
  if (!laws) return laws.error().code == ErrorCode::kInterrupted ? kNotScored : 0.0;
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

// Rows [first, end), counted from 0, all of one value.
struct Block {
  std::int64_t first = 0;
  std::int64_t end = 0;
  std::vector<double> row;
};

// A pair as edits of a base: the changed row, and blocks of the others, of which later ones win.
struct PairCandidate {
  std::shared_ptr<const InputTable> base;
  std::vector<Block> blocks;
  std::int64_t changed = 0;
  std::vector<double> old_row;
  std::vector<double> new_row;

  std::vector<double> unchanged(std::int64_t row) const;
  InputPair pair() const;  // of the base itself where nothing but the changed row differs
  // A base of its own once looking at the blocks would cost more than that.
  void flatten(std::size_t most_blocks);
};

std::vector<PairCandidate> structural_seeds(const PairSearchPlan& plan);

// How much of a stream `coarse` looks at, and how many pairs that allows; none where it is nothing.
struct CoarseSize {
  std::int64_t rounds = 0;
  std::int64_t pairs = 0;
};
CoarseSize coarse_size(const PairSearchPlan& plan, double work_of_a_round);

}  // namespace detail

// `make(pair)` returns the fresh pair process of an InputPair.
template <class Factory>
PairObjective make_objective(Factory make, const PairSearchPlan& plan) {
  const ClaimedQuantity claimed = claimed_quantity(plan.claim);
  const std::int64_t sampled_budget =
      std::clamp<std::int64_t>(100'000 / (plan.horizon * plan.action_count), 48, 600);
  const auto transcripts = detail::count_transcripts(plan.action_count, plan.horizon);
  const double round = detail::all_actions_work(plan.action_count);
  PairObjective objective;
  if (transcripts && *transcripts <= detail::kExactSearchLimit) {
    const double prefixes =
        static_cast<double>(*transcripts) / static_cast<double>(plan.action_count - 1);
    objective.name = "exact enumeration";
    objective.budget = std::clamp<std::int64_t>(400'000 / *transcripts, 250, 1000);
    objective.most = static_cast<std::int64_t>(detail::kSearchWork / (prefixes * round));
    objective.coarse = [make, claimed](const InputPair& pair, const RunControl& alone) {
      return detail::exact_objective(make(pair), claimed, alone);
    };
    return objective;
  }
  constexpr int kBeam = 4;             // four beams of this width take
  constexpr std::int64_t kCoarse = 8;  // as many rounds as this many transcripts a side
  const auto size = detail::coarse_size(plan, 16.0 * round);
  const std::int64_t rounds = size.rounds;
  objective.budget = sampled_budget;
  objective.most = size.pairs;
  objective.rounds = rounds;
  const auto name = [&](const char* what) {
    return rounds > 0 && rounds < plan.horizon
               ? std::string(what) + " over the first " + std::to_string(rounds) + " rounds"
               : std::string(what);
  };
  if (claimed.kind == QuantityKind::kMu || claimed.limit == 0.0) {
    objective.name = name("exact low-probability paths");
    objective.coarse = [make, claimed, rounds](const InputPair& pair, const RunControl& alone) {
      const auto process = make(pair);
      const auto found = search_paths(process, {kBeam, rounds}, alone);
      if (found.rounds < std::min(rounds, process.horizon()) || alone.stopped()) {
        return detail::kNotScored;
      }
      return claimed.kind == QuantityKind::kMu ? found.largest_mu.mu.value.value
                                               : std::fabs(found.largest_loss.loss());
    };
    return objective;
  }
  constexpr double kFine = 1024.0;
  constexpr double kFewestFine = 16.0;
  objective.name = name("sampled divergence");
  const std::uint64_t seed = plan.seed;
  objective.coarse = [make, seed, rounds](const InputPair& pair, const RunControl& alone) {
    return detail::symmetrised_divergence(make(pair), seed, kCoarse, rounds, alone);
  };
  const double played = 16.0 * static_cast<double>(plan.horizon) *
                        detail::one_action_work(plan.action_count);  // of eight finalists' sides
  const double fine = std::min(kFine, std::floor(2.0 * detail::kSearchWork / played));
  if (fine < kFewestFine) return objective;
  objective.name += ", then sampled delta(eps)";
  objective.fine = [make, seed, claimed, fine](const InputPair& pair, const RunControl& alone) {
    return detail::sampled_delta(make(pair), claimed.at, seed, static_cast<std::int64_t>(fine),
                                 alone);
  };
  return objective;
}

}  // namespace assay
