#include "assay/mechanisms/accounting/account/internal/flag_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "assay/mechanisms/accounting/gdp.hpp"
#include "assay/mechanisms/accounting/pld/internal/profile_hull.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/gauss_legendre.hpp"
#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay::detail {
namespace {

constexpr double kFurthestLoss = 690.0;

// ---- from above -----------------------------------------------------------------------------------

// The profiles of (P, Q) and of (Q, P), by points of which each is at or above one of them.
struct TwoProfiles {
  std::vector<ProfilePoint> points;
  std::vector<ProfilePoint> reverse;

  static void add(double loss, double delta, std::vector<ProfilePoint>& to) {
    constexpr double kRaised =
        1.0 + 1e-10;  // ten times the rounding of the hull, and that of the closed forms
    if (loss > kFurthestLoss) return;
    if (!to.empty() && loss <= to.back().loss) return;
    to.push_back({loss, std::min(1.0, delta * kRaised)});
  }
  void add_zero(double delta) {
    add(0.0, delta, points);
    add(0.0, delta, reverse);
  }
};

// ---- from below -----------------------------------------------------------------------------------

double log_density(FlagNoise noise, double r) {
  return noise == FlagNoise::kGaussian ? normal_log_pdf(r) : -std::fabs(r) - kLog2;
}

double log_below(FlagNoise noise, double x) {
  if (noise == FlagNoise::kGaussian) return normal_log_cdf(x);
  return x < 0.0 ? x - kLog2 : portable_log1p(-0.5 * portable_exp(-x));
}

std::vector<double> log_binomials(std::int64_t n) {
  std::vector<double> logs{0.0};
  for (std::int64_t j = 0; j < n; ++j) {
    const double next = static_cast<double>(n - j), at = static_cast<double>(j + 1);
    logs.push_back(logs.back() + portable_log(next / at));
  }
  return logs;
}

// count times log x, also for x = 0.
double times(double count, double log_x) { return count == 0.0 ? 0.0 : count * log_x; }

// The integrands of (5) at one r, times `weight`, added to the sums.
void add_node(const FlagStream& s, const std::vector<double>& log_choose, double first_level,
              double level, double r, double weight, std::vector<double>& sums) {
  const auto first = static_cast<double>(s.first), size = static_cast<double>(s.size);
  const double density = log_density(s.noise, r);
  const double none = times(first, log_below(s.noise, (r - first_level) / s.scale));
  sums[0] -= weight * portable_exp(density) * portable_expm1(none);
  const double quiet = size * log_below(s.noise, (r - level) / s.scale);
  const double flag = portable_log(-portable_expm1(quiet));
  for (std::size_t j = 0; j < log_choose.size(); ++j) {
    const auto flags = static_cast<double>(j);
    sums[j + 1] += weight * portable_exp(density + none + log_choose[j] + times(flags, flag) +
                                         times(static_cast<double>(s.blocks) - flags, quiet));
  }
}

// A panel of the rule, and the ellipse of radius kRadius around it on which integrands are bounded: real parts from `low` to
// `high`, imaginary parts up to `height`.
constexpr double kRadius = 6.0;
struct Panel {
  double low, high, height;
  bool
      positive;  // the side of 0 on which the panel lies, of which the ellipse has the analytic continuation

