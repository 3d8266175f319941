// Two copies of one policy, one on each input of a neighbouring pair. Both take the same actions.
//
// A white-box audit needs nothing else of a policy: the exact, path and likelihood methods and the search for
// the worst pair use the policy through this class. P is the distribution of the transcript on D, and Q that on
// D'. The privacy loss of a transcript is L = log P - log Q, which is a sum over its rounds.
// Cost: four virtual calls a round, less than 1% of a quadrature. An enumeration copies a process for each
// transcript prefix; it uses `assign`, which needs no new memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "assay/mechanisms/core/progress.hpp"
#include "assay/mechanisms/core/quantities.hpp"
#include "assay/mechanisms/noisy_max/gaussian_argmax.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/policies/inputs/input_table.hpp"

namespace assay {

class PairProcess {
 public:
  virtual ~PairProcess() = default;
  virtual std::unique_ptr<PairProcess> clone() const = 0;
  virtual void assign(const PairProcess& other) = 0;  // `other` has the same type

  virtual std::int64_t horizon() const = 0;
  virtual int action_count() const = 0;
  virtual std::int64_t round() const = 0;  // completed rounds
  virtual void restart() = 0;
  // Whether both copies are in the same state, so that this round has no loss.
  virtual bool agrees() const = 0;
  // Whether only one action is possible this round, for both copies.
  virtual bool forced() const = 0;
  // Draws this round's action with the sampler of one copy. Does not advance.
  virtual int draw(Side side, ReplayStream& random) = 0;
  // The probabilities that both copies report for one action, and for all of them.
  virtual PairLogProbability log_probability(int action, ArgmaxPrecision precision) const = 0;
  virtual void log_probabilities(ArgmaxPrecision precision, std::span<double> log_p,
                                 std::span<double> log_q) const = 0;
  // Both copies take `action`, and each reads the row of its own input.
  virtual void advance(int action) = 0;
  // A proved mu such that this pair is mu-GDP (augmented release); infinity if none is known.
  virtual UpperBound<Mu> augmented_mu() const {
    return {Mu{std::numeric_limits<double>::infinity()}};
  }
  // The reward of each action in the previous round, for the probability check; empty if unknown.
  virtual void lagged_rewards(Side, std::vector<double>& out) const { out.clear(); }

 protected:
  PairProcess() = default;
  PairProcess(const PairProcess&) = default;
  PairProcess& operator=(const PairProcess&) = default;
};

// Copies a process by its copy constructor and assignment: class P : public CopiedPairProcess<P>.
template <class Process>
class CopiedPairProcess : public PairProcess {
 public:
  std::unique_ptr<PairProcess> clone() const override {
    return std::make_unique<Process>(static_cast<const Process&>(*this));
  }
  void assign(const PairProcess& other) override {
    static_cast<Process&>(*this) = static_cast<const Process&>(other);
  }
};

namespace detail {

// Up to this number of arms the integrals share their nodes, and a round takes microseconds. With more arms each
// probability has its own integral, and a round of 1,024 arms takes seconds.
inline constexpr int kArmsAtOnce = 16;

// Estimates, in quarters of a microsecond, that choose default amounts of work. They depend on the number of
// actions alone, so that no default depends on the machine.
inline double one_action_work(std::int64_t actions) {
  const auto k = static_cast<double>(actions);
  return actions <= kArmsAtOnce ? k : 2.0 * k * std::max(1.0, k / 128.0);
}
inline double all_actions_work(std::int64_t actions) {
  const auto k = static_cast<double>(actions);
  return actions <= kArmsAtOnce ? k : k * one_action_work(actions);
}

// Computes the probabilities of all actions. Returns false if it is stopped; the spans are then unfinished.
bool log_probabilities_unless(StopPoll& poll, const PairProcess& process, ArgmaxPrecision precision,
                              std::span<double> log_p, std::span<double> log_q);

}  // namespace detail

}  // namespace assay
