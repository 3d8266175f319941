// The claims of the paper that have a search: the space of each and its margin, which is positive at a
// violation. `assay verify` searches these spaces within its budget, and RapidCheck draws from them in
// tests/property. The comment next to a search states its margin.
#pragma once

#include "assay/auditors/claims/search/violation_search.hpp"
#include "assay/auditors/sparse/claims/counterexamples.hpp"

namespace assay::sparse_checks {

SearchedClaim projection_search();         // distance of two projections over theirs, less 1
SearchedClaim peeling_contracts_search();  // left side less right side of (8), over their sum
SearchedClaim left_out_search();           // the same for any s, without noise
SearchedClaim laplace_tails_search();      // exact probability over its bound, less 1

SearchedClaim sensitivity_search();    // distance of two vectors over eta B/n, less 1
SearchedClaim clipping_search();       // P(some reward is clipped) less 1/N
SearchedClaim peeling_search();        // delta that s values need over the claimed one, less 1
SearchedClaim peeling_range_search();  // the same in the proved range of the lemma
SearchedClaim lower_search();          // log of the lower bound over the largest regret

// The setting at a point of such a search, as doubles.
GradientCounterexample gradient_at(const Point& point);
ClippingCounterexample clipping_at(const Point& point);
PeelingCounterexample peeling_at(const Point& point);
LowerCounterexample lower_at(const Point& point);
LeftOutCounterexample left_out_at(const Point& point);

}  // namespace assay::sparse_checks
