// Best-arm policies with a planted fault: a policy whose plans are those of a correct one, changed.
#pragma once

#include <mutex>
#include <span>

#include "assay/policies/best_arm/phased_policy.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {

// Plans are changed by `change`, given the phase.
class ChangedPlanner final : public PhasePlanner {
 public:
  using Change = std::function<void(std::int64_t phase, PhasePlan& plan)>;
  ChangedPlanner(std::shared_ptr<const PhasePlanner> correct, Change change)
      : correct_(std::move(correct)), change_(std::move(change)) {}

  std::int64_t phases() const override { return correct_->phases(); }
  std::shared_ptr<const PhasePlan> plan(std::int64_t phase,
                                        std::span<const int> active) const override {
    const std::lock_guard lock(mutex_);
    auto& kept = plans_[{phase, std::vector<int>(active.begin(), active.end())}];
    if (kept == nullptr) {
      auto plan = std::make_shared<PhasePlan>(*correct_->plan(phase, active));
      change_(phase, *plan);
      kept = std::move(plan);
    }
    return kept;
  }

 private:
  std::shared_ptr<const PhasePlanner> correct_;
  Change change_;
  mutable std::mutex mutex_;
  mutable std::map<std::pair<std::int64_t, std::vector<int>>, std::shared_ptr<const PhasePlan>>
      plans_;
};

struct AnyPhasesConfig {
  std::int64_t arms = 2;
  std::int64_t budget = 1;

  static void fields(auto&& visit) {
    visit(field("arms", &AnyPhasesConfig::arms, Range{}, "K", ""));
    visit(field("budget", &AnyPhasesConfig::budget, Range{}, "T", ""));
  }
  friend bool operator==(const AnyPhasesConfig&, const AnyPhasesConfig&) = default;
};

// A policy of any planner.
class AnyPhases : public PhasedPolicyOf<AnyPhasesConfig> {
 public:
  using PhasedPolicyOf::PhasedPolicyOf;
  static Result<AnyPhases> create(const Config&) {
    return fail(ErrorCode::kInvalidArgument, "a configuration does not make its planner");
  }
  Guarantee guarantee() const { return {}; }
};

// The planner of a policy, kept by a copy of it.
template <class P>
std::shared_ptr<const PhasePlanner> planner_of(const P& policy) {
  auto keeper = std::make_shared<const P>(policy);
  return {keeper, &keeper->planner()};
}

template <class P>
AnyPhases changed(const P& policy, ChangedPlanner::Change change, std::int64_t more_budget = 0) {
  return AnyPhases({policy.arms(), policy.budget() + more_budget},
                   std::make_shared<ChangedPlanner>(planner_of(policy), std::move(change)));
}

}  // namespace assay
