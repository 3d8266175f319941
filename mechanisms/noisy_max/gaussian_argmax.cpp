#include "assay/mechanisms/noisy_max/gaussian_argmax.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/noisy_max/internal/gaussian_argmax_bracket.hpp"
#include "assay/mechanisms/noisy_max/internal/gaussian_argmax_kernel.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/internal/legendre_tables.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace detail {
namespace {

// Nodes placed without a search for the mode, between lower_cut(log_cut) and m_k + upper s_k. They
// leave out a probability of at most Phi(-upper) + exp(-log_cut), which is negligible beside
// `least`.
struct QuickRange {
  double upper;
  double log_cut;
  double least;
};

// The parameters that the two precisions choose. The header gives the resulting errors.
struct Settings {
  bool exact;
  const ArgmaxKernel& kernel;
  double trapezoid_step;  // in units of the resolution
  double panel_length;    // in units of the resolution
  std::span<const double> legendre_node;
  std::span<const double> legendre_weight;
  double saturated;
  double drop;  // of log f at the ends of a bracket
  QuickRange one;
  QuickRange family;
};

const Settings& settings(ArgmaxPrecision precision, std::size_t arms) {
  static const Settings sampling{
      .exact = false,
      .kernel = argmax_kernels().sampling,
      .trapezoid_step = 0.87,
      .panel_length = 5.5,
      .legendre_node = kLegendreNode16,
      .legendre_weight = kLegendreWeight16,
      .saturated = kArgmaxSaturatedSampling,
      .drop = 28.0,
      .one = {7.7, 32.6, 7e-4},     // leaves out 1.4e-14
      .family = {8.2, 36.5, 2e-5},  // 2.7e-16
  };
  static const Settings exact{
      .exact = true,
      .kernel = argmax_kernels().exact,
      .trapezoid_step = 0.715,
      .panel_length = 7.4,
      .legendre_node = kLegendreNode24,
      .legendre_weight = kLegendreWeight24,
      .saturated = kArgmaxSaturatedExact,
      .drop = 38.0,
      .one = {9.3, 46.5, 1e-4},  // 1.4e-20
      .family = {9.3, 46.5, 1e-4},
  };
  // Beyond 64 arms the errors of the sampling loops' factors could add up to more than is allowed.
  constexpr std::size_t kSamplingLimit = 64;
  return precision == ArgmaxPrecision::kExact || arms > kSamplingLimit ? exact : sampling;
}

// An uninitialised buffer, on the stack up to 64 elements.
template <class T>
class Buffer {
 public:
  explicit Buffer(std::size_t size) : data_(local_) {
    if (size > kLocal) {
      heap_ = std::unique_ptr<T[]>(new T[size]);
      data_ = heap_.get();
    }
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  T* data() { return data_; }
  T& operator[](std::size_t i) { return data_[i]; }

 private:
  static constexpr std::size_t kLocal = 64;
  T local_[kLocal];
  std::unique_ptr<T[]> heap_;
  T* data_;
};

// A number as the unevaluated sum of two doubles.
struct Twofold {
  double high;
  double low;
};

Twofold two_sum(double a, double b) {  // Knuth
  const double sum = a + b;
  const double part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}

double without_bits(double x, int dropped) {
  const std::uint64_t mask = ~std::uint64_t{0} << dropped;
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & mask);
}

Twofold two_square(double a) {  // Dekker
  const double a1 = without_bits(a, 27);
  const double a2 = a - a1;
  const double square = a * a;
  return {square, ((a1 * a1 - square) + 2.0 * (a1 * a2)) + a2 * a2};
}

ArgmaxArm exact_arm(Twofold mean, Twofold variance) {
  const double half_precision = without_bits(0.5 / variance.high, 36);
  // 1/(2 v) - h = (1/2 - h v)/v, where h times either half of v is exact.
  const double v1 = without_bits(variance.high, 27);
  const double v2 = variance.high - v1;
  const double rest =
      ((0.5 - half_precision * v1) - half_precision * v2) - half_precision * variance.low;
  return {mean.high, mean.low, 1.0 / std::sqrt(variance.high), half_precision,
          rest / variance.high};
}

ArgmaxArm make_arm(const Settings& set, double mean, double origin, double scale) {
  if (set.exact) return exact_arm(two_sum(mean, -origin), two_square(scale));
  const double inverse = 1.0 / scale;
  return {mean - origin, 0.0, inverse, 0.5 * inverse * inverse, 0.0};
}

// The arms of a problem in the form that the loops take.
class Integrand {
 public:
  // Sides [first, first + sides); arms saturated from `low` on are left out.
  Integrand(const Settings& set, const ArgmaxProblem& problem, int first, int sides, double low,
            double origin)
      : arms_(problem.size()) {
    const std::size_t k = problem.played;
    f_.sides = sides;
    for (std::size_t j = 0; j < problem.size(); ++j) {
      if (j != k && !problem.active(j, low, set.saturated)) continue;
      if (j == problem.changed) {
        for (int i = 0; i < sides; ++i) {
          own_[i] = make_arm(set, problem.mean(j, first + i), origin, problem.scales[j]);
          f_.own[i] = &own_[i];
        }
      } else {
        ArgmaxArm& arm = j == k ? played_ : arms_[static_cast<std::size_t>(f_.shared_count++)];
        arm = make_arm(set, problem.means[j], origin, problem.scales[j]);
      }
    }
    f_.shared = arms_.data();
    f_.played = k == problem.changed ? nullptr : &played_;
  }