  Panel around(double level, double scale) const {
    return {(low - level) / scale, (high - level) / scale, height / scale, middle() > level};
  }
  Panel mirrored() const { return {-high, -low, height, !positive}; }
  double middle() const { return 0.5 * (low + high); }
};

// Upper bounds on log |F| and log |phi| on the ellipse. Rounding is covered by kRadius, rounded down to 6.
double log_below_bound(FlagNoise noise, const Panel& p) {
  if (noise == FlagNoise::kGaussian) return normal_log_cdf(p.high) + 0.5 * p.height * p.height;
  if (!p.positive) return p.high - kLog2;
  const double real = 1.0 - 0.5 * portable_exp(-p.high);
  return 0.5 * portable_log(real * real + 0.5 * portable_exp(-p.low) * p.height * p.height);
}
double log_density_bound(FlagNoise noise, const Panel& p) {
  if (noise == FlagNoise::kLaplace) return (p.positive ? -p.low : p.high) - kLog2;
  const double nearest = p.low > 0.0 ? p.low : std::min(p.high, 0.0);
  return normal_log_pdf(nearest) + 0.5 * p.height * p.height;
}
// Of 1 - F^n = (1 - F)(1 + F + .. + F^(n - 1)).
double log_any_bound(FlagNoise noise, const Panel& p, double n) {
  const double below = log_below_bound(noise, p);
  const double product =
      log_below_bound(noise, p.mirrored()) + portable_log(n) + (n - 1.0) * std::max(below, 0.0);
  return std::min(product, portable_log1p(portable_exp(std::min(n * below, 700.0))));
}

// Where the density is kept: beyond it are less than e^-70.
double reach(FlagNoise noise) { return noise == FlagNoise::kGaussian ? 12.0 : 75.0; }

std::vector<double> breaks_of(const FlagStream& s, double first_level, double level) {
  const double end = reach(s.noise);
  std::vector<double> ends{-end};
  if (s.noise == FlagNoise::kLaplace) {
    for (const double at : {0.0, first_level, level}) {
      if (std::fabs(at) < end) ends.push_back(at);
    }
  }
  ends.push_back(end);
  std::sort(ends.begin(), ends.end());
  return ends;
}

}  // namespace

PrivacyLoss gaussian_flags(double move, std::int64_t answers, double log_tail) {
  constexpr int kPoints = 1000;
  const auto n = static_cast<double>(answers);
  // A point of the profile is exact at the loss of its x, whose rounding raises both.
  struct AtX {
    double loss, loss_error, delta, reverse;
  };
  const auto at = [&](double x) -> AtX {
    const double below = normal_log_cdf(x), moved = normal_log_cdf(x + move);
    const double loss = move * x + 0.5 * move * move + (n - 1.0) * (below - moved);
    const double logs = 2e-13 * n * (std::fabs(below) + std::fabs(moved));  // twice their rounding
    const double error = logs + 16.0 * kUnitRoundoff * (move * (std::fabs(x) + move));
    const double p = -portable_expm1(n * below), q = -portable_expm1(n * moved);
    const double p_none = portable_exp(n * below), q_none = portable_exp(n * moved);
    const double ratio = portable_exp(std::clamp(loss, -700.0, 700.0));
    const double slack = 1e-12 + 2.0 * error;
    return {loss, error, p - ratio * q + slack * (p + ratio * q),
            q_none - p_none / ratio + slack * (q_none + p_none / ratio)};
  };
  const double low = normal_quantile_from_log(-70.0 / n) - move;
  const double high = -normal_quantile_from_log(log_tail - portable_log(n));
  double negative = low, positive = high;
  for (int i = 0; i < 200 && positive - negative > 0.0; ++i) {
    const double middle = 0.5 * (negative + positive);
    const AtX there = at(middle);
    (there.loss + there.loss_error > 0.0 ? positive : negative) = middle;
  }
  TwoProfiles both;
  both.add_zero(at(negative).delta);
  for (int i = 1; i <= kPoints; ++i) {
    const AtX up = at(negative + (high - negative) * i / kPoints);
    const AtX down = at(negative - (negative - low) * i / kPoints);
    TwoProfiles::add(up.loss + up.loss_error, up.delta, both.points);
    TwoProfiles::add(down.loss_error - down.loss, down.reverse, both.reverse);
  }
  return hull_of_profiles(both.points, both.reverse);
}

