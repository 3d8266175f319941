#include "assay/mechanisms/numerics/gaussian_argmax.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/numerics/gaussian_argmax_kernel.hpp"
#include "assay/mechanisms/numerics/gaussian_argmax_tables.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace detail {
namespace {

constexpr double kInverseSqrt2Pi = 0x1.9884533d43651p-2;

// What the two precisions choose; the header derives the errors.
struct Settings {
  bool exact;
  const ArgmaxKernel& kernel;
  double trapezoid_step;  // in units of the resolution
  double panel_length;    // in units of the resolution
  const double* legendre_node;
  const double* legendre_weight;
  int legendre_count;
  double saturated;       // Phi(z) is 1 from here on
  double drop;            // the bracket ends where log f has dropped by this much
  double family_upper;    // the family's nodes reach up to max_k m_k + this s_k
  double family_log_cut;  // and down to where log prod_j Phi(z_j) is minus this
  double family_least;    // smaller probabilities are integrated on nodes of their own
};

Settings settings(ArgmaxPrecision precision) {
  const ArgmaxKernels& kernels = argmax_kernels();
  if (precision == ArgmaxPrecision::kSampling) {
    return {false,
            kernels.sampling,
            0.87,
            5.5,
            kLegendreNodeSampling,
            kLegendreWeightSampling,
            16,
            kArgmaxSaturatedSampling,
            28.0,
            8.2,
            38.0,
            1e-4};
  }
  return {true,
          kernels.exact,
          0.715,
          7.4,
          kLegendreNodeExact,
          kLegendreWeightExact,
          24,
          kArgmaxSaturatedExact,
          38.0,
          9.3,
          48.0,
          1e-5};
}

// A buffer without initialisation, on the stack up to 64 elements.
template <class T>
class Buffer {
 public:
  explicit Buffer(std::size_t size) : data_(local_) {
    if (size > kLocal) {
      heap_ = std::unique_ptr<T[]>(new T[size]);
      data_ = heap_.get();
    }
  }
  T* data() { return data_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }

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

Twofold two_sum(double a, double b) {
  const double sum = a + b;
  const double part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}

double leading_bits(double x, int dropped) {
  const auto mask = ~std::uint64_t{0} << dropped;
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & mask);
}

Twofold two_square(double a) {  // Dekker
  const double a1 = leading_bits(a, 27);
  const double a2 = a - a1;
  const double square = a * a;
  return {square, ((a1 * a1 - square) + 2.0 * (a1 * a2)) + a2 * a2};
}

// The arm N(mean, variance) seen from `origin`.
ArgmaxArm exact_arm(Twofold mean, double origin, Twofold variance) {
  const Twofold offset = two_sum(mean.high, -origin);
  const double rough = 0.5 / variance.high;
  const double high = leading_bits(rough, 36);
  // 1/(2 v) - high = (1/2 - high v)/v; high times either half of v is exact.
  const double v1 = leading_bits(variance.high, 27);
  const double v2 = variance.high - v1;
  const double rest = ((0.5 - high * v1) - high * v2) - high * variance.low;
  return {offset.high, offset.low + mean.low, 1.0 / std::sqrt(variance.high), high,
          rest / variance.high};
}

ArgmaxArm make_arm(bool exact, Twofold mean, double origin, double scale) {
  if (exact) return exact_arm(mean, origin, two_square(scale));
  const double inverse = 1.0 / scale;
  return {mean.high - origin, 0.0, inverse, 0.5 * inverse * inverse, 0.0};
}

// Log of the integrand (1) without its constant, and its first two derivatives.
struct LogValue {
  double value;
  double slope;
  double curvature;
};

double scaled_tail(double t) {
  const double a = std::min(t, 1e20);
  double top = 0.0;
  double bottom = 0.0;
  for (int i = 7; i >= 0; --i) top = top * a + kTailTopSampling[i];
  for (int i = 8; i >= 0; --i) bottom = bottom * a + kTailBottomSampling[i];
  return top / bottom;
}

// One side of a problem: N arms, all means relative to that of the played arm k.
class Side {
 public:
  Side(std::span<const double> means, std::span<const double> scales, int k, int changed,
       double changed_mean)
      : scales_(scales), k_(static_cast<std::size_t>(k)), means_(means.size()) {
    const auto c = static_cast<std::size_t>(changed);
    const double origin = c == k_ ? changed_mean : means[k_];
    for (std::size_t j = 0; j < means.size(); ++j) {
      means_[j] = two_sum(j == c ? changed_mean : means[j], -origin);
    }
  }

