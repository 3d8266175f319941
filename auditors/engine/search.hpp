// Searches for the pair of neighbouring inputs with the largest loss. The inputs are tables that differ in one round.
//
// The objective is delta(eps) for an (eps, delta) claim, and mu for a mu claim. The search computes it
//   * exactly, by enumeration, while (number of actions)^T is small;
//   * for mu, as the largest mu that the exact probabilities of some paths imply (a beam; no noise);
//   * otherwise by the Rao-Blackwell estimate of the symmetrised Kullback-Leibler divergence
//         J = E_P[sum_t KL(pi_t || pi'_t)] + E_Q[sum_t KL(pi'_t || pi_t)],                   (1)
//     which is smooth and has low variance. Then a sampled delta(eps) ranks the best few once more.
// Candidates share their random streams (common random numbers), which only affects the ranking. The
// certification uses fresh streams of another phase.
//
// The search starts from structural pairs (a change at the first pull; extreme values; rows that are all
// equal, alternate, or switch). Then it makes proposals around the best pair, in rounds: another
// position, other values, a block of rows set to one level. It takes the best proposal of a round if it is
// an improvement.
//
// If the base is fixed (an input file), it searches only the position and the changed value.
//
// Budgets. Unless the plan states the number of pairs to try, the search derives it from the estimated cost of a
// pair, which depends on the sizes alone (kSearchWork). If whole streams take too long, the search examines their
// first rounds, and if that takes too long as well, it takes the first structural pair. If its control stops the
// search, it keeps the pairs up to the first that was not scored, so that the same search with that many pairs finds
// the same pair. A candidate is a short list of edits of a shared base, and becomes a pair only while it is scored.
// Determinism: the result depends on the seed, and not on the number of threads.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assay/auditors/methods/pair_evidence.hpp"
#include "assay/auditors/methods/pair_process.hpp"
#include "assay/mechanisms/core/progress.hpp"
#include "assay/policies/inputs/input_table.hpp"

namespace assay {

// The changes of a row that a subject allows the search to make.
struct PairMoves {
  // Values that a row may take; the first and the last are the extremes.
  std::vector<std::vector<double>> levels = {{0.0}, {0.25}, {0.5}, {0.75}, {1.0}};
  std::int64_t first_free_round = 1;  // the first round after the forced ones, for structural pairs
};

struct PairSearchPlan {
  PrivacyLevel claim = PureDp{};
  std::int64_t horizon = 1;
  int action_count = 2;
  PairMoves moves;
  std::shared_ptr<const InputTable> fixed_base;  // null if the base is free
  std::uint64_t seed = 0;
  std::optional<std::int64_t> most_pairs;  // the number of pairs to score; default: by the sizes
};

struct SearchResult {
  InputPair pair;
  std::int64_t evaluated = 0;
  bool stopped = false;   // whether the control stopped the search
  std::string how;        // how the pair was found, one line for the report
  bool is_worst = false;  // whether the pair is proved to be the worst of all pairs
};

// The score of one pair, on one thread; NaN if it was stopped.
using PairScore = std::function<double(const InputPair&, const RunControl&)>;

// The two objectives: `coarse` ranks candidates, `fine` ranks the best few of them once more.
struct PairObjective {
  PairScore coarse;
  PairScore fine;  // empty if coarse is exact
  std::string name;
  std::int64_t budget = 0;  // evaluations of `coarse`, not counting the first pairs
  std::int64_t most = std::numeric_limits<std::int64_t>::max();  // the same, counting them
  // The rounds that `coarse` examines.
  std::int64_t rounds = std::numeric_limits<std::int64_t>::max();
};

// Makes a fresh process for a pair.
using ProcessOfPair = std::function<std::unique_ptr<PairProcess>(const InputPair&)>;
PairObjective make_objective(const ProcessOfPair& make, const PairSearchPlan& plan);

SearchResult search_worst_pair(const PairSearchPlan& plan, const PairObjective& objective,
                               const RunControl& control);

namespace detail {

// The claimed quantity of one enumerated pair; 0 if it cannot be certified.
double exact_objective(const PairProcess& fresh, const ClaimedQuantity& claimed,
                       const RunControl& control = {});

// Rows [first, end), counted from 0, all with one value.
struct Block {
  std::int64_t first = 0;
  std::int64_t end = 0;
  std::vector<double> row;
};

// A pair as edits of a base: the changed row, and blocks of other rows. Where blocks overlap, the later one counts.
struct PairCandidate {
  std::shared_ptr<const InputTable> base;
  std::vector<Block> blocks;
  std::int64_t changed = 0;
  std::vector<double> base_row;
  std::vector<double> neighbour_row;

  std::vector<double> unchanged(std::int64_t row) const;
  InputPair pair() const;  // shares the base if only the changed row differs
  // Applies the blocks to a copy of the base if there are more than `most_blocks`, because reading many is slow.
  void flatten(std::size_t most_blocks);
};

std::vector<PairCandidate> structural_seeds(const PairSearchPlan& plan);

}  // namespace detail

}  // namespace assay
