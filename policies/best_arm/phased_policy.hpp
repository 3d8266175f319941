// The base of every best-arm policy, which works in phases. Each policy adds its configuration, its planner
// and its guarantee.
//
// choose() returns the next arm in the plan of the phase. The last observe() of a phase draws the noise and
// determines which arms survive. After T rounds recommendation() returns the recommended arm. Every run pulls
// exactly T times, because the plans of all phases add up to T.
// Threads: a value; the planner is shared and read-only. The same bits on every machine.
// Cost: 2 ns a round, and the planning of every phase but the first.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/policies/best_arm/create.hpp"
#include "assay/policies/best_arm/phases.hpp"
#include "assay/policies/concepts.hpp"

namespace assay {

class PhasedPolicy {
 public:
  using Context = NoContext;
  using Action = int;       // the arm
  using Feedback = double;  // its reward, in [0, 1]

  int choose(ReplayStream&) {
    ASSAY_CHECK(!is_done(), "the budget has been spent");
    return plan_->pulled[slot_];
  }
  void observe(double reward, ReplayStream& random) {
    ASSAY_CHECK(!is_done(), "observe follows an action, T times");
    ASSAY_CHECK(reward >= 0.0 && reward <= 1.0, "rewards lie in [0, 1]");
    sum_ += reward;
    ++round_;
    if (--pulls_left_ == 0) finish_arm(random);
  }

  // The rounds that pull the arm of choose(), and all of their rewards at once.
  std::int64_t pulls_left() const { return pulls_left_; }
  void observe_all(double total, ReplayStream& random) {
    ASSAY_CHECK(!is_done(), "observe follows an action, T times");
    ASSAY_CHECK(total >= 0.0 && total <= static_cast<double>(pulls_left_), "rewards lie in [0, 1]");
    sum_ += total;
    round_ += pulls_left_;
    pulls_left_ = 0;
    finish_arm(random);
  }

  std::int64_t round() const { return round_; }  // rounds completed
  bool is_done() const { return plan_ == nullptr; }
  // Precondition: is_done().
  int recommendation() const {
    ASSAY_CHECK(is_done(), "there is a recommendation after T rounds");
    return phases_.back().survivors.front();
  }
  std::span<const PlayedPhase> phases() const { return phases_; }  // those that have ended
  const PhasePlanner& planner() const { return *planner_; }

 protected:
  PhasedPolicy(std::shared_ptr<const PhasePlanner> planner, std::int64_t arms);

 private:
  void begin_phase(std::span<const int> active);
  void finish_arm(ReplayStream& random);

  std::shared_ptr<const PhasePlanner> planner_;
  std::shared_ptr<const PhasePlan> plan_;  // of the current phase; null when done
  std::vector<PlayedPhase> phases_;
  std::vector<std::int64_t> pulled_before_;  // by arm
  std::vector<double> paid_;                 // by arm, in all phases
  std::vector<double> sums_;                 // S of the arms whose pulls in this phase are done
  double sum_ = 0.0;                         // the same for the arm that is being pulled
  std::size_t slot_ = 0;
  std::int64_t pulls_left_ = 0;
  std::int64_t round_ = 0;
  std::int64_t phase_start_ = 0;
};

// Adds a configuration. A policy adds its creation and its guarantee.
template <class C>
class PhasedPolicyOf : public PhasedPolicy, public Configured<C> {
 public:
  PhasedPolicyOf(const C& config, std::shared_ptr<const PhasePlanner> planner)
      : PhasedPolicy(std::move(planner), config.arms), Configured<C>(config) {}
  std::int64_t arms() const { return this->config().arms; }
  std::int64_t budget() const { return this->config().budget; }
};

// Adds features. P::make_planner(config, features) makes the policy's planner.
template <class P, class C>
class FeaturedPolicyOf : public PhasedPolicyOf<C> {
 public:
  using PhasedPolicyOf<C>::PhasedPolicyOf;

  static Result<P> create(const C& config) {
    return detail::create_generated<P>(config, P::make_planner);
  }
  // Creates the policy with given features, whose sizes replace those of the configuration. config().features
  // becomes kGiven, so that nobody creates another policy from config() by mistake.
  static Result<P> create(const C& config, const ArmFeatures& features) {
    return detail::create_given<P>(config, features, P::make_planner);
  }
};

}  // namespace assay
