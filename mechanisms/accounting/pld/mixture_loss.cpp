#include "assay/mechanisms/accounting/pld/mixture_loss.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <utility>

#include "assay/mechanisms/accounting/internal/input_ranges.hpp"
#include "assay/mechanisms/accounting/pld/internal/loss_parts.hpp"
#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/count_distribution.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

constexpr double kMostBeyond = 0x1p-115;  // weight of further shifts, which only bounds take in
constexpr double kNegligible =
    -46.0;  // the logarithm of a term that is below u of the sum, however many there are

struct Component {
  double weight;
  double log_weight;
  double shift;  // of sigma
};

// (1).
class Mixture {
 public:
  explicit Mixture(std::vector<Component> components) : components_(std::move(components)) {}

  double furthest() const { return components_.back().shift; }
  std::size_t size() const { return components_.size(); }
  double log_of_absent() const {  // log u far below 0
    return components_.front().shift == 0.0 ? components_.front().log_weight : -kInfinity;
  }

  // log u. Near u = 1 it is right to a few u of itself and of u - 1.
  double log_ratio(double z) const {
    double top = 0.0, excess = 0.0;
    for (const Component& c : components_) top = std::max(top, exponent(c, z));
    if (top > 30.0) return log_ratio_and_slope(z).first;
    for (const Component& c : components_) {
      const double a = exponent(c, z);
      if (c.log_weight + std::max(a, 0.0) > kNegligible - 7.0) {
        excess += c.weight * portable_expm1(a);
      }
    }
    return excess > -0.5 ? portable_log1p(excess) : log_ratio_and_slope(z).first;
  }

  // log u and its derivative.
  std::pair<double, double> log_ratio_and_slope(double z) const {
    double top = -kInfinity, sum = 0.0, moment = 0.0;
    for (const Component& c : components_) top = std::max(top, c.log_weight + exponent(c, z));
    for (const Component& c : components_) {
      const double a = c.log_weight + exponent(c, z) - top;
      if (a < kNegligible - 7.0) continue;
      const double term = portable_exp(a);
      sum += term;
      moment += term * c.shift;
    }
    return {top + portable_log(sum), moment / sum};
  }

  // Of the mixture, at outcomes in deviations: as a sum of normal densities, whose exponents are small where there is mass.
  double log_density(double z) const {
    double top = -kInfinity, sum = 0.0;
    for (const Component& c : components_) top = std::max(top, log_term(c, z));
    for (const Component& c : components_) {
      const double a = log_term(c, z) - top;
      if (a >= kNegligible - 7.0) sum += portable_exp(a);
    }
    return top + portable_log(sum);
  }

  double upper_tail_above(double z) const {
    double mass = 0.0;
    for (const Component& c : components_) mass += c.weight * detail::upper_tail(z - c.shift);
    return mass * (1.0 + 1e-12);
  }

 private:
  static double exponent(const Component& c, double z) { return c.shift * (z - 0.5 * c.shift); }
  static double log_term(const Component& c, double z) {
    return c.log_weight + detail::normal_log_density(z - c.shift);
  }

  std::vector<Component> components_;  // by increasing shift; weights above 0
};

// Where an increasing function with this value and slope reaches the target, in [low, high].
template <class ValueAndSlope>
double where_reached(double low, double high, double target, const ValueAndSlope& at) {
  double z = low + 0.5 * (high - low);
  for (int i = 0; i < 100; ++i) {
    const auto [value, slope] = at(z);
    if (std::fabs(value - target) <= 4.0 * kUnitRoundoff * (1.0 + std::fabs(target))) return z;
    (value < target ? low : high) = z;
    double next = z - (value - target) / slope;
    if (!(next > low && next < high)) next = low + 0.5 * (high - low);
    if (next == z) return z;
    z = next;
  }
  return z;
}

// The components of positive weight by increasing shift; what lies beyond kFurthestShift apart.
struct Parts {
  std::vector<Component> kept;
  std::vector<Component> beyond;
  double beyond_weight = 0.0;
};

Result<Parts> parts_of(std::span<const double> weights, std::span<const double> shifts,
                       double sigma) {
  if (weights.empty() || weights.size() != shifts.size()) {
    return fail(ErrorCode::kInvalidArgument,
                "weights and shifts must have the same number of entries, at least 1, not " +
                    std::to_string(weights.size()) + " and " + std::to_string(shifts.size()),
                "/shifts");
  }
  ASSAY_TRY(
      detail::check_count("weights", static_cast<std::int64_t>(weights.size()), kMostComponents));
  double total = 0.0;
  bool moves = false;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const std::string place = "[" + std::to_string(i) + "]";
    if (!(weights[i] >= 0.0 && weights[i] <= 1.0)) {
      return fail(ErrorCode::kInvalidArgument,
                  "weights" + place + " must be in [0, 1], not " + number_text(weights[i]),
                  "/weights");
    }
    if (!(shifts[i] >= 0.0 && shifts[i] <= 1e12)) {
      return fail(ErrorCode::kInvalidArgument,
                  "shifts" + place + " must be in [0, 1e+12], not " + number_text(shifts[i]),
                  "/shifts");
    }
    total += weights[i];
    moves = moves || (weights[i] > 0.0 && shifts[i] > 0.0);
  }
  if (!(std::fabs(total - 1.0) <= 1e-12)) {
    return fail(ErrorCode::kInvalidArgument,
                "weights must sum to 1 within 1e-12, not to " + number_text(total), "/weights");
  }
  if (!moves) {
    return fail(ErrorCode::kInvalidArgument, "shifts must have one above 0 that has weight",
                "/shifts");
  }
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return shifts[a] < shifts[b]; });
  Parts parts;
  for (const std::size_t i : order) {
    if (weights[i] == 0.0) continue;
    const double weight = weights[i] / total;
    const Component component{weight, portable_log(weight), shifts[i] / sigma};
    if (component.shift <= kFurthestShift) {
      parts.kept.push_back(component);
    } else {
      parts.beyond.push_back(component);
      parts.beyond_weight += weight * (1.0 + 1e-12);
    }
  }
  return parts;
}

}  // namespace

