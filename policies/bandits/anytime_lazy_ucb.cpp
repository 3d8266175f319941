#include "assay/policies/bandits/anytime_lazy_ucb.hpp"

#include <algorithm>
#include <cmath>

#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/noise/laplace.hpp"
#include "assay/mechanisms/numerics/argmax.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {

Result<AnytimeLazyUcb> AnytimeLazyUcb::create(const Config& config) {
  ASSAY_TRY(validate(config));
  return AnytimeLazyUcb(config);
}

template <class IndexOf>
std::int64_t AnytimeLazyUcb::lead_end(std::size_t best, IndexOf index, double root) const {
  // Far above the rounding errors of an index, so that computed indices have the order of the exact ones.
  constexpr double kRounding = 1e-13;
  const Index& leader = arms_[best];
  const double most = index(leader);
  double growth =
      1.0;  // of log t, for which the leader stays ahead; after a doubling of t it looks again
  for (std::size_t j = 0; j < arms_.size(); ++j) {
    if (j == best) continue;
    const Index& arm = arms_[j];
    const double here = index(arm);
    const double lead = most - here -
                        kRounding * (std::fabs(most) + std::fabs(here) + std::fabs(arm.mean) +
                                     std::fabs(leader.mean));
    if (lead <= 0.0) return 0;
    const double rate = std::max(0.0, arm.root_factor - leader.root_factor) / (2.0 * root) +
                        std::max(0.0, arm.log_factor - leader.log_factor);
    if (growth * rate > lead) growth = lead / rate;
  }
  return round_ + static_cast<std::int64_t>(growth * static_cast<double>(round_));
}

AnytimeLazyUcb::AnytimeLazyUcb(const Config& config)
    : PolicyOf(config),
      arms_(static_cast<std::size_t>(config.arms)),
      waiting_(static_cast<std::size_t>(config.arms)) {}

Guarantee AnytimeLazyUcb::guarantee() const {
  return {PureDp{Epsilon{config_.epsilon}}, Relation::kReplaceOneReward, View::kActions,
          "Near-Optimal Algorithms for Private Online Learning in a Stochastic Environment, "
          "Anytime-Lazy-UCB: one Laplace mean of a phase reads each reward"};
}

int AnytimeLazyUcb::best_index() {
  const double log_t = portable_log(static_cast<double>(round_ + 1));
  const double root = std::sqrt(log_t);
  const auto index = [&](const Index& arm) {
    return arm.mean + (arm.root_factor * root + arm.log_factor * log_t);  // (2)
  };
  const std::size_t best =
      detail::argmax(arms_.size(), [&](std::size_t j) { return index(arms_[j]); });
  leads_until_ = lead_end(best, index, root);
  return static_cast<int>(best);
}

void AnytimeLazyUcb::release(ReplayStream& random) {
  Waiting& waiting = waiting_[static_cast<std::size_t>(action_)];
  Index& arm = arms_[static_cast<std::size_t>(action_)];
  const double count = static_cast<double>(waiting.size);
  const double scale = 1.0 / (config_.epsilon * count);
  arm.mean = Laplace::create(waiting.sum / count, scale).value().sample(random);  // (1)
  arm.root_factor = std::sqrt(config_.mean_bonus / count);
  arm.log_factor = config_.noise_bonus * scale;
  waiting = {0.0, 0, 2 * waiting.size};
  ++releases_;
  pending_ = false;
  leads_until_ = 0;
}

}  // namespace assay
