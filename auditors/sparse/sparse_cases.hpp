// The audit cases of sparse linear bandits: `fliphat`, and without privacy `iht-bandit` and `lasso-bandit`.
//
// Private input: a context for every arm and all rewards, round by round; relation: replace one round; view:
// all actions but that round's (joint DP). Published claim: Chakraborty, Roy, Basu, "FLIPHAT: Joint
// Differential Privacy for High Dimensional Sparse Linear Bandits", Theorem 5.1.
// Methods: release (sparse_pair.hpp), of FLIPHAT; events.
//
// What holds for all pairs, of the release, so that no pair is searched for an upper bound: calibration =
// corrected proves (eps, delta) (niht.hpp); of the paper's noise the report has the least epsilon that the
// same certificates prove for what it is, at the worst episode: of M s noisy maxima and as many values,
// each of scale b over the sensitivity that niht.hpp proves.
#pragma once

#include <vector>

#include "assay/auditors/engine/audit_case.hpp"
#include "assay/policies/sparse/fliphat.hpp"

namespace assay {

std::vector<ListedCase> sparse_cases();

namespace detail {

// What the noise of a policy is proved to give at its delta: at most 1e-6 above the least epsilon that the
// certificates prove, and the episode whose call needs it. 0 where no call of N-IHT is made.
struct ProvedNoise {
  double epsilon = 0.0;
  std::int64_t episode = 0;
};
ProvedNoise proved_noise(const Fliphat& policy);

}  // namespace detail
}  // namespace assay
