// The claims of the paper that are searched, as spaces with margins: what `assay verify` searches
// within its budget is what RapidCheck draws from in tests/property.
#pragma once

#include "assay/auditors/claims/search/violation_search.hpp"

namespace assay::sparse_checks {

SearchedClaim projection_search();         // distance of two projections over theirs, less 1
SearchedClaim peeling_contracts_search();  // left side less right side of (8), over their sum
SearchedClaim laplace_tails_search();      // exact probability over its bound, less 1

}  // namespace assay::sparse_checks