  void set_shift(int i, double shift) { f_.shift[i] = shift; }
  const ArgmaxIntegrand& get() const { return f_; }

 private:
  Buffer<ArgmaxArm> arms_;
  ArgmaxArm played_;
  ArgmaxArm own_[2];
  ArgmaxIntegrand f_;
};

// The range over which to sum the integrand. Nodes are relative to the origin, as far apart as the arms
// that are not yet saturated allow.
struct Range {
  double low;
  double high;
  double origin;
  double saturated;
};

// Gives the panels relative to the origin, each as long as the resolution at its start allows (it
// grows with x, since arms only saturate). Returns their number. The ends are multiples of a power
// of two near r 2^-20, so that middles and halves are exact.
template <class Panel>
int march_panels(const Settings& set, const ArgmaxProblem& problem, const Range& range,
                 const Panel& panel) {
  const double finest = resolution(problem, range.low, range.saturated);
  const double grid = std::ldexp(1.0, std::ilogb(finest) - 20);
  const double high = std::ceil((range.high - range.origin) / grid) * grid;
  int count = 0;
  for (double x = std::floor((range.low - range.origin) / grid) * grid; x < high; ++count) {
    const double r = resolution(problem, range.origin + x, range.saturated);
    const double end = std::min(x + std::floor(set.panel_length * r / grid) * grid, high);
    if (!(end > x)) break;
    panel(x, end);
    x = end;
  }
  return count;
}

template <class Add>
void for_panel_nodes(const Settings& set, const ArgmaxProblem& problem, const Range& range,
                     const Add& add) {
  ArgmaxNodes nodes;
  const std::size_t points = set.legendre_node.size();
  march_panels(set, problem, range, [&](double a, double b) {
    const double half = 0.5 * (b - a);
    const double middle = 0.5 * (a + b);
    if (nodes.count + static_cast<int>(points) > ArgmaxNodes::kCapacity) {
      add(nodes);
      nodes.count = 0;
    }
    for (std::size_t i = 0; i < points; ++i) {
      const Twofold position = two_sum(middle, half * set.legendre_node[i]);
      nodes.position[nodes.count] = position.high;
      nodes.position_low[nodes.count] = position.low;
      nodes.weight[nodes.count++] = half * set.legendre_weight[i];
    }
  });
  add(nodes);
}

// Calls add(nodes) for the nodes of the range, in ascending chunks: the trapezoid rule, or
// Gauss-Legendre panels where those are fewer.
template <class Add>
void for_nodes(const Settings& set, const ArgmaxProblem& problem, const Range& range,
               const Add& add) {
  const double r = resolution(problem, range.low, range.saturated);
  const double step = without_bits(set.trapezoid_step * r, 33);  // 20 bits: exact nodes
  const double first = std::floor((range.low - range.origin) / step);
  const double count = std::ceil((range.high - range.origin) / step) - first + 1.0;
  constexpr double kClearlyFew = 64.0;
  const auto panel_nodes = [&] {
    return static_cast<double>(set.legendre_node.size()) *
           march_panels(set, problem, range, [](double, double) {});
  };
  if (count > kClearlyFew && count > panel_nodes()) {
    for_panel_nodes(set, problem, range, add);
    return;
  }
  ArgmaxNodes nodes;
  std::fill_n(nodes.position_low, ArgmaxNodes::kCapacity, 0.0);
  for (double done = 0.0; done < count; done += nodes.count) {
    // Whole vectors: up to three nodes lie beyond the end.
    const double some = std::min(count - done, 1.0 * ArgmaxNodes::kCapacity);
    nodes.count = (static_cast<int>(some) + 3) & ~3;
    for (int i = 0; i < nodes.count; ++i) {
      nodes.position[i] = (first + done + i) * step;
      nodes.weight[i] = step;
    }
    add(nodes);
  }
}

// log of sum/(sqrt(2 pi) s_k) exp(-shift); the sum may exceed the truth, not 1.
double to_log(double sum, double scale, double shift) {
  return std::min(portable_log(sum * (kInverseSqrt2Pi / scale)) - shift, 0.0);
}

// Probabilities that are not small; false where one is.
bool quick_log_probability(const Settings& set, const ArgmaxProblem& problem,
                           PairLogProbability& log_p) {
  const std::size_t k = problem.played;
  const double scale = problem.scales[k];
  const double low = lower_cut(problem, set.one.log_cut);
  const double high = problem.highest(k) + set.one.upper * scale;
  if (!(low < high)) return false;
  const double origin = problem.means[k];
  const Integrand f(set, problem, 0, problem.sides(), low, origin);
  double sums[2] = {0.0, 0.0};
  for_nodes(set, problem, {low, high, origin, set.saturated},
            [&](const ArgmaxNodes& nodes) { set.kernel.add(nodes, f.get(), sums); });
  if (problem.sides() == 1) sums[1] = sums[0];
  const double least = set.one.least * scale / kInverseSqrt2Pi;
  if (!(std::min(sums[0], sums[1]) >= least)) return false;
  log_p = {to_log(sums[0], scale, 0.0), to_log(sums[1], scale, 0.0)};
  return true;
}

// Sides [first, first + sides) on common nodes, scaled so that nothing underflows.
void integrate_bracket(const Settings& set, const ArgmaxProblem& problem, int first, int sides,
                       const ArgmaxBracket* brackets, double* log_p) {
  double low = brackets[0].low;
  double high = brackets[0].high;
  for (int i = 1; i < sides; ++i) {
    low = std::min(low, brackets[i].low);
    high = std::max(high, brackets[i].high);
  }
  const double origin = brackets[0].mode;
  Integrand f(set, problem, first, sides, low, origin);
  for (int i = 0; i < sides; ++i) {
    f.set_shift(i, exponent_at(problem, first + i, brackets[i].mode));
  }
  double sums[2] = {0.0, 0.0};
  for_nodes(set, problem, {low, high, origin, set.saturated},
            [&](const ArgmaxNodes& nodes) { set.kernel.add(nodes, f.get(), sums); });
  for (int i = 0; i < sides; ++i) {
    log_p[i] = to_log(sums[i], problem.scales[problem.played], f.get().shift[i]);
  }
}

// Accurate however small the probabilities are.
PairLogProbability careful_log_probability(const Settings& set, const ArgmaxProblem& problem) {
  const int sides = problem.sides();
  ArgmaxBracket brackets[2];
  for (int i = 0; i < sides; ++i) brackets[i] = find_bracket(problem, i, set.drop);
  double log_p[2] = {0.0, 0.0};
  if (sides == 1) {
    integrate_bracket(set, problem, 0, 1, brackets, log_p);
    return {log_p[0], log_p[0]};
  }
  // Common nodes, unless the sides lie far apart.
  const double together =
      std::max(brackets[0].high, brackets[1].high) - std::min(brackets[0].low, brackets[1].low);
  const double longer =
      std::max(brackets[0].high - brackets[0].low, brackets[1].high - brackets[1].low);
  if (together <= 1.5 * longer) {
    integrate_bracket(set, problem, 0, 2, brackets, log_p);
  } else {
    for (int i = 0; i < 2; ++i) integrate_bracket(set, problem, i, 1, brackets + i, log_p + i);
  }
  return {log_p[0], log_p[1]};
}

// The closed form for two arms, on every input.
struct TwoArms {
  double log_tail[2];  // log of the smaller probability
  bool first_likely[2];
  bool second_likely[2];  // neither in a tie

