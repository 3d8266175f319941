#include "assay/mechanisms/accounting/pld/internal/pld_bracket.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "assay/mechanisms/accounting/pld/internal/panel_rule.hpp"
#include "assay/mechanisms/accounting/pld/internal/projection.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

struct Grid {
  double step;
  std::int64_t lowest;
  std::size_t top;  // the cell of the largest loss
  std::size_t size() const { return top + 2; }
  double loss(std::size_t i) const {
    return static_cast<double>(lowest + static_cast<std::int64_t>(i)) * step;
  }
};

// Atoms this close to a grid point count as on it; the distance goes to loss_error.
double snap_distance(const PrivacyLoss& distribution, double largest) {
  return distribution.loss_error + 4.0 * kUnitRoundoff * largest;
}

std::int64_t cell_of(double loss, double step, double snap) {
  return static_cast<std::int64_t>(std::floor((loss + snap) / step));
}

struct Extent {
  double low = 0.0;
  double high = 0.0;
  double largest() const { return std::max(std::fabs(low), std::fabs(high)); }
};

Extent extent_of(const PrivacyLoss& distribution) {
  Extent extent{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (const LossAtom& atom : distribution.atoms) {
    extent = {std::min(extent.low, atom.loss), std::max(extent.high, atom.loss)};
  }
  for (const LossPiece& piece : distribution.pieces) {
    extent = {std::min(extent.low, piece.loss(piece.low)),
              std::max(extent.high, piece.loss(piece.high))};
  }
  if (extent.low > extent.high) extent = {};
  return extent;
}

// The point of [low, high] nearest to `low` at which a bound that falls towards `high` has fallen
// to `target`; high if it never does.
template <class Bound>
double where_fallen(double low, double high, double target, const Bound& bound) {
  if (bound(low) <= target) return low;
  for (int i = 0; i < 50; ++i) {
    const double middle = low + 0.5 * (high - low);
    (bound(middle) <= target ? high : low) = middle;
  }
  return high;
}

PrivacyLoss without_tails(const PrivacyLoss& full, double tail_mass) {
  PrivacyLoss distribution = full;
  if (tail_mass <= 0.0) return distribution;
  for (LossPiece& piece : distribution.pieces) {
    const double low = piece.low;
    const double high = piece.high;
    if (piece.mass_above) {
      piece.high = where_fallen(low, high, tail_mass, piece.mass_above);
      if (piece.high < high) distribution.mass_above += piece.mass_above(piece.high);
    }
    if (piece.mass_below) {
      piece.low = where_fallen(piece.high, low, tail_mass, piece.mass_below);
      if (piece.low > low) distribution.mass_below += piece.mass_below(piece.low);
    }
  }
  return distribution;
}

// Adds one distribution to a projection, and the error of its weights to `error`.
class Filler {
 public:
  Filler(const PrivacyLoss& distribution, const Grid& grid, double snap)
      : distribution_(distribution),
        grid_(grid),
        snap_(snap),
        projection_(grid.size(), grid.top, grid.step, 0.0),
        error_(grid.size()) {}

  void add_atoms() {
    for (const LossAtom& atom : distribution_.atoms) {
      const auto cell =
          static_cast<std::size_t>(cell_of(atom.loss, grid_.step, snap_) - grid_.lowest);
      double r = std::max(atom.loss - grid_.loss(cell), 0.0);
      if (r <= snap_) r = 0.0;
      const detail::Offset at = projection_.offset(r);
      const double mass = portable_exp(atom.log_mass);
      projection_.add_upper(cell, at, mass);
      projection_.add_lower(cell, at, mass);
      // On a grid point neither the mass nor the error moves. Elsewhere the error goes above all moved mass.
      note_error(r == 0.0 ? cell : cell + 2, mass, atom.log_mass);
    }
  }

  void add_pieces() {
    for (const LossPiece& piece : distribution_.pieces) {
      const auto first = static_cast<std::size_t>(
          cell_of(piece.loss(piece.low), grid_.step, snap_) - grid_.lowest);
      double edge = piece.low;
      for (std::size_t cell = first; cell <= grid_.top && edge < piece.high; ++cell) {
        for (int half = 0; half < 2; ++half) {
          const double end = grid_.loss(cell) + 0.5 * (half + 1) * grid_.step;
          const double limit = cell == grid_.top && half == 1
                                   ? piece.high
                                   : std::clamp(piece.outcome(end), edge, piece.high);
          add_half_cell(piece, cell, half, {edge, limit});
          edge = limit;
        }
      }
    }
  }

  PldBracket finish() {
    PldBracket bracket;
    bracket.step = grid_.step;
    bracket.lowest = grid_.lowest;
    bracket.lower = projection_.take_lower(0.0);
    bracket.upper = projection_.take_upper();
    for (std::size_t i = 0; i < error_.size(); ++i) error_[i] += projection_.hull_error()[i];
    error_.back() += projection_.deficit() * (1.0 + 1e-9);
    bracket.error = std::move(error_);
    bracket.upper[1] += distribution_.mass_below;
    bracket.lower_at_infinity = distribution_.mass_at_infinity;
    bracket.upper_at_infinity =
        (distribution_.mass_at_infinity + distribution_.mass_above) * (1.0 + 4.0 * kUnitRoundoff);
    return bracket;
  }

 private:
  void note_error(std::size_t point, double mass, double log_mass) {
    const double relative = distribution_.weight_error +
                            4.0 * kUnitRoundoff * (2.0 + std::fabs(log_mass)) +
                            detail::kProjectionError;
    error_[std::min(point, grid_.top + 1)] += mass * relative;
  }

  // Outcomes of one half of a cell. The middle of a cell is a border, since (3) breaks there.
  void add_half_cell(const LossPiece& piece, std::size_t cell, int half, Extent outcomes) {
    if (!(outcomes.low < outcomes.high)) return;
    const double base = grid_.loss(cell);
    const double low = 0.5 * half * grid_.step;
    const double high = low + 0.5 * grid_.step;
    const double whole = -portable_expm1(-grid_.step);
    const double growth = 1.0 / (1.0 - whole);  // e^h
    double mass = 0.0, below_sum = 0.0;
    double largest_log = 0.0;
    const auto [radius, panels] =
        detail::visit_panels(piece, outcomes.low, outcomes.high, [&](double x, double share) {
          const double log_density = piece.log_density(x);
          const double weight = portable_exp(log_density) * share;
          const double r = std::clamp(piece.loss(x) - base, low, high);
          mass += weight;
          below_sum += weight * -portable_expm1(-r);
          largest_log = std::max(largest_log, std::fabs(log_density));
        });
    mass *= radius;
    below_sum *= radius;
    const double chord_up = below_sum / whole;
    // Summed offsets: the sums are linear in 1 and e^(-r), and add_* are linear in them.
    detail::Offset at{};
    at.chord_up = chord_up;
    at.chord_down = std::max(mass - chord_up, 0.0);
    at.floor_mass = mass;
    at.floor_gap = below_sum;
    (half == 0 ? at.down_mass : at.up_mass) = mass;
    // 1 - e^(h - r) = e^h ((1 - e^(-r)) - (1 - e^(-h)))
    (half == 0 ? at.down_gap : at.up_gap) =
        half == 0 ? below_sum : std::min(growth * (below_sum - mass * whole), 0.0);
    projection_.add_upper(cell, at, 1.0);
    projection_.add_lower(cell, at, 1.0);
    note_error(cell + 2, mass, largest_log + 2.0 * panels);  // as many roundings of the sum
  }

  const PrivacyLoss& distribution_;
  Grid grid_;
  double snap_;
  detail::Projection projection_;
  std::vector<double> error_;
};

}  // namespace

