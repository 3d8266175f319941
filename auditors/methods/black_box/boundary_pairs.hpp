// Finds decision boundaries of a policy: on a path of neighbours, the step at which its outputs change most.
//
// The inputs x_0, ..., x_n of a path differ step by step as neighbours do. Any difference between the outputs at its
// ends arises at some step. A policy that adds too little noise to the values that it compares changes its outputs at
// one step, at a threshold that nobody has to know. The search runs eight inputs spread over the path, then halves the
// three intervals whose ends are farthest apart until single steps remain, by
//     D(x, y) = max over entries of an output of sup |F_x - F_y|,   F: empirical distribution of the entry.   (1)
// It takes the largest entry and not their sum, because an early decision with enough noise shows in more of them.
// Paths lead from a stream that favours one arm, in batches of 1, 2, 4, ... rounds, to its opposite, round
// by round; for rows of several numbers from one column against all others to the reverse; for a mechanism
// through moves that its neighbours allow.
//
// This certifies nothing. The runs use streams of the search, and the pairs are candidates like any others.
// Cost: at most 12 paths, each with 8 + 3 log2(n/7) inputs of at most 64 runs.
#pragma once

#include <cstdint>
#include <vector>

#include "assay/auditors/methods/black_box/players.hpp"
#include "assay/policies/inputs/input_table.hpp"

namespace assay {

struct BoundaryPairs {
  std::vector<InputPair> pairs;  // the largest distance first
  std::int64_t runs = 0;
};

// At most `most` different pairs, from at most `runs` runs; none if an input would get too few runs. A distance that
// chance explains gives no pair, and neither does one of at most `allowed` (the total variation that a claim allows for
// a step). An extra pair costs a few runs; a missing pair may cost the verdict. The result depends on the seed alone if
// the target draws all its random numbers from its seeds. Errors: those of the target, interruption.
Result<BoundaryPairs> boundary_pairs(Players& players, std::uint64_t seed, std::size_t most,
                                     std::int64_t runs, double allowed, const RunControl& control);

}  // namespace assay
