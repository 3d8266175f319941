// Searches for transcripts of low probability, which determine the smallest mu. It computes their probabilities
// exactly.
//
// Any single transcript (or prefix of one) is an event with two exactly known probabilities, so it
// implies mu >= Phi^{-1}(P) - Phi^{-1}(Q), or the reverse, with no sampling and no alpha. Sampling never
// draws such transcripts: with N = 2, rewards 0 and the first one changed, the transcript
// 1,2,2,2,... alone implies mu >= 4.94 at T = 100 with a probability near 1e-30.
//
// The search is a beam over prefixes, one beam per direction and score: by the mu that the prefix
// already implies, and by its loss. The loss beams find structural paths first (never or always
// play one arm again, else the best step).
//
// Reference: Dong, Roth, Su, "Gaussian differential privacy" (JRSS B 2022), Definition 4 and
// Proposition 1: mu-GDP bounds the errors of every test between P and Q.
// A search that is stopped, or is limited to the first rounds, gives events that end there, because a
// prefix is an event as well.
// Threads: one for each beam; the result does not depend on their number.
// Cost: rounds * beams * width all-arms quadratures.
#pragma once

#include <cstdint>
#include <limits>
#include <tuple>
#include <vector>

#include "assay/auditors/methods/exact.hpp"
#include "assay/auditors/methods/pair_process.hpp"
#include "assay/mechanisms/accounting/gdp.hpp"

namespace assay {

// A prefix of a transcript with its two probabilities, their error carried outward.
struct PathEvent {
  std::vector<int> actions;
  double log_p = 0.0;
  double log_q = 0.0;
  double log_error = 0.0;   // bound on the error of each logarithm
  LowerBound<Mu> mu{Mu{}};  // implied by this event alone

  static auto byte_fields(auto& self) {
    return std::tie(self.actions, self.log_p, self.log_q, self.log_error, self.mu.value.value);
  }
  double loss() const { return log_p - log_q; }
  // Certified lower bound on delta(eps) from this event: max over the orientations.
  LowerBound<Delta> delta(Epsilon epsilon) const;
};

struct PathSearchResult {
  PathEvent largest_mu;     // the prefix that implies the largest mu
  PathEvent largest_loss;   // the whole transcript with the largest |loss|
  std::int64_t rounds = 0;  // the rounds that every beam has examined
  static auto byte_fields(auto& self) {
    return std::tie(self.largest_mu, self.largest_loss, self.rounds);
  }
};

struct PathSearchPlan {
  int width = 4;
  std::int64_t rounds = std::numeric_limits<std::int64_t>::max();  // at most; or all
};

// The two exact probabilities of one prefix, at full precision. If stopped: those of a shorter prefix.
PathEvent evaluate_path(const PairProcess& fresh, std::vector<int> actions, StopPoll poll = {});

PathSearchResult search_paths(const PairProcess& fresh, const PathSearchPlan& plan,
                              const RunControl& control);
PathSearchResult search_paths(const PairProcess& fresh, int width, int threads);

}  // namespace assay
