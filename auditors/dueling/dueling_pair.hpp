// Runs dueling policies on two neighbouring preference sequences. Each run on either input comes with the
// exact loss of its release.
//
// Relation: replace the outcomes of one round, t. The adversary sees the duels. The policy reads
// only the bit of the duel in round t. If it is the same on both inputs, or round t is the last,
// the loss is 0. Otherwise, with d the difference D' - D of a released sum and n its noise of scale
// s,
//   log dP/dQ of the sum = (|n - d| - |n|)/s in runs on D, (|n| - |n + d|)/s on D'             (1)
//   DP-EBS        the nodes of one counter, whose entry at the time of round t moves by d, and that
//                 at which the rival's duels are removed by -d; a node that holds both: 0        (2)
//   GOptimal      the noisy wins of round t's pair in its phase, if that ends; 0 for an initial draw
//   local EBS     the answer of round t: log((1 - q)/q), with the sign of the reported answer  (3)
//   EBS           the duels themselves: log of |S'|/|S| for each round, infinite once the other
//                 input excludes them                                                          (4)
// Nobody reads nodes that get an entry in the last round, so (2) leaves them out.
//
// Actions are a function of the duels and begin with the most informative parts: whether a duel read the changed bit;
// for an elimination which arm was first skipped and when, from coarse to fine, then the rounds since which arms are
// not seen; for GOptimal how often each pair had a duel, in turn.
// Reference: docs/proofs/dp_ebs_elimination.md. Threads: any number of threads gives the same result.
// Cost: that of the policy. DP-EBS takes some 45 ns a round until one arm is left.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>

#include "assay/auditors/methods/release.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/policies/dueling/dp_ebs_elimination.hpp"
#include "assay/policies/dueling/ebs_elimination.hpp"
#include "assay/policies/dueling/gopt_dpdb.hpp"
#include "assay/policies/inputs/input_table.hpp"

namespace assay {

// A policy that has not begun, and a pair of inputs of kind dueling (inputs/input_table.hpp) with a
// row for each round of its horizon. `largest` is a proved bound of the losses, or infinity.
// Errors: another shape, outcomes that are not a tournament.
Result<std::unique_ptr<PairRelease>> dueling_release(
    const DpEbsElimination& policy, const InputPair& pair,
    double largest = std::numeric_limits<double>::infinity());
Result<std::unique_ptr<PairRelease>> dueling_release(
    const GOptDpdb& policy, const InputPair& pair,
    double largest = std::numeric_limits<double>::infinity());
Result<std::unique_ptr<PairRelease>> dueling_release(
    const LocalEbsElimination& policy, const InputPair& pair,
    double largest = std::numeric_limits<double>::infinity());
Result<std::unique_ptr<PairRelease>> dueling_release(const EbsElimination& policy,
                                                     const InputPair& pair);

// The nodes of one tree counter that differ between two inputs, if the entries differ by
// `difference` at one time and by its opposite at a later time.
class MovedNodes {
 public:
  void begin(std::int64_t time, double difference) {
    first_ = time;
    difference_ = difference;
  }
  void take_back(std::int64_t time) { second_ = time; }
  // For the node that ends at `time`, the latest entry.
  double of(std::int64_t time) const {
    const std::int64_t before = time & (time - 1);  // the node holds entries before + 1 to time
    return difference_ * ((first_ > before ? 1.0 : 0.0) - (second_ > before ? 1.0 : 0.0));
  }

 private:
  std::int64_t first_ = 0;
  std::int64_t second_ = 0;
  double difference_ = 0.0;
};

// (1)
inline double moved_loss(Side side, double noise, double difference, double scale) {
  return side == Side::kBase ? (std::fabs(noise - difference) - std::fabs(noise)) / scale
                             : (std::fabs(noise) - std::fabs(noise + difference)) / scale;
}

}  // namespace assay
