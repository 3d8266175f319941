#include "assay/policies/bandits/anytime_lazy_ucb.hpp"

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

AnytimeLazyUcb::AnytimeLazyUcb(const Config& config)
    : PolicyOf(config),
      arms_(static_cast<std::size_t>(config.arms)),
      waiting_(static_cast<std::size_t>(config.arms)) {}

Guarantee AnytimeLazyUcb::guarantee() const {
  return {PureDp{Epsilon{config_.epsilon}}, Relation::kReplaceOneReward, View::kActions,
          "Near-Optimal Algorithms for Private Online Learning in a Stochastic Environment, "
          "Anytime-Lazy-UCB: one Laplace mean of a phase reads each reward"};
}

int AnytimeLazyUcb::best_index() const {
  const double log_t = portable_log(static_cast<double>(round_ + 1));
  const double root = std::sqrt(log_t);
  return static_cast<int>(detail::argmax(arms_.size(), [&](std::size_t j) {
    return arms_[j].mean + (arms_[j].root_factor * root + arms_[j].log_factor * log_t);  // (2)
  }));
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
}

}  // namespace assay
