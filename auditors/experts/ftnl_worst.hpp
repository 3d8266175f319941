// The worst neighbouring loss sequences of RNM-FTNL: by proof for pure eps, by search otherwise.
//
// Notation: R_j the losses of expert j in the other rounds of the changed vector's epoch, n of
// them, so that R_j lies in [0, n]; l and l' the two vectors; f and F density and cdf of the noise,
// f log-concave; P(j | G) the probability that j is the leader on the sums G.
//
// Pure eps. Theorem. The largest of log P(j | R + l) - log P(j | R + l') over all outputs, pairs
// and rests is attained at l = 0 at j and 1 elsewhere, l' = 1 at j and 0 elsewhere, R = n at j and
// 0 elsewhere, in the last epoch that a later action reads.                                  (1)
//
// delta > 0, mu. For a set A of outputs, P(A | R + l) - e^eps P(A | R + l') is largest, whatever R
// is, at
//   l = 0 on A and 1 elsewhere, l' = 1 on A and 0 elsewhere:                                   (2)
// so delta(eps) and mu are attained by vectors that oppose each other at every expert. Which R is
// the worst is searched, over groups of experts that are alike, without resampling to fractions of
// a loss; the result is a pair, not a bound over all.
// Proofs: docs/proofs/ftnl_worst.md.
//
// A search that its control stops gives the best so far, and says so.
// Threads: pure; deterministic. Cost: two quadratures
// a pair of groups, 0.05 ms each, 12,000 at most.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "assay/auditors/engine/search.hpp"
#include "assay/auditors/experts/leader_bracket.hpp"
#include "assay/auditors/methods/exact.hpp"
#include "assay/auditors/methods/pair_evidence.hpp"
#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/core/progress.hpp"
#include "assay/policies/experts/ftnl_law.hpp"
#include "assay/policies/experts/rnm_ftnl.hpp"
#include "assay/policies/inputs/input_table.hpp"

namespace assay {

// Experts that are alike in the epoch of the changed vector.
struct ExpertGroup {
  double rest = 0.0;  // R
  double old_loss = 0.0;
  double new_loss = 0.0;
  std::int64_t count = 1;
  friend bool operator==(const ExpertGroup&, const ExpertGroup&) = default;
};

// Both laws of the leader: one cell a group, for any of its members.
EnumeratedLaws grouped_laws(const LeaderNoiseLaw& noise, std::span<const ExpertGroup> groups);

// The sequences of the groups, in the last epoch that is read; the vector of its first round
// changes. Preconditions: such an epoch, counts that sum to K, rests of at most n.
InputPair pair_of_groups(const RnmFtnlConfig& config, std::span<const ExpertGroup> groups);

struct LossSearchResult : SearchResult {
  LeaderLaws laws;  // as the search computed them; empty where it did not
};

// The law of the leader that the losses of epoch r decide, on one side.
template <class RowOfRound>
LeaderLaw leader_law(const RnmFtnl& policy, int epoch, RowOfRound row,
                     const RunControl& control = {}) {
  ASSAY_CHECK(epoch >= 1, "epochs count from 1");
  FtnlLaw law(policy);
  const std::int64_t first = std::int64_t{1} << (epoch - 1);
  for (std::int64_t t = first; t < 2 * first; ++t) law.observe(row(t - 1));
  return law.law(control);
}

// (1): both laws of the one draw that differs; equal laws where no draw reads the changed vector.
// Stopped, what they return means nothing.
LeaderLaws leader_laws(const RnmFtnl& policy, const InputPair& pair,
                       const RunControl& control = {});
// Of both sides' laws, the larger of their errors.
LeaderLaws both_laws(LeaderLaw old_side, LeaderLaw new_side);

// n of the last epoch that is read; nothing is read where T = 1.
std::int64_t rest_rounds(std::int64_t horizon);

// (1). Where R_j = n would put j so far behind that its probability leaves the range of certified
// accuracy, or more would not change the loss, R_j is less: the worst of all pairs whose sums over
// the other rounds differ by no more than that.
std::vector<ExpertGroup> worst_groups_for_pure(const RnmFtnl& policy);
// These groups attain the largest loss of all pairs.
bool is_worst_for_pure(const RnmFtnl& policy, std::span<const ExpertGroup> groups);

// eps of every pair, by the policy's proof.
double proved_level(const RnmFtnl& policy);

// The worst groups found for a claim with delta > 0 or in mu.
struct WorstGroups {
  std::vector<ExpertGroup> groups;
  std::int64_t evaluated = 0;
  bool stopped = false;
};
WorstGroups search_groups(const RnmFtnl& policy, const ClaimedQuantity& claimed,
                          const RunControl& control = {});

// The round and new vector that lose the most beside a given sequence, of those tried: one expert
// opposed to all others, in the rounds of every epoch whose losses that moves the most. Errors: an
// epoch whose law is too large to compute, which takes an epsilon in the hundreds.
Result<LossSearchResult> search_beside(const RnmFtnl& policy,
                                       const std::shared_ptr<const InputTable>& base,
                                       const ClaimedQuantity& claimed, const RunControl& control);

}  // namespace assay