PrivacyLoss laplace_flags(double move) {
  constexpr int kPoints = 500;
  // 1 - a at x = -part move: log(t/u)/(-log u).
  const auto one_less_a = [move](double part) {
    const double x = -part * move, u = 0.5 * portable_exp(x);
    const double more = -0.5 * (portable_expm1(x) + portable_expm1(-x - move));
    return portable_log1p(more / u) / (kLog2 - x);
  };
  double left = 0.0, right = 1.0;
  for (int i = 0; i < 100; ++i) {
    const double third = (right - left) / 3.0;
    if (one_less_a(left + third) < one_less_a(right - third)) {
      left += third;
    } else {
      right -= third;
    }
  }
  const double part = 0.5 * (left + right);
  const double k = std::min(one_less_a(part) * (1.0 + 1e-12), 1.0 - kUnitRoundoff);
  const double log_a = portable_log1p(-k), touch = move * (1.0 - 2.0 * part);
  TwoProfiles both;
  const auto add = [&](double loss) {
    double delta, reverse;
    if (loss > touch) {  // t = F(F^-1(u) + m)
      delta = -portable_expm1(0.5 * (loss - move));
      reverse = -portable_expm1(-0.5 * (loss + move));
    } else {  // t = u^a
      const double log_u = (loss + log_a) / k;
      delta = portable_exp(log_u - log_a) * k - portable_expm1(loss);
      reverse = k * portable_exp((1.0 - k) * log_u);
    }
    if (loss == 0.0) return both.add_zero(std::max(delta, reverse));
    if (loss > 0.0) return TwoProfiles::add(loss * (1.0 + 8.0 * kUnitRoundoff), delta, both.points);
    TwoProfiles::add(-loss, reverse, both.reverse);
  };
  add(0.0);
  for (int i = 1; i <= kPoints; ++i) add(move * i / kPoints);
  // Down to u^a = e^-70, closer near 0.
  const double furthest = std::min(70.0 * k / (1.0 - k) + log_a, kFurthestLoss);
  for (int i = 1; i <= 2 * kPoints; ++i) {
    const double share = static_cast<double>(i) / (2 * kPoints);
    add(-furthest * share * share);
  }
  return hull_of_profiles(both.points, both.reverse);
}

PrivacyLoss one_run(FlagNoise noise, double threshold, const PrivacyLoss& flags, double log_tail) {
  constexpr int kPoints = 500;
  struct Mass {
    double loss, mass;
  };
  std::vector<Mass> masses;
  for (const LossAtom& atom : flags.atoms) {
    masses.push_back({atom.loss, portable_exp(atom.log_mass)});
  }
  // Of the threshold's noise, from above: beyond `far` one value serves.
  const auto positive = [&](double loss) {
    if (noise == FlagNoise::kGaussian) {
      return gdp_delta(Mu{threshold}, Epsilon{loss}).value * (1.0 + 2.0 * kGdpRelativeError);
    }
    return loss >= threshold ? 0.0 : -portable_expm1(0.5 * (loss - threshold));
  };
  const double far = threshold * (0.5 * threshold + 1.0 + std::sqrt(-2.0 * log_tail));
  const double least_delta = positive(far);
  const auto profile = [&](double loss) {
    const double size = std::fabs(loss), delta = size < far ? positive(size) : least_delta;
    return loss >= 0.0 ? delta : portable_exp(loss) * delta - portable_expm1(loss);
  };
  const auto at = [&](double loss) {
    double sum = flags.mass_above;
    for (const Mass& one : masses) sum += one.mass * profile(loss - one.loss);
    return std::min(1.0, sum * (1.0 + 1e-9));
  };
  // Gaussian noise: where the profile falls below the tail.
  double end = threshold + flags.atoms.back().loss;
  if (noise == FlagNoise::kGaussian) {
    double low = 0.0, high = std::min(kFurthestLoss, end + threshold * (threshold + 40.0));
    const double least = portable_exp(log_tail) + 2.0 * flags.mass_above;
    for (int i = 0; i < 30; ++i) {
      const double half = 0.5 * (low + high);
      (at(half) > least ? low : high) = half;
    }
    end = high;
  }
  end = std::min(end * (1.0 + 1e-12), kFurthestLoss);
  std::vector<ProfilePoint> points;
  for (int i = 0; i <= kPoints; ++i) {
    const double loss = end * i / kPoints;
    points.push_back({loss, at(loss)});
  }
  return hull_of_profile(points);
}

