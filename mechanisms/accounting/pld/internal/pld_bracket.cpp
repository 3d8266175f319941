#include "assay/mechanisms/accounting/pld/internal/pld_bracket.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include "assay/mechanisms/accounting/pld/internal/panel_rule.hpp"
#include "assay/mechanisms/accounting/pld/internal/projection.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

// Of 4 points, and of 12 for wide panels.
constexpr std::array<double, 4> kFourNode{-0.8611363115940525752, -0.3399810435848562648,
                                          0.3399810435848562648, 0.8611363115940525752};
constexpr std::array<double, 4> kFourWeight{0.3478548451374538574, 0.6521451548625461426,
                                            0.6521451548625461426, 0.3478548451374538574};

constexpr std::array<double, 12> kWideNode{
    -0.9815606342467192507, -0.9041172563704748567, -0.7699026741943046870, -0.5873179542866174473,
    -0.3678314989981801938, -0.1252334085114689155, 0.1252334085114689155,  0.3678314989981801938,
    0.5873179542866174473,  0.7699026741943046870,  0.9041172563704748567,  0.9815606342467192507};
constexpr std::array<double, 12> kWideWeight{
    0.0471753363865118272, 0.1069393259953184310, 0.1600783285433462264, 0.2031674267230659217,
    0.2334925365383548088, 0.2491470458134027850, 0.2491470458134027850, 0.2334925365383548088,
    0.2031674267230659217, 0.1600783285433462264, 0.1069393259953184310, 0.0471753363865118272};

// A rule for panels of up to `widest` times that of the piece.
struct Rule {
  double widest;
  std::span<const double> nodes;
  std::span<const double> weights;
};
const std::array<Rule, 2> kExact{{{detail::kNarrow, detail::kNarrowNode, detail::kNarrowWeight},
                                  {1.0, detail::kPanelNode, detail::kPanelWeight}}};
// With errors of up to kLooseError: that of a rule of n points grows with the power 2 n of the width. That of 4 points is
// at most 5.6e-10 (w (|z| + sqrt(8)))^8.
const std::array<Rule, 3> kLoose{{{0.4, kFourNode, kFourWeight},
                                  {2.0, detail::kPanelNode, detail::kPanelWeight},
                                  {9.0, kWideNode, kWideWeight}}};
// Above four times 5.6e-10 0.3^8 and 2^12 u/8: those of P, and of P - e^base Q, whose effect (2) leaves as large.
constexpr double kLooseError = 0x1p-42;
constexpr double kLargestExponent = 700.0;  // of a double

// The narrowest rule that takes a width of so many panels in one, or else the widest.
const Rule& rule_for(std::span<const Rule> rules, double panels) {
  for (const Rule& rule : rules) {
    if (panels <= rule.widest) return rule;
  }
  return rules.back();
}

