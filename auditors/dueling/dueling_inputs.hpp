// Preference sequences with informative neighbours: inputs of kind dueling with one order of the arms, which
// is reversed in a share of the rounds.
//
// In round t the lower of two arms of `order` wins, or the higher in a share of the rounds that is
// spread evenly over the turns. All arms are reversed together, so that a base has few different
// rows. A changed round has all its outcomes reversed, for any duel, or that of one pair alone.
// Threads: pure functions.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/policies/inputs/input_table.hpp"

namespace assay {

struct DuelingBase {
  std::int64_t arms = 2;
  std::int64_t horizon = 1;
  std::int64_t turn = 1;        // rounds that share an order, arms going first in turn
  double reversed = 0.0;        // the share
  std::vector<int> order = {};  // if empty, the arms are ordered by index
};

std::shared_ptr<const InputTable> dueling_base(const DuelingBase& base);
// The pair in which all outcomes of the changed round are reversed.
InputPair reversed_round(const std::shared_ptr<const InputTable>& base, std::int64_t arms,
                         std::int64_t round);
// The pair in which the outcome of arms i and j is reversed in the changed round.
InputPair reversed_duel(const std::shared_ptr<const InputTable>& base, std::int64_t arms,
                        std::int64_t round, int i, int j);

// The setting of a list of pairs.
struct DuelingPairs {
  std::int64_t arms = 2;
  std::int64_t horizon = 1;
  bool in_turn = true;  // arms go first in turn; else pairs in blocks
  std::size_t most = 24;
  // Rounds of a base to change, the most informative first: those that decide something.
  std::function<std::vector<std::int64_t>(const std::shared_ptr<const InputTable>&)> rounds;
};

// The pairs to try; the worst known pair comes first.
std::vector<InputPair> hard_dueling_pairs(const DuelingPairs& plan);
// Pairs of a given base, at the same rounds.
std::vector<InputPair> dueling_pairs_beside(const DuelingPairs& plan,
                                            const std::shared_ptr<const InputTable>& base);
// A random pair: any order, share and round, or any round of `base` if it is given.
InputPair random_dueling_pair(const DuelingPairs& plan,
                              const std::shared_ptr<const InputTable>& base, ReplayStream random);

}  // namespace assay
