// The release method: certified bounds on what the actions of one pair lose, where the law of the actions is
// out of reach and that of everything released is not.
//
// A policy that draws noisy values of its input and acts by them alone, with words that do not depend on the
// input, has actions a that are a function of its release y. Both sides are played; the loss of a release,
// L = log dP/dQ(y), is exact. Of a play drawn from either side with probability 1/2,
//     s = P(side is P | y) = 1/(1 + e^-L)                                                         (1)
// and for every event A of actions alone
//     P(A) - e^eps Q(A) = E_P[1_A z] + E_Q[1_A z],   z = s - e^eps (1 - s) >= -e^eps.              (2)
// Counting is (2) with the side itself in place of s: no event needs more plays by (2) than by its counts.
//   lower: delta(eps) of the actions, by betting on (2) for an A that other plays chose; eps at delta by
//          tests in a fixed order, of which each claims more than the one before
//   upper: delta(eps) of the actions is at most that of the release, E_P[(1 - e^(eps - L))^+]     (3)
// A is {estimate of E[s | a] > e^eps/(1 + e^eps)}, the best event for eps where the estimate is right: means of
// s over the training plays that begin with the same actions, the longest beginning that enough of them share.
// Actions of a probability near a small delta are played under laws R, R' that are tilted towards them:
//     P(A) - e^eps Q(A) = E_R[1_A v] + E_R'[1_A v],  v = (dP - e^eps dQ)/(dR + dR') >= -e^eps b,
//     b the largest dQ/(dR + dR') of any release whose actions are in A, which A is chosen for      (4)
// so that bets on v see a delta of the size of e^eps b, however small.
// Conditional on the losses describing the sampler; of the two laws, either may exclude what the other does not.
// Reference: the augmented release of docs/decisions/families.md; Waudby-Smith and Ramdas (JRSS B 2024) for the
// bounds of means.
// Threads: deterministic for any number. Cost: 2 (training + samples) plays, with tilts up to twice that and more.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "assay/auditors/methods/pair_evidence.hpp"
#include "assay/auditors/methods/pair_process.hpp"
#include "assay/mechanisms/core/progress.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

struct ReleasedPlay {
  std::vector<int> actions;
  double loss = 0.0;  // log dP/dQ of everything released; infinite where one side excludes it
  // Of (4), 1 where nothing is tilted: (dP + dQ)/(dR + dR'), and bounds of dP/(dR + dR') and of
  // dQ/(dR + dR') that hold for every release with these actions, infinity where none is known.
  double weight = 1.0;
  double most_old = 1.0;
  double most_new = 1.0;
};

// Of one pair.
class PairRelease {
 public:
  virtual ~PairRelease() = default;
  virtual ReleasedPlay sample(Side side, ReplayStream random) const = 0;
  // How many pairs R, R' of (4) there are; tilt 0, 1, ..
  virtual int tilts() const { return 0; }
  // From R, or R' for the new side.
  virtual ReleasedPlay sample_tilted(int, Side side, ReplayStream random) const {
    return sample(side, random);
  }
  // No loss is larger in size; infinity where none is known.
  virtual double largest_loss() const { return std::numeric_limits<double>::infinity(); }
};

struct ReleasePlan : AuditTerms {
  std::int64_t training = 0;  // plays a side that choose events
  std::int64_t samples = 0;   // plays a side to certify with
  // Of `samples`: repeats a run that was stopped there.
  std::optional<std::int64_t> stop_after = {};
};

// Of a claim in mu: a lower bound alone, by delta at the eps that training plays advise.
// Errors: stopped before the training plays were done (kInterrupted). Stopped later, it certifies what both
// sides have.
Result<PairEvidence> audit_by_release(const PairRelease& release, const ReleasePlan& plan,
                                      const RunControl& control);

namespace detail {

// How much the actions tell, for ranking pairs: an estimate of what the claim bounds, or less than 0 and the
// larger the more they tell. The first half of `count` plays a side chooses the event. `tilted`: by plays
// of every tilt as well.
double leak_of_actions(const PairRelease& release, const PrivacyLevel& claim, std::uint64_t seed,
                       std::int64_t count, bool tilted, const RunControl& control);

// Whether plays of both sides, that many of each, see little of what delta weighs.
bool wants_tilts(const PairRelease& release, const AuditTerms& terms, std::int64_t samples);

// Estimates of E[s | actions] and of 1 - that from training plays: (means of those below a node, shrunk to
// those of its parent by `prior` plays), by the longest beginning that at least `kLeast` of them share.
class PosteriorTree {
 public:
  struct Estimate {
    double of_old = 0.5;
    double of_new = 0.5;
  };
  PosteriorTree(const std::vector<ReleasedPlay>& from_old,
                const std::vector<ReleasedPlay>& from_new, double prior = 8.0);
  Estimate operator()(const std::vector<int>& actions) const;

 private:
  struct Node {
    Estimate estimate;
    std::vector<std::pair<int, std::int32_t>> next;  // by action, increasing
  };
  std::vector<Node> nodes_;
};

}  // namespace detail

}  // namespace assay
