// Values within the domain that a target treats unlike the values beside them, for a target that draws everything from
// its seeds.
//
// Pairs at the ends of a domain do not show that a reward of exactly 0.5, a value from 0.6 to 0.7, or a code for a missing
// value is treated in another way. So the search runs the inputs x_0, ..., x_100 whose entries are all alike, at
// hundredths of the domain, under the same seeds. Between neighbours of this list the outputs of most targets
// move little, and no noise hides it. The values at steps that move them 10 times as far as the mean of all steps are
// tried in the first row, against either end of the domain. One more pair makes two of many different rows equal.
//
// Nothing here certifies. The runs use a stream of the search, and the pairs are candidates like any others.
// Cost: 101 inputs with at most 32 runs each.
#pragma once

#include <cstdint>
#include <vector>

#include "assay/auditors/methods/black_box/boundary_pairs.hpp"

namespace assay {

// At most `most` pairs, the value that stands out most first; none for kinds without such values (duels, mechanisms
// without a bounded domain or whose values move together). Errors: the target's, interruption.
Result<BoundaryPairs> pairs_at_special_values(Players& players, std::uint64_t seed,
                                              std::size_t most, std::int64_t runs,
                                              const RunControl& control);

}  // namespace assay
