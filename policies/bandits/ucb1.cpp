#include "assay/policies/bandits/ucb1.hpp"

#include <limits>

#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {

Result<Ucb1> Ucb1::create(const Config& config) {
  ASSAY_TRY(validate(config));
  return Ucb1(config);
}

Ucb1::Ucb1(const Config& config) : config_(config), arms_(static_cast<std::size_t>(config.arms)) {}

Guarantee Ucb1::guarantee() const {
  return {PureDp{Epsilon{std::numeric_limits<double>::infinity()}}, Relation::kReplaceOneReward,
          View::kActions, "UCB1 is not private: its actions are a function of the rewards"};
}

int Ucb1::best_index() const {
  const double root = std::sqrt(2.0 * portable_log(static_cast<double>(round_)));
  int best = 0;
  double best_index = -HUGE_VAL;
  for (std::size_t j = 0; j < arms_.size(); ++j) {
    const double index = arms_[j].mean + arms_[j].root_factor * root;  // (1)
    if (index > best_index) {
      best_index = index;
      best = static_cast<int>(j);
    }
  }
  return best;
}

}  // namespace assay
