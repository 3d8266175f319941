// Sequences of rounds with informative neighbours: inputs of FLIPHAT that consist of records at the bounds of clipping,
// and of contexts that read the released vector.
//
// Episode l, n = 2^l rounds, has records that do not depend on the arm: all arms of a round have the same context and
// reward. One changes from (x, R) to (x, -R) with |x_j| = x_max, so every v_j of the first iteration moves by eta c 2
// x_max R/n at once. The others lift coordinate j to its own size,
//   x_j = o_j x_max, y = lift R,                                                                (1)
// so |v| grows where the changed record has the sign o_j and shrinks elsewhere, and both indices and values reveal it.
// Both inputs share the contexts of episode l + 1: the second arm has w, all others 0, and the second arm is played if
//   <w, beta> > 0,                                                                              (2)
// beta the released estimate. First w = g, the direction of the difference between v on D and on D'. Then come g_j of
// one coordinate after another, which reveal how many of the growing ones were taken. Then comes g with the shrinking
// coordinates weighted by a grid: thresholds on the ratio of both sums, which reveal the values. Split designs are
// those of niht.hpp's sensitivity: (x, -R) with x = x_max, of which D' turns all entries but the first s/2, the lifted
// ones.
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
  std::int64_t used = 1;  // the number of first coordinates at which records are not 0
  std::int64_t up = 1;    // the number of these with o_j = 1, the first ones; the rest have -1
  double lift = 1.0;
  bool thresholds_first = false;  // before coordinates, if rounds are few
};

InputPair sparse_pair(const EpisodesConfig& config, const SparseDesign& design);

// An episode with records that a call of some iterations reads, and the scale of its noise.
struct ReadEpisode {
  std::int64_t episode = 0;
  double scale = 0.0;
};

// The setting of a list of pairs.
struct SparsePairs {
  EpisodesConfig config;
  std::vector<ReadEpisode> episodes;  // at least one
  std::size_t most = 12;
};

// The pairs to try; the worst known pair comes first.
std::vector<InputPair> hard_sparse_pairs(const SparsePairs& plan);
// Pairs of a given base: the first round of each of those episodes, replaced by one at the bounds
// of clipping.
std::vector<InputPair> sparse_pairs_beside(const SparsePairs& plan,
                                           const std::shared_ptr<const InputTable>& base);
// A random pair of any design, or, if `base` is given, any round of those episodes with random signs of its
// neighbouring contexts.
InputPair random_sparse_pair(const SparsePairs& plan, const std::shared_ptr<const InputTable>& base,
                             ReplayStream random);

}  // namespace assay
