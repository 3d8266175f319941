#include "assay/mechanisms/accounting/account/mixture_step.hpp"

#include <cstddef>
#include <utility>

#include "assay/mechanisms/accounting/account/internal/step_levels.hpp"
#include "assay/mechanisms/accounting/pld/mixture_loss.hpp"
#include "assay/mechanisms/numerics/constants.hpp"

namespace assay {

Result<StepLosses> mixture_losses(const GaussianMixtureStep& step, const LossAccuracy& accuracy) {
  const auto loss = [&](MixturePair pair) {
    return loss_of::gaussian_mixture(step.weights, step.shifts, step.sigma, pair,
                                     accuracy.log_tail);
  };
  if (step.relation == SampledRelation::kReplaceOne) {
    auto replaced = ASSAY_TRY(loss(MixturePair::kReplace));
    return StepLosses{both_orders(replaced), std::nullopt, {}, {}};
  }
  auto remove = ASSAY_TRY(loss(MixturePair::kRemove));
  auto add = ASSAY_TRY(loss(MixturePair::kAdd));
  return StepLosses{{std::move(remove), std::move(add), false}, std::nullopt, {}, {}};
}

detail::Enclosure mixture_largest_loss(const GaussianMixtureStep& step, SamplingDirection order) {
  const bool adds = step.relation == SampledRelation::kAddOrRemove;
  if (order == SamplingDirection::kRemove || !adds) return kInfinity;
  detail::Enclosure still = 0.0;  // the probability that the sum does not move
  for (std::size_t i = 0; i < step.weights.size(); ++i) {
    if (step.shifts[i] == 0.0) still = still + step.weights[i];
  }
  if (still.high <= 0.0) return kInfinity;
  const detail::Enclosure loss = -log(still);
  return {loss.low - 2e-12, loss.high + 2e-12};  // as far as the weights may be from a sum of 1
}

}  // namespace assay
