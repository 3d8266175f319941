#include "assay/mechanisms/accounting/pld/internal/ratio_sum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>
#include <utility>

#include "assay/mechanisms/accounting/pld/internal/panel_rule.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay::detail {
namespace {

constexpr double kLargestLogRatio = 300.0;
constexpr double kTinyMass = 1e-280;  // smaller ones have lost digits

double relative_error(const PrivacyLoss& base, double largest_log, double roundings) {
  return base.weight_error + 2.0 * base.loss_error +
         4.0 * kUnitRoundoff * (4.0 + largest_log + roundings);
}

RatioMasses masses_between(const PrivacyLoss& base, const LossPiece& piece, double low,
                           double high) {
  RatioMasses sum;
  if (!(low < high)) return sum;
  double largest_log = 0.0;
  const auto [radius, panels] = visit_panels(piece, low, high, [&](double x, double share) {
    const double log_p = piece.log_density(x);
    const double loss = piece.loss(x);
    sum.p += share * portable_exp(log_p);
    sum.r += share * portable_exp(log_p - loss);
    largest_log = std::max(largest_log, std::fabs(log_p) + 2.0 * std::fabs(loss));
  });
  sum.p *= radius;
  sum.r *= radius;
  sum.error = relative_error(base, largest_log, 2.0 * panels);
  return sum;
}

RatioMasses masses_of(const PrivacyLoss& base, const LossAtom& atom) {
  return {portable_exp(atom.log_mass - atom.loss), portable_exp(atom.log_mass),
          relative_error(base, std::fabs(atom.log_mass) + 2.0 * std::fabs(atom.loss), 0.0)};
}

// The outcome at which a piece passes a loss.
double outcome_at(const LossPiece& piece, double loss) {
  if (loss >= piece.loss(piece.high)) return piece.high;
  if (loss <= piece.loss(piece.low)) return piece.low;
  return std::clamp(piece.outcome(loss), piece.low, piece.high);
}

// A part of the outcomes on which x varies little, to find the range of x.
struct RatioLayer {
  double least_loss;
  double largest_loss;
  double r;
  double p;
};

std::vector<RatioLayer> ratio_layers(const PrivacyLoss& base) {
  std::vector<RatioLayer> layers;
  for (const LossAtom& atom : base.atoms) {
    const RatioMasses masses = masses_of(base, atom);
    layers.push_back({atom.loss, atom.loss, masses.r, masses.p});
  }
  for (const LossPiece& piece : base.pieces) {
    const double panels = std::ceil((piece.high - piece.low) / piece.panel);
    const double width = (piece.high - piece.low) / panels;
    for (double k = 0.0; k < panels; k += 1.0) {
      const double low = piece.low + k * width;
      const double high = k + 1.0 == panels ? piece.high : low + width;
      const RatioMasses masses = masses_between(base, piece, low, high);
      layers.push_back({piece.loss(low), piece.loss(high), masses.r, masses.p});
    }
  }
  std::sort(layers.begin(), layers.end(), [](const RatioLayer& a, const RatioLayer& b) {
    return a.largest_loss < b.largest_loss;
  });
  return layers;
}

struct SumRange {
  double low;
  double high;
};

// 0, then at most cells + 1 points from low to high, in parts of equal length in log that are each even in log. The cells of
// a part are `widths` of it times as wide as others.
std::vector<double> points_of(double log_low, double log_high, std::int64_t cells,
                              const std::vector<double>& widths = {1.0}) {
  std::vector<double> points{0.0};
  const double part = std::max(log_high - log_low, 1e-9) / static_cast<double>(widths.size());
  double all = 0.0;
  for (const double width : widths) all += 1.0 / width;
  const auto spare = static_cast<double>(cells) - static_cast<double>(widths.size());
  for (std::size_t k = 0; k < widths.size(); ++k) {
    const double low = log_low + static_cast<double>(k) * part;
    const auto own = 1 + static_cast<std::int64_t>(spare / (widths[k] * all));
    const double width = part / static_cast<double>(own);
    for (std::int64_t i = 0; i < own; ++i) {
      points.push_back(portable_exp(low + static_cast<double>(i) * width));
    }
  }
  points.push_back(portable_exp(log_low + static_cast<double>(widths.size()) * part));
  return points;
}

// Masses of some points, ascending, and their moments about the first one, of aligned blocks of 2^level of them. All terms
// are positive: at most 6 roundings a level.
class RatioBlocks {
 public:
  struct Block {
    double mass, moment;
  };

