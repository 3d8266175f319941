// The worst neighbouring loss sequences of RNM-FTNL: by proof for pure eps, by search otherwise.
//
// Notation: R_j the losses of expert j in the other rounds of the changed vector's epoch, n of
// them, so that R_j lies in [0, n]; l and l' the two vectors; f and F density and cdf of the noise,
// f log-concave; P(j | G) the probability that j is the leader on the sums G.
//
// Pure eps. Theorem. The largest of log P(j | R + l) - log P(j | R + l') over all outputs, pairs
// and rests is attained at l = 0 at j and 1 elsewhere, l' = 1 at j and 0 elsewhere, R = n at j and
// 0 elsewhere, in the last epoch that a later action reads.                                  (1)
// Proof. (a) P(j | G) is the probability that Q_j - G_j exceeds all other Q_i - G_i: it falls in
// G_j and grows in every other G_i. So l and l' are as stated, whatever R is.
// (b) Let d_i = R_i - R_j in [-n, n] and H(d) = integral of f(x) prod_i F(x + d_i) dx, i over the
// others. The loss is log H(d + 1) - log H(d - 1), the integral of S(d + s) over s in [-1, 1] with
// S = sum_i d/dd_i log H. Let pi(x) be the density f(x) prod_i F(x + d_i) / H(d). Partial
// integration of the derivative of f prod F gives, with f on all of R, S(d) = E_pi[(-log f)'(x)],
// and (-log f)' does not fall, since f is log-concave. Let d_i fall to d_i - h: the density is
// multiplied by F(x + d_i - h)/F(x + d_i), which does not fall in x because F is log-concave too
// (Prekopa), so pi moves up in likelihood-ratio order and S does not fall. For exponential noise,
// f on x >= 0, S(d) = 1/b - f(0) prod_i F(d_i)/H(d) <= 1/b; where every d_i is positive the
// quotient prod_i F(d_i)/H(d) is 1/E_f[prod_i F(x + d_i)/F(d_i)], else it is zero, and it does not
// fall in d by the same property. So the loss is largest where each d_i is least: -n.
// (c) A longer epoch has a larger n and so no smaller a maximum. (d) With resampling both sides are
// averages over the resamples of R + l and R + l', whose ratio is at most the largest of the
// ratios; the averages over l and l' are bounded by (a), and at vertices nothing is averaged. QED
// For Laplace noise and d_i = -n, n -> infinity, the loss tends to 2/b; for exponential noise it is
// 2/b from n = 1 on, and for n = 0 and K = 2 log(2 e^(1/b) - 1).
//
// delta > 0, mu. For a set A of outputs P(A | G) falls in G_j for j in A and grows in the others,
// as in (a). So P(A | R + l) - e^eps P(A | R + l') is largest, whatever R is, at
//   l = 0 on A and 1 elsewhere, l' = 1 on A and 0 elsewhere:                                   (2)
// delta(eps), its maximum over A, and mu, a supremum over eps, are attained by vectors that oppose
// each other at every expert. With resampling, the resamples of R drawn once for both sides, both
// laws are averages with the same weights, delta(eps) is jointly convex, and (2) holds in each
// term: the worst R is whole. Which R is the worst is searched, over groups of experts that are
// alike, without resampling to fractions of a loss; the result is a pair, not a bound over all.
//
// A search that its control stops gives the best so far, and says so.
// Threads: pure; deterministic. Cost: two quadratures a pair of groups, 0.05 ms each, 9,000 at most.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "assay/auditors/engine/loss_pair.hpp"
#include "assay/auditors/experts/leader_bracket.hpp"
#include "assay/auditors/methods/exact.hpp"
#include "assay/auditors/methods/pair_evidence.hpp"
#include "assay/mechanisms/core/progress.hpp"
#include "assay/policies/experts/rnm_ftnl.hpp"

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
LossPair pair_of_groups(const RnmFtnlConfig& config, std::span<const ExpertGroup> groups);

struct WorstLossPair {
  LossPair pair;
  std::int64_t evaluated = 0;
  std::string how;        // one line for the report
  bool is_worst = false;  // of all pairs, for pure eps, by (1)
  bool stopped = false;
  LeaderLaws laws;  // as the search computed them beside a base; empty where it did not
};

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

// What a claim bounds, of one pair: eps at delta = 0, delta at its eps, or mu. 0 where it cannot be
// certified.
double loss_objective(const EnumeratedLaws& laws, const ClaimedQuantity& claimed);

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
Result<WorstLossPair> search_beside(const RnmFtnl& policy, const LossSequence& base,
                                    const ClaimedQuantity& claimed, const RunControl& control);

}  // namespace assay
