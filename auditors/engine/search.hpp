// Search for the neighbouring pair of inputs with the largest loss, over tables that differ in one round.
//
// Objective: delta(eps) for an (eps, delta) claim, mu for a mu claim. It is computed
//   * exactly, by enumeration, while (number of actions)^T is small;
//   * for mu, as the largest mu that a beam of exact paths implies (no noise);
//   * otherwise by the Rao-Blackwell estimate of the symmetrised Kullback-Leibler divergence
//         J = E_P[sum_t KL(pi_t || pi'_t)] + E_Q[sum_t KL(pi'_t || pi_t)],                   (1)
//     smooth and of low variance. Then sampled delta(eps) ranks the best few again.
// Candidates share their random streams (common random numbers), for ranking only. The certification
// uses fresh streams of another phase.
//
// The search starts from structural seeds (change at the first pull, extreme values, all-equal,
// alternating and switching rows). Then it makes rounds of proposals around the best pair: another
// position, other values, a block of rows set to one level. It takes the best proposal of a round if
// that improves.
//
// With a fixed base (an input file) it searches only the position and the changed value.
//
// Budgets. The sizes alone give the estimated cost of a pair, and so the number of pairs that are tried unless the
// plan states it (kSearchWork). If whole streams take too long, the search examines their first rounds, and if
// that takes too long as well, it takes the first structural pair. A search that its control stops keeps the
// pairs scored before the first that was not, so that the same search with that many pairs finds the same one. A
// candidate is a short list of edits of a shared base, and becomes a pair only while it is scored.
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

// The moves that a subject allows the search.
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
  bool stopped = false;   // by the control
  std::string how;        // one line for the report
  bool is_worst = false;  // of all pairs, by proof
};

// The score of one pair, on one thread; NaN if it was stopped.
using PairScore = std::function<double(const InputPair&, const RunControl&)>;

// The two objectives: `coarse` ranks candidates, `fine` ranks the best few of them once more.
struct PairObjective {
  PairScore coarse;
  PairScore fine;  // empty if coarse is exact
  std::string name;
  std::int64_t budget = 0;  // evaluations of `coarse`, without the starts
  std::int64_t most = std::numeric_limits<std::int64_t>::max();    // with the starts
  std::int64_t rounds = std::numeric_limits<std::int64_t>::max();  // that `coarse` examines
};

// A fresh process of a pair.
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

// A pair as edits of a base: the changed row, and blocks of the others, where later blocks win.
struct PairCandidate {
  std::shared_ptr<const InputTable> base;
  std::vector<Block> blocks;
  std::int64_t changed = 0;
  std::vector<double> base_row;
  std::vector<double> neighbour_row;

  std::vector<double> unchanged(std::int64_t row) const;
  InputPair pair() const;  // shares the base if only the changed row differs
  // Makes a base of its own if there are more blocks than that, because reading them would cost more.
  void flatten(std::size_t most_blocks);
};

std::vector<PairCandidate> structural_seeds(const PairSearchPlan& plan);

}  // namespace detail

}  // namespace assay
