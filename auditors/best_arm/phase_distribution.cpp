#include "assay/auditors/best_arm/phase_distribution.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "assay/auditors/best_arm/top_set_distribution.hpp"
#include "assay/mechanisms/noise/gaussian.hpp"
#include "assay/mechanisms/noise/laplace.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/gauss_legendre.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

constexpr double kMostScales = 1e5;
constexpr double kSameBreak = 1e-12;
constexpr std::size_t kMostLinearArms = 128;

using Sets = std::map<std::vector<int>, double>;  // logarithms

void add(Sets& sets, std::vector<int> survivors, double log_p) {
  if (log_p == -kInfinity) return;
  const auto [at, is_new] = sets.emplace(std::move(survivors), log_p);
  if (is_new) return;
  at->second = log_add_exp(std::max(at->second, log_p), std::min(at->second, log_p));
}

// log P(a < Z < b) without a difference of nearly equal numbers.
double laplace_interval(double a, double b) {
  if (!(a < b)) return -kInfinity;
  if (b <= 0.0) return laplace_interval(-b, -a);
  if (a >= 0.0) return -a - kLog2 + portable_log(-portable_expm1(a - b));
  return portable_log(-0.5 * (portable_expm1(a) + portable_expm1(-b)));
}

double gaussian_interval(double a, double b) {
  if (!(a < b)) return -kInfinity;
  if (b <= 0.0) return gaussian_interval(-b, -a);
  if ((b - a) * (1.0 + std::fabs(a)) < 0.5) {
    double sum = 0.0;
    for (const auto& node : gauss_legendre_nodes(a, b, {}, b - a)) {
      sum += node.weight * portable_exp(0.5 * (a - node.x) * (a + node.x));
    }
    return StandardGaussian::log_density(a, 0.0) + portable_log(sum);
  }
  if (a >= 0.0) return log_sub_exp(StandardGaussian::log_ccdf(a), StandardGaussian::log_ccdf(b));
  return portable_log1p(-(StandardGaussian::cdf(a) + StandardGaussian::ccdf(b)));
}

double interval(PhaseNoise noise, double a, double b) {
  return noise == PhaseNoise::kLaplace ? laplace_interval(a, b) : gaussian_interval(a, b);
}

double log_density(PhaseNoise noise, double z) {
  return noise == PhaseNoise::kLaplace ? StandardLaplace::log_density(z, 0.0)
                                       : StandardGaussian::log_density(z, 0.0);
}

Error beyond_scales() {
  return {ErrorCode::kLimit,
          "the values of a phase lie further out than 100000 scales of its noise", "", 0};
}

// (1) for one side of the square: slopes s < t, centres along and across.
class Wedge {
 public:
  Wedge(PhaseNoise noise, double s, double t, double along, double across)
      : noise_(noise), s_(s), t_(t), along_(along), across_(across) {
    const bool laplace = noise == PhaseNoise::kLaplace;
    far_ = std::max(0.0, along) + 2.0 * std::fabs(across) + (laplace ? 120.0 : 45.0);
    width_ = laplace ? 1.0 : 0.5;
  }

  double log_probability() const {
    const double top = top_of();
    const double peak = log_integrand(top);
    if (peak == -kInfinity) return -kInfinity;
    const double start = edge(top, 0.0, peak);
    const double end = edge(top, far_, peak);
    std::vector<double> breaks;
    if (noise_ == PhaseNoise::kLaplace) {
      breaks.push_back(along_);
      if (s_ != 0.0) breaks.push_back(across_ / s_);
      if (t_ != 0.0) breaks.push_back(across_ / t_);
    }
    double sum = 0.0;
    for (const auto& node :
         gauss_legendre_nodes(start, end, breaks, std::min(width_, (end - start) / 24.0))) {
      sum += node.weight * portable_exp(log_integrand(node.x) - peak);
    }
    return sum > 0.0 ? peak + portable_log(sum) : -kInfinity;
  }

 private:
  double log_integrand(double r) const {
    return log_density(noise_, r - along_) + interval(noise_, s_ * r - across_, t_ * r - across_);
  }

  double top_of() const {
    constexpr double kGolden = 0.61803398874989485;
    double low = 0.0, high = far_;
    double a = high - kGolden * (high - low), b = low + kGolden * (high - low);
    double at_a = log_integrand(a), at_b = log_integrand(b);
    for (int i = 0; i < 70 && high - low > 1e-9 * high; ++i) {
      if (at_a < at_b) {
        low = a;
        a = b;
        at_a = at_b;
        b = low + kGolden * (high - low);
        at_b = log_integrand(b);
      } else {
        high = b;
        b = a;
        at_b = at_a;
        a = high - kGolden * (high - low);
        at_a = log_integrand(a);
      }
    }
    return 0.5 * (low + high);
  }

