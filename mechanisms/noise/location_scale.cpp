#include "assay/mechanisms/noise/location_scale.hpp"

#include <cmath>
#include <string>

#include "assay/mechanisms/core/configuration.hpp"

namespace assay::detail {

Status check_location_scale(double location, double scale) {
  if (!std::isfinite(location)) {
    return fail(ErrorCode::kInvalidArgument,
                "location must be finite, not " + number_text(location), "/location");
  }
  if (std::isfinite(scale) && scale > 0.0) return {};
  return fail(ErrorCode::kInvalidArgument,
              "scale must be positive and finite, not " + number_text(scale), "/scale");
}

}  // namespace assay::detail