  double of(std::size_t k, int side) const {
    const bool likely = k == 0 ? first_likely[side] : second_likely[side];
    return likely ? portable_log1p(-portable_exp(log_tail[side])) : log_tail[side];
  }
};

TwoArms two_arms(const Settings& set, const ArgmaxProblem& problem) {
  const Twofold a = two_square(problem.scales[0]);
  const Twofold b = two_square(problem.scales[1]);
  Twofold variance = two_sum(a.high, b.high);
  variance.low += a.low + b.low;
  ArgmaxArm arm;
  if (set.exact) {
    arm = exact_arm({0.0, 0.0}, variance);
  } else {
    arm = {0.0, 0.0, 1.0 / std::sqrt(variance.high), 0.5 / variance.high, 0.0};
  }
  const double half_precision = 0.5 / variance.high;
  const int sides = problem.sides();
  TwoArms result;
  ArgmaxTails f;
  for (int lane = 0; lane < 4; ++lane) {
    const int side = std::min(lane, sides - 1);
    const Twofold gap = two_sum(problem.mean(1, side), -problem.mean(0, side));
    const bool likely = gap.high < 0.0;
    if (lane < sides) {
      result.first_likely[side] = likely;
      result.second_likely[side] = gap.high > 0.0;
    }
    f.depth[lane] = likely ? -gap.high : gap.high;
    f.depth_low[lane] = likely ? -gap.low : gap.low;
    f.inverse_scale[lane] = arm.inverse_scale;
    f.half_precision[lane] = arm.half_precision;
    f.half_precision_low[lane] = arm.half_precision_low;
    f.shift[lane] = gap.high * gap.high * half_precision;
  }
  double tails[4];
  set.kernel.tails(f, tails);
  for (int side = 0; side < sides; ++side) {
    result.log_tail[side] = portable_log(tails[side]) - f.shift[side];  // (2)
  }
  return result;
}

PairLogProbability log_probability(const ArgmaxProblem& problem, ArgmaxPrecision precision) {
  const Settings& set = settings(precision, problem.size());
  if (problem.size() == 1) return {0.0, 0.0};
  if (problem.size() == 2) {
    const TwoArms arms = two_arms(set, problem);
    const double p = arms.of(problem.played, 0);
    return {p, problem.sides() == 2 ? arms.of(problem.played, 1) : p};
  }
  PairLogProbability log_p;
  if (quick_log_probability(set, problem, log_p)) return log_p;
  return careful_log_probability(set, problem);
}

// Sums of all arms on common nodes.
void add_family(const Settings& set, ArgmaxProblem problem, double (&sums)[2][kArgmaxFamilyLimit]) {
  const auto end = [&](std::size_t k) {
    return problem.highest(k) + set.family.upper * problem.scales[k];
  };
  const double low = lower_cut(problem, set.family.log_cut);
  double high = low;
  std::size_t narrowest = 0;
  problem.played = 0;  // here the arm that ends last, which every resolution counts
  for (std::size_t k = 0; k < problem.size(); ++k) {
    high = std::max(high, end(k));
    if (problem.scales[k] < problem.scales[narrowest]) narrowest = k;
    if (end(k) > end(problem.played)) problem.played = k;
  }
  const double origin = problem.means[narrowest];
  ArgmaxArm arms[kArgmaxFamilyLimit];
  for (std::size_t j = 0; j < problem.size(); ++j) {
    arms[j] = make_arm(set, problem.means[j], origin, problem.scales[j]);
  }
  ArgmaxFamily family{arms, static_cast<int>(problem.size()), static_cast<int>(problem.changed),
                      nullptr};
  ArgmaxArm other{};
  if (problem.sides() == 2) {
    other = make_arm(set, problem.changed_mean, origin, problem.scales[problem.changed]);
    family.other_changed = &other;
  }
  for_nodes(set, problem, {low, high, origin, set.family.upper},
            [&](const ArgmaxNodes& nodes) { set.kernel.add_all(nodes, family, sums[0], sums[1]); });
}

// All arms on common nodes; those with small probabilities once more, on nodes of their own.
void log_probabilities(ArgmaxProblem problem, ArgmaxPrecision precision, std::span<double> log_p,
                       std::span<double> log_q) {
  const std::size_t n = problem.size();
  const bool pair = problem.sides() == 2;
  if (n == 2) {
    const TwoArms arms = two_arms(settings(precision, n), problem);
    for (std::size_t k = 0; k < n; ++k) {
      log_p[k] = arms.of(k, 0);
      if (pair) log_q[k] = arms.of(k, 1);
    }
    return;
  }
  const bool family = n > 2 && n <= kArgmaxFamilyLimit;
  const Settings& set = settings(precision, n);
  double sums[2][kArgmaxFamilyLimit] = {};
  if (family) add_family(set, problem, sums);
  for (std::size_t k = 0; k < n; ++k) {
    problem.played = k;
    const double scale = problem.scales[k];
    const double p = family ? sums[0][k] : 0.0;
    const double q = family && pair ? sums[1][k] : p;
    const bool likely = std::min(p, q) >= set.family.least * scale / kInverseSqrt2Pi;
    const PairLogProbability result =
        likely ? PairLogProbability{to_log(p, scale, 0.0), to_log(q, scale, 0.0)}
               : log_probability(problem, precision);
    log_p[k] = result.p;
    if (pair) log_q[k] = result.q;
  }
}

ArgmaxProblem checked(std::span<const double> means, std::span<const double> scales, int changed,
                      double changed_mean, int k) {
  ASSAY_CHECK(!means.empty() && means.size() == scales.size(), "one scale for each mean");
  ASSAY_CHECK(k >= 0 && static_cast<std::size_t>(k) < means.size(), "k must be one of the arms");
  ASSAY_CHECK(changed >= 0 && static_cast<std::size_t>(changed) <= means.size(),
              "the changed arm must be one of the arms");
  ASSAY_CHECK(std::isfinite(changed_mean), "means must be finite");
  for (std::size_t j = 0; kChecked && j < means.size(); ++j) {
    ASSAY_CHECK(std::isfinite(means[j]), "means must be finite");
    ASSAY_CHECK(std::isfinite(scales[j]) && scales[j] > 0.0, "scales must be positive");
  }
  return {means, scales, static_cast<std::size_t>(k), static_cast<std::size_t>(changed),
          changed_mean};
}

}  // namespace
}  // namespace detail

