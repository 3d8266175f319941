// The checks that the distributions share.
#pragma once

#include <cmath>
#include <string>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay::detail {

inline Status check_scale(double scale) {
  if (std::isfinite(scale) && scale > 0.0) return {};
  return fail(ErrorCode::kInvalidArgument,
              "scale must be positive and finite, not " + number_text(scale), "/scale");
}

inline Status check_location(double location) {
  if (std::isfinite(location)) return {};
  return fail(ErrorCode::kInvalidArgument, "location must be finite, not " + number_text(location),
              "/location");
}

inline Status check_location_scale(double location, double scale) {
  const auto status = check_location(location);
  return status ? check_scale(scale) : status;
}

}  // namespace assay::detail
