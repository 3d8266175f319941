#include "assay/auditors/best_arm/phase_tilt.hpp"

#include <algorithm>
#include <cmath>

#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

constexpr std::size_t kMostRivals = 64;

double weight(const PhasePlan& plan, std::size_t i, std::size_t k) {
  if (plan.weights.empty()) return i == k ? 1.0 : 0.0;
  return plan.weights[i * plan.values() + k];
}

double log_sum(double sum, double term) {
  return term == -kInfinity ? sum : log_add_exp(std::max(sum, term), std::min(sum, term));
}

}  // namespace

double PhaseTilt::slope(std::size_t i, std::size_t k) const {
  return sign_ * (weight(*plan_, arm_, k) - weight(*plan_, i, k));
}

std::optional<PhaseTilt> PhaseTilt::create(const PhasePlan& plan, std::span<const double> exact,
                                           int arm, PhaseFate fate) {
  const auto keep = static_cast<std::size_t>(plan.keep);
  const std::size_t arms = plan.active.size();
  const auto at = std::lower_bound(plan.active.begin(), plan.active.end(), arm);
  const bool survives = fate == PhaseFate::kSurvives;
  const std::size_t rivals = survives ? keep : arms - keep;
  if (plan.noise != PhaseNoise::kGaussian || plan.faults != PhaseFaults{} || keep >= arms ||
      rivals > kMostRivals || at == plan.active.end() || *at != arm) {
    return {};
  }
  PhaseTilt tilt(plan, exact, static_cast<std::size_t>(at - plan.active.begin()),
                 survives ? 1.0 : -1.0);
  const auto scores = plan.scores(exact);
  for (std::size_t i = 0; i < arms; ++i) {
    if (i != tilt.arm_) tilt.rivals_.push_back({i});
  }
  std::stable_sort(tilt.rivals_.begin(), tilt.rivals_.end(), [&](const Rival& a, const Rival& b) {
    return survives ? scores[a.index] > scores[b.index] : scores[a.index] < scores[b.index];
  });
  tilt.rivals_.resize(rivals);
  tilt.log_bound_ = -kInfinity;
  for (Rival& rival : tilt.rivals_) {
    const double mean = tilt.sign_ * (scores[tilt.arm_] - scores[rival.index]);
    double variance = 0.0;
    for (std::size_t k = 0; k < plan.values(); ++k) {
      const double spread = tilt.slope(rival.index, k) * plan.scales[k];
      variance += spread * spread;
    }
    if (mean < 0.0 && variance > 0.0) {  // (1)
      rival.strength = -mean / variance;
      rival.log_bound = -0.5 * mean * mean / variance;
    }
    tilt.log_bound_ = log_sum(tilt.log_bound_, rival.log_bound);
  }
  return tilt;
}

std::vector<double> PhaseTilt::release(ReplayStream& random) const {
  const double level = log_bound_ + portable_log(random.uniform());
  double up_to = -kInfinity;
  const Rival* drawn = &rivals_.back();
  for (const Rival& rival : rivals_) {
    up_to = log_sum(up_to, rival.log_bound);
    if (!(up_to >= level)) continue;
    drawn = &rival;
    break;
  }
  auto centre = exact_;
  for (std::size_t k = 0; k < centre.size(); ++k) {
    centre[k] += drawn->strength * slope(drawn->index, k) * plan_->scales[k] * plan_->scales[k];
  }
  return plan_->release(centre, random);
}

double PhaseTilt::log_ratio(std::span<const double> released) const {
  const auto scores = plan_->scores(released);
  double sum = -kInfinity;
  for (const Rival& rival : rivals_) {
    sum = log_sum(sum, rival.strength * sign_ * (scores[arm_] - scores[rival.index]));
  }
  return sum - log_bound_;  // (2)
}

}  // namespace assay
