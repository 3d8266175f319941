#include "assay/policies/best_arm/dp_bai.hpp"

#include <cmath>

#include "assay/mechanisms/accounting/calibrate.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/policies/best_arm/internal/planners.hpp"

namespace assay {
namespace {

template <class Config>
detail::PlannerSetting elimination_setting(const Config& config, PhaseNoise noise, double scale) {
  return {elimination_schedule(config.schedule, config.arms, config.dimension), config.budget,
          noise, scale};
}

// c of (4).
Result<double> gaussian_unit(const DpBaiGaussConfig& config) {
  if (config.calibration == Calibration::kPaper) {
    return std::sqrt(2.0 * portable_log(1.25 / config.delta)) / config.epsilon;
  }
  const auto exact = ASSAY_TRY(gaussian_scale({Epsilon{config.epsilon}, Delta{config.delta}}, 1.0));
  return exact.value.value;
}

}  // namespace

detail::Planner DpBai::make_planner(const Config& config, const ArmFeatures& features) {
  const auto setting = elimination_setting(config, PhaseNoise::kLaplace, 1.0 / config.epsilon);
  return detail::make_means_planner(setting, &features);
}

Guarantee DpBai::guarantee() const {
  return {PureDp{Epsilon{config().epsilon}}, Relation::kReplaceOneColumn, View::kActions,
          "Fixed-Budget Differentially Private Best Arm Identification, Proposition 4.1"};
}

detail::Planner DpBaiGauss::make_planner(const Config& config, const ArmFeatures& features) {
  const double unit = ASSAY_TRY(gaussian_unit(config));
  const auto setting = elimination_setting(config, PhaseNoise::kGaussian, unit);
  return detail::make_means_planner(setting, &features);
}

Guarantee DpBaiGauss::guarantee() const {
  const bool paper = config().calibration == Calibration::kPaper;
  return {ApproximateDp{Epsilon{config().epsilon}, Delta{config().delta}},
          Relation::kReplaceOneColumn, View::kActions,
          paper ? "Fixed-Budget Differentially Private Best Arm Identification, Proposition D.2"
                : "Balle, Wang (ICML 2018), Theorem 8: one Gaussian mean reads each reward"};
}

detail::Planner BaiBaseline::make_planner(const Config& config, const ArmFeatures&) {
  const auto setting = elimination_setting(config, PhaseNoise::kLaplace, 1.0 / config.epsilon);
  return detail::make_means_planner(setting, nullptr);
}

Guarantee BaiBaseline::guarantee() const {
  return {PureDp{Epsilon{config().epsilon}}, Relation::kReplaceOneColumn, View::kActions,
          "Fixed-Budget Differentially Private Best Arm Identification, section 5"};
}

}  // namespace assay
