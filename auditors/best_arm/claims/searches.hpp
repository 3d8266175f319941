// The claims of the paper that have a search: the space of each and its margin, which is positive at a
// violation. `assay verify` searches these spaces within its budget, and RapidCheck draws from them in
// tests/property. The comment next to a search states its margin.
#pragma once

#include "assay/auditors/best_arm/claims/counterexamples.hpp"
#include "assay/auditors/claims/search/violation_search.hpp"
#include "assay/policies/best_arm/dp_bai.hpp"

namespace assay::best_arm_checks {

// log of the true delta over the claimed one, at most log 4.
SearchedClaim gaussian_search(BestArmView view);
// Loss of a whole run's release on a pair of tables, less eps.
SearchedClaim laplace_privacy_search();

// The norm in L, which scales the noise of DP-OD's moments.
enum class NormReading { kL1, kL2, kFirstL1 };
// Loss of one phase's release over the worst cell, less eps.
SearchedClaim moments_search(NormReading reading);
SearchedClaim recommendation_search();  // loss of one recommendation of DP-OD under l2, less eps
SearchedClaim later_basis_search();     // loss of (5) in recompute.cpp over eps, less 1

SearchedClaim table_equivalence_search();  // difference of the largest losses of two relations
SearchedClaim early_stopping_search();     // events that differ; loss of a stopped run, less eps
SearchedClaim change_of_measure_search();  // log(1 + TV (e^eps - 1))/(6 eps TV) - 1, at most 1

SearchedClaim one_dimension_search();  // P(error) of DP-BAI with d = 1, K = 2

SearchedClaim max_det_search();   // largest coordinate by determinants, less 1
SearchedClaim budget_search();    // pulls as printed, less T, at most 20
SearchedClaim hardness_search();  // difference of two computations, relative

// The first parameters of the searches over whole runs: arms, d, T, eps and the features' seed.
DpBaiConfig dp_bai_at(const Point& point);

// The setting at a point of such a search, as doubles.
GaussianCounterexample gaussian_at(BestArmView view, const Point& point);
MomentsCounterexample recommendation_at(const Point& point);
LaterBasisCounterexample later_basis_at(const Point& point);
MeasureCounterexample measure_at(const Point& point);
BudgetCounterexample budget_at(const Point& point);
OneDimensionCounterexample one_dimension_at(const Point& point);

}  // namespace assay::best_arm_checks
