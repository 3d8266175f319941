#include "assay/mechanisms/accounting/pld/internal/projection.hpp"

#include <algorithm>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay::detail {
Projection::Projection(std::size_t size, std::size_t top, double step, double tilt)
    : top_(top),
      step_(step),
      tilt_(tilt),
      upper_(size),
      mass_(size),
      gap_(size),
      rounded_up_(size),
      floor_mass_(size),
      floor_gap_(size),
      hull_error_(size) {
  ASSAY_CHECK(top + 1 < size && step > 0.0 && tilt >= 0.0, "a grid above its sources");
}

Projection::Projection(std::vector<std::int64_t> places, double step)
    : Projection(places.size(), places.size() - 2, step, 0.0) {
  places_ = std::move(places);
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

std::vector<double> Projection::connect() {
  struct Cell {
    explicit Cell(double width, double tilt)
        : grow(portable_expm1(width)),
          shrink(-portable_expm1(-width)),
          from_above(portable_exp(-tilt * width) / grow),
          from_below(portable_exp(tilt * width) / shrink) {}
    double grow, shrink, from_above, from_below;
  };
  const Cell common(step_, tilt_);
  const auto cell = [&](std::size_t i) { return places_.empty() ? common : Cell(width(i), tilt_); };
  std::vector<double> masses = mass_;
  for (std::size_t i = 0; i <= top_; ++i) {
    const double gap = gap_[i];
    if (gap > 0.0 && i > 0) {  // (3); at the lowest point x = 0 pays, which has no P-mass to give
      const Cell below = cell(i - 1);
      masses[i] += gap / below.grow;
      masses[i - 1] -= gap * below.from_above;
    } else if (gap < 0.0) {
      const Cell above = cell(i);
      masses[i] -= gap / above.shrink;
      masses[i + 1] += gap * above.from_below;
    }
  }
  std::fill(hull_error_.begin(), hull_error_.end(), 0.0);
  convex_hull(masses, top_, step_, tilt_, hull_error_, places_);
  return masses;
}

// At a grid point (3) is the lower of two lines, and only that of the cell below can be negative: by
// the amount that the cell rounds up. This is little of the profile where losses are dense, but may
// exceed it where the next loss is far above. If no line is negative there is a hull.
void Projection::round_lone_masses_down() {
  constexpr double kMost = 0.5;  // of the profile
  double tilt_step = portable_exp(-tilt_ * step_);
  double keep = portable_exp(-step_), shrink = -portable_expm1(-step_);
  double mass = 0.0, profile = 0.0;  // of floor's groups at and above the point, tilted to it
  for (std::size_t cell = top_ + 1; cell-- > 0;) {
    if (!places_.empty()) {
      tilt_step = portable_exp(-tilt_ * width(cell));
      keep = portable_exp(-width(cell));
      shrink = -portable_expm1(-width(cell));
    }
    const RoundedUp& up = rounded_up_[cell];
    if (-up.gap > kMost * profile) {
      mass_[cell + 1] -= up.mass;
      gap_[cell + 1] -= up.gap;
      mass_[cell] += up.floor_mass;
      gap_[cell] += up.floor_gap;
    }
    profile = floor_gap_[cell] + tilt_step * (shrink * mass + keep * profile);
    mass = floor_mass_[cell] + tilt_step * mass;
  }
}

void convex_hull(std::vector<double>& masses, std::size_t top, double step, double tilt,
                 std::vector<double>& error, const std::vector<std::int64_t>& places) {
  const auto distance = [&](std::size_t from, std::size_t to) {
    const auto steps =
        places.empty() ? static_cast<std::int64_t>(to - from) : places[to] - places[from];
    return static_cast<double>(steps) * step;
  };
  std::vector<std::size_t> kinks;  // of the hull of the points so far
  for (std::size_t i = 0; i <= top; ++i) {
    if (masses[i] == 0.0 && i < top)
      continue;  // no kink, however many there are between lone masses
    while (!kinks.empty() && masses[kinks.back()] < 0.0) {
      const std::size_t j = kinks.back();
      kinks.pop_back();
      const double mass = std::exchange(masses[j], 0.0);
      const double rise = distance(j, i);
      const double moved = mass * portable_exp(tilt * rise);
      error[i] -= moved * (kProjectionError + 4.0 * kUnitRoundoff * tilt * rise);
      if (kinks.empty()) {
        masses[i] += moved;
        continue;
      }
      const double r = distance(kinks.back(), j);
      const double width = -portable_expm1(-(r + rise));
      masses[i] += moved * (-portable_expm1(-r) / width);
      masses[kinks.back()] +=
          mass * portable_exp(-tilt * r) * (portable_exp(-r) * -portable_expm1(-rise) / width);
    }
    kinks.push_back(i);
  }
}

std::vector<double> Projection::take_lower(double may_lack) {
  const std::size_t first_of_floor = top_ == 0 ? 0 : top_ - 1;
  for (std::size_t i = first_of_floor; i <= top_; ++i) {
    mass_[i] += floor_mass_[i];
    gap_[i] += floor_gap_[i];
  }
  std::vector<double> masses = connect();
  double total = 0.0;
  for (const double mass : masses) total += mass;
  if (-masses[top_] > may_lack * total) {
    round_lone_masses_down();
    masses = connect();  // ends negative by rounding alone
  }
  deficit_ = std::max(-masses[top_], 0.0);
  masses[top_] = std::max(masses[top_], 0.0);
  return masses;
}

}  // namespace assay::detail
