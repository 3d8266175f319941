#include "assay/mechanisms/release/discrete_noise_mechanisms.hpp"

#include "assay/mechanisms/accounting/discrete_gaussian_profile.hpp"
#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/rounding.hpp"
#include "assay/mechanisms/release/fixed_point.hpp"
#include "assay/mechanisms/release/internal/both_streams.hpp"

namespace assay {
Result<DiscreteLaplaceMechanism> DiscreteLaplaceMechanism::create(const Config& config) {
  ASSAY_TRY(validate(config));
  const auto steps = static_cast<double>(config.sensitivity);
  const double scale = detail::divide_up(steps, config.epsilon);  // (1)
  const auto noise = ASSAY_TRY(ExactDiscreteLaplace::create(scale));
  return DiscreteLaplaceMechanism(config, noise);
}

Guarantee DiscreteLaplaceMechanism::guarantee() const {
  return {PureDp{Epsilon{config_.epsilon}}, Relation::kReplaceOneRecord, View::kOutput,
          "Ghosh, Roughgarden, Sundararajan (STOC 2009)"};
}

Result<DiscreteGaussianMechanism> DiscreteGaussianMechanism::create(const Config& config) {
  ASSAY_TRY(validate(config));
  const auto noise = ASSAY_TRY(ExactDiscreteGaussian::at_least(config.scale));
  return DiscreteGaussianMechanism(config, noise);
}

Status DiscreteGaussianMechanism::check_input(const Input& input) const {
  return detail::check_integer(input, -FixedPoint::kMostSteps, FixedPoint::kMostSteps);
}

template <RandomSource R>
DiscreteGaussianMechanism::Output DiscreteGaussianMechanism::release(const Input& input,
                                                                     R& random) const {
  ASSAY_CHECK(check_input(input).has_value(), "an answer within 2^52");
  return input + noise_.sample(random);  // (2)
}

Guarantee DiscreteGaussianMechanism::guarantee() const {
  const auto delta =
      discrete_gaussian_delta(noise_.distribution(), static_cast<double>(config_.sensitivity),
                              Epsilon{config_.epsilon});  // (3)
  return {ApproximateDp{Epsilon{config_.epsilon}, delta.value}, Relation::kReplaceOneRecord,
          View::kOutput, "Canonne, Kamath, Steinke (NeurIPS 2020), theorem 7"};
}

ASSAY_ONE_FROM_BOTH_STREAMS(DiscreteGaussianMechanism);

}  // namespace assay
