// Converts levels to zero-concentrated differential privacy (zCDP) and back.
//
// rho-zCDP: D_alpha(P || Q) <= rho alpha for all alpha > 1, in either order of the neighbours.
//   eps-DP       => rho = eps tanh(eps/2) <= eps^2/2                                           (1)
//   mu-GDP       => rho = mu^2/2                                                               (2)
//   rho-zCDP     => (eps, delta)-DP, at the best order of RDP (renyi.hpp, (7) and (8)), or in
//     closed form eps = rho + 2 sqrt(rho log(1/delta))                                         (3)
//
// An event that has probability p on one input and q < p on the other implies, by the D_alpha of the
// two events "it occurs" and "it does not",
//     rho >= max over alpha of log(p^alpha q^(1-alpha) + (1-p)^alpha (1-q)^(1-alpha))
//                              / (alpha (alpha - 1)),  also with the inputs exchanged          (4)
// An audit of a zCDP claim can certify this bound.
//
// docs/proofs/zcdp.md has the proofs, and says why to convert to a delta at the best order. Absent on
// purpose are (eps, delta) to zCDP (with delta > 0 every D_alpha may be infinite), zCDP to pure DP
// (infinite), and zCDP to GDP (which has no closed form: convert through (eps, delta)).
//
// Direction: the types say it. Accuracy: (1), (2) and (3) are at most 1e-14 (relative) above.
// Reference: Bun, Steinke, "Concentrated differential privacy" (TCC 2016), propositions 1.3, 1.4
// and 3.3, lemmas 3.5 and 3.6; Canonne, Kamath, Steinke (NeurIPS 2020) for the best order.
// Threads: pure functions. Cost: 0.1 us; 0.1 ms at the best order and for (4).
#pragma once

#include "assay/mechanisms/accounting/guarantee.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

// Errors: a level that is negative or not finite, or whose rho is not finite.
Result<UpperBound<Rho>> zcdp_rho(const PureDp& level);      // (1)
Result<UpperBound<Rho>> zcdp_rho(const GaussianDp& level);  // (2)

// At the best order. Errors: rho or epsilon not finite or negative; delta outside (0, 1).
Result<UpperBound<Delta>> zcdp_delta(Rho rho, Epsilon epsilon);
Result<UpperBound<Epsilon>> zcdp_epsilon(Rho rho, Delta delta);
// By (3), for comparison with papers. It is never below zcdp_epsilon().
Result<UpperBound<Epsilon>> zcdp_epsilon_closed_form(Rho rho, Delta delta);

// By (4), from the logarithms of p and q. If p and q are known as intervals, pass the certified lower end of the larger
// and the certified upper end of the smaller. The result is 0 if they do not differ.
// Errors: a logarithm above 0 or NaN; an event that is impossible or certain on one input.

Result<LowerBound<Rho>> zcdp_rho_from_event(double log_p, double log_q);

}  // namespace assay
