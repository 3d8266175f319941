// The law of a policy's transcripts on one input, as a list of cells: what exact privacy losses of
// small sequential policies are computed from.
//
// A cell is one transcript, or all transcripts among which the policy chooses by a law that no
// input changes: their common loss is that of the cell, so nothing is lost by taking them together.
//   eps of a pair = max over cells and both directions of |log(P(cell)/Q(cell))|               (1)
//
// Threads: pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <span>

#include "assay/mechanisms/faulty/output_cells.hpp"

namespace assay::faulty {

using TranscriptLaw = std::map<std::uint64_t, double>;  // probability by cell

// Actions 0 and 1 as bits, the first the highest. At most 64 of them.
std::uint64_t transcript_key(std::span<const double> actions);

// Cells of both laws; one that a law lacks has probability 0 there.
OutputCells cells_of(const TranscriptLaw& p, const TranscriptLaw& q);

// (1); infinite where one input allows a cell that the other does not.
double exact_epsilon(const OutputCells& cells);

}  // namespace assay::faulty