std::vector<double> group_weights(std::int64_t group, double q) {
  ASSAY_CHECK(group >= 1 && group < kMostComponents && q > 0.0 && q < 1.0, "a group");
  const auto counts = binomial_distribution(group, q);
  std::vector<double> weights(static_cast<std::size_t>(group) + 1);
  std::copy(counts.weights.begin(), counts.weights.end(),
            weights.begin() + static_cast<std::ptrdiff_t>(counts.least));
  return weights;
}

namespace loss_of {

Result<PrivacyLoss> gaussian_mixture(std::span<const double> weights,
                                     std::span<const double> shifts, double sigma, MixturePair pair,
                                     double log_tail) {
  ASSAY_TRY(detail::check_within("sigma", sigma, 1e-12, 1e12));
  ASSAY_TRY(detail::check_within("log_tail", log_tail, -600.0, -20.0));
  auto parts = ASSAY_TRY(parts_of(weights, shifts, sigma));
  const auto [edge, mass] = detail::normal_range(log_tail);
  if (parts.kept.empty() || parts.beyond_weight > kMostBeyond) {
    return fail(ErrorCode::kInvalidArgument,
                "sigma must be at least 1/40 of every shift that has weight, not " +
                    number_text(sigma) + " beside " +
                    number_text(*std::max_element(shifts.begin(), shifts.end())),
                "/sigma");
  }
  const auto mixture = std::make_shared<const Mixture>(std::move(parts.kept));
  const double furthest = std::max(mixture->furthest(), 1e-6);
  // What lies beyond raises u by this share at most, up to the outcomes of (3) and (4) in Q: it grows with z.
  double log_beyond = -kInfinity;
  for (const Component& c : parts.beyond) {
    log_beyond = std::max(log_beyond, c.log_weight + c.shift * (edge - 0.5 * c.shift));
  }
  const double raised = portable_exp(std::min(log_beyond - mixture->log_ratio(edge), 700.0)) *
                        static_cast<double>(parts.beyond.size());
  PrivacyLoss distribution;
  LossPiece piece;
  piece.low = -edge;
  piece.high = pair == MixturePair::kAdd ? edge : edge + furthest;
  piece.panel = detail::normal_panel(edge + (pair == MixturePair::kReplace ? 2.0 : 1.0) * furthest);
  if (pair == MixturePair::kAdd) {  // mirrored, so that the loss increases
    piece.log_density = detail::normal_log_density;
    piece.loss = [mixture](double y) { return -mixture->log_ratio(-y); };  // (3)
    piece.outcome = [mixture, edge = edge](double l) {
      if (-l <= mixture->log_of_absent()) return edge;
      return -where_reached(-edge, edge, -l,
                            [&](double z) { return mixture->log_ratio_and_slope(z); });
    };
    piece.mass_above = detail::upper_tail;
  } else {
    piece.log_density = [mixture](double z) { return mixture->log_density(z); };
    piece.mass_above = [mixture](double z) { return mixture->upper_tail_above(z); };
    if (pair == MixturePair::kRemove) {
      piece.loss = [mixture](double z) { return mixture->log_ratio(z); };  // (2)
      piece.outcome = [mixture, low = piece.low, high = piece.high](double l) {
        if (l <= mixture->log_of_absent()) return low;
        return where_reached(low, high, l,
                             [&](double z) { return mixture->log_ratio_and_slope(z); });
      };
    } else {
      piece.loss = [mixture](double z) {  // (4)
        return mixture->log_ratio(z) - mixture->log_ratio(-z);
      };
      piece.outcome = [mixture, low = piece.low, high = piece.high](double l) {
        return where_reached(low, high, l, [&](double z) {
          const auto [up, rise] = mixture->log_ratio_and_slope(z);
          const auto [down, fall] = mixture->log_ratio_and_slope(-z);
          return std::pair{up - down, rise + fall};
        });
      };
    }
  }
  piece.mass_below = detail::lower_tail;  // shifts only move mass up
  distribution.pieces.push_back(std::move(piece));
  const double cut = pair == MixturePair::kAdd ? 0.0 : parts.beyond_weight;
  distribution.mass_above = mass * (1.0 + 1e-12) + cut;
  distribution.mass_below = mass;
  // Sums of so many terms, with weights and shifts that are quotients; exponents of terms up to `reach`; and outcomes that
  // are right to a few u of their loss.
  const double terms = 64.0 + 8.0 * static_cast<double>(mixture->size());
  const double reach = furthest * (edge + 1.5 * furthest);
  distribution.loss_error = kUnitRoundoff * (16.0 + terms * std::min(1.0, reach) + 8.0 * reach) +
                            (pair == MixturePair::kRemove ? 0.0 : 2.0 * portable_log1p(raised));
  distribution.weight_error = kUnitRoundoff * (terms + 4.0 * edge * (edge + 2.0 * furthest));
  return distribution;
}

}  // namespace loss_of
}  // namespace assay
