#include "assay/mechanisms/release/gaussian_mechanism.hpp"

#include <cmath>

#include "assay/mechanisms/accounting/calibrate.hpp"
#include "assay/mechanisms/accounting/discrete_gaussian_profile.hpp"
#include "assay/mechanisms/accounting/zcdp.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {
namespace {

Error bad_granularity(const FixedPoint& grid) {
  return {ErrorCode::kInvalidArgument,
          "granularity " + number_text(grid.granularity()) +
              " asks for noise of a scale outside 0.01 to 2^24 of its steps",
          "/granularity"};
}

// rho of (4), rounded up.
double rho_of(double squared_steps, double scale) {
  return detail::divide_up(squared_steps, detail::round_down(2.0 * scale * scale));
}

bool keeps(const GaussianMechanismConfig& config, double squared_steps, double scale) {
  const Epsilon epsilon{config.epsilon};
  if (config.answers == 1) {
    const auto distribution = DiscreteGaussian::create(scale);
    return distribution &&
           discrete_gaussian_delta(*distribution, std::sqrt(squared_steps), epsilon).value.value <=
               config.delta;  // (3)
  }
  const auto delta = zcdp_delta(Rho{rho_of(squared_steps, scale)}, epsilon);
  return delta && delta->value.value <= config.delta;  // (4)
}

// A scale for which the claim holds, near the least; 0 if there is none.
double kept_scale(const GaussianMechanismConfig& config, double squared_steps) {
  const auto start =
      gaussian_scale({Epsilon{config.epsilon}, Delta{config.delta}}, std::sqrt(squared_steps));
  if (!start) return 0.0;
  double low = start->value.value * 0.5;
  double high = start->value.value;
  while (!keeps(config, squared_steps, high)) {
    low = high;
    high *= 1.0 + 0x1p-7;
    if (!(high <= ExactDiscreteGaussian::kMostScale)) return 0.0;
  }
  if (low < start->value.value) low = start->value.value * (1.0 - 0x1p-20);
  for (int i = 0; i < 40 && high - low > 0x1p-24 * high; ++i) {
    const double middle = low + 0.5 * (high - low);
    (keeps(config, squared_steps, middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace

Result<GaussianMechanism> GaussianMechanism::create(const Config& config) {
  ASSAY_TRY(validate(config));
  const auto continuous =
      ASSAY_TRY(gaussian_scale({Epsilon{config.epsilon}, Delta{config.delta}}, config.sensitivity));
  const double chosen = std::ldexp(1.0, std::ilogb(continuous.value.value) - 22);  // (5)
  const auto grid =
      ASSAY_TRY(FixedPoint::create(config.granularity == 0.0 ? chosen : config.granularity));
  const double squared = grid.squared_l2_sensitivity(config.sensitivity, config.answers);  // (2)
  const double scale = kept_scale(config, squared);
  const auto noise = ExactDiscreteGaussian::at_least(scale);
  if (!noise) return tl::make_unexpected(bad_granularity(grid));
  // The claim must also hold at the scale that at_least rounded up: (3) is a sum with steps.
  if (!keeps(config, squared, noise->scale())) {
    return fail(ErrorCode::kNumerical, "no scale could be certified for this level", "/delta");
  }
  return GaussianMechanism(config, grid, squared, *noise);
}

Guarantee GaussianMechanism::guarantee() const {
  return {ApproximateDp{Epsilon{config_.epsilon}, Delta{config_.delta}},
          Relation::kReplaceOneRecord, View::kOutput,
          config_.answers == 1 ? "Canonne, Kamath, Steinke (NeurIPS 2020), theorem 7, on a grid"
                               : "Canonne, Kamath, Steinke (NeurIPS 2020), theorem 14, on a grid"};
}

ZeroConcentratedDp GaussianMechanism::zcdp() const {
  return {Rho{rho_of(squared_steps_, noise().scale())}};
}

}  // namespace assay
