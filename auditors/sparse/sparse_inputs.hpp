// Sequences of rounds whose neighbours tell much: inputs of FLIPHAT made of records at the bounds of clipping,
// and of contexts that read the released vector.
//
// Episode l, n = 2^l rounds, has records that do not depend on the arm: all arms of a round have the same
// context and reward. One is changed, from (x, R) to (x, -R) with |x_j| = x_max: every v_j of the first
// iteration moves by eta c 2 x_max R/n at once. The others lift coordinate j to a size of its own,
//   x_j = o_j x_max, y = lift R,                                                                (1)
// so that |v| grows where the changed record has the sign o_j, and shrinks elsewhere: indices and values tell.
// Contexts of episode l + 1 are input of both sides: the second arm has w, all others 0, and is played where
//   <w, beta> > 0,                                                                              (2)
// beta what was released. First w = g, the way in which the old side's v differs from the new one's; then g
// with the shrinking coordinates weighed by a grid, thresholds on the ratio of both sums; then one g_j each.
// Split designs are those of niht.hpp's sensitivity: (x, -R) with x = x_max, of which the new side turns
// all entries but the first s, the lifted ones.
// Threads: pure functions.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/policies/inputs/input_table.hpp"
#include "assay/policies/sparse/greedy_episodes.hpp"

namespace assay {

enum class ChangedRecord { kAcross, kAlong, kSplit };  // x = x_max; x_j = o_j x_max; as above

struct SparseDesign {
  std::int64_t episode = 1;  // l
  ChangedRecord record = ChangedRecord::kAcross;
  std::int64_t used = 1;  // coordinates that records are not 0 at, the first ones
  std::int64_t up = 1;    // of them with o_j = 1, the first; the rest have -1
  double lift = 1.0;
  bool grid = true;  // of w, before single coordinates
};

InputPair sparse_pair(const EpisodesConfig& config, const SparseDesign& design);

// What a list of pairs is made for.
struct SparsePairs {
  EpisodesConfig config;
  std::vector<std::int64_t> episodes;  // that calls of some iterations read; at least one
  std::size_t most = 12;
};

// The worst known first.
std::vector<InputPair> hard_sparse_pairs(const SparsePairs& plan);
// The first round of each of those episodes replaced by one at the bounds of clipping.
std::vector<InputPair> sparse_pairs_beside(const SparsePairs& plan,
                                           const std::shared_ptr<const InputTable>& base);
// Any design; beside `base`, where it is given, any round of those episodes and signs of its new contexts.
InputPair random_sparse_pair(const SparsePairs& plan, const std::shared_ptr<const InputTable>& base,
                             ReplayStream random);

}  // namespace assay
