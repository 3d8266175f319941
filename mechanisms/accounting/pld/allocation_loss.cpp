#include "assay/mechanisms/accounting/pld/allocation_loss.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "assay/mechanisms/accounting/pld/internal/ratio_lattice.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

constexpr double kLargestLogRatio = 600.0;
constexpr double kAtoms = 8192.0;         // of a result: few enough to compose quickly
constexpr double kAddCut = 1e-3;          // of relative_width: mass that may lie above the cut for kAdd
constexpr double kFirstStep = 0.1;        // at most, of the lattice
constexpr int kAllocationAttempts = 4;

struct Allocation {
  const PrivacyLoss& base;
  std::int64_t batches;
  SamplingDirection direction;
  const AllocationOptions& options;

  bool is_add() const { return direction == SamplingDirection::kAdd; }
  double count() const { return static_cast<double>(batches); }
  double negligible() const { return options.relative_width * options.delta; }
};

Status check_allocation(std::int64_t batches, const AllocationOptions& options) {
  const auto check = [](const char* name, double value, double low, double high) -> Status {
    if (value >= low && value <= high) return {};
    return fail(ErrorCode::kInvalidArgument,
                std::string(name) + " must be in [" + number_text(low) + ", " +
                    number_text(high) + "], not " + number_text(value),
                std::string("/") + name);
  };
  ASSAY_TRY(check("batches", static_cast<double>(batches), 1.0, 1e7));
  ASSAY_TRY(check("delta", options.delta, 1e-200, 1.0 - kUnitRoundoff));
  ASSAY_TRY(check("relative_width", options.relative_width, 1e-9, 0.1));
  return check("max_points", static_cast<double>(options.max_points), 1024.0, 0x1p26);
}

// The tilt at which about delta of the sum's mass lies beyond its tilted mean, by Chernoff's bound.
double allocation_tilt(const Allocation& of, const std::vector<detail::RatioLayer>& layers,
                       double log_largest) {
  const double sign = of.is_add() ? -1.0 : 1.0;
  const double log_delta = portable_log(of.options.delta);
  const auto is_within = [&](double size) {
    const auto moment = detail::log_moment(layers, log_largest, sign * size);
    return of.count() * (moment.value - sign * size * moment.mean) > log_delta;
  };
  const double most = 400.0 / portable_exp(of.is_add() ? 0.0 : log_largest);
  double low = 0.0, high = 1e-9;
  while (high < most && is_within(high)) {
    low = high;
    high *= 2.0;
  }
  high = std::min(high, most);
  for (int i = 0; i < 12; ++i) {
    const double middle = 0.5 * (low + high);
    (is_within(middle) ? low : high) = middle;
  }
  return sign * low;
}

struct Slopes {
  std::array<double, 3> tilts;
  std::vector<double> slopes;  // of the Chernoff bounds for the range of the sum
};

Slopes slopes_of(const Allocation& of, const std::vector<detail::RatioLayer>& layers,
                 double log_largest) {
  const double tilt = allocation_tilt(of, layers, log_largest);
  Slopes result{{0.0, 0.5 * tilt, tilt}, {}};
  const double largest = portable_exp(log_largest);
  for (const double at : result.tilts) {
    const double spread =
        std::sqrt(of.count() * detail::log_moment(layers, log_largest, at).variance);
    for (const double distance : {2.0, 4.0, 8.0, 16.0}) {
      if (spread > 0.0) {
        result.slopes.push_back(at + distance / spread);
        result.slopes.push_back(at - distance / spread);
      }
    }
    for (const double distance : {5.0, 10.0, 20.0, 40.0, 80.0}) {
      result.slopes.push_back(at + distance / largest);
    }
  }
  std::erase_if(result.slopes, [&](double slope) { return !(slope * largest <= 600.0); });
  return result;
}

struct LossMass {
  double loss;
  double p;
  double q;
};

// Puts the masses of the sum on few losses: upper ones are split between the ends of a cell, so that both masses stay,
// lower ones are joined to their mean.
class LossThinner {
 public:
  LossThinner(const Allocation& of, const detail::RatioLattice& lattice,
              const detail::RatioSum& sum, const detail::RatioCut& cut)
      : of_(of), lattice_(lattice), sum_(sum), cut_(cut) {}

