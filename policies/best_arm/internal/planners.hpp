// The planners of the family: one for phases that release means, one for phases that release moments.
#pragma once

#include <cstdint>
#include <memory>

#include "assay/mechanisms/core/result.hpp"
#include "assay/policies/best_arm/phases.hpp"
#include "assay/policies/best_arm/schedule.hpp"
#include "assay/policies/linear/features.hpp"

namespace assay {

enum class MomentNorm;  // od_lin_bai.hpp

namespace detail {

struct PlannerSetting {
  PhaseSchedule schedule;
  std::int64_t budget = 0;
  PhaseNoise noise = PhaseNoise::kNone;
  double scale = 0.0;  // of the noise for sensitivity 1
};

// Phase p pulls a Max-Det collection of the active arms if their rank is below sqrt(s_p), else all of
// them; without features it always pulls all. A mean of n pulls has noise of scale `scale`/n.
// Errors: a budget that leaves an arm of some phase without a pull; a certificate of the first
// phase that does not hold (linear_algebra.hpp).
Planner make_means_planner(const PlannerSetting& setting, const ArmFeatures* features);

// Phase p pulls by a G-optimal design of the active arms. With d_p their rank and n_j the pulls of arm
// j in the design, in coordinates of their span:
//   U = sum_j S_j a_j, each entry with noise of scale `scale` L, L = max over active arms of ||a||
//   score of i: a_i^T G^-1 U, G = sum_j n_j a_j a_j^T
// Errors: as above.
Planner make_moments_planner(const PlannerSetting& setting, const ArmFeatures& features,
                             MomentNorm norm);

}  // namespace detail
}  // namespace assay
