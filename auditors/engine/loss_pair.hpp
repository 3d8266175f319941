// Neighbouring loss sequences: equal but for the vector of one round ("replace one loss vector").
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "assay/policies/inputs/loss_sequence.hpp"

namespace assay {

struct LossPair {
  LossSequence losses;        // with the old vector
  std::int64_t position = 1;  // round of the changed vector, in 1..T
  std::vector<double> new_row;

  std::span<const double> old_row() const { return losses.row(position - 1); }
  // The vector of a round counted from 0, on the new side.
  std::span<const double> new_side(std::int64_t round) const {
    return round + 1 == position ? std::span<const double>(new_row) : losses.row(round);
  }
  bool differs() const {
    return !std::equal(new_row.begin(), new_row.end(), old_row().begin(), old_row().end());
  }
  friend bool operator==(const LossPair&, const LossPair&) = default;
};

}  // namespace assay