struct Grid {
  double step;
  std::int64_t lowest;
  std::size_t top;  // the cell of the largest loss
  std::vector<std::int64_t>
      places{};                  // the ends of all cells, from `lowest`; empty: all of one step
  std::size_t first_end = 1;     // of the cell of the lowest loss
  double tolerance = kInfinity;  // relative, of masses in cells of several steps
  std::size_t size() const { return top + 2; }
  std::size_t cells() const { return places.empty() ? top + 1 : places.size() - 1; }
  std::int64_t place(std::size_t cell) const {
    return places.empty() ? static_cast<std::int64_t>(cell) : places[cell];
  }
  std::size_t cell_at(std::int64_t at) const {
    if (places.empty()) return static_cast<std::size_t>(at);
    return static_cast<std::size_t>(std::upper_bound(places.begin(), places.end(), at) -
                                    places.begin()) -
           1;
  }
  double low_end(std::size_t cell) const {
    return static_cast<double>(lowest + place(cell)) * step;
  }
  double width(std::size_t cell) const {
    return places.empty() ? step : static_cast<double>(places[cell + 1] - places[cell]) * step;
  }
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

// Adds one distribution to a projection, and the error of its weights to `error`.
class Filler {
 public:
  Filler(const PrivacyLoss& distribution, const Grid& grid, double snap)
      : distribution_(distribution),
        grid_(grid),
        snap_(snap),
        projection_(grid.places.empty() ? detail::Projection(grid.size(), grid.top, grid.step, 0.0)
                                        : detail::Projection(grid.places, grid.step)),
        error_(grid.cells() + 1) {}

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
      const std::size_t first =
          grid_.cell_at(cell_of(piece.loss(piece.low), grid_.step, snap_) - grid_.lowest);
      double edge = piece.low;
      for (std::size_t cell = first; cell < grid_.cells() && edge < piece.high; ++cell) {
        for (int half = 0; half < 2; ++half) {
          const double end = grid_.low_end(cell) + 0.5 * (half + 1) * grid_.width(cell);
          const double limit = cell + 1 == grid_.cells() && half == 1
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
    bracket.upper[grid_.first_end] += distribution_.mass_below;
    bracket.places = std::move(grid_.places);
    bracket.lower_at_infinity = distribution_.mass_at_infinity;
    bracket.upper_at_infinity =
        (distribution_.mass_at_infinity + distribution_.mass_above) * (1.0 + 4.0 * kUnitRoundoff);
    return bracket;
  }

 private:
  void note_error(std::size_t point, double mass, double log_mass) {
    const double relative = distribution_.weight_error +
                            4.0 * kUnitRoundoff * (2.0 + std::fabs(log_mass)) +
                            detail::kProjectionError + (grid_.places.empty() ? 0.0 : kLooseError);
    error_[std::min(point, grid_.cells())] += mass * relative;
  }

  // Outcomes of one half of a cell. The middle of a cell is a border, since (3) breaks there.
  void add_half_cell(const LossPiece& piece, std::size_t cell, int half, Extent outcomes) {
    if (!(outcomes.low < outcomes.high)) return;
    const double wide = (outcomes.high - outcomes.low) / piece.panel;
    const auto& [widest, nodes, weights] =
        grid_.places.empty() ? rule_for(kExact, wide) : rule_for(kLoose, wide);
    const double panels = std::ceil(wide / std::max(widest, 1.0));
    const double radius = 0.5 * (outcomes.high - outcomes.low) / panels;
    const double base = grid_.low_end(cell);
    const double low = 0.5 * half * grid_.width(cell);
    const double high = low + 0.5 * grid_.width(cell);
    const double whole = -portable_expm1(-grid_.width(cell));
    double mass = 0.0, below_sum = 0.0;
    double above_sum = 0.0;  // of e^(h - r) - 1, in the upper half; from below_sum it would cancel
    double largest_log = 0.0;
    // The difference of P and Q is right to a few u of P; (2) divides it by 1 - e^(-h).
    const double rounding = 32.0 * kUnitRoundoff / whole;
    const bool by_densities = !grid_.places.empty() && piece.densities &&
                              rounding <= grid_.tolerance &&
                              std::fabs(base) + grid_.width(cell) < kLargestExponent;
    const double grown = by_densities ? portable_exp(base) : 0.0;
    const double grown_above = by_densities ? portable_exp(base + grid_.width(cell)) : 0.0;
    for (double panel = 0.0; panel < panels; panel += 1.0) {
      const double middle = outcomes.low + (2.0 * panel + 1.0) * radius;
      if (by_densities) {
        std::array<double, kWideNode.size()> x, p, q;
        for (std::size_t k = 0; k < nodes.size(); ++k) x[k] = middle + radius * nodes[k];
        piece.densities(x.data(), nodes.size(), p.data(), q.data());
        for (std::size_t k = 0; k < nodes.size(); ++k) {
          mass += weights[k] * p[k];
          below_sum += weights[k] * (p[k] - grown * q[k]);
          above_sum += weights[k] * (grown_above * q[k] - p[k]);
        }
        continue;
      }
      for (std::size_t k = 0; k < nodes.size(); ++k) {
        const double x = middle + radius * nodes[k];
        const auto [log_density, loss] = piece.density_and_loss
                                             ? piece.density_and_loss(x)
                                             : std::pair{piece.log_density(x), piece.loss(x)};
        const double weight = portable_exp(log_density) * weights[k];
        const double r = std::clamp(loss - base, low, high);
        mass += weight;
        below_sum += weight * -portable_expm1(-r);
        if (half == 1) above_sum += weight * portable_expm1(grid_.width(cell) - r);
        largest_log = std::max(largest_log, std::fabs(log_density));
      }
    }
    if (by_densities) {
      below_sum =
          std::clamp(below_sum, mass * -portable_expm1(-low), mass * -portable_expm1(-high));
      error_[std::min(cell + 2, grid_.cells())] +=
          mass * radius * (rounding + 2.0 * kUnitRoundoff * panels / whole);
      largest_log = 40.0;
    }
    mass *= radius;
    below_sum *= radius;
    above_sum = half == 0 ? 0.0 : std::max(above_sum * radius, 0.0);
    const double chord_up = below_sum / whole;
    // Summed offsets: the sums are linear in 1 and e^(-r), and add_* are linear in them.
    detail::Offset at{};
    at.chord_up = chord_up;
    at.chord_down = std::max(mass - chord_up, 0.0);
    at.floor_mass = mass;
    at.floor_gap = below_sum;
    (half == 0 ? at.down_mass : at.up_mass) = mass;
    (half == 0 ? at.down_gap : at.up_gap) = half == 0 ? below_sum : -above_sum;
    // Its terms are e^(h/2) times those of the mass at most, and so are their roundings.
    error_[std::min(cell + 2, grid_.cells())] +=
        above_sum * (distribution_.weight_error + 64.0 * kUnitRoundoff * (2.0 + panels));
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

// The ends of cells of 1, 2, 4, .. steps: a cell of w steps if the tilted mass beyond it is little enough that w^2 times
// it adds no more to the variance than a step does near the middle. Any ends are valid.
void widen_cells(const PrivacyLoss& distribution, const BracketFocus& focus, Grid& grid) {
  constexpr std::int64_t kWidest = 256;
  constexpr double kWidestLoss = 2.0;  // beyond, the optimistic bound has next to no mass of a cell
  if (distribution.pieces.empty() || !distribution.atoms.empty()) return;
  for (const LossPiece& piece : distribution.pieces) {
    if (!piece.mass_above || !piece.mass_below) return;
  }
  const std::int64_t lowest = grid.lowest;
  grid.lowest -= ((grid.lowest % kWidest) + kWidest) % kWidest;
  const std::int64_t first = lowest - grid.lowest;
  struct End {
    double loss, above, below;
  };
  const auto end_at = [&](std::int64_t place) {
    End end{static_cast<double>(grid.lowest + place) * grid.step, 0.0, 0.0};
    for (const LossPiece& piece : distribution.pieces) {
      const double at = std::clamp(piece.outcome(end.loss), piece.low, piece.high);
      end.above += piece.mass_above(at);
      end.below += piece.mass_below(at);
    }
    return end;
  };
  std::vector<std::int64_t> places{0};
  const std::int64_t last = first + static_cast<std::int64_t>(grid.top) + 1;
  std::int64_t width = kWidest;
  End low = end_at(0);
  while (places.back() < last) {
    width = std::min(2 * width, kWidest);
    while (places.back() % width != 0) width /= 2;
    for (;; width /= 2) {
      const End high = end_at(places.back() + width);
      const double tilted = std::min(low.above, high.below) *
                            portable_exp(std::min(focus.tilt * high.loss - focus.log_scale, 700.0));
      const bool is_wide = static_cast<double>(width) * grid.step > kWidestLoss;
      if (width > 1 && (is_wide || tilted * static_cast<double>(width * width) > focus.share))
        continue;
      low = high;
      break;
    }
    places.push_back(places.back() + width);
  }
  const auto beyond = std::upper_bound(places.begin(), places.end(), first);
  grid.first_end = static_cast<std::size_t>(beyond - places.begin());
  grid.top = static_cast<std::size_t>(places.back()) - 1;
  grid.places = std::move(places);
}

// The atoms of little mass in all at either end: less than of pieces, since sums of atoms on a lattice are exact.
void cut_atoms(double tail_mass, PrivacyLoss& distribution) {
  constexpr double kShare = 0.01;
  std::vector<LossAtom>& atoms = distribution.atoms;
  const auto cut = [&](auto from, auto to, double& cut_off) {
    double mass = 0.0;
    for (; from != to; ++from) {
      const double next = mass + portable_exp(from->log_mass);
      if (next > kShare * tail_mass) break;
      mass = next;
    }
    cut_off += mass * (1.0 + 1e-9 + 2.0 * distribution.weight_error);
    return from;
  };
  atoms.erase(cut(atoms.rbegin(), atoms.rend(), distribution.mass_above).base(), atoms.end());
  atoms.erase(atoms.begin(), cut(atoms.begin(), atoms.end(), distribution.mass_below));
}

}  // namespace

PrivacyLoss without_tails(const PrivacyLoss& full, double tail_mass) {
  PrivacyLoss distribution = full;
  if (tail_mass <= 0.0) return distribution;
  cut_atoms(tail_mass, distribution);
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

Result<PldBracket> discretise(const PrivacyLoss& full, double step, double tail_mass,
                              std::int64_t max_points, const std::optional<BracketFocus>& focus) {
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
  Grid grid{step, lowest, top};
  if (focus) {
    grid.tolerance = focus->tolerance;
    widen_cells(distribution, *focus, grid);
  }
  Filler filler(distribution, grid, snap);
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