  // A point between the top and an end, beyond which the integrand is negligible.
  double edge(double top, double end, double peak) const {
    constexpr double kNegligible = 45.0;
    if (log_integrand(end) >= peak - kNegligible) return end;
    double inside = top, outside = end;
    for (int i = 0; i < 40; ++i) {
      const double middle = 0.5 * (inside + outside);
      (log_integrand(middle) >= peak - kNegligible ? inside : outside) = middle;
    }
    return outside;
  }

  PhaseNoise noise_;
  double s_, t_, along_, across_, far_, width_;
};

// The point of the square max(|x|, |y|) = 1 at distance p in [0, 8) along it, counter-clockwise
// from (1, -1).
std::array<double, 2> square_point(double p) {
  if (p < 2.0) return {1.0, p - 1.0};
  if (p < 4.0) return {3.0 - p, 1.0};
  if (p < 6.0) return {-1.0, 5.0 - p};
  return {p - 7.0, -1.0};
}

double square_way(double x, double y) {
  if (std::fabs(x) >= std::fabs(y)) return x > 0.0 ? 1.0 + y / x : 5.0 + y / x;
  return y > 0.0 ? 3.0 - x / y : 7.0 - x / y;
}

// Sorted, without values that only rounding distinguishes.
void tidy(std::vector<double>& breaks, double same) {
  std::sort(breaks.begin(), breaks.end());
  std::vector<double> kept;
  for (const double b : breaks) {
    if (kept.empty() || b - kept.back() > same) kept.push_back(b);
  }
  breaks = std::move(kept);
}

Status check_linear(const PhasePlan& plan) {
  if (plan.active.size() <= kMostLinearArms) return {};
  return fail(ErrorCode::kLimit, "a phase of linear scores has " +
                                     std::to_string(plan.active.size()) +
                                     " arms; its distribution can be computed for at most 128");
}

Status planar_distribution(const PhasePlan& plan, std::span<const double> exact, Sets& sets) {
  ASSAY_TRY(check_linear(plan));
  const std::array<double, 2> unit{plan.scales[0], plan.scales[1]};
  const std::array<double, 2> centre{exact[0] / unit[0], exact[1] / unit[1]};
  if (!(std::max(std::fabs(centre[0]), std::fabs(centre[1])) <= kMostScales)) {
    return tl::make_unexpected(beyond_scales());
  }
  std::vector<double> breaks;
  for (std::size_t i = 0; i < plan.active.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double x = (plan.weights[2 * i] - plan.weights[2 * j]) * unit[0];
      const double y = (plan.weights[2 * i + 1] - plan.weights[2 * j + 1]) * unit[1];
      if (x == 0.0 && y == 0.0) continue;
      const double way = square_way(-y, x);
      breaks.push_back(way < 8.0 ? way : 0.0);
      breaks.push_back(way < 4.0 ? way + 4.0 : way - 4.0);
    }
  }
  for (int side = 0; side < 4; ++side) {
    const double begin = 2.0 * side;
    std::vector<double> cuts{begin, begin + 2.0};
    for (const double b : breaks) {
      if (b > begin + kSameBreak && b < begin + 2.0 - kSameBreak) cuts.push_back(b);
    }
    tidy(cuts, kSameBreak);
    std::vector<int> last;
    double from = begin;
    const auto finish = [&](double to) {
      const auto a = square_point(from);
      // The end of a side belongs to the side.
      const double reach = to - from;
      const double along = side == 0   ? centre[0]
                           : side == 1 ? centre[1]
                           : side == 2 ? -centre[0]
                                       : -centre[1];
      const bool across_y = side % 2 == 0;
      const double first = across_y ? a[1] : a[0];
      const double second = side == 0 || side == 3 ? first + reach : first - reach;
      add(sets, last,
          Wedge(plan.noise, std::min(first, second), std::max(first, second), along,
                across_y ? centre[1] : centre[0])
              .log_probability());
    };
    for (std::size_t k = 0; k + 1 < cuts.size(); ++k) {
      const auto middle = square_point(0.5 * (cuts[k] + cuts[k + 1]));
      const std::array<double, 2> z{middle[0] * unit[0], middle[1] * unit[1]};
      auto survivors = plan.survivors(z);
      if (k > 0 && survivors != last) {
        finish(cuts[k]);
        from = cuts[k];
      }
      last = std::move(survivors);
    }
    finish(begin + 2.0);
  }
  return {};
}