std::vector<double> FlagStream::rough_masses(double first_move, double move) const {
  const auto log_choose = log_binomials(blocks);
  std::vector<double> sums(log_choose.size() + 1, 0.0);
  const auto ends = breaks_of(*this, first_level + first_move, level + move);
  const bool is_gaussian = noise == FlagNoise::kGaussian;
  const double widest = is_gaussian ? std::clamp(2.0 * scale, 0.25, 1.0) : 4.0;
  const double furthest = is_gaussian ? 9.0 : 40.0;
  for (const QuadratureNode& node : gauss_legendre_nodes(-furthest, furthest, ends, widest)) {
    add_node(*this, log_choose, first_level + first_move, level + move, node.x, node.weight, sums);
  }
  return sums;
}

std::vector<Enclosure> FlagStream::masses(double first_move, double move) const {
  constexpr double kRounding = 1e-10;  // relative: sums of logs up to 745, each right to 1e-13
  // Trefethen (2013), theorem 19.3, of 16 points: 64 M r^-30/(15 (1 - r^-2)) on [-1, 1].
  constexpr double kRuleError = 4.5;
  const double log_radius = portable_log(kRadius);
  const double log_error = portable_log(kRuleError) - 30.0 * log_radius;
  const auto log_choose = log_binomials(blocks);
  const double l = first_level + first_move, h = level + move;
  const auto n = static_cast<double>(first), g = static_cast<double>(size);
  const auto c = static_cast<double>(blocks);
  const double widest =
      std::min({0.5, 1.3 * scale / std::sqrt(n + c * g), 0.8 * scale / c, 0.09 * scale});
  std::vector<double> sums(log_choose.size() + 1, 0.0), errors = sums;
  const auto ends = breaks_of(*this, l, h);
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
    const double length = ends[i + 1] - ends[i];
    const double panels = std::ceil(length / (2.0 * widest));
    for (double k = 0.0; k < panels; ++k) {
      const double low = ends[i] + length * (k / panels);
      const double high = ends[i] + length * ((k + 1.0) / panels);
      if (!(low < high)) continue;
      for (const QuadratureNode& node : gauss_legendre_nodes(low, high, {}, 2.0 * (high - low))) {
        add_node(*this, log_choose, l, h, node.x, node.weight, sums);
      }
      const double middle = 0.5 * (low + high), half = 0.5 * (high - low);
      const double wide = 1.01 * half * 0.5 * (kRadius + 1.0 / kRadius);
      const double tall = 1.01 * half * 0.5 * (kRadius - 1.0 / kRadius);
      const Panel panel{middle - wide, middle + wide, tall, middle > 0.0};
      const Panel at_first = panel.around(l, scale), at_block = panel.around(h, scale);
      const double base = log_density_bound(noise, panel) + log_error + portable_log(half);
      const double none = times(n, log_below_bound(noise, at_first));
      const double quiet = g * log_below_bound(noise, at_block);
      const double flag = log_any_bound(noise, at_block, g);
      const auto bound = [](double x) { return portable_exp(std::min(x, 700.0)); };
      if (first > 0) errors[0] += bound(base + log_any_bound(noise, at_first, n));
      for (std::size_t j = 0; j < log_choose.size(); ++j) {
        const auto flags = static_cast<double>(j);
        errors[j + 1] += bound(base + none + log_choose[j] + flags * flag + (c - flags) * quiet);
      }
    }
  }
  const double beyond =
      noise == FlagNoise::kGaussian ? 2.0 * normal_ccdf(reach(noise)) : portable_exp(-reach(noise));
  std::vector<Enclosure> all;
  for (std::size_t j = 0; j < sums.size(); ++j) {
    const double error = 2.0 * errors[j];
    all.emplace_back(std::max(0.0, sums[j] * (1.0 - kRounding) - error),
                     std::min(1.0, sums[j] * (1.0 + kRounding) + error + 1.01 * beyond));
  }
  return all;
}

}  // namespace assay::detail