  PrivacyLoss upper() const {
    // Beyond the window and the cut, see docs/proofs/random_allocation.md.
    const double largest = static_cast<double>(lattice_.upper.size()) * lattice_.step;
    double infinite = of_.is_add() ? sum_.below
                                   : cut_.p_above + of_.count() * cut_.r_above +
                                         largest * sum_.above;
    double low_r = of_.is_add() ? sum_.above : sum_.below;  // moves up to the lowest loss
    std::vector<LossMass> masses = masses_of(sum_.upper, infinite);
    const double budget = 0.1 * of_.negligible();
    std::size_t begin = 0, end = masses.size();
    double beyond = 0.0;
    while (end > 1 && beyond + masses[end - 1].p <= budget) beyond += masses[--end].p;
    infinite += beyond * (1.0 + 1e-9);
    while (begin + 1 < end) {
      const double r = low_r + r_of(masses[begin]);
      const double ratio = of_.is_add() ? 1.0 : portable_exp(masses[begin + 1].loss);
      if (r * ratio > budget) break;
      low_r = r;
      ++begin;
    }
    const double low_ratio = portable_exp(of_.is_add() ? 0.0 : masses[begin].loss);
    masses[begin].p += low_r * low_ratio * (1.0 + 1e-9);
    masses.erase(masses.begin() + static_cast<std::ptrdiff_t>(end), masses.end());
    masses.erase(masses.begin(), masses.begin() + static_cast<std::ptrdiff_t>(begin));
    return split(masses, infinite * (1.0 + 1e-9));
  }

  PrivacyLoss lower() const {
    double infinite = of_.is_add() ? 0.0 : of_.base.mass_at_infinity;
    std::vector<LossMass> masses = masses_of(sum_.lower, infinite);
    const double budget = 0.1 * of_.negligible();
    std::size_t begin = 0, end = masses.size();
    for (double left = budget; end > 1 && (left -= masses[end - 1].p) >= 0.0;) --end;
    for (double left = budget; begin + 1 < end && (left -= masses[begin].p) >= 0.0;) ++begin;
    masses.erase(masses.begin() + static_cast<std::ptrdiff_t>(end), masses.end());
    masses.erase(masses.begin(), masses.begin() + static_cast<std::ptrdiff_t>(begin));
    return join(masses, infinite);
  }

 private:
  double r_of(const LossMass& mass) const { return of_.is_add() ? mass.p : mass.q; }

  // By increasing loss. For kAdd, u = 0 is mass at infinity; for kRemove it has no mass.
  std::vector<LossMass> masses_of(const std::vector<double>& under_r, double& infinite) const {
    std::vector<LossMass> masses;
    masses.reserve(under_r.size());
    for (std::size_t i = 0; i < under_r.size(); ++i) {
      if (!(under_r[i] > 0.0)) continue;
      const auto place = static_cast<double>(sum_.first + static_cast<std::int64_t>(i));
      if (place == 0.0) {
        if (of_.is_add()) infinite += under_r[i];
        continue;
      }
      const double u = place * lattice_.step / of_.count();  // (1)
      const double loss = portable_log(u);
      if (of_.is_add()) {
        masses.push_back({-loss, under_r[i], u * under_r[i]});
      } else {
        masses.push_back({loss, u * under_r[i], under_r[i]});
      }
    }
    if (of_.is_add()) std::reverse(masses.begin(), masses.end());
    if (masses.empty()) masses.push_back({0.0, 0.0, 0.0});
    return masses;
  }

  static double cell_width(const std::vector<LossMass>& masses) {
    return std::max((masses.back().loss - masses.front().loss) / (kAtoms - 2.0), 1e-9);
  }

  PrivacyLoss split(const std::vector<LossMass>& masses, double infinite) const {
    const double width = cell_width(masses);
    const double lowest = std::floor(masses.front().loss / width);
    const auto cells = static_cast<std::size_t>(masses.back().loss / width - lowest) + 3;
    std::vector<double> points(cells);
    const double whole = -portable_expm1(-width);
    for (const LossMass& mass : masses) {
      const double cell = std::floor(mass.loss / width);
      const double above = std::clamp(mass.loss - cell * width, 0.0, width);
      const double share = -portable_expm1(-above) / whole;
      const double slack = 16.0 * kUnitRoundoff * (1.0 + std::fabs(mass.loss)) / whole;
      const auto place = static_cast<std::size_t>(cell - lowest);
      points[place] += mass.p * (std::max(1.0 - share, 0.0) + slack);
      points[place + 1] += mass.p * (share + slack);
    }
    PrivacyLoss loss;
    for (std::size_t i = 0; i < cells; ++i) {
      if (points[i] > 0.0) {
        loss.atoms.push_back({(lowest + static_cast<double>(i)) * width, portable_log(points[i])});
      }
    }
    loss.mass_at_infinity = std::min(infinite, 1.0);
    return with_errors(std::move(loss), masses);
  }

  PrivacyLoss join(const std::vector<LossMass>& masses, double infinite) const {
    const double width = cell_width(masses);
    PrivacyLoss loss;
    for (std::size_t i = 0; i < masses.size();) {
      const double cell = std::floor(masses[i].loss / width);
      double p = 0.0, q = 0.0;
      for (; i < masses.size() && std::floor(masses[i].loss / width) == cell; ++i) {
        p += masses[i].p;
        q += masses[i].q;
      }
      if (p > 0.0 && q > 0.0) {
        loss.atoms.push_back({portable_log(p) - portable_log(q), portable_log(p)});
      }
    }
    loss.mass_at_infinity = infinite;
    return with_errors(std::move(loss), masses);
  }

