#include "assay/auditors/bench/pure_share.hpp"

#include <algorithm>

#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/accounting/account/composed_calibration.hpp"

namespace assay::detail {

Result<PureLevel> PureShare::of(std::int64_t releases) {
  const std::lock_guard lock(mutex_);
  const auto found = known_.find(releases);
  if (found != known_.end()) return found->second;
  CalibrationRequest request;
  request.kind = CalibratedKind::kLaplace;
  request.target = target_;
  request.compose = releases;
  request.answers = 2;  // a vector; only the level of a release is used
  const auto calibrated = ASSAY_TRY(calibrate(request));
  PureLevel level;
  level.releases = releases;
  level.epsilon = (1.0 - 1e-14) / calibrated.scale;
  // A new computation may exceed the level that the certificate of the scale proves, by the error of a grid.
  level.all = {target_.epsilon,
               Delta{std::min(calibrated.achieved.upper.value.value, target_.delta.value)}};
  return known_.emplace(releases, level).first->second;
}

Guarantee composed_guarantee(Guarantee of_one, const PureLevel& level,
                             const std::string& releases) {
  if (level.releases == 1) return of_one;
  of_one.level = level.all;
  of_one.source += "; " + grouped(level.releases) + " " + releases + ", each " +
                   rounded_up(level.epsilon, 4) + "-DP, composed";
  return of_one;
}

}  // namespace assay::detail
