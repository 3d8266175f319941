// The checks of the claims of "Improved Regret in Stochastic Decision-Theoretic Online Learning
// under Differential Privacy" (Wu, Wang). Each source file explains what its check computes and why
// that decides the claim.
//
// RNM-FTNL(B, Q): epoch r = 1, 2, ... plays the action J_(r-1) in rounds 2^(r-1) to 2^r - 1 (J_0
// uniform). It adds up the losses of those n = 2^(r-1) rounds, resampled to 0 or 1 if B = 1, and
// J_r = argmax -G_j + Q_j.
#pragma once

#include <vector>

#include "assay/auditors/claims/registered_claim.hpp"

namespace assay {

// The claims as they were published, for registry/claims.cpp.
std::vector<RegisteredClaim> expert_claims();

}  // namespace assay

namespace assay::expert_checks {

// privacy.cpp
ClaimCheck laplace_privacy, exponential_privacy, gumbel_privacy;

// choices.cpp: the distribution of one choice, with resampled losses
ClaimCheck monotone, tail;

// regret.cpp: resampled losses
ClaimCheck regret, instance_free_regret;

// softmax.cpp: the function behind Theorem 4
ClaimCheck lemma_2, lemma_3, printed_integral;

// deterministic.cpp: deterministic losses
ClaimCheck deterministic_regret, deterministic_rate, printed_temperature, lower_bound,
    printed_lower_bound;

// conjecture.cpp
ClaimCheck conjecture;

}  // namespace assay::expert_checks
