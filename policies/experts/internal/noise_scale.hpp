// Computes the scale of noise for which moves/scale, in exact arithmetic, is at most the privacy level.
#pragma once

#include <cmath>

#include "assay/mechanisms/numerics/rounding.hpp"

namespace assay::detail {

// The least double b that is at least the rounded moves/epsilon and has b epsilon >= moves.
inline double scale_for(double moves, double epsilon) {
  double scale = moves / epsilon;
  while (std::fma(scale, epsilon, -moves) < 0.0) scale = round_up(scale);
  return scale;
}

}  // namespace assay::detail