// (2). One draw x moves value k to exact_k + b_k x.
Status line_distribution(const PhasePlan& plan, std::span<const double> exact, Sets& sets) {
  ASSAY_TRY(check_linear(plan));
  const auto values_at = [&](double x) {
    std::vector<double> z(exact.begin(), exact.end());
    for (std::size_t k = 0; k < z.size(); ++k) z[k] += plan.scales[k] * x;
    return z;
  };
  const auto at_zero = plan.scores(exact);
  const auto slopes = plan.scores(plan.scales);
  constexpr double kFar = 1e5;
  std::vector<double> breaks{-kFar, kFar};
  if (plan.values() == 1) {
    breaks.push_back(-exact[0] / plan.scales[0]);
  } else {
    for (std::size_t i = 0; i < slopes.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const double cross = (at_zero[j] - at_zero[i]) / (slopes[i] - slopes[j]);
        if (std::fabs(cross) < kFar) breaks.push_back(cross);
      }
    }
  }
  for (const double b : breaks) {
    if (!(std::fabs(b) <= kFar)) return tl::make_unexpected(beyond_scales());
  }
  tidy(breaks, kSameBreak);
  for (std::size_t k = 0; k + 1 < breaks.size(); ++k) {
    const double middle = k == 0                   ? breaks[1] - 1.0
                          : k + 2 == breaks.size() ? breaks[k] + 1.0
                                                   : 0.5 * (breaks[k] + breaks[k + 1]);
    add(sets, plan.survivors(values_at(middle)), interval(plan.noise, breaks[k], breaks[k + 1]));
  }
  return {};
}

// Lists every set of `keep` arms. Sets with equally many arms of each class have the same
// probability.
Status top_distribution(const PhasePlan& plan, std::span<const double> exact, std::int64_t most,
                        TopSetMemo& memo, Sets& sets) {
  const auto arms = static_cast<std::int64_t>(plan.active.size());
  double count = 1.0;
  for (std::int64_t k = 1; k <= plan.keep; ++k) {
    count *= static_cast<double>(arms - plan.keep + k) / static_cast<double>(k);
  }
  if (!(count <= static_cast<double>(most))) {
    return fail(ErrorCode::kLimit, "a phase that keeps " + std::to_string(plan.keep) + " of " +
                                       std::to_string(arms) + " arms has more than " +
                                       std::to_string(most) + " outcomes");
  }
  std::map<std::pair<double, double>, ArmClass> classes;  // by mean and scale
  for (std::size_t i = 0; i < plan.active.size(); ++i) {
    ArmClass& arm = classes[{exact[i], plan.scales[i]}];
    arm.mean = exact[i];
    arm.scale = plan.scales[i];
    arm.outside += 1.0;
  }
  std::vector<char> chosen(plan.active.size(), 0);
  std::fill(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(plan.keep), char{1});
  do {
    auto of_set = classes;
    std::vector<int> survivors;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      if (chosen[i] == 0) continue;
      survivors.push_back(plan.active[i]);
      ArmClass& arm = of_set[{exact[i], plan.scales[i]}];
      arm.inside += 1.0;
      arm.outside -= 1.0;
    }
    std::vector<ArmClass> list;
    std::vector<double> key{plan.noise == PhaseNoise::kLaplace ? 0.0 : 1.0};
    for (const auto& [place, arm] : of_set) {
      list.push_back(arm);
      key.insert(key.end(), {arm.mean, arm.scale, arm.inside, arm.outside});
    }
    auto found = memo.find(key);
    if (found == memo.end()) {
      const double log_p = ASSAY_TRY(top_set_log_probability(plan.noise, list));
      found = memo.emplace(std::move(key), log_p).first;
    }
    add(sets, std::move(survivors), found->second);
  } while (std::prev_permutation(chosen.begin(), chosen.end()));
  return {};
}

Status fill(const PhasePlan& plan, std::span<const double> exact, std::int64_t most,
            TopSetMemo& memo, Sets& sets) {
  if (plan.noise == PhaseNoise::kNone || plan.faults.ranks_exact) {
    add(sets, plan.survivors(exact), 0.0);
    return {};
  }
  if (plan.faults.shares_noise || plan.values() == 1) return line_distribution(plan, exact, sets);
  if (plan.weights.empty()) return top_distribution(plan, exact, most, memo, sets);
  if (plan.values() == 2) return planar_distribution(plan, exact, sets);
  return fail(ErrorCode::kLimit, "a phase with " + std::to_string(plan.values()) +
                                     " values behind linear scores has no distribution in one "
                                     "integral");
}

}  // namespace

Result<std::vector<SetProbability>> phase_distribution(const PhasePlan& plan,
                                                       std::span<const double> exact,
                                                       std::int64_t most, TopSetMemo& memo) {
  Sets sets;
  ASSAY_TRY(fill(plan, exact, most, memo, sets));
  std::vector<SetProbability> out;
  for (auto& [survivors, log_p] : sets) out.push_back({survivors, std::min(log_p, 0.0)});
  return out;
}

}  // namespace assay
