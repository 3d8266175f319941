#include "assay/policies/best_arm/phased_policy.hpp"

namespace assay {

PhasedPolicy::PhasedPolicy(std::shared_ptr<const PhasePlanner> planner, std::int64_t arms)
    : planner_(std::move(planner)),
      pulled_before_(static_cast<std::size_t>(arms), 0),
      paid_(static_cast<std::size_t>(arms), 0.0) {
  begin_phase(all_arms(arms));
}

void PhasedPolicy::begin_phase(std::span<const int> active) {
  plan_ = planner_->plan(static_cast<std::int64_t>(phases_.size()), active);
  sums_.clear();
  slot_ = 0;
  phase_start_ = round_;
  pulls_left_ = plan_->pulls.front();
}

void PhasedPolicy::finish_arm(ReplayStream& random) {
  double& paid = paid_[static_cast<std::size_t>(plan_->pulled[slot_])];
  paid += sum_;
  sums_.push_back(plan_->faults.reuses_data ? paid : sum_);
  sum_ = 0.0;
  if (++slot_ < plan_->pulled.size()) {
    pulls_left_ = plan_->pulls[slot_];
    return;
  }
  PlayedPhase played{plan_, {}, {}, sums_, {}, {}, {}};
  std::vector<std::int64_t> counts;
  std::int64_t first = phase_start_;
  for (std::size_t j = 0; j < plan_->pulled.size(); ++j) {
    const auto arm = static_cast<std::size_t>(plan_->pulled[j]);
    played.first_rounds.push_back(first);
    played.first_pulls.push_back(pulled_before_[arm]);
    counts.push_back(played.count(j));
    first += plan_->pulls[j];
    pulled_before_[arm] += plan_->pulls[j];
  }
  played.exact = plan_->exact_values(sums_, counts);
  played.released = plan_->release(played.exact, random);
  played.survivors = plan_->survivors(plan_->faults.ranks_exact ? played.exact : played.released);
  phases_.push_back(std::move(played));
  if (static_cast<std::int64_t>(phases_.size()) == planner_->phases()) {
    plan_ = nullptr;
    return;
  }
  begin_phase(phases_.back().survivors);
}

}  // namespace assay
