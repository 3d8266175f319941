// The claims of the paper that have a search: the space of each and its margin, which is positive at a
// violation. `assay verify` searches these spaces within its budget, and RapidCheck draws from them in
// tests/property. The comment next to a search states its margin.
#pragma once

#include "assay/auditors/claims/search/violation_search.hpp"
#include "assay/auditors/experts/claims/counterexamples.hpp"

namespace assay::expert_checks {

SearchedClaim privacy_search(LeaderNoise noise);  // loss of the worst pair of vectors less eps
SearchedClaim monotone_search();                  // how far a probability grows, or exceeds 1/j
SearchedClaim tail_search(LeaderNoise noise);     // log of P[J_r = j] over the bound of Lemma 5
SearchedClaim regret_search(double c2);           // log of the exact regret over Theorem 2's bound
SearchedClaim instance_free_regret_search();      // the same for Corollary 1 with its constants
SearchedClaim lemma_2_search();                   // f' - log(2) f
SearchedClaim lemma_3_search();                   // sum over r of f(r), over the bound, less 1
SearchedClaim printed_integral_search();          // |integral of f - (2/log 2) log K|
SearchedClaim deterministic_regret_search(
    double factor);                         // regret over 3 + factor log(K)/eps, less 1
SearchedClaim exponential_regret_search();  // regret of exponential noise over Gumbel(1/eps)'s
SearchedClaim lower_bound_search();         // log of the averaged bound over the regret
SearchedClaim votes_search();               // log of c log(2)/eps over the regret, at most 1
SearchedClaim first_round_search();  // log of the first round's cost over C log(K)/eps, at most 1
SearchedClaim growth_search(LeaderNoise noise);  // the smaller of two rates

// The setting at a point of such a search, as doubles.
VotesCounterexample votes_at(const Point& point);
FirstRoundCounterexample first_round_at(const Point& point);

}  // namespace assay::expert_checks
