#include "assay/mechanisms/accounting/pld/internal/projection.hpp"

#include <algorithm>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay::detail {
namespace {

// Noise at the far end of a transform leaves deficits far below this, isolated atoms far above.
constexpr double kLargestDeficit = 1e-13;

}  // namespace

Projection::Projection(std::size_t size, std::size_t top, double step, double tilt)
    : top_(top),
      step_(step),
      tilt_(tilt),
      upper_(size),
      mass_(size),
      gap_(size),
      floor_mass_(size),
      floor_gap_(size) {
  ASSAY_CHECK(top + 1 < size && step > 0.0 && tilt >= 0.0, "a grid above its sources");
}

Offset Projection::offset(double r) const {
  const double rise = step_ - r;
  const double below = -portable_expm1(-r);     // 1 - e^(-r)
  const double above = portable_expm1(rise);    // e^(h - r) - 1
  const double cell = -portable_expm1(-step_);  // 1 - e^(-h)
  const double down = portable_exp(-tilt_ * r);
  const double up = portable_exp(tilt_ * rise);
  Offset at{};
  at.chord_up = below / cell * up;                             // (2)
  at.chord_down = above * portable_exp(-step_) / cell * down;  // (2)
  at.floor_mass = down;
  at.floor_gap = below * down;
  if (2.0 * r < step_) {
    at.down_mass = down;
    at.down_gap = below * down;
  } else {
    at.up_mass = up;
    at.up_gap = -above * up;
  }
  return at;
}

Offset Projection::middle() const {
  Offset at = offset(0.5 * step_);
  at.up_mass *= 0.5;
  at.up_gap *= 0.5;
  at.down_mass = 0.5 * at.floor_mass;
  at.down_gap = 0.5 * at.floor_gap;
  return at;
}

std::vector<double> Projection::connect(const Groups& groups) const {
  const double grow = portable_expm1(step_);
  const double shrink = -portable_expm1(-step_);
  const double from_above = portable_exp(-tilt_ * step_) / grow;
  const double from_below = portable_exp(tilt_ * step_) / shrink;
  std::vector<double> masses = groups.mass;
  for (std::size_t i = 0; i <= top_; ++i) {
    const double gap = groups.gap[i];
    if (gap > 0.0 && i > 0) {  // (3); at the lowest point x = 0 pays, which has no P-mass to give
      masses[i] += gap / grow;
      masses[i - 1] -= gap * from_above;
    } else if (gap < 0.0) {
      masses[i] -= gap / shrink;
      masses[i + 1] += gap * from_below;
    }
  }
  return masses;
}

std::size_t convex_hull(std::vector<double>& masses, std::size_t top, double step, double tilt) {
  std::size_t reach = 0;
  std::vector<std::size_t> kinks;  // of the hull of the points so far
  for (std::size_t i = 0; i <= top; ++i) {
    while (!kinks.empty() && masses[kinks.back()] < 0.0) {
      const std::size_t j = kinks.back();
      kinks.pop_back();
      const double mass = std::exchange(masses[j], 0.0);
      const double rise = static_cast<double>(i - j) * step;
      const double moved = mass * portable_exp(tilt * rise);
      reach = std::max(reach, i - j + 1);
      if (kinks.empty()) {
        masses[i] += moved;
        continue;
      }
      const double r = static_cast<double>(j - kinks.back()) * step;
      const double width = -portable_expm1(-(r + rise));
      masses[i] += moved * (-portable_expm1(-r) / width);
      masses[kinks.back()] +=
          mass * portable_exp(-tilt * r) * (portable_exp(-r) * -portable_expm1(-rise) / width);
    }
    kinks.push_back(i);
  }
  return reach;
}

std::vector<double> Projection::take_lower() {
  const std::size_t first_of_floor = top_ == 0 ? 0 : top_ - 1;
  for (std::size_t i = first_of_floor; i <= top_; ++i) {
    mass_[i] += floor_mass_[i];
    gap_[i] += floor_gap_[i];
  }
  std::vector<double> masses = connect({mass_, gap_});
  reach_ = std::max(reach_, convex_hull(masses, top_, step_, tilt_));
  double total = 0.0;
  for (const double mass : masses) total += mass;
  if (-masses[top_] > kLargestDeficit * total) {
    masses = connect({floor_mass_, floor_gap_});
    reach_ = std::max(reach_,
                      convex_hull(masses, top_, step_, tilt_));  // ends negative by rounding alone
  }
  deficit_ = std::max(-masses[top_], 0.0);
  masses[top_] = std::max(masses[top_], 0.0);
  return masses;
}

}  // namespace assay::detail