double log_argmax_probability(std::span<const double> means, std::span<const double> scales, int k,
                              ArgmaxPrecision precision) {
  const int none = static_cast<int>(means.size());
  return detail::log_probability(detail::checked(means, scales, none, 0.0, k), precision).p;
}

PairLogProbability log_argmax_probability_pair(std::span<const double> means,
                                               std::span<const double> scales, int changed,
                                               double changed_mean, int k,
                                               ArgmaxPrecision precision) {
  return detail::log_probability(detail::checked(means, scales, changed, changed_mean, k),
                                 precision);
}

void log_argmax_probabilities(std::span<const double> means, std::span<const double> scales,
                              ArgmaxPrecision precision, std::span<double> log_p) {
  ASSAY_CHECK(log_p.size() == means.size(), "one result for each arm");
  const int none = static_cast<int>(means.size());
  detail::log_probabilities(detail::checked(means, scales, none, 0.0, 0), precision, log_p, {});
}

void log_argmax_probabilities_pair(std::span<const double> means, std::span<const double> scales,
                                   int changed, double changed_mean, ArgmaxPrecision precision,
                                   std::span<double> log_p, std::span<double> log_q) {
  ASSAY_CHECK(log_p.size() == means.size() && log_q.size() == means.size(),
              "one result for each arm and side");
  detail::log_probabilities(detail::checked(means, scales, changed, changed_mean, 0), precision,
                            log_p, log_q);
}

