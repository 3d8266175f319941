// The release method: certified bounds on the loss of the actions of one pair, for policies where the distribution
// of the actions is out of reach but that of the whole release is not.
//
// Such a policy adds noise to values of its input and acts on the noisy values alone, with random bits that do not
// depend on the input. So its actions a are a function of its release y. The audit runs it on both inputs. The loss of
// a release, L = log dP/dQ(y), is known exactly. For a run on either input with probability 1/2,
//     s = P(the input is D | y) = 1/(1 + e^-L)                                                    (1)
// and for every event A of actions alone
//     P(A) - e^eps Q(A) = E_P[1_A z] + E_Q[1_A z],   z = s - e^eps (1 - s) >= -e^eps.              (2)
// Counting is (2) with the true input in place of s, so by (2) no event needs more runs than by its counts.
//   lower: delta(eps) of the actions, by betting on (2) for an A that other runs chose; eps at delta by
//          tests in a fixed order, of which each claims more than the one before
//   upper: delta(eps) of the actions is at most that of the release, E_P[(1 - e^(eps - L))^+]     (3)
// A is {estimate of E[s | a] > e^eps/(1 + e^eps)}, the best event for eps if the estimate is right: the mean of
// s over the training runs that begin with the same actions, for the longest beginning that enough of them share.
// Actions with a probability near a small delta are sampled from distributions R, R' tilted towards them:
//     P(A) - e^eps Q(A) = E_R[1_A v] + E_R'[1_A v],  v = (dP - e^eps dQ)/(dR + dR') >= -e^eps b,
//     b the largest dQ/(dR + dR') of any release whose actions are in A, which A is chosen for      (4)
// so that bets on v see a delta of the size of e^eps b, however small.
// The bounds are conditional on losses that describe the sampler; P may exclude releases that Q does not, and Q others.
// Reference: the augmented release of docs/decisions/families.md; Waudby-Smith and Ramdas (JRSS B 2024) for the
// bounds of means.
// Threads: any number gives the same report. Cost: 2 (training + samples) runs, with tilts up to twice that and more.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <tuple>
#include <vector>

#include "assay/auditors/methods/pair_evidence.hpp"
#include "assay/auditors/methods/pair_process.hpp"
#include "assay/mechanisms/core/progress.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

struct ReleasedPlay {
  std::vector<int> actions;
  double loss = 0.0;  // log dP/dQ of the whole release; infinite if P or Q excludes it
  // The terms of (4), 1 if nothing is tilted: (dP + dQ)/(dR + dR'), and bounds of dP/(dR + dR') and of
  // dQ/(dR + dR') that hold for every release with these actions, infinity if none is known.
  double weight = 1.0;
  double most_base = 1.0;
  double most_neighbour = 1.0;
  static auto byte_fields(auto& self) {
    return std::tie(self.actions, self.loss, self.weight, self.most_base, self.most_neighbour);
  }
};

// The releases of one pair.
class PairRelease {
 public:
  virtual ~PairRelease() = default;
  virtual ReleasedPlay sample(Side side, ReplayStream random) const = 0;
  // The number of tilted pairs R, R' of (4). They are numbered 0, 1, ..
  virtual int tilts() const { return 0; }
  // A sample from R (for D) or from R' (for D').
  virtual ReleasedPlay sample_tilted(int, Side side, ReplayStream random) const {
    return sample(side, random);
  }
  // An upper bound on the absolute value of all losses; infinity if none is known.
  virtual double largest_loss() const { return std::numeric_limits<double>::infinity(); }
};

struct ReleasePlan : AuditTerms {
  std::int64_t training = 0;  // runs on each input that choose events
  std::int64_t samples = 0;   // runs on each input to certify with
  // Stops after this many of `samples`, to reproduce a stopped run.
  std::optional<std::int64_t> stop_after = {};
};

// For a claim in mu it gives a lower bound only, from delta at the eps that the training runs suggest.
// Errors: stopped before the end of the training runs (kInterrupted). If stopped later, it certifies the runs that
// both inputs have.
Result<PairEvidence> audit_by_release(const PairRelease& release, const ReleasePlan& plan,
                                      const RunControl& control);

namespace detail {

// How much the actions leak, to rank pairs: an estimate of the claimed quantity, or a value below 0 that is larger
// for a larger leak. The first half of `count` runs on each input chooses the event. `tilted`: uses runs of every
// tilt as well.
double leak_of_actions(const PairRelease& release, const PrivacyLevel& claim, std::uint64_t seed,
                       std::int64_t count, bool tilted, const RunControl& control);

// Whether events with a probability near delta are too rare for that many runs on each input.
bool wants_tilts(const PairRelease& release, const AuditTerms& terms, std::int64_t samples);

// Estimates of E[s | actions] and of 1 - that from training runs: means over the runs below a node, shrunk to
// those of its parent by `prior` runs, for the longest beginning that at least `kLeast` of them share.
class PosteriorTree {
 public:
  struct Estimate {
    double of_base = 0.5;
    double of_neighbour = 0.5;
  };
  PosteriorTree(const std::vector<ReleasedPlay>& from_base,
                const std::vector<ReleasedPlay>& from_neighbour, double prior = 8.0);
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
