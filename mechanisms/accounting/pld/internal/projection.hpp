// Moving masses onto a grid from above and from below: equations (2) and (3) of pld_bracket.hpp,
// for masses as they are (tilt 0) and for exponentially tilted ones.
//
// A tilted mass at l is p e^(t l), t >= 0, times a constant; moving it to l' multiplies it by
// e^(t (l' - l)).
//
// Accuracy: a result differs from the exact one by at most kProjectionError times the sum of what
// was added within reach() points of it, moved up there.
// Threads: values. Cost: a few ns a point, and three exponentials an offset.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace assay::detail {

// At most 10 factors of 3 u (exp and expm1 to an ulp, products), and three times that for the
// cancellation in (3), whose terms are at most twice the masses near by.
inline constexpr double kProjectionError = 96.0 * 0x1p-53;

// What a unit of mass at offset r above a grid point adds, 0 <= r < h.
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
// are spread by (2) until none is left but, perhaps, the topmost. Returns the furthest move plus 1.
std::size_t convex_hull(std::vector<double>& masses, std::size_t top, double step, double tilt);

class Projection {
 public:
  // Points 0..size - 1 of step h; sources in cells 0..top, top + 1 < size.
  Projection(std::size_t size, std::size_t top, double step, double tilt);

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
  }

  std::vector<double> take_upper() { return std::move(upper_); }
  std::vector<double> take_lower();  // (3) and its convex hull; call once
  std::size_t reach() const { return reach_; }
  // What take_lower took too much at the topmost point, where nothing above could pay for it: the
  // profile of the lower masses less that of this one is a lower bound.
  double deficit() const { return deficit_; }

 private:
  struct Groups {
    const std::vector<double>& mass;
    const std::vector<double>& gap;
  };
  std::vector<double> connect(const Groups& groups) const;  // (3), without the hull

  std::size_t top_;
  double step_;
  double tilt_;
  std::size_t reach_ = 2;
  double deficit_ = 0.0;
  std::vector<double> upper_;
  std::vector<double> mass_;        // P_i, but for the two groups at the top
  std::vector<double> gap_;         // g_i
  std::vector<double> floor_mass_;  // the same for groups that are cells: no gap is negative, so
  std::vector<double> floor_gap_;   // nobody above has to pay and the hull always exists
};

}  // namespace assay::detail