  PrivacyLoss with_errors(PrivacyLoss loss, const std::vector<LossMass>& masses) const {
    double largest = 1.0;
    for (const LossAtom& atom : loss.atoms) {
      largest = std::max({largest, std::fabs(atom.loss), std::fabs(atom.log_mass)});
    }
    // As many roundings as masses are added, at most.
    const double sums = kUnitRoundoff * static_cast<double>(masses.size());
    loss.loss_error = lattice_.loss_error + 2.0 * sums + 16.0 * kUnitRoundoff * largest;
    loss.weight_error = 2.0 * sums + 16.0 * kUnitRoundoff;
    return loss;
  }

  const Allocation& of_;
  const detail::RatioLattice& lattice_;
  const detail::RatioSum& sum_;
  const detail::RatioCut& cut_;
};

// The eps >= 0 at which the profile of atoms is delta, without its errors: for the width only.
double epsilon_estimate(const PrivacyLoss& loss, double delta) {
  double p = loss.mass_at_infinity, q = 0.0;
  if (p > delta) return kInfinity;
  for (std::size_t i = loss.atoms.size(); i-- > 0;) {
    const LossAtom& atom = loss.atoms[i];
    const double at_atom = p - portable_exp(std::min(atom.loss, 700.0)) * q;
    if (at_atom > delta) break;
    p += portable_exp(atom.log_mass);
    q += portable_exp(atom.log_mass - atom.loss);
  }
  return p > delta && q > 0.0 ? std::max(portable_log((p - delta) / q), 0.0) : 0.0;
}

}  // namespace

namespace loss_of {

Result<BracketedLoss> allocated(const PrivacyLoss& base, std::int64_t batches,
                                SamplingDirection direction, const AllocationOptions& options) {
  ASSAY_TRY(check_allocation(batches, options));
  const Allocation of{base, batches, direction, options};
  if (batches == 1 && !of.is_add()) return BracketedLoss{base, base};
  const auto layers = detail::ratio_layers(base);
  if (layers.empty()) {
    return fail(ErrorCode::kInvalidArgument, "base must have at least 1 finite loss", "/base");
  }
  const double most =
      of.is_add() ? kAddCut * options.relative_width : options.relative_width * options.delta;
  const auto cut = detail::cut_of(base, layers, of.count(), most, direction);
  if (cut.log_largest > kLargestLogRatio) {
    return fail(ErrorCode::kLimit,
                "the base has losses of " + number_text(cut.log_largest) +
                    ", and random allocation takes at most " + number_text(kLargestLogRatio) +
                    ": the noise is too small",
                "/base");
  }
  const Slopes slopes = slopes_of(of, layers, cut.log_largest);
  const auto range = detail::range_of(layers, cut.log_largest, batches, slopes.tilts, slopes.slopes);
  const double variance = detail::log_moment(layers, cut.log_largest, 0.0).variance;
  // With step h a term's variance grows by about h^2/4, and eps by half of that, relatively.
  const double span = std::min(range.high, of.count() * portable_exp(cut.log_largest)) - range.low;
  const auto points = static_cast<double>(options.max_points);
  double step = std::min(std::sqrt(8.0 * options.relative_width * variance), kFirstStep);
  const double least_step = 1.02 * span / points;
  step = std::max({step, least_step, portable_exp(cut.log_largest) / points});

  detail::FftPlans plans;
  Result<BracketedLoss> best = fail(ErrorCode::kInternal, "no attempt was made");
  double best_width = kInfinity;
  for (int attempt = 0; attempt < kAllocationAttempts; ++attempt) {
    if (options.cancel != nullptr && options.cancel->load(std::memory_order_relaxed)) {
      return fail(ErrorCode::kInterrupted, "interrupted while adding likelihood ratios");
    }
    const auto lattice = detail::ratio_lattice(base, cut, step, direction);
    const auto sum = detail::sum_of(lattice, batches, slopes.tilts, slopes.slopes, plans,
                                    options.max_points, options.cancel);
    if (!sum) {
      if (sum.error().code != ErrorCode::kLimit || attempt + 1 == kAllocationAttempts) {
        return best ? best : tl::make_unexpected(sum.error());
      }
      if (best) return best;
      step *= 1.5;
      continue;
    }
    const LossThinner thinner(of, lattice, *sum, cut);
    BracketedLoss result{thinner.upper(), thinner.lower()};
    const double high = epsilon_estimate(result.upper, options.delta);
    const double low = epsilon_estimate(result.lower, options.delta);
    const double width = high > 0.0 ? (high - low) / high : 0.0;
    if (!best || width < best_width) {
      best = std::move(result);
      best_width = width;
    }
    if (width <= options.relative_width || step <= least_step) break;
    const double ratio = std::sqrt(0.7 * options.relative_width / width);
    step = std::max(step * std::clamp(ratio, 0.125, 0.7), least_step);
  }
  return best;
}

}  // namespace loss_of
}  // namespace assay