  std::size_t size() const { return scales_.size(); }
  std::size_t played() const { return k_; }
  Twofold mean(std::size_t j) const { return means_[j]; }
  double scale(std::size_t j) const { return scales_[j]; }

  LogValue log_integrand(double x) const {
    const double z = x / scales_[k_];
    LogValue g{-0.5 * z * z, -z / scales_[k_], -1.0 / (scales_[k_] * scales_[k_])};
    double product = 1.0;  // of the factors without their exponentials
    for (std::size_t j = 0; j < size(); ++j) {
      if (j == k_) continue;
      add_log_cdf((x - means_[j].high) / scales_[j], scales_[j], g, product);
      if (product < 1e-200) {
        g.value += portable_log(product);
        product = 1.0;
      }
    }
    g.value += portable_log(product);
    return g;
  }

  // The exponent that the loops sum at x: the shift that keeps them from underflow.
  double exponent(double x) const {
    const double z = x / scales_[k_];
    double sum = 0.5 * z * z;
    for (std::size_t j = 0; j < size(); ++j) {
      const double below = std::min((x - means_[j].high) / scales_[j], 0.0);
      if (j != k_) sum += 0.5 * below * below;
    }
    return sum;
  }

  // (sum of 1/s_j^2 over k and the arms whose Phi is not yet 1 at x)^(-1/2): the resolution at and
  // above x.
  double resolution(double x, double saturated) const {
    double precision = 0.0;
    for (std::size_t j = 0; j < size(); ++j) {
      if (j == k_ || active(j, x, saturated)) precision += 1.0 / (scales_[j] * scales_[j]);
    }
    return 1.0 / std::sqrt(precision);
  }

  bool active(std::size_t j, double x, double saturated) const {
    return x < means_[j].high + saturated * scales_[j];
  }

  double mode() const;

 private:
  static void add_log_cdf(double z, double scale, LogValue& g, double& product) {
    const double t = std::fabs(z);
    if (z > 9.0) return;
    const double tail = scaled_tail(t);
    double hazard;  // phi(z)/Phi(z)
    if (z <= 0.0) {
      g.value -= 0.5 * t * t;
      product *= tail;
      hazard = kInverseSqrt2Pi / tail;
    } else {
      const double density = portable_exp(-0.5 * t * t);
      product *= 1.0 - tail * density;
      hazard = kInverseSqrt2Pi * density / (1.0 - tail * density);
    }
    g.slope += hazard / scale;
    g.curvature -= std::max(hazard * (z + hazard), 0.0) / (scale * scale);
  }

  double quadratic_mode() const;

  std::span<const double> scales_;
  std::size_t k_;
  Buffer<Twofold> means_;
};

// The mode if every Phi were exp(-z^2/2) below its mean and 1 above.
double Side::quadratic_mode() const {
  double x = 0.0;
  for (int pass = 0; pass < 4; ++pass) {
    double moment = 0.0;
    double precision = 0.0;
    for (std::size_t j = 0; j < size(); ++j) {
      if (j != k_ && means_[j].high <= x) continue;
      const double p = 1.0 / (scales_[j] * scales_[j]);
      precision += p;
      moment += p * means_[j].high;
    }
    x = std::max(moment / precision, 0.0);
  }
  return x;
}

// The integrand is log-concave: Newton on the slope, kept inside a shrinking bracket. Near enough
// is enough, the mode only places nodes.
double Side::mode() const {
  double low = 0.0;  // the slope is not negative here
  double high = 0.0;
  double push = 0.0;
  for (std::size_t j = 0; j < size(); ++j) {
    if (j == k_) continue;
    high = std::max(high, means_[j].high);
    push += 0.8 / scales_[j];  // phi(z)/Phi(z) < 0.8 for z >= 0
  }
  high += push * scales_[k_] * scales_[k_];
  double x = std::min(quadratic_mode(), high);
  for (int step = 0; step < 100; ++step) {
    const LogValue g = log_integrand(x);
    (g.slope >= 0.0 ? low : high) = x;
    double next = x - g.slope / g.curvature;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    const double moved = std::fabs(next - x);
    x = next;
    if (moved * moved * -g.curvature < 1e-3) break;
  }
  return x;
}

struct Bracket {
  double low;
  double high;
  double mode;
};

// The end of the bracket on one side of the mode (direction -1 or 1): log f there is between `drop`
// and `drop` + 2 below its maximum. Newton from outside stays outside, since log f is concave.
double bracket_end(const Side& side, double mode, double peak, double direction, double drop) {
  double x = mode + direction * std::sqrt(2.0 * drop) * side.scale(side.played());
  for (int step = 0; step < 100; ++step) {
    const LogValue g = side.log_integrand(x);
    const double excess = peak - drop - g.value;
    if (!(excess > 2.0)) break;
    x += excess / g.slope;
  }
  return x;
}

Bracket find_bracket(const Side& side, const Settings& set) {
  const double mode = side.mode();
  const double peak = side.log_integrand(mode).value;
  // The tail beyond an end at distance d is below f(mode) exp(-drop) d/drop, the whole integral
  // above f(mode) sqrt(2 pi) r: one more unit of drop for each factor e of d/r.
  const double r = side.resolution(-std::numeric_limits<double>::infinity(), 0.0);
  const double drop = set.drop + portable_log(1.0 + side.scale(side.played()) / r);
  return {bracket_end(side, mode, peak, -1.0, drop), bracket_end(side, mode, peak, 1.0, drop),
          mode};
}

// Sums over nodes in ascending order, a chunk at a time.
template <class Flush>
class NodeWriter {
 public:
  explicit NodeWriter(Flush flush) : flush_(flush) {}