// ---- problems that follow one another -----------------------------------------------------------

struct GaussianArgmaxGrid::Kept {
  // The factors of one arm on the grid of `step`, for the blocks [first, end).
  struct Arm {
    double mean = 0.0;
    double scale = 0.0;  // 0: none yet
    double step = 0.0;
    long long first = 0;
    long long end = 0;
    std::uint64_t used = 0;  // the last problem that needs these factors
    detail::ArgmaxFactors factors;

    bool is(double some_mean, double some_scale, double some_step) const {
      return mean == some_mean && scale == some_scale && step == some_step;
    }
  };
  static constexpr std::size_t kArms = 128;  // a power of two
  static constexpr int kIndexBits = 7;

  std::vector<Arm> arms = std::vector<Arm>(kArms);
  std::vector<Arm> spare;        // of arms whose places others of the same problem hold
  std::vector<double> scales;    // of the last problem
  std::vector<double> inverses;  // 1/scale
  std::uint64_t problem = 0;

  void begin(std::span<const double> new_scales) {
    ++problem;
    scales.resize(new_scales.size(), 0.0);
    inverses.resize(new_scales.size(), 0.0);
    spare.reserve(detail::kArgmaxFamilyLimit + 1);  // pointers to them stay valid
    spare.clear();
    for (std::size_t j = 0; j < scales.size(); ++j) {
      if (scales[j] == new_scales[j]) continue;
      scales[j] = new_scales[j];
      inverses[j] = 1.0 / scales[j];
    }
  }

