// Where a policy decides: on a path of neighbours, the step at which its outputs change most.
//
// Inputs x_0, ..., x_n of a path differ step by step as neighbours do. Whatever the outputs at its ends differ
// by comes about at some step; a policy that adds too little noise to what it compares changes all at once,
// at a threshold that nobody has to know. Eight inputs spread over the path are played, then the three
// stretches whose ends are farthest apart are halved until a step is left, by
//     D(x, y) = max over entries of an output of sup |F_x - F_y|,   F: empirical law of the entry.   (1)
// The largest entry and not their sum: what is decided early, with enough noise, shows in more of them.
// Paths lead from a stream that favours one arm, in batches of 1, 2, 4, ... rounds, to its opposite, round
// by round; for rows of several numbers from one column against all others to the reverse; for a mechanism
// through moves that its neighbours allow.
//
// Nothing here certifies: plays have streams of the search, and pairs are candidates as any others.
// Cost: at most 12 paths, each 8 + 3 log2(n/7) inputs, played at most 64 times.
#pragma once

#include <cstdint>
#include <vector>

#include "assay/auditors/methods/black_box/players.hpp"
#include "assay/policies/inputs/input_table.hpp"

namespace assay {

struct BoundaryPairs {
  std::vector<InputPair> pairs;  // the farthest step first
  std::int64_t plays = 0;
};

// At most `most` different pairs, from at most `plays` plays: none where an input would get too few of them, and
// none that are apart by no more than luck explains, or `allowed`, the total variation that a claim lets a step
// have; a pair too many costs a few plays, one too few the verdict. A function of the seed where the target draws
// everything from its own. Errors: the target's, interruption.
Result<BoundaryPairs> boundary_pairs(Players& players, std::uint64_t seed, std::size_t most,
                                     std::int64_t plays, double allowed, const RunControl& control);

}  // namespace assay