  void add(double position, double weight) {
    nodes_.position[nodes_.count] = position;
    nodes_.weight[nodes_.count] = weight;
    if (++nodes_.count == ArgmaxNodes::kCapacity) {
      flush_(nodes_);
      nodes_.count = 0;
    }
  }

  void finish() {
    if (nodes_.count == 0) return;
    const double last = nodes_.position[nodes_.count - 1];
    while (nodes_.count % 4 != 0) {
      nodes_.position[nodes_.count] = last;
      nodes_.weight[nodes_.count++] = 0.0;
    }
    flush_(nodes_);
    nodes_.count = 0;
  }

 private:
  ArgmaxNodes nodes_;
  Flush flush_;
};

// Panels from x to the end, each as long as the resolution at its start allows; resolution(x) grows
// with x, since arms only saturate.
template <class Resolution, class Panel>
int march_panels(double x, double end, double length, const Resolution& resolution,
                 const Panel& panel) {
  int count = 0;
  while (x < end) {
    const double next = std::min(x + length * resolution(x), end);
    if (!(next > x)) break;
    panel(x, next);
    x = next;
    ++count;
  }
  return count;
}

// The nodes of [low, high], relative to the origin: the trapezoid rule or Gauss-Legendre panels,
// whichever needs fewer.
template <class Resolution, class Flush>
void write_nodes(const Settings& set, double low, double high, double origin,
                 const Resolution& resolution, Flush flush) {
  NodeWriter<Flush> writer(flush);
  // A step of 20 bits makes every node exact.
  const double step = leading_bits(set.trapezoid_step * resolution(low), 33);
  const double first = std::floor((low - origin) / step);
  const double count = std::ceil((high - origin) / step) - first + 1.0;
  constexpr double kClearlyFew = 64.0;
  const auto ignore = [](double, double) {};
  if (count <= kClearlyFew ||
      count <= set.legendre_count * march_panels(low, high, set.panel_length, resolution, ignore)) {
    for (double i = 0.0; i < count; ++i) writer.add((first + i) * step, step);
  } else {
    march_panels(low, high, set.panel_length, resolution, [&](double a, double b) {
      const double half = 0.5 * (b - a);
      const double middle = (a - origin) + half;
      for (int i = 0; i < set.legendre_count; ++i) {
        writer.add(middle + half * set.legendre_node[i], half * set.legendre_weight[i]);
      }
    });
  }
  writer.finish();
}

double to_log_probability(double sum, double scale, double shift) {
  return std::min(portable_log(sum * (kInverseSqrt2Pi / scale)) - shift, 0.0);
}

// One side on nodes of its own: right however small the probability is.
double log_probability_careful(const Side& side, const Settings& set) {
  const Bracket bracket = find_bracket(side, set);
  const double origin = bracket.mode;
  const std::size_t k = side.played();
  Buffer<ArgmaxArm> arms(side.size());
  int count = 0;
  for (std::size_t j = 0; j < side.size(); ++j) {
    if (j == k || !side.active(j, bracket.low, set.saturated)) continue;
    arms[static_cast<std::size_t>(count++)] =
        make_arm(set.exact, side.mean(j), origin, side.scale(j));
  }
  const ArgmaxArm played = make_arm(set.exact, side.mean(k), origin, side.scale(k));
  ArgmaxIntegrand f;
  f.shared = arms.data();
  f.shared_count = count;
  f.played = &played;
  f.shift[0] = side.exponent(bracket.mode);
  double sums[2] = {0.0, 0.0};
  write_nodes(
      set, bracket.low, bracket.high, origin,
      [&](double x) { return side.resolution(x, set.saturated); },
      [&](const ArgmaxNodes& nodes) { set.kernel.add(nodes, f, sums); });
  return to_log_probability(sums[0], side.scale(k), f.shift[0]);
}

// (2): one node of the same loops, with a played arm of density 1.
double log_probability_two(double mean, double other, double scale, double other_scale,
                           const Settings& set) {
  const Twofold gap = two_sum(other, -mean);
  const Twofold a = two_square(scale);
  const Twofold b = two_square(other_scale);
  Twofold variance = two_sum(a.high, b.high);
  variance.low += a.low + b.low;
  // The left tail first; the other one is its complement.
  const bool left = gap.high >= 0.0;
  const Twofold mean_left = left ? gap : Twofold{-gap.high, -gap.low};
  ArgmaxArm arm = exact_arm(mean_left, 0.0, variance);
  if (!set.exact) arm.half_precision = 0.5 / variance.high;
  const ArgmaxArm flat{0.0, 0.0, 0.0, 0.0, 0.0};
  ArgmaxNodes nodes;
  nodes.count = 4;
  for (int i = 0; i < 4; ++i) {
    nodes.position[i] = 0.0;
    nodes.weight[i] = i == 0 ? 1.0 : 0.0;
  }
  ArgmaxIntegrand f;
  f.shared = &arm;
  f.shared_count = 1;
  f.played = &flat;
  f.shift[0] = 0.5 * (mean_left.high / variance.high) * mean_left.high;
  double sums[2] = {0.0, 0.0};
  set.kernel.add(nodes, f, sums);
  const double log_tail = portable_log(sums[0]) - f.shift[0];  // (2)
  return left ? log_tail : portable_log1p(-portable_exp(log_tail));
}

double log_probability_one_side(std::span<const double> means, std::span<const double> scales,
                                int changed, double changed_mean, int k, const Settings& set) {
  return log_probability_careful(Side(means, scales, k, changed, changed_mean), set);
}

}  // namespace
}  // namespace detail

