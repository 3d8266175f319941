// The checks of the claims of "Improved Regret in Stochastic Decision-Theoretic Online Learning
// under Differential Privacy" (Wu, Wang). What each one computes, and why that decides, stands in
// its source file.
//
// RNM-FTNL(B, Q): epoch r = 1, 2, ... plays J_(r-1) in rounds 2^(r-1) to 2^r - 1 (J_0 uniform),
// adds up the losses of those n = 2^(r-1) rounds, resampled to 0 or 1 where B = 1, and J_r = argmax
// -G_j + Q_j.
#pragma once

#include "assay/auditors/claims/registered_claim.hpp"

namespace assay::expert_checks {

using Finding = Result<ClaimFinding>;

// privacy.cpp
Finding laplace_privacy(const ClaimRequest& request, const RunControl& control);
Finding exponential_privacy(const ClaimRequest& request, const RunControl& control);
Finding gumbel_privacy(const ClaimRequest& request, const RunControl& control);

// choices.cpp: the law of one choice, losses resampled
Finding monotone(const ClaimRequest& request, const RunControl& control);
Finding tail(const ClaimRequest& request, const RunControl& control);

// regret.cpp: losses resampled
Finding regret(const ClaimRequest& request, const RunControl& control);
Finding instance_free_regret(const ClaimRequest& request, const RunControl& control);

// softmax.cpp: the function behind Theorem 4
Finding lemma_2(const ClaimRequest& request, const RunControl& control);
Finding lemma_3(const ClaimRequest& request, const RunControl& control);
Finding printed_integral(const ClaimRequest& request, const RunControl& control);

// deterministic.cpp: deterministic losses
Finding deterministic_regret(const ClaimRequest& request, const RunControl& control);
Finding printed_temperature(const ClaimRequest& request, const RunControl& control);
Finding lower_bound(const ClaimRequest& request, const RunControl& control);

// conjecture.cpp
Finding conjecture(const ClaimRequest& request, const RunControl& control);

}  // namespace assay::expert_checks
