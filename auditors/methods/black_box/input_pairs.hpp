// Neighbouring inputs of a target, and the pairs with which a black-box search begins.
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

// Errors: shapes that differ by more than one value of a mechanism's input; inputs that are equal or differ
// in more than one row.
Result<InputPair> pair_of(InputTable base_input, InputTable neighbour_input);

// Checks that the two inputs are neighbours by shape.neighbours. Errors name the value that moves too far.
Status check_neighbours(const InputShape& shape, const InputPair& pair);

// The relation that makes the two inputs neighbours, with its view: for a contextual policy the adversary sees all
// actions but that of the changed row, whose context is the user's own.
Relation relation_of(const InputShape& shape, const InputPair& pair);
View view_of(const InputShape& shape);

// The relation as a phrase, with the domain if it limits the replaced values: "one value replaced by any other within
// 0:10". For a mechanism also the meaning of the other choices of neighbours, or nothing.
std::string neighbours_text(const InputShape& shape, Relation relation);
std::string other_neighbours_text(const InputShape& shape);

// A row at its other extreme: rewards, losses and outcomes within their domain, contexts negated; for kinds
// with rounds.
std::vector<double> opposite_row(const InputShape& shape, std::span<const double> row);

// Pairs with structures in which leaks are common: constant, alternating and half-and-half
// streams; arms that are tied, or 8 against 7, in batches of 4, 8 and 16 rounds, for policies that compare;
// the change early (first pulls), at powers of two (ends of doubling epochs) and in the middle; from one
// extreme to the other. For experts mostly one expert against all others, which moves every comparison of
// losses. For duels tournaments on both inputs: one order, its reverse, both in turn, or all arms tied; the
// change reverses the whole order, one arm against all, or one duel. For a mechanism: one value moves, or all of
// them as shape.neighbours allows, from equal values and from spread values. The strongest first, in a fixed
// order, at most `most`; all within the shape's domain.
std::vector<InputPair> structural_pairs(const InputShape& shape, std::size_t most);

// Neighbours of a given input: rows early and late, of ties and of the largest moves, replaced by
// their opposite and by the rows of structural pairs; for a mechanism the moves that shape.neighbours allows,
// of the values that are largest, smallest and first. In a fixed order, at most `most`; none if the domain
// allows none.
std::vector<InputPair> pairs_beside(const InputShape& shape,
                                    const std::shared_ptr<const InputTable>& base,
                                    std::size_t most);

// Neighbours, by the same relation, that resemble a pair that leaks: the change in another row, the tie shifted by
// one, the rows before or after it reversed; for a mechanism the other values nearer and farther, the other
// direction, another value. A function of its arguments. Different pairs, nearest first, at most `most`.
std::vector<InputPair> refined_pairs(const InputShape& shape, const InputPair& best,
                                     std::size_t most);

}  // namespace assay
