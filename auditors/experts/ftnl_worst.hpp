// The worst neighbouring loss sequences of RNM-FTNL: by proof for pure eps, by search otherwise.
//
// Notation: R_j is the sum of the losses of expert j in the other n rounds of the changed vector's
// epoch, so R_j lies in [0, n]. l and l' are the two vectors, f and F the density and cdf of the
// noise, with f log-concave. P(j | G) is the probability that j is the leader on the sums G.
//
// Pure eps. Theorem. The largest of log P(j | R + l) - log P(j | R + l') over all outputs, pairs
// and rests is attained at l = 0 at j and 1 elsewhere, l' = 1 at j and 0 elsewhere, R = n at j and
// 0 elsewhere, in the last epoch that a later action reads.                                  (1)
//
// delta > 0, mu. For a set A of outputs and any R, P(A | R + l) - e^eps P(A | R + l') is largest at
//   l = 0 on A and 1 elsewhere, l' = 1 on A and 0 elsewhere:                                   (2)
// so vectors that oppose each other at every expert attain delta(eps) and mu. The worst R is
// searched over groups of like experts, without resampling to fractions of a loss. The result is a
// pair, not a bound over all pairs.
// Proofs: docs/proofs/ftnl_worst.md.
//
// If its control stops a search, it returns the best so far, and says so.
// Threads: pure; deterministic. Cost: two quadratures for each pair of groups, 0.05 ms each, 12,000
// at most.
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
#include "assay/policies/experts/ftnl_distribution.hpp"
#include "assay/policies/experts/rnm_ftnl.hpp"
#include "assay/policies/inputs/input_table.hpp"

namespace assay {

// Experts that are alike in the epoch of the changed vector.
struct ExpertGroup {
  double rest = 0.0;  // R
  double base_loss = 0.0;
  double neighbour_loss = 0.0;
  std::int64_t count = 1;
  friend bool operator==(const ExpertGroup&, const ExpertGroup&) = default;
};

// Both distributions of the leader, with one cell for each group, for any of its members.
EnumeratedDistributions grouped_distributions(const LeaderNoiseDistribution& noise,
                                              std::span<const ExpertGroup> groups);

// The sequences of the groups, in the last epoch that the policy reads. The vector of its first
// round changes. Preconditions: such an epoch, counts that sum to K, rests of at most n.
InputPair pair_of_groups(const RnmFtnlConfig& config, std::span<const ExpertGroup> groups);

struct LossSearchResult : SearchResult {
  LeaderDistributions distributions;  // as the search computed them; empty if it did not
};

// The distribution of the leader that the losses of epoch r decide, on one input.
template <class RowOfRound>
LeaderDistribution leader_distribution(const RnmFtnl& policy, int epoch, RowOfRound row,
                                       const RunControl& control = {}) {
  ASSAY_CHECK(epoch >= 1, "epochs count from 1");
  FtnlDistribution distribution(policy);
  const std::int64_t first = std::int64_t{1} << (epoch - 1);
  for (std::int64_t t = first; t < 2 * first; ++t) distribution.observe(row(t - 1));
  return distribution.distribution(control);
}

// (1): both distributions of the one draw that differs; equal ones if no draw reads the changed
// vector. If the run was stopped, the results mean nothing.
LeaderDistributions leader_distributions(const RnmFtnl& policy, const InputPair& pair,
                                         const RunControl& control = {});
// Joins the two distributions. The error is the larger one.
LeaderDistributions both_distributions(LeaderDistribution base_side,
                                       LeaderDistribution neighbour_side);

// n of the last epoch that the policy reads; it reads none if T = 1.
std::int64_t rest_rounds(std::int64_t horizon);

// (1). R_j is less than n if n would put j so far behind that its probability leaves the range of
// certified accuracy, or if more would not change the loss. Then the pair is the worst of all pairs
// with sums over the other rounds that differ by no more than R_j.
std::vector<ExpertGroup> worst_groups_for_pure(const RnmFtnl& policy);
// Whether these groups attain the largest loss of all pairs.
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

// The round and neighbouring vector with the largest loss for a given base, of those tried: one
// expert opposed to all others, in the rounds of every epoch with losses that this moves the most.
// Errors: an epoch with a distribution too large to compute, which takes an epsilon in the
// hundreds.
Result<LossSearchResult> search_beside(const RnmFtnl& policy,
                                       const std::shared_ptr<const InputTable>& base,
                                       const ClaimedQuantity& claimed, const RunControl& control);

}  // namespace assay