  // The factors on at least the blocks [first, end).
  const detail::ArgmaxFactors& cover(const detail::Settings& set, double mean, double scale,
                                     double step, long long first, long long end) {
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(mean) * 0x9E3779B97F4A7C15u ^
                               std::bit_cast<std::uint64_t>(scale) * 0xC2B2AE3D27D4EB4Fu ^
                               std::bit_cast<std::uint64_t>(step) * 0x165667B19E3779F9u;
    Arm* arm = &arms[(bits ^ bits >> 29) * 0x9E3779B97F4A7C15u >> (64 - kIndexBits)];
    if (arm->used == problem && !arm->is(mean, scale, step)) arm = &spare.emplace_back();
    arm->used = problem;
    const long long all_first = std::min(arm->first, first);
    const long long all_end = std::max(arm->end, end);
    if (arm->is(mean, scale, step) && all_end - all_first <= detail::ArgmaxFactors::kRing &&
        first <= arm->end && arm->first <= end) {
      if (first < arm->first) compute(set, *arm, first, arm->first);
      if (arm->end < end) compute(set, *arm, arm->end, end);
      arm->first = all_first;
      arm->end = all_end;
    } else {
      arm->mean = mean;
      arm->scale = scale;
      arm->step = step;
      arm->first = first;
      arm->end = end;
      compute(set, *arm, first, end);
    }
    return arm->factors;
  }

  static void compute(const detail::Settings& set, Arm& arm, long long first, long long end) {
    set.kernel.factors(detail::make_arm(set, arm.mean, 0.0, arm.scale), arm.step, first,
                       static_cast<int>(end - first), arm.factors);
  }

