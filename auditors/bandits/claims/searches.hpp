// The claims of the paper that have a search: the space of each and its margin, which is positive at a
// violation. `assay verify` searches these spaces within its budget, and RapidCheck draws from them in
// tests/property. The comment next to a search states its margin.
#pragma once

#include "assay/auditors/claims/search/violation_search.hpp"

namespace assay::thompson_sampling_checks {

SearchedClaim step_gdp_search();          // mu of one round less sqrt(1/2)
SearchedClaim step_dp_search();           // level_margin at Theorem 7's eps
SearchedClaim printed_variance_search();  // difference of two probabilities of one arm
SearchedClaim sensitivity_search();       // movement of a mean times n + 1, less 1
SearchedClaim noisy_max_search();         // level_margin at Theorem 6's eps
SearchedClaim duality_search();           // difference between the two forms of Lemma 1
SearchedClaim composition_search();       // exact mu over Lemma 2's, less 1
SearchedClaim published_level_search(bool classical);  // proved level over published, less 1
SearchedClaim lemma_6_search();                        // Chernoff sum over the bound, less 1
SearchedClaim lemma_9_search(bool large);              // log of the expectation over its bound

}  // namespace assay::thompson_sampling_checks
