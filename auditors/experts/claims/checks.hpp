// The checks of the claims of "Improved Regret in Stochastic Decision-Theoretic Online Learning
// under Differential Privacy" (Wu, Wang). What each one computes, and why that decides, stands in
// its source file.
//
// RNM-FTNL(B, Q): epoch r = 1, 2, ... plays J_(r-1) in rounds 2^(r-1) to 2^r - 1 (J_0 uniform),
// adds up the losses of those n = 2^(r-1) rounds, resampled to 0 or 1 where B = 1, and J_r = argmax
// -G_j + Q_j.
#pragma once

#include <vector>

#include "assay/auditors/claims/registered_claim.hpp"

namespace assay {

// As published: what registry/claims.cpp lists.
std::vector<RegisteredClaim> expert_claims();

}  // namespace assay

namespace assay::expert_checks {

// privacy.cpp
ClaimCheck laplace_privacy, exponential_privacy, gumbel_privacy;

// choices.cpp: the law of one choice, losses resampled
ClaimCheck monotone, tail;

// regret.cpp: losses resampled
ClaimCheck regret, instance_free_regret;

// softmax.cpp: the function behind Theorem 4
ClaimCheck lemma_2, lemma_3, printed_integral;

// deterministic.cpp: deterministic losses
ClaimCheck deterministic_regret, printed_temperature, lower_bound;

// conjecture.cpp
ClaimCheck conjecture;

}  // namespace assay::expert_checks
