// Deterministic losses, B = 0: G_j = n mu_j, so
// Gumbel(2/eps) noise chooses by softmax(-n Delta eps/2).
#pragma once

#include <span>

#include "assay/auditors/experts/claims/counterexamples.hpp"

namespace assay::expert_checks {

// The mean of scale a_i under weights e^(-scale a_i), over one a = 0 and the groups.
double softmax_mean(std::span<const GapGroup> groups, double scale);

// Expected regret over T = 2^epochs - 1 rounds of Gumbel noise of the given scale:
//   sum over r = 1 to epochs of 2^(r-1) sum_j Delta_j P[J_(r-1) = j], J_0 uniform.           (1)
double gumbel_regret(std::span<const GapGroup> gaps, double scale, int epochs);

}  // namespace assay::expert_checks
