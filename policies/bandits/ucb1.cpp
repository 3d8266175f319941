#include "assay/policies/bandits/ucb1.hpp"

#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/argmax.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {

Result<Ucb1> Ucb1::create(const Config& config) {
  ASSAY_TRY(validate(config));
  return Ucb1(config);
}

Ucb1::Ucb1(const Config& config) : PolicyOf(config), arms_(static_cast<std::size_t>(config.arms)) {}

Guarantee Ucb1::guarantee() const {
  return {kNotPrivate, Relation::kReplaceOneReward, View::kActions,
          "UCB1 is not private: its actions are a function of the rewards"};
}

int Ucb1::best_index() const {
  const double root = std::sqrt(2.0 * portable_log(static_cast<double>(round_)));
  return static_cast<int>(detail::argmax(arms_.size(), [&](std::size_t j) {
    return arms_[j].mean + arms_[j].root_factor * root;  // (1)
  }));
}

}  // namespace assay
