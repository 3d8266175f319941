#include "assay/policies/best_arm/phased_policy.hpp"

#include <numeric>

namespace assay {

PhasedPolicy::PhasedPolicy(std::shared_ptr<const PhasePlanner> planner, std::int64_t arms)
    : planner_(std::move(planner)), pulled_before_(static_cast<std::size_t>(arms), 0) {
  std::vector<int> everyone(static_cast<std::size_t>(arms));
  std::iota(everyone.begin(), everyone.end(), 0);
  begin_phase(std::make_shared<PhasePlan>(planner_->plan(0, everyone)));
}

void PhasedPolicy::begin_phase(std::shared_ptr<const PhasePlan> plan) {
  plan_ = std::move(plan);
  sums_.clear();
  slot_ = 0;
  pulls_left_ = plan_->pulls.front();
  phase_start_ = round_;
}

void PhasedPolicy::finish_arm(ReplayStream& random) {
  sums_.push_back(sum_);
  sum_ = 0.0;
  if (++slot_ < plan_->pulled.size()) {
    pulls_left_ = plan_->pulls[slot_];
    return;
  }
  PlayedPhase played{plan_, phase_start_, {}, plan_->exact_values(sums_), {}, {}};
  played.released = plan_->release(played.exact, random);
  played.survivors = plan_->survivors(played.released);
  for (std::size_t j = 0; j < plan_->pulled.size(); ++j) {
    auto& before = pulled_before_[static_cast<std::size_t>(plan_->pulled[j])];
    played.first_pulls.push_back(before);
    before += plan_->pulls[j];
  }
  phases_.push_back(std::move(played));
  const auto phase = static_cast<std::int64_t>(phases_.size());
  if (phase == planner_->phases()) {
    plan_ = nullptr;
    return;
  }
  begin_phase(std::make_shared<PhasePlan>(planner_->plan(phase, phases_.back().survivors)));
}

}  // namespace assay
