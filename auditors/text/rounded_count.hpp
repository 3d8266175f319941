// Rounds an estimated count to the two leading digits that it is worth.
#pragma once

#include <cmath>

namespace assay {

enum class CountRounding { kUp, kDown };

// 86,420 becomes 87,000, or 86,000. `count` is finite and at least 0.
inline double rounded_count(double count, CountRounding direction = CountRounding::kUp) {
  double unit = 1.0;
  while (count >= 100.0 * unit) unit *= 10.0;
  const double units = count / unit;
  return unit * (direction == CountRounding::kUp ? std::ceil(units) : std::floor(units));
}

}  // namespace assay
