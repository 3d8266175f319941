// The entries of an input that move the output most, for a target that draws everything from its seeds.
//
// Such a target is a function of input and seed. Under one seed, the outputs for an input and for the same input with
// one entry changed differ by what this entry does, and no noise hides it: one run an entry finds the value of 64
// that has five times the weight of the others. An entry is a value of a mechanism, or a round. Many entries are
// changed in blocks first; the blocks that move the output most are divided, until single entries remain. By
//     d(y, y') = sum over the numbers of an output of |y - y'|, and the number of actions that differ,     (1)
// added over 2 to 64 seeds, as the runs allow, and over inputs that are all low, all high or different from each other.
//
// Nothing here certifies. The runs use a stream of the search, and the pairs are candidates like any others, to be
// certified with seeds of another phase.
// Cost: at most the given runs, and at least 2 x 3 x 65 for 64 entries; with more, 32 a base for a factor of 4.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assay/auditors/methods/black_box/boundary_pairs.hpp"

namespace assay {

// (1), of two outputs. A number that is not finite in one of them only differs by 1e9.
double output_distance(const OutputLayout& layout, std::span<const double> a,
                       std::span<const double> b);

// At most `most` pairs, the entry that matters most first; none if neighbours do not differ in one entry. Errors: the
// target's, interruption.
Result<BoundaryPairs> pairs_at_sensitive_entries(Players& players, std::uint64_t seed,
                                                 std::size_t most, std::int64_t runs,
                                                 const RunControl& control);

}  // namespace assay