  explicit RatioBlocks(const std::vector<RatioPoint>& points) : points_(points), levels_(1) {
    for (const RatioPoint& point : points) levels_[0].push_back({point.mass, 0.0});
    for (std::size_t width = 2; width <= points.size(); width *= 2) {
      const std::vector<Block>& parts = levels_.back();
      std::vector<Block> wholes;
      for (std::size_t i = 0; 2 * i + 1 < parts.size(); ++i) {
        const Block &low = parts[2 * i], &high = parts[2 * i + 1];
        const double between = points[i * width + width / 2].x - points[i * width].x;
        wholes.push_back({low.mass + high.mass, low.moment + high.moment + between * high.mass});
      }
      levels_.push_back(std::move(wholes));
    }
  }

  const RatioPoint& point(std::size_t i) const { return points_[i]; }

  // The first point from `from` to `end` at which `passes` holds, which it does from there on.
  template <class Passes>
  std::size_t first_passing(std::size_t from, std::size_t end, const Passes& passes) const {
    std::size_t stride = 1, low = from;
    while (low + stride < end && !passes(points_[low + stride - 1].x)) {
      low += stride;
      stride *= 2;
    }
    std::size_t high = std::min(low + stride, end);
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (passes(points_[middle].x)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  // Mass of the points from `begin` to `end`, and the moment of their sums with x about `low`, which is not above any sum.
  Block between(std::size_t begin, std::size_t end, double x, double low) const {
    Block sum{0.0, 0.0};
    while (begin < end) {
      std::size_t level = 0;
      while ((begin >> level & 1) == 0 && level + 1 < levels_.size() &&
             begin + (std::size_t{2} << level) <= end) {
        ++level;
      }
      const Block& block = levels_[level][begin >> level];
      sum.mass += block.mass;
      sum.moment += block.moment + block.mass * ((x + points_[begin].x) - low);
      begin += std::size_t{1} << level;
    }
    return sum;
  }

 private:
  const std::vector<RatioPoint>& points_;
  std::vector<std::vector<Block>> levels_;
};

// Masses and moments in the cells between points, the last one beyond the highest.
class RatioCells {
 public:
  explicit RatioCells(std::vector<double> points)
      : points_(std::move(points)),
        mass_(points_.size()),
        moment_(points_.size()),
        slack_(points_.size()) {}

  std::size_t size() const { return points_.size(); }
  const std::vector<double>& points() const { return points_; }
  std::size_t cell_of(double x) const {
    return static_cast<std::size_t>(std::upper_bound(points_.begin(), points_.end(), x) -
                                    points_.begin()) -
           1;
  }
  void add(std::size_t cell, double mass, double moment) {
    mass_[cell] += mass;
    moment_[cell] += moment;
  }

  // All pairs; the error is relative, of masses and of moments.
  void add_pairs(const std::vector<RatioPoint>& a, const std::vector<RatioPoint>& b) {
    if (a.empty() || b.empty()) return;
    const RatioBlocks blocks(b);
    if (&a == &b) {
      for (std::size_t i = 0; i < a.size(); ++i) {
        add_to(a[i], 2.0, blocks, i);  // pairs of a point and another one count twice
        const double sum = 2.0 * a[i].x, weight = a[i].mass * a[i].mass;
        const std::size_t cell = cell_of(sum);
        add(cell, weight, weight * (sum - points_[cell]));
      }
    } else {  // each point with the smaller ones of the other sum, of which many share a cell
      const RatioBlocks others(a);
      const auto smaller = [](double x, const RatioPoint& point) { return x < point.x; };
      const auto larger = [](const RatioPoint& point, double x) { return point.x < x; };
      for (const RatioPoint& point : a) {
        const auto end = std::upper_bound(b.begin(), b.end(), point.x, smaller);
        add_to(point, 1.0, blocks, static_cast<std::size_t>(end - b.begin()));
      }
      for (const RatioPoint& point : b) {
        const auto end = std::lower_bound(a.begin(), a.end(), point.x, larger);
        add_to(point, 1.0, others, static_cast<std::size_t>(end - a.begin()));
      }
    }
    error_ = kUnitRoundoff * static_cast<double>(a.size() + b.size() + 256);
  }

  // A bound on the errors of both weights in (4).
  void add_slack(std::size_t cell, double mass) { slack_[cell] += mass; }
  void set_error(double relative) { error_ = relative; }
  double error() const { return error_; }

  // Beyond the highest point, rounded up.
  double mass_beyond() const { return mass_.back() * (1.0 + 2.0 * error_); }
  double total_beyond() const {  // mass times x
    return (points_.back() * mass_.back() + moment_.back()) * (1.0 + 2.0 * error_);
  }

  std::vector<RatioPoint> contracted() const {  // (5)
    std::vector<RatioPoint> result;
    for (std::size_t i = 0; i < size(); ++i) {
      if (mass_[i] < kTinyMass) continue;
      double x = points_[i] + moment_[i] / mass_[i];
      if (i + 1 < size()) x = std::min(x, points_[i + 1]);
      result.push_back({x, mass_[i] * (1.0 - error_ - 4.0 * kUnitRoundoff)});
    }
    return result;
  }

  // Without the cell beyond the highest point, but with this mass there.
  std::vector<RatioPoint> spread(double highest) const {  // (4)
    std::vector<double> masses(size());
    for (std::size_t i = 0; i + 1 < size(); ++i) {
      if (mass_[i] == 0.0) continue;
      const double up = std::min(moment_[i] / (points_[i + 1] - points_[i]), mass_[i]);
      const double slack = 4.0 * (error_ + 4.0 * kUnitRoundoff) * mass_[i] + slack_[i] + kTinyMass;
      masses[i] += mass_[i] - up + slack;
      masses[i + 1] += up + slack;
    }
    masses.back() += highest;
    std::vector<RatioPoint> result;
    for (std::size_t i = 0; i < size(); ++i) {
      if (masses[i] > 0.0) result.push_back({points_[i], masses[i]});
    }
    return result;
  }

 private:
  // The sums of a point and the first `count` others, in runs that share a cell.
  void add_to(const RatioPoint& point, double times, const RatioBlocks& others, std::size_t count) {
    if (count == 0) return;
    const double x = point.x, scale = times * point.mass;
    std::size_t cell = cell_of(x + others.point(0).x);
    for (std::size_t j = 0; j < count;) {
      double sum = x + others.point(j).x;
      while (sum >= end_of(cell)) ++cell;
      const double end = end_of(cell), low = points_[cell];
      double mass = 0.0, moment = 0.0;
      const std::size_t few = std::min(j + kShortRun, count);
      do {
        const double each = others.point(j).mass;
        mass += each;
        moment += each * (sum - low);
        if (++j == few) break;
        sum = x + others.point(j).x;
      } while (sum < end);
      if (j == few && j < count) {
        const std::size_t next =
            others.first_passing(j, count, [&](double other) { return x + other >= end; });
        const auto [rest, rest_moment] = others.between(j, next, x, low);
        mass += rest;
        moment += rest_moment;
        j = next;
      }
      add(cell, scale * mass, scale * moment);
    }
  }
  double end_of(std::size_t cell) const {
    return cell + 1 < points_.size() ? points_[cell + 1] : kInfinity;
  }

  static constexpr std::size_t kShortRun = 8;

  std::vector<double> points_;
  std::vector<double> mass_;
  std::vector<double> moment_;
  std::vector<double> slack_;
  double error_ = 0.0;
};

// The mass, and mass times x, of all points from each on, and the mass of all before it: estimates that find a range.
struct RatioTails {
  const std::vector<RatioPoint>& points;
  std::vector<double> above, total_above, below;

  explicit RatioTails(const std::vector<RatioPoint>& of)
      : points(of), above(of.size() + 1), total_above(of.size() + 1), below(of.size() + 1) {
    for (std::size_t i = of.size(); i-- > 0;) {
      above[i] = above[i + 1] + of[i].mass;
      total_above[i] = total_above[i + 1] + of[i].mass * of[i].x;
    }
    for (std::size_t i = 0; i < of.size(); ++i) below[i + 1] = below[i] + of[i].mass;
  }

  struct Parts {
    double above = 0.0;
    double total_above = 0.0;
    double below = 0.0;
  };
  // Of the sum with an independent one, at a limit.
  Parts of_sum(const std::vector<RatioPoint>& others, double limit) const {
    Parts parts;
    std::size_t k = points.size();
    for (const RatioPoint& other : others) {
      while (k > 0 && points[k - 1].x + other.x > limit) --k;
      parts.above += other.mass * above[k];
      parts.total_above += other.mass * (other.x * above[k] + total_above[k]);
      parts.below += other.mass * below[k];
    }
    return parts;
  }
};

double least_positive(const std::vector<RatioPoint>& points) {
  for (const RatioPoint& point : points) {
    if (point.x > 0.0) return point.x;
  }
  return kInfinity;
}

class RatioSummation {
 public:
  RatioSummation(const PrivacyLoss& base, const RatioPlan& plan)
      : base_(base), plan_(plan), is_add_(plan.direction == SamplingDirection::kAdd) {
    const auto count = static_cast<std::uint64_t>(plan.count);
    const auto levels = static_cast<double>(std::bit_width(count) + std::popcount(count) - 1);
    above_budget_ = (is_add_ ? plan.share : plan.negligible) / levels;
    below_budget_ = (is_add_ ? plan.negligible : plan.share) / levels;
  }

  Result<RatioSum> run() {
    const RatioSum one = ASSAY_TRY(single());
    RatioSum sum = one;
    double terms = 1.0;
    const auto count = static_cast<std::uint64_t>(plan_.count);
    for (int bit = std::bit_width(count) - 2; bit >= 0; --bit) {
      if (is_cancelled()) return interrupted();
      terms *= 2.0;
      sum = added(sum, sum, terms);
      if ((count >> bit & 1) == 0) continue;
      if (is_cancelled()) return interrupted();
      terms += 1.0;
      sum = added(sum, one, terms);
    }
    // What is rounded up may have a mean above 1, by far less than that.
    sum.infinite = is_add_ ? 0.0 : base_.mass_at_infinity + 1.001 * infinite_;
    return sum;
  }

 private:
  bool is_cancelled() const {
    return plan_.cancel != nullptr && plan_.cancel->load(std::memory_order_relaxed);
  }
  static tl::unexpected<Error> interrupted() {
    return fail(ErrorCode::kInterrupted, "interrupted while adding likelihood ratios");
  }

  // How many sums of so many terms there are in the whole, at most.
  double uses(double terms) const { return static_cast<double>(plan_.count) / terms; }

  // Where t ratios have at most the budgets below and above.
  SumRange range_of_one(const std::vector<RatioLayer>& layers) const {
    const double t = uses(1.0);
    double r = 0.0, p = base_.mass_above;
    std::size_t end = layers.size();
    for (; end > 1; --end) {
      r += layers[end - 1].r;
      p += layers[end - 1].p;
      if (t * r + (is_add_ ? 0.0 : p) > above_budget_) break;
    }
    std::size_t begin = 0;
    for (r = 0.0; begin + 1 < end; ++begin) {
      r += layers[begin].r;
      if (t * r > below_budget_) break;
    }
    return {layers[begin].least_loss, layers[end - 1].largest_loss};
  }

  // How wide cells may be, in parts of the range: as a tail of mass m under the sums that matter to delta has cells whose
  // squares times m add up to the least, these rise with m^(-1/3). For kRemove little below the mean matters. `parts_at`
  // is of sums of so many terms at a limit, of which it takes the logarithm.
  template <class PartsAt>
  std::vector<double> widths_of(const SumRange& range, double terms,
                                const PartsAt& parts_at) const {
    constexpr std::int64_t kMostParts = 48;
    constexpr double kTail = 0.03, kRareTail = 1e-4, kWidest = 64.0;
    const auto count =
        static_cast<std::size_t>(std::clamp(plan_.cells / 16, std::int64_t{1}, kMostParts));
    std::vector<RatioTails::Parts> ends;
    for (std::size_t k = 0; k <= count; ++k) {
      const double share = static_cast<double>(k) / static_cast<double>(count);
      ends.push_back(parts_at(range.low + share * (range.high - range.low)));
    }
    const double rare = kRareTail * plan_.delta;
    std::vector<double> widths;
    for (std::size_t k = 0; k < count; ++k) {
      const auto& [above, total_above, _] = ends[k];
      const double below = ends[k + 1].below;
      const double most =
          is_add_ ? std::max(kTail / above, rare / (uses(terms) * below))
                  : std::max(kTail / below, rare / (uses(terms) * above + total_above / terms));
      widths.push_back(std::clamp(std::cbrt(most), 1.0, kWidest));
    }
    return widths;
  }

  // A few atoms stay where they are. A point above them keeps the highest one within.
  std::vector<double> points_of_one(const std::vector<RatioLayer>& layers,
                                    const SumRange& range) const {
    const auto [log_low, log_high] = range;
    std::vector<double> points{0.0};
    for (const LossAtom& atom : base_.atoms) {
      if (atom.loss <= log_high) points.push_back(portable_exp(atom.loss));
    }
    if (!base_.pieces.empty() || points.size() > static_cast<std::size_t>(plan_.cells)) {
      return points_of(log_low, log_high, plan_.cells, widths_of(range, 1.0, [&](double log_limit) {
                         RatioTails::Parts parts;
                         for (const RatioLayer& layer : layers) {
                           const bool is_above = layer.largest_loss > log_limit;
                           (is_above ? parts.above : parts.below) += layer.r;
                           parts.total_above += is_above ? layer.p : 0.0;
                         }
                         return parts;
                       }));
    }
    std::sort(points.begin(), points.end());
    points.erase(std::unique(points.begin(), points.end()), points.end());
    points.push_back(2.0 * points.back());
    return points;
  }

  Result<RatioSum> single() {
    const auto layers = ratio_layers(base_);
    if (layers.empty()) {
      return fail(ErrorCode::kInvalidArgument, "base must have at least 1 finite loss", "/base");
    }
    const SumRange range = range_of_one(layers);
    const auto [log_low, log_high] = range;
    if (log_high > kLargestLogRatio || log_low < -kLargestLogRatio) {
      return fail(ErrorCode::kLimit,
                  "losses of one batch must be in [-300, 300] for random allocation, not " +
                      number_text(log_low) + " to " + number_text(log_high) +
                      ": the noise is too small",
                  "/base");
    }
    double lowest = log_low;
    for (const RatioLayer& layer : layers) lowest = std::min(lowest, layer.least_loss);
    RatioCells lower(points_of_one(layers, range)), upper = lower;
    const std::vector<double>& points = lower.points();
    const std::size_t beyond = points.size() - 1;
    double total = 0.0, lost = 0.0, total_error = 0.0, largest_error = 0.0;
    const auto add = [&](std::size_t cell, const RatioMasses& masses) {
      const auto& [r, p, error] = masses;
      if (!(r > 0.0)) {  // less than a double holds, or nothing
        infinite_ += is_add_ ? 0.0 : p;
        return;
      }
      double moment = std::max(p - points[cell] * r, 0.0);
      if (cell < beyond) {
        const double width = points[cell + 1] - points[cell];
        moment = std::min(moment, width * r);
        upper.add_slack(cell,
                        error * r + (error + 4.0 * kUnitRoundoff) * (p + points[cell] * r) / width);
      }
      lower.add(cell, r * (1.0 - error), moment * (1.0 - error));
      upper.add(cell, r, moment);
      const double sum = total + (r - lost);  // compensated
      lost = (sum - total) - (r - lost);
      total = sum;
      total_error += r * error;
      largest_error = std::max(largest_error, error);
    };
    for (const LossAtom& atom : base_.atoms) {
      const std::size_t cell = lower.cell_of(portable_exp(atom.loss));
      add(atom.loss <= log_high ? std::min(cell, beyond - 1) : cell, masses_of(base_, atom));
    }
    for (const LossPiece& piece : base_.pieces) {
      double edge = piece.low;
      for (std::size_t i = lower.cell_of(portable_exp(piece.loss(edge))); i <= beyond; ++i) {
        double end = piece.high;
        if (i < beyond) {
          const double loss = i + 1 < beyond ? portable_log(points[i + 1]) : log_high;
          end = std::max(outcome_at(piece, loss), edge);
        }
        add(i, masses_between(base_, piece, edge, end));
        edge = end;
      }
    }
    const double rounding =
        kUnitRoundoff * static_cast<double>(base_.atoms.size() + base_.pieces.size() + 16);
    lower.set_error(rounding);
    upper.set_error(rounding);
    // What the base cut off. At the low end x is at most e^lowest, which is at most points[1].
    const double cut_above = base_.mass_above * portable_exp(-layers.back().largest_loss);
    const double rest = (1.0 - total) + lost;
    const double rest_error = total_error + 8.0 * kUnitRoundoff;
    upper.add(0, std::max(rest + rest_error, 0.0), 0.0);
    upper.add(1, base_.mass_below / points[1] * (1.0 + 1e-12), 0.0);
    const double least_rest = rest - rest_error - cut_above;
    if (least_rest > 0.0) {  // for kAdd rounded up
      const double x = is_add_ && base_.mass_below > 0.0 ? portable_exp(lowest) : 0.0;
      const std::size_t cell = lower.cell_of(x);
      lower.add(cell, least_rest, least_rest * (x - points[cell]));
    }
    const double above = upper.mass_beyond() * (1.0 + 2.0 * largest_error) + cut_above;
    const double total_above =
        upper.total_beyond() * (1.0 + 2.0 * largest_error) + base_.mass_above;
    RatioSum one;
    one.lower = lower.contracted();
    one.upper = upper.spread(is_add_ ? above : 0.0);
    if (!is_add_) infinite_ += total_above + uses(1.0) * above;
    const double largest = std::max(std::fabs(log_low), std::fabs(log_high));
    one.loss_error = 2.0 * base_.loss_error + 4.0 * largest_error + 4.0 * rounding +
                     16.0 * kUnitRoundoff * (1.0 + largest);
    return one;
  }

  SumRange range_of(const RatioSum& a, const RatioSum& b, const RatioTails& tails,
                    double terms) const {
    const auto bisect = [](double low, double high, const auto& is_high) {
      for (int i = 0; i < 30; ++i) {
        const double middle = 0.5 * (low + high);
        (is_high(middle) ? high : low) = middle;
      }
      return std::pair{low, high};
    };
    double largest = portable_log(a.upper.back().x + b.upper.back().x);
    largest += 1e-14 * (1.0 + std::fabs(largest));  // not below the largest sum by rounding
    double least = portable_log(std::min(least_positive(a.upper), least_positive(b.upper)));
    least -= 1e-14 * (1.0 + std::fabs(least));
    const double high =
        bisect(least, largest, [&](double log_limit) {
          const auto parts = tails.of_sum(a.upper, portable_exp(log_limit));
          return uses(terms) * parts.above + (is_add_ ? 0.0 : parts.total_above / terms) <=
                 above_budget_;
        }).second;
    const double low = bisect(least, high, [&](double log_limit) {
                         const auto parts = tails.of_sum(a.upper, portable_exp(log_limit));
                         return uses(terms) * parts.below > below_budget_;
                       }).first;
    return {low, high};
  }

  // `terms` ratios from two sums.
  RatioSum added(const RatioSum& a, const RatioSum& b, double terms) {
    const RatioTails tails(b.upper);
    const SumRange range = range_of(a, b, tails, terms);
    const auto parts_at = [&](double log_limit) {
      return tails.of_sum(a.upper, portable_exp(log_limit));
    };
    RatioCells lower(
        points_of(range.low, range.high, plan_.cells, widths_of(range, terms, parts_at))),
        upper = lower;
    lower.add_pairs(a.lower, b.lower);
    upper.add_pairs(a.upper, b.upper);
    RatioSum sum;
    sum.lower = lower.contracted();
    sum.upper = upper.spread(is_add_ ? upper.mass_beyond() : 0.0);
    if (!is_add_) {  // one of the sums has the record, the others are under R
      infinite_ += upper.total_beyond() / terms + uses(terms) * upper.mass_beyond();
    }
    sum.loss_error = std::max(a.loss_error, b.loss_error) +
                     4.0 * std::max(lower.error(), upper.error()) + 16.0 * kUnitRoundoff;
    return sum;
  }

  const PrivacyLoss& base_;
  const RatioPlan& plan_;
  bool is_add_;
  double above_budget_;
  double below_budget_;
  double infinite_ = 0.0;
};

}  // namespace

std::vector<RatioMasses> masses_in_cells(const PrivacyLoss& base,
                                         const std::vector<double>& points) {
  std::vector<RatioMasses> cells(points.size());
  const auto cell_of = [&](double loss) {
    return static_cast<std::size_t>(
               std::upper_bound(points.begin(), points.end(), portable_exp(loss)) -
               points.begin()) -
           1;
  };
  const auto add = [&](std::size_t i, const RatioMasses& masses) {
    cells[i].r += masses.r;
    cells[i].p += masses.p;
    cells[i].error = std::max(cells[i].error, masses.error);
  };
  for (const LossAtom& atom : base.atoms) add(cell_of(atom.loss), masses_of(base, atom));
  for (const LossPiece& piece : base.pieces) {
    double edge = piece.low;
    for (std::size_t i = cell_of(piece.loss(edge)); i < points.size() && edge < piece.high; ++i) {
      const double end = i + 1 < points.size()
                             ? std::max(outcome_at(piece, portable_log(points[i + 1])), edge)
                             : piece.high;
      add(i, masses_between(base, piece, edge, end));
      edge = end;
    }
  }
  const double roundings =
      kUnitRoundoff * static_cast<double>(base.atoms.size() + base.pieces.size() + 4);
  for (RatioMasses& cell : cells) cell.error += roundings;
  return cells;
}

Result<RatioSum> sum_of_ratios(const PrivacyLoss& base, const RatioPlan& plan) {
  return RatioSummation(base, plan).run();
}

}  // namespace assay::detail
