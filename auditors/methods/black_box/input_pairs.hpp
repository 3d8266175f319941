// Neighbouring inputs of a target, and where a black-box search begins.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assay/mechanisms/accounting/guarantee.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/policies/external/target.hpp"

namespace assay {

// Errors: shapes that differ, inputs that are equal or differ in more than one row.
Result<InputPair> pair_of(InputTable old_input, InputTable new_input);

// What makes the two inputs neighbours, and what of an output an adversary may see of them: of a
// contextual policy all actions but that of the changed row, whose context is the user's own.
Relation relation_of(const InputShape& shape, const InputPair& pair);
View view_of(const InputShape& shape);

// Pairs with a structure that leaks have been seen to like: constant, alternating and half-and-half
// streams; arms that are tied, or 8 against 7, in batches of 4, 8 and 16 rounds, for policies that compare;
// the change early (first pulls), at powers of two (ends of doubling epochs) and in the middle; from one
// extreme to the other. For experts mostly one expert against all others, which moves every comparison of
// losses. For duels tournaments on both sides: one order, its reverse, both in turn, or all arms tied; the
// whole order turns, one arm against all, or one duel. For a mechanism: one value moving by
// 1, at equal values and at values that fall apart. In a fixed order, at most `most`.
std::vector<InputPair> structural_pairs(const InputShape& shape, std::size_t most);

// Beside a pair that leaks, neighbours by the same relation: the change in another row, the tie shifted by
// one, what comes before or after it turned; of a mechanism the other values nearer and farther, the other
// direction, another value. A function of its arguments; different pairs, nearest first, at most `most`.
std::vector<InputPair> refined_pairs(const InputShape& shape, const InputPair& best,
                                     std::size_t most);

}  // namespace assay
