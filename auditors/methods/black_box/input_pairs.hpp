// Neighbouring inputs of a target, and where a black-box search begins.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "assay/mechanisms/accounting/guarantee.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/policies/external/target.hpp"

namespace assay {

// Errors: shapes that differ by more than one value of a mechanism's input, inputs that are equal or differ
// in more than one row.
Result<InputPair> pair_of(InputTable old_input, InputTable new_input);

// Whether the two inputs are what shape.neighbours says. Errors name the value that moves too far.
Status check_neighbours(const InputShape& shape, const InputPair& pair);

// What makes the two inputs neighbours, and what of an output an adversary may see of them: of a
// contextual policy all actions but that of the changed row, whose context is the user's own.
Relation relation_of(const InputShape& shape, const InputPair& pair);
View view_of(const InputShape& shape);

// The relation in words, with the domain where it says by what a value may be replaced: "one value replaced by any
// other within 0:10". And of a mechanism, what the other choices would have neighbours do; or nothing.
std::string neighbours_text(const InputShape& shape, Relation relation);
std::string other_neighbours_text(const InputShape& shape);

// A row at its other extreme: rewards, losses and outcomes within their domain, contexts negated; of kinds
// with rounds.
std::vector<double> opposite_row(const InputShape& shape, std::span<const double> row);

// Pairs with a structure that leaks have been seen to like: constant, alternating and half-and-half
// streams; arms that are tied, or 8 against 7, in batches of 4, 8 and 16 rounds, for policies that compare;
// the change early (first pulls), at powers of two (ends of doubling epochs) and in the middle; from one
// extreme to the other. For experts mostly one expert against all others, which moves every comparison of
// losses. For duels tournaments on both sides: one order, its reverse, both in turn, or all arms tied; the
// whole order turns, one arm against all, or one duel. For a mechanism: one value moving, or all of them
// as shape.neighbours says, at equal values and at values that fall apart. The strongest first, in a fixed
// order, at most `most`; all of the shape's domain.
std::vector<InputPair> structural_pairs(const InputShape& shape, std::size_t most);

// Neighbours of an input that is given: rows early and late, of ties and of the largest moves, replaced by
// their opposite and by the rows of structural pairs; of a mechanism the moves that shape.neighbours allows,
// of the values that are largest, smallest and first. In a fixed order, at most `most`; none where the domain
// has none.
std::vector<InputPair> pairs_beside(const InputShape& shape,
                                    const std::shared_ptr<const InputTable>& base,
                                    std::size_t most);

// Beside a pair that leaks, neighbours by the same relation: the change in another row, the tie shifted by
// one, what comes before or after it turned; of a mechanism the other values nearer and farther, the other
// direction, another value. A function of its arguments; different pairs, nearest first, at most `most`.
std::vector<InputPair> refined_pairs(const InputShape& shape, const InputPair& best,
                                     std::size_t most);

}  // namespace assay
