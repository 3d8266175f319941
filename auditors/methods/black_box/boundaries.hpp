// Where a policy of actions decides: neighbours on either side of a boundary, found by halving.
//
// A policy that holds sums against a threshold leaks only where the threshold lies, which nobody knows. A path
// from one input to another that changes a row at a time has neighbours at each step, and whatever the
// plays of its two ends differ by has to come about somewhere between: some step differs by at least its
// share. Inputs spread over the path are played first, then the stretches whose ends differ most are
// halved until a step is left. How two inputs differ is the largest difference of how often an action
// was seen at its place. The paths lead from all rows at 0 to all at 1, in the first column or in all, for duels
// from one order to its reverse, and back: the same rows from the other end.
//
// Nothing that is found here is believed: the pairs are candidates like any others.
// Threads: results do not depend on their number. Cost: per path 8 inputs and 2 a halving, up to 128 plays each.
#pragma once

#include <cstdint>
#include <vector>

#include "assay/auditors/methods/black_box/players.hpp"
#include "assay/mechanisms/core/progress.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

struct BoundaryPairs {
  std::vector<InputPair>
      pairs;  // two of each path, those that differed most first; none of a mechanism
  std::int64_t plays = 0;
};

// At most `most` plays; none where an input would get fewer than 16. Errors: the target's, interruption.
Result<BoundaryPairs> boundary_pairs(Players& players, std::int64_t most, std::uint64_t seed,
                                     const RunControl& control);

}  // namespace assay