Result<PldBracket> discretise(const PrivacyLoss& full, double step, double tail_mass,
                              std::int64_t max_points) {
  if (!(tail_mass >= 0.0 && tail_mass <= 0.1)) {
    return fail(ErrorCode::kInvalidArgument,
                "tail_mass must be in [0, 0.1], not " + number_text(tail_mass), "/tail_mass");
  }
  const PrivacyLoss distribution = without_tails(full, tail_mass);
  if (!(step > 0.0 && step <= 100.0)) {
    return fail(ErrorCode::kInvalidArgument, "step must be in (0, 100], not " + number_text(step),
                "/step");
  }
  const Extent extent = extent_of(distribution);
  if (!((extent.high - extent.low) / step < static_cast<double>(max_points)) ||
      !(extent.largest() / step < 1e15)) {
    return fail(ErrorCode::kLimit,
                "step " + number_text(step) +
                    " needs more than max_points = " + std::to_string(max_points) + " points",
                "/step");
  }
  const double snap = snap_distance(distribution, extent.largest());
  const std::int64_t lowest = cell_of(extent.low, step, snap);
  const auto top = static_cast<std::size_t>(cell_of(extent.high, step, snap) - lowest);
  Filler filler(distribution, {step, lowest, top}, snap);
  filler.add_atoms();
  filler.add_pieces();
  PldBracket bracket = filler.finish();
  // Grid points are products with a rounding of their own, and so are offsets from them.
  bracket.loss_error = 2.0 * snap + 8.0 * kUnitRoundoff * (extent.largest() + step);
  return bracket;
}

Interval<Delta> PldBracket::delta(Epsilon eps) const {
  const double shift = loss_error + 4.0 * kUnitRoundoff * std::fabs(eps.value);
  double low = 0.0, high = 0.0, slack = 0.0;
  for (std::size_t i = 0; i < size(); ++i) {
    const double l = loss(i);
    slack += error[i];
    if (l > eps.value + shift) low += lower[i] * -portable_expm1(eps.value + shift - l);
    if (l > eps.value - shift) high += upper[i] * -portable_expm1(eps.value - shift - l);
  }
  slack += (1.0 + high) * 4.0 * kUnitRoundoff * static_cast<double>(size());
  return {{Delta{std::clamp(low + lower_at_infinity - slack, 0.0, 1.0)}},
          {Delta{std::clamp(high + upper_at_infinity + slack, 0.0, 1.0)}}};
}

}  // namespace assay
