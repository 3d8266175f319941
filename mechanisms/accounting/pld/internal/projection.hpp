// Moving masses onto a grid from above and from below: equations (2) and (3) of pld_bracket.hpp,
// for masses as they are (tilt 0) and for exponentially tilted ones.
//
// A tilted mass at l is p e^(t l), t >= 0, times a constant; moving it to l' multiplies it by
// e^(t (l' - l)).
//
// Accuracy: a result differs from the exact one by at most kProjectionError times the sum of the
// masses added within 2 points of it, moved up there, and hull_error() of its place.
// Threads: values. Cost: a few ns a point, and three exponentials an offset.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace assay::detail {

// At most 10 factors of 3 u (exp and expm1 to an ulp, products), and three times that for the
// cancellation in (3), whose terms are at most twice the masses near by.
inline constexpr double kProjectionError = 96.0 * 0x1p-53;

// The contributions of a unit of mass at offset r above a grid point, 0 <= r < h.
struct Offset {
  double chord_down;  // (2): to the point below
  double chord_up;    // and above
  double down_mass;   // to P_i and g_i of the group of the point below
  double down_gap;
  double up_mass;  // and above; the two groups share a mass in the middle of the cell
  double up_gap;
  double floor_mass;  // if the group of the point below took all of the cell
  double floor_gap;
};

// The lower convex hull of a profile whose kinks have the masses at places 0..top: negative ones
// are spread by (2) until none is left except possibly the topmost. The error of a mass stays at its
// place, while the computed mass moves. Adds the rounding of the moves to `error`, at their ends.
// Without `places` the kinks are `step` apart.
void convex_hull(std::vector<double>& masses, std::size_t top, double step, double tilt,
                 std::vector<double>& error, const std::vector<std::int64_t>& places = {});

class Projection {
 public:
  // Points 0..size - 1 of step h; sources in cells 0..top, top + 1 < size.
  Projection(std::size_t size, std::size_t top, double step, double tilt);
  // Points at these multiples of the step, which increase, for masses as they are; sources in all cells between them.
  Projection(std::vector<std::int64_t> places, double step);

  Offset offset(double r) const;
  Offset middle() const;  // r = h/2

  void add_upper(std::size_t cell, const Offset& at, double mass) {
    upper_[cell] += mass * at.chord_down;
    upper_[cell + 1] += mass * at.chord_up;
  }
  void add_lower(std::size_t cell, const Offset& at, double mass) {
    floor_mass_[cell] += mass * at.floor_mass;
    floor_gap_[cell] += mass * at.floor_gap;
    if (cell + 1 >= top_) return;  // the top group takes nothing from below: those are floor's
    mass_[cell] += mass * at.down_mass;
    gap_[cell] += mass * at.down_gap;
    mass_[cell + 1] += mass * at.up_mass;
    gap_[cell + 1] += mass * at.up_gap;
    RoundedUp& up = rounded_up_[cell];
    up.mass += mass * at.up_mass;
    up.gap += mass * at.up_gap;
    up.floor_mass += mass * (at.floor_mass - at.down_mass);
    up.floor_gap += mass * (at.floor_gap - at.down_gap);
  }

  std::vector<double> take_upper() { return std::move(upper_); }
  // (3) and its convex hull; call once. Where the topmost point would lack more than `may_lack` of
  // all masses, lone ones are rounded down.
  std::vector<double> take_lower(double may_lack);
  const std::vector<double>& hull_error() const { return hull_error_; }
  // The excess that take_lower took at the topmost point, where nothing above could pay for it: the
  // profile of the lower masses less that of this one is a lower bound.
  double deficit() const { return deficit_; }

 private:
  // The contribution of a cell to the group above, and the same if its own group took it.
  struct RoundedUp {
    double mass, gap, floor_mass, floor_gap;
  };
  std::vector<double> connect();  // (3) and its hull
  void round_lone_masses_down();

  double width(std::size_t cell) const {
    return places_.empty() ? step_ : static_cast<double>(places_[cell + 1] - places_[cell]) * step_;
  }

  std::vector<std::int64_t> places_;  // empty: every multiple of the step
  std::size_t top_;
  double step_;
  double tilt_;
  double deficit_ = 0.0;
  std::vector<double> upper_;
  std::vector<double> mass_;  // P_i, but for the two groups at the top
  std::vector<double> gap_;   // g_i
  std::vector<RoundedUp> rounded_up_;
  std::vector<double> floor_mass_, floor_gap_;  // of groups that are cells: no gap is negative
  std::vector<double> hull_error_;
};

}  // namespace assay::detail
