// The audit cases of sparse linear bandits: `fliphat`, and without privacy `iht-bandit` and `lasso-bandit`.
//
// Private input: a context for every arm and all rewards, round by round; relation: replace one round; view:
// all actions but that round's (joint DP). Published claim: Chakraborty, Roy, Basu, "FLIPHAT: Joint
// Differential Privacy for High Dimensional Sparse Linear Bandits", Theorem 5.1.
// Methods: release (sparse_pair.hpp), of FLIPHAT; events.
//
// The proved levels of all pairs, for the release, so that an upper bound needs no search: calibration = corrected
// proves (eps, delta) (niht.hpp). For the paper's noise the report has the least epsilon that the same certificates
// prove for its scale, at the worst episode: for M s noisy maxima and as many values, each of scale b over the
// sensitivity that niht.hpp proves.
#pragma once

#include <vector>

#include "assay/auditors/engine/audit_case.hpp"
#include "assay/policies/sparse/fliphat.hpp"

namespace assay {

std::vector<ListedCase> sparse_cases();

namespace detail {

// The proved epsilon of a policy's noise at its delta, at most 1e-6 above the least that the certificates prove, and
// the episode with the call that needs it. 0 if no call of N-IHT is made.
struct ProvedNoise {
  double epsilon = 0.0;
  std::int64_t episode = 0;
};
ProvedNoise proved_noise(const Fliphat& policy);

}  // namespace detail
}  // namespace assay