PairLogProbability log_argmax_probability_pair(std::span<const double> means,
                                               std::span<const double> scales, int changed,
                                               double changed_mean, int k,
                                               ArgmaxPrecision precision) {
  const detail::Settings set = detail::settings(precision);
  const auto c = static_cast<std::size_t>(changed);
  const auto played = static_cast<std::size_t>(k);
  if (means.size() == 1) return {0.0, 0.0};
  if (means.size() == 2) {
    const auto o = 1 - played;
    const double p =
        detail::log_probability_two(means[played], means[o], scales[played], scales[o], set);
    const double mp = c == played ? changed_mean : means[played];
    const double mo = c == o ? changed_mean : means[o];
    return {p, detail::log_probability_two(mp, mo, scales[played], scales[o], set)};
  }
  return {detail::log_probability_one_side(means, scales, changed, means[c], k, set),
          detail::log_probability_one_side(means, scales, changed, changed_mean, k, set)};
}

double log_argmax_probability(std::span<const double> means, std::span<const double> scales, int k,
                              ArgmaxPrecision precision) {
  const detail::Settings set = detail::settings(precision);
  const auto played = static_cast<std::size_t>(k);
  if (means.size() == 1) return 0.0;
  if (means.size() == 2) {
    const auto o = 1 - played;
    return detail::log_probability_two(means[played], means[o], scales[played], scales[o], set);
  }
  return detail::log_probability_one_side(means, scales, 0, means[0], k, set);
}

void log_argmax_probabilities(std::span<const double> means, std::span<const double> scales,
                              ArgmaxPrecision precision, std::span<double> log_p) {
  for (std::size_t k = 0; k < means.size(); ++k) {
    log_p[k] = log_argmax_probability(means, scales, static_cast<int>(k), precision);
  }
}

void log_argmax_probabilities_pair(std::span<const double> means, std::span<const double> scales,
                                   int changed, double changed_mean, ArgmaxPrecision precision,
                                   std::span<double> log_p, std::span<double> log_q) {
  for (std::size_t k = 0; k < means.size(); ++k) {
    const PairLogProbability pair = log_argmax_probability_pair(
        means, scales, changed, changed_mean, static_cast<int>(k), precision);
    log_p[k] = pair.p;
    log_q[k] = pair.q;
  }
}

}  // namespace assay