  // As detail::lower_cut and detail::resolution, without a division for each arm.
  double lower_cut(const detail::ArgmaxProblem& of, double cut) const {
    const double reach = std::sqrt(2.0 * cut);
    double x = -kInfinity;
    for (std::size_t j = 0; j < of.size(); ++j) {
      x = std::max(x, of.lowest(j) - reach * of.scales[j]);
    }
    for (int pass = 0; pass < 4; ++pass) {
      double excess = -cut;
      double slope = 0.0;
      for (std::size_t j = 0; j < of.size(); ++j) {
        const double t = std::max(0.0, (of.lowest(j) - x) * inverses[j]);
        excess += 0.5 * t * t + (t > 0.0 ? kLog2 : 0.0);
        slope += t * inverses[j];
      }
      if (!(excess > 1.0)) break;
      x += excess / slope;
    }
    return x;
  }
  double resolution(const detail::ArgmaxProblem& of, double x, double saturated) const {
    double precision = 0.0;
    for (std::size_t j = 0; j < of.size(); ++j) {
      if (j == of.played || of.active(j, x, saturated)) precision += inverses[j] * inverses[j];
    }
    return 1.0 / std::sqrt(precision);
  }
};

GaussianArgmaxGrid::GaussianArgmaxGrid() = default;
GaussianArgmaxGrid::~GaussianArgmaxGrid() = default;
GaussianArgmaxGrid::GaussianArgmaxGrid(const GaussianArgmaxGrid&) {}
GaussianArgmaxGrid& GaussianArgmaxGrid::operator=(const GaussianArgmaxGrid&) { return *this; }

PairLogProbability GaussianArgmaxGrid::log_probability_pair(std::span<const double> means,
                                                            std::span<const double> scales,
                                                            int changed, double changed_mean,
                                                            int k) {
  const detail::ArgmaxProblem problem = detail::checked(means, scales, changed, changed_mean, k);
  const std::size_t n = problem.size();
  const detail::Settings& set = detail::settings(ArgmaxPrecision::kSampling, n);
  const auto at_once = [&] { return detail::log_probability(problem, ArgmaxPrecision::kSampling); };
  if (n <= 2 || n > detail::kArgmaxFamilyLimit) return at_once();
  if (kept_ == nullptr) kept_ = std::make_unique<Kept>();
  kept_->begin(scales);
  const double scale = scales[problem.played];
  const double low = kept_->lower_cut(problem, set.one.log_cut);
  const double high = problem.highest(problem.played) + set.one.upper * scale;
  if (!(low < high)) return at_once();
  // Few steps, so that most problems share one with the problem before: two bits of the mantissa.
  const double step =
      detail::without_bits(set.trapezoid_step * kept_->resolution(problem, low, set.saturated), 50);
  constexpr double kFarthest = 1024.0;  // blocks from 0, so that nodes keep their digits
  const double from = std::floor(low / (4.0 * step));
  const double to = std::floor(high / (4.0 * step)) + 1.0;
  if (!(to - from <= detail::ArgmaxFactors::kRing && from >= -kFarthest && to <= kFarthest)) {
    return at_once();
  }
  detail::ArgmaxProducts f;
  f.first = static_cast<long long>(from);
  f.blocks = static_cast<int>(to - from);
  f.sides = problem.sides();
  const auto cover = [&](double mean, std::size_t j) {
    return &kept_->cover(set, mean, scales[j], step, f.first, f.first + f.blocks);
  };
  for (std::size_t j = 0; j < n; ++j) {
    const auto* factors = cover(means[j], j);
    if (j == problem.played) f.density[0] = f.density[1] = factors;
    if (j == problem.changed) {
      auto& of_side = j == problem.played ? f.density : f.own;
      of_side[0] = factors;
      of_side[1] = cover(changed_mean, j);
    } else if (j != problem.played) {
      f.shared[f.shared_count++] = factors;
    }
  }
  double sums[2] = {0.0, 0.0};
  set.kernel.products(f, sums);
  if (f.sides == 1) sums[1] = sums[0];
  sums[0] *= step;
  sums[1] *= step;
  const double least = set.one.least * scale / kInverseSqrt2Pi;
  if (!(std::min(sums[0], sums[1]) >= least)) {
    return detail::careful_log_probability(set, problem);
  }
  return {detail::to_log(sums[0], scale, 0.0), detail::to_log(sums[1], scale, 0.0)};
}

}  // namespace assay
