// Two distributions of a leader without certified smallest probabilities, bracketed by two pairs
// that have them.
//
// The bracket leaves out the outputs with a computed log-probability below least_log on D or D'
// (ftnl_distribution.hpp). Together they have, on each input, a probability of at most
//   m = 2 sum over them of e^max(log p, log q, least_log)                                      (1)
// and |log p - log q| <= c each, by the proof of the policy's level c = 2/b (rnm_ftnl.hpp).
//   inner: the others. If the rest joins the output s for which the smaller probability is the
//   largest of all, the pair is a post-processing of the true one, so no quantity of it is larger.
//   p_s and q_s as computed miss this by at most m, which joins the relative error            (2)
//   outer: the others, and two outputs of probabilities (m, m e^-c) and (m e^-c, m). Over the rest,
//   sum of (p - e^eps q)^+ <= sum of p (1 - e^(eps - c))^+ <= m (1 - e^(eps - c))^+, and so with p
//   and q exchanged. So delta(eps) of the true pair is at most that of outer, in both orientations.
//   Its masses of 1 + 2 m are within the relative error, which includes 2 m                   (3)
// So upper bounds of outer are upper bounds and lower bounds of inner are lower bounds. A delta of
// outer exceeds that of inner by at most m, which its margin of twice the relative error covers.
// Threads: pure. Cost: O(outputs).
#pragma once

#include <cstddef>
#include <vector>

#include "assay/auditors/methods/exact.hpp"
#include "assay/auditors/methods/pair_evidence.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/noisy_max/grouped_noisy_max.hpp"

namespace assay {

// Both distributions of the one draw that differs.
struct LeaderDistributions : EnumeratedDistributions {
  double least_log = kLeastNoisyMaxLog;

  bool is_certified(std::size_t output) const {
    return log_p[output] >= least_log && log_q[output] >= least_log;
  }
};

struct LeaderBracket {
  EnumeratedDistributions inner;
  EnumeratedDistributions outer;
  std::size_t left_out = 0;
  double log_mass = 0.0;  // log m, if something is left out
};

// Errors: m above 1e-9 of the largest outputs, which happens if eps is in the hundreds.
Result<LeaderBracket> bracket_of(const LeaderDistributions& distributions, double level);

// The report of exact distributions, with each bound from the pair that proves it.
Result<PairEvidence> bracket_evidence(const LeaderBracket& bracket, const PrivacyLevel& claim,
                                      Delta delta0);

}  // namespace assay
