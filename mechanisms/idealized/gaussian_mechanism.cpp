#include "assay/mechanisms/idealized/gaussian_mechanism.hpp"

#include <cmath>

#include "assay/mechanisms/accounting/calibrate.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay::idealized {

Status GaussianMechanismConfig::check() const {
  if (calibration == GaussianCalibration::kClassical && epsilon >= 1.0) {
    return fail(ErrorCode::kInvalidArgument,
                "epsilon must be below 1 for the classical calibration, not " +
                    number_text(epsilon) + "; the analytic one allows every epsilon",
                "/epsilon");
  }
  return {};
}

Result<GaussianMechanism> GaussianMechanism::create(const Config& config) {
  ASSAY_TRY(validate(config));
  double scale = 0.0;
  if (config.calibration == GaussianCalibration::kClassical) {
    constexpr double kUp = 1.0 + 0x1p-50;  // four roundings of half an ulp
    const double root = std::sqrt(2.0 * portable_log(1.25 / config.delta));
    scale = config.sensitivity * root / config.epsilon * kUp;  // (2)
  } else {
    const auto calibrated = ASSAY_TRY(
        gaussian_scale({Epsilon{config.epsilon}, Delta{config.delta}}, config.sensitivity));
    scale = calibrated.value.value;  // (3)
  }
  const auto noise = ASSAY_TRY(Gaussian::create(0.0, scale));
  return GaussianMechanism(config, noise);
}

Guarantee GaussianMechanism::guarantee() const {
  const bool classical = config_.calibration == GaussianCalibration::kClassical;
  return {ApproximateDp{Epsilon{config_.epsilon}, Delta{config_.delta}},
          Relation::kReplaceOneRecord, View::kOutput,
          classical ? "Dwork, Roth (2014), theorem A.1" : "Balle, Wang (ICML 2018), theorem 8"};
}

}  // namespace assay::idealized
