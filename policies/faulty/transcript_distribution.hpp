// The distribution of a policy's transcripts on one input, as a list of cells, from which the exact
// privacy losses of small sequential policies follow.
//
// A cell is one transcript, or all transcripts among which the policy chooses by a distribution that is
// the same on every input. They have the loss of the cell, so that grouping them loses nothing.
//   eps of a pair = max over cells and both directions of |log(P(cell)/Q(cell))|               (1)
//
// Threads: pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <span>

#include "assay/mechanisms/faulty/output_cells.hpp"

namespace assay::faulty {

using TranscriptDistribution = std::map<std::uint64_t, double>;  // probability by cell

// Actions 0 and 1 as bits, the first the highest. At most 64 of them.
std::uint64_t transcript_key(std::span<const double> actions);

// The cells of both distributions; a cell that one of them lacks has probability 0 there.
OutputCells cells_of(const TranscriptDistribution& p, const TranscriptDistribution& q);

// (1); infinite if one input allows a cell that the other does not.
double exact_epsilon(const OutputCells& cells);

}  // namespace assay::faulty
