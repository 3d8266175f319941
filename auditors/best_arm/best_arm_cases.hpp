// The audit cases of best-arm identification with a fixed budget: `dp-bai`, `dp-bai-gauss`,
// `bai-baseline`, `dp-od`, and the policies without noise, `od-linbai` and `sequential-halving`.
//
// Private input: the reward table; relation: replace one cell of a table by pull, or one column of
// a table by time (`table`); view: the actions, with the recommendation. Published claims: Chen,
// Karthik, Chee, Tan, "Fixed-Budget Differentially Private Best Arm Identification", Propositions
// 4.1 and D.2, Appendix E.1.
// Methods: exact if every phase's distribution is one integral (phase_distribution.hpp), otherwise release;
// and events.
//
// The proved levels of all pairs, from the headers of the policies:
//   DP-BAI, Baseline    eps, as stated
//   DP-BAI-Gauss        mu = 1/c, c the noise's deviation at one pull, since a cell moves one mean  (1)
//   DP-OD, norm = l1    eps; norm = l2: sqrt(d) eps, as ||x||_1 <= sqrt(d) ||x||_2  (2)
// They are bounds for the release of every pair, so an upper bound needs no search over pairs.
#pragma once

#include <vector>

#include "assay/auditors/engine/audit_case.hpp"

namespace assay {

std::vector<ListedCase> best_arm_cases();

}  // namespace assay
