#include "assay/mechanisms/accounting/pld/internal/loss_sketch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "assay/mechanisms/accounting/pld/internal/grid_choice.hpp"
#include "assay/mechanisms/accounting/pld/internal/pld_bracket.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay::detail {
namespace {

double largest_loss(std::span<const LossSketch> sketches) {
  double largest = 1e-300;
  for (const LossSketch& s : sketches) {
    largest = std::max({largest, std::fabs(s.losses.front()), std::fabs(s.losses.back())});
  }
  return largest;
}

// By outcomes instead of cells of the loss, which need as many as the bulk has in its tails.
LossSketch quick_sketch(const PldTerm& term, int points_of_piece) {
  std::vector<std::pair<double, double>> points;
  for (const LossAtom& atom : term.loss.atoms) {
    points.emplace_back(atom.loss, portable_exp(atom.log_mass));
  }
  for (const LossPiece& piece : term.loss.pieces) {
    const double width = (piece.high - piece.low) / points_of_piece;
    for (int i = 0; i < points_of_piece; ++i) {
      const double x = piece.low + (i + 0.5) * width;
      points.emplace_back(piece.loss(x), width * portable_exp(piece.log_density(x)));
    }
  }
  std::sort(points.begin(), points.end());
  LossSketch sketch;
  for (const auto& [loss, mass] : points) {
    sketch.losses.push_back(loss);
    sketch.masses.push_back(mass);
  }
  if (points.empty()) return {{0.0}, {0.0}, 0.0, static_cast<double>(term.count)};
  sketch.span = points.back().first - points.front().first;
  sketch.count = static_cast<double>(term.count);
  return sketch;
}

}  // namespace

LossSketch::Cumulants LossSketch::cumulants(double t) const {
  double top = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < losses.size(); ++i) {
    if (masses[i] > 0.0) top = std::max(top, t * losses[i]);
  }
  double mass = 0.0, first = 0.0, second = 0.0;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    const double l = losses[i];
    const double weight = masses[i] * portable_exp(t * l - top);
    mass += weight;
    first += weight * l;
    second += weight * l * l;
  }
  if (!(mass > 0.0)) return {};
  const double mean = first / mass;
  return {count * (top + portable_log(mass)), count * mean,
          count * std::max(second / mass - mean * mean, 0.0)};
}

Result<std::vector<LossSketch>> sketches_of(std::span<const PldTerm> terms) {
  constexpr double kCells = 1500.0;
  constexpr std::size_t kMostByCells = 8;           // terms
  constexpr int kPoints = 160, kPointsOfMany = 48;  // of each piece
  std::vector<LossSketch> sketches;
  for (const PldTerm& term : terms) {
    if (terms.size() > kMostByCells) {
      sketches.push_back(quick_sketch(term, terms.size() < kManyTerms ? kPoints : kPointsOfMany));
      continue;
    }
    double low = 0.0, high = 0.0;
    for (const LossAtom& atom : term.loss.atoms) {
      low = std::min(low, atom.loss);
      high = std::max(high, atom.loss);
    }
    for (const LossPiece& piece : term.loss.pieces) {
      low = std::min(low, piece.loss(piece.low));
      high = std::max(high, piece.loss(piece.high));
    }
    const double span = std::max(high - low, 1e-12);
    double step = std::min(span / kCells, kLargestStep);
    if (term.loss.lattice > step) {
      const double lattice = term.loss.lattice;
      step = is_lattice_only(term.loss) ? lattice / std::ceil(lattice / kLargestStep)
                                        : on_lattice(term.loss, step);
    }
    const auto coarse = ASSAY_TRY(discretise(term.loss, step));
    LossSketch sketch{{},
                      coarse.upper,
                      static_cast<double>(coarse.size()) * coarse.step,
                      static_cast<double>(term.count)};
    for (std::size_t i = 0; i < coarse.size(); ++i) sketch.losses.push_back(coarse.loss(i));
    sketches.push_back(std::move(sketch));
  }
  return sketches;
}

LossSketch::Cumulants total(std::span<const LossSketch> sketches, double t) {
  LossSketch::Cumulants sum;
  for (const LossSketch& sketch : sketches) {
    const auto part = sketch.cumulants(t);
    sum.value += part.value;
    sum.first += part.first;
    sum.second += part.second;
  }
  return sum;
}

double choose_tilt(std::span<const LossSketch> sketches, const CompositionFocus& focus) {
  const auto is_below = [&](double t) {  // the focus lies at a larger tilt
    const auto k = total(sketches, t);
    if (!focus.log_delta) return k.first < focus.eps;
    const double spread = std::max(2.0 * std::numbers::pi * k.second, 1.0);
    return k.value - t * k.first - 0.5 * portable_log(spread) -
               portable_log(t * (1.0 + t)) >  // (1)
           *focus.log_delta;
  };
  const double cap = 300.0 / largest_loss(sketches);
  double low = 0.0;
  double high = std::min(1e-3, cap);
  if (!is_below(high)) return focus.log_delta ? high : 0.0;
  while (high < cap && is_below(high)) {
    low = high;
    high = std::min(2.0 * high, cap);
  }
  for (int i = 0; i < 12; ++i) {
    const double middle = 0.5 * (low + high);
    (is_below(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace assay::detail
