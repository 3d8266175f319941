// Where a policy decides: on a path of neighbours, the step at which its outputs change most.
//
// Inputs x_0, ..., x_n of a path differ step by step as neighbours do. Where the outputs at its ends differ,
// some step leaks; a policy that adds too little noise to what it compares changes all at once, at a
// threshold that nobody has to know. A path may pass several, gentle ones before a sharp one, and end as it
// began: eight parts of each are looked at, then the stretches over which the outputs move farthest are
// bisected, both halves kept, until those that move farthest are steps. Outputs move by
//     D(x, y) = max over entries of an output of sup |F_x - F_y|,   F: empirical law of the entry.   (1)
// Paths lead from a stream that favours one arm, in batches of 1, 2, 4, ... rounds, to its opposite, round
// by round; for rows of several numbers from one column against all others to the reverse; for a mechanism
// through moves that its neighbours allow.
//
// Nothing here certifies: plays have streams of the search, and pairs are candidates as any others.
// Cost: at most 12 paths of 18 inputs, played at most 64 times.
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

// At most `most` different pairs, none where outputs change little, from at most `plays` plays: none where an
// input would get too few of them. A function of the seed where the target draws everything from its own.
// Errors: the target's, interruption.
Result<BoundaryPairs> boundary_pairs(Players& players, std::uint64_t seed, std::size_t most,
                                     std::int64_t plays, const RunControl& control);

}  // namespace assay
