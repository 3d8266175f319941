#include "assay/policies/bandits/dp_successive_elimination.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/noise/laplace.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {

detail::EliminationEpoch detail::elimination_epoch(const DpSuccessiveEliminationConfig& config,
                                                   std::int64_t epoch, std::int64_t survivors) {
  const double e = static_cast<double>(epoch);
  const double log_beta = config.beta == 0.0 ? -portable_log(static_cast<double>(config.horizon))
                                             : portable_log(config.beta);
  const double cases = static_cast<double>(survivors) * e * e;
  const double log8 = portable_log(8.0 * cases) - log_beta;  // (1)
  const double log4 = portable_log(4.0 * cases) - log_beta;
  const double inverse_gap = std::ldexp(1.0, static_cast<int>(epoch));
  const double longest = std::max(32.0 * log8 * inverse_gap * inverse_gap,
                                  8.0 * log4 * inverse_gap / config.epsilon);  // (2)
  // Nothing reads a length beyond the horizon; the limit keeps it an integer.
  const double pulls = std::min(std::floor(config.epoch_scale * longest), 1e15) + 1.0;
  const double scale = 1.0 / (config.epsilon * pulls);
  return {static_cast<std::int64_t>(pulls), scale,
          2.0 * std::sqrt(log8 / (2.0 * pulls)) + 2.0 * log4 * scale};  // (4)
}

Result<DpSuccessiveElimination> DpSuccessiveElimination::create(const Config& config) {
  ASSAY_TRY(validate(config));
  return DpSuccessiveElimination(config);
}

DpSuccessiveElimination::DpSuccessiveElimination(const Config& config) : PolicyOf(config) {
  for (int arm = 0; arm < config.arms; ++arm) active_.push_back(arm);
  start_epoch();
}

Guarantee DpSuccessiveElimination::guarantee() const {
  return {PureDp{Epsilon{config_.epsilon}}, Relation::kReplaceOneReward, View::kActions,
          "An Optimal Private Stochastic-MAB Algorithm Based on an Optimal Private Stopping Rule, "
          "DP Successive Elimination: one Laplace mean per epoch reads each reward"};
}

void DpSuccessiveElimination::start_epoch() {
  sums_.assign(active_.size(), 0.0);
  slot_ = 0;
  if (active_.size() == 1) {
    now_ = {};
    rotations_left_ = std::numeric_limits<std::int64_t>::max();  // no release will follow
    return;
  }
  now_ = detail::elimination_epoch(config_, epoch_, static_cast<std::int64_t>(active_.size()));
  rotations_left_ = now_.pulls;
}

void DpSuccessiveElimination::finish_epoch(ReplayStream& random) {
  release_.epoch = now_;
  release_.means.clear();
  double best = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const double mean = sums_[i] / static_cast<double>(now_.pulls);
    const double value = Laplace::create(mean, now_.noise_scale).value().sample(random);  // (3)
    release_.means.push_back({active_[i], value});
    best = std::max(best, value);
  }
  active_.clear();
  for (const auto& [arm, value] : release_.means) {
    if (best - value <= now_.width) active_.push_back(arm);  // (5)
  }
  ++epoch_;
  start_epoch();
}

}  // namespace assay
