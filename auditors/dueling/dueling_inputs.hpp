// Preference sequences whose neighbours tell much: inputs of kind dueling, of one order of the arms
// that a share of the rounds reverses.
//
// In round t the lower of two arms of `order` wins, or in a share of the rounds, spread evenly over
// the turns, the higher: all arms together, so that one base has few numbers that differ. A changed
// round has all its outcomes reversed, whatever duel it plays, or that of one pair alone.
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
  std::int64_t turn = 1;        // rounds that share an order, arms playing first in turn
  double reversed = 0.0;        // the share
  std::vector<int> order = {};  // empty: by index
};

std::shared_ptr<const InputTable> dueling_base(const DuelingBase& base);
// The changed round: all outcomes reversed.
InputPair reversed_round(const std::shared_ptr<const InputTable>& base, std::int64_t arms,
                         std::int64_t round);
// That of arms i and j alone.
InputPair reversed_duel(const std::shared_ptr<const InputTable>& base, std::int64_t arms,
                        std::int64_t round, int i, int j);

// What a list of pairs is made for.
struct DuelingPairs {
  std::int64_t arms = 2;
  std::int64_t horizon = 1;
  bool in_turn = true;  // arms play first in turn; else pairs in blocks
  std::size_t most = 24;
  // Rounds worth changing of a base, the most telling first: where something is decided.
  std::function<std::vector<std::int64_t>(const std::shared_ptr<const InputTable>&)> rounds;
};

// The worst known first.
std::vector<InputPair> hard_dueling_pairs(const DuelingPairs& plan);
// The same rounds of a given base.
std::vector<InputPair> dueling_pairs_beside(const DuelingPairs& plan,
                                            const std::shared_ptr<const InputTable>& base);
// Any order, share and round; beside `base` where it is given, any round.
InputPair random_dueling_pair(const DuelingPairs& plan,
                              const std::shared_ptr<const InputTable>& base, ReplayStream random);

}  // namespace assay
