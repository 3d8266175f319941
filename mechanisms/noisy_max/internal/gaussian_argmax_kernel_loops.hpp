// The loops behind gaussian_argmax_kernel.hpp, in plain vector extensions. A source file for each
// instruction set includes them once, after its other includes and the choice of that set. Each has
// its own copy, in an unnamed namespace.
#pragma once

#include "assay/mechanisms/noisy_max/internal/gaussian_argmax_kernel.hpp"
#include "assay/mechanisms/noisy_max/internal/gaussian_argmax_tables.hpp"

namespace assay::detail {
namespace {

typedef double Vec __attribute__((vector_size(32)));
typedef double MemoryVec __attribute__((vector_size(32), may_alias));  // four doubles of an array
typedef long long Mask __attribute__((vector_size(32)));

#define ASSAY_VECTOR_INLINE static inline __attribute__((always_inline))

ASSAY_VECTOR_INLINE Vec splat(double x) { return Vec{x, x, x, x}; }
ASSAY_VECTOR_INLINE Vec load(const double* p) { return *reinterpret_cast<const MemoryVec*>(p); }
ASSAY_VECTOR_INLINE Vec select(Mask mask, Vec yes, Vec no) {
  return reinterpret_cast<Vec>((mask & reinterpret_cast<Mask>(yes)) |
                               (~mask & reinterpret_cast<Mask>(no)));
}
ASSAY_VECTOR_INLINE Vec keep(Mask mask, Vec x) {  // x or 0
  return reinterpret_cast<Vec>(mask & reinterpret_cast<Mask>(x));
}
ASSAY_VECTOR_INLINE Vec absolute(Vec x) {
  return reinterpret_cast<Vec>(reinterpret_cast<Mask>(x) & 0x7fffffffffffffffLL);
}
ASSAY_VECTOR_INLINE double sum_lanes(Vec x) { return (x[0] + x[1]) + (x[2] + x[3]); }

template <int degree>
ASSAY_VECTOR_INLINE Vec horner(const double (&c)[degree], Vec x) {
  Vec value = splat(c[degree - 1]);
#pragma GCC unroll 16
  for (int i = degree - 2; i >= 0; --i) value = value * x + splat(c[i]);
  return value;
}

// exp(-x), 0 <= x (slightly negative is fine); 2^-1021 beyond 707.
template <bool exact>
ASSAY_VECTOR_INLINE Vec exp_minus(Vec x) {
  const Vec limit = splat(707.0);
  const Vec a = select(x < limit, x, limit);
  // n = round(-a / log 2) by adding 1.5 2^52; n log(2)_high is exact, 11 + 40 bits.
  const Vec shifted = a * splat(-0x1.71547652b82fep+0) + splat(0x1.8p52);
  const Vec n = shifted - splat(0x1.8p52);
  const Vec r = (-a - n * splat(0x1.62e42fefa0000p-1)) - n * splat(0x1.cf79abc9e3b3ap-40);
  Vec p;
  if constexpr (exact) {
    p = horner(kExpExact, r);
  } else {
    const double(&c)[9] = kExpSampling;
    const Vec r2 = r * r;
    const Vec low = (splat(c[0]) + r * splat(c[1])) + r2 * (splat(c[2]) + r * splat(c[3]));
    const Vec high = (splat(c[4]) + r * splat(c[5])) + r2 * (splat(c[6]) + r * splat(c[7]));
    const Vec r4 = r2 * r2;
    p = low + r4 * (high + r4 * splat(c[8]));
  }
  const Mask exponent = reinterpret_cast<Mask>(shifted) << 52;
  const Mask one = reinterpret_cast<Mask>(splat(1.0));
  return p * reinterpret_cast<Vec>(exponent + one);
}

// R(t) = Phi(-t) exp(t^2/2), t >= 0.
template <bool exact>
ASSAY_VECTOR_INLINE Vec scaled_tail(Vec t) {
  const Vec limit = splat(1e20);
  const Vec a = select(t < limit, t, limit);
  if constexpr (exact) {
    return horner(kTailTopExact, a) / horner(kTailBottomExact, a);
  } else {
    return horner(kTailTopSampling, a) / horner(kTailBottomSampling, a);
  }
}

// q = (y - m)^2/(2 s^2) = high + low and t = |y - m|/s.
struct Square {
  Vec high, low, t;
};

// An arm of every lane.
struct ArmVec {
  Vec mean, mean_low, inverse_scale, half_precision, half_precision_low;
};

template <bool exact>
ASSAY_VECTOR_INLINE Square square_at(const ArmVec& arm, Vec y, Vec y_low) {
  const Vec w = y - arm.mean;
  if constexpr (!exact) {
    return {w * w * arm.half_precision, Vec{}, absolute(w * arm.inverse_scale)};
  } else {
    // w + e = y - m to twice the precision of a double.
    const Vec back = w - y;
    const Vec low_part = y_low - arm.mean_low;
    const Vec e = ((y - (w - back)) - (arm.mean + back)) + low_part;
    // (w1 + w2 + e)^2 (i1 + i2): w1 and i1 have 17 bits, so w1^2 i1 is exact.
    const Mask leading = reinterpret_cast<Mask>(w) & ~0xfffffffffLL;
    const Vec w1 = reinterpret_cast<Vec>(leading);
    const Vec i1 = arm.half_precision;
    const Vec low = ((w - w1) * (w + w1) + (w + w) * e) * i1 + w * w * arm.half_precision_low;
    return {w1 * w1 * i1, low, absolute((w + e) * arm.inverse_scale)};
  }
}

// At the nodes y of vector v.
template <bool exact>
ASSAY_VECTOR_INLINE Square square(const ArgmaxArm& arm, const ArgmaxNodes& nodes, int v) {
  const Vec y_low = exact ? load(nodes.position_low + 4 * v) : Vec{};
  return square_at<exact>({splat(arm.mean), splat(arm.mean_low), splat(arm.inverse_scale),
                           splat(arm.half_precision), splat(arm.half_precision_low)},
                          load(nodes.position + 4 * v), y_low);
}

// A sum of exponents; two doubles in exact mode (Knuth's two-sum).
template <bool exact>
ASSAY_VECTOR_INLINE void add_exponent(Vec& high, Vec& low, Vec q_high, Vec q_low) {
  if constexpr (!exact) {
    high += q_high;
  } else {
    const Vec sum = high + q_high;
    const Vec part = sum - high;
    low += ((high - (sum - part)) + (q_high - part)) + q_low;
    high = sum;
  }
}

// Vectors [0, left) have z <= 0 throughout, [right, end) have z > 0, and from `end` on Phi(z) is 1.
struct Regions {
  int left, right, end;
};

template <bool exact>
ASSAY_VECTOR_INLINE Regions regions(const ArgmaxArm& arm, const ArgmaxNodes& nodes) {
  const double one =
      arm.mean + (exact ? kArgmaxSaturatedExact : kArgmaxSaturatedSampling) / arm.inverse_scale;
  Regions r = {0, 0, 0};
  for (int i = 0; i < nodes.count; i += 4) {
    r.left += nodes.position[i + 3] <= arm.mean ? 1 : 0;
    r.right += nodes.position[i] <= arm.mean ? 1 : 0;
    r.end += nodes.position[i] < one ? 1 : 0;
  }
  return r;
}

constexpr int kVectors = ArgmaxNodes::kCapacity / 4;

// The integrand on one chunk of nodes: product * exp(-(high + low)).
struct Work {
  Vec product[kVectors];
  Vec high[kVectors];
  Vec low[kVectors];
};

// Multiplies by Phi(z) of one arm.                                                       // (1)
template <bool exact>
static void multiply_cdf(const ArgmaxArm& arm, const ArgmaxNodes& nodes, const Work& from,
                         Work& to) {
  const Regions r = regions<exact>(arm, nodes);
  const int count = nodes.count / 4;
  for (int v = 0; v < r.left; ++v) {
    const Square s = square<exact>(arm, nodes, v);
    Vec high = from.high[v];
    Vec low = exact ? from.low[v] : Vec{};
    add_exponent<exact>(high, low, s.high, s.low);
    to.high[v] = high;
    if constexpr (exact) to.low[v] = low;
    to.product[v] = from.product[v] * scaled_tail<exact>(s.t);
  }
  for (int v = r.left; v < r.right; ++v) {
    const Vec y = load(nodes.position + 4 * v);
    const Square s = square<exact>(arm, nodes, v);
    const Vec tail = scaled_tail<exact>(s.t);
    const Mask below = y <= splat(arm.mean);
    Vec high = from.high[v];
    Vec low = exact ? from.low[v] : Vec{};
    add_exponent<exact>(high, low, keep(below, s.high), keep(below, s.low));
    to.high[v] = high;
    if constexpr (exact) to.low[v] = low;
    const Vec above = splat(1.0) - tail * exp_minus<exact>(exact ? s.high + s.low : s.high);
    to.product[v] = from.product[v] * select(below, tail, above);
  }
  for (int v = r.right; v < r.end; ++v) {
    const Square s = square<exact>(arm, nodes, v);
    const Vec upper = scaled_tail<exact>(s.t) * exp_minus<exact>(exact ? s.high + s.low : s.high);
    to.product[v] = from.product[v] * (splat(1.0) - upper);
  }
  if (&from != &to) {
    for (int v = r.right; v < count; ++v) {
      to.high[v] = from.high[v];
      if constexpr (exact) to.low[v] = from.low[v];
    }
    for (int v = r.end; v < count; ++v) to.product[v] = from.product[v];
  }
}

// Multiplies by exp(-q) of the winning arm.
template <bool exact>
ASSAY_VECTOR_INLINE void multiply_density(const ArgmaxArm& arm, const ArgmaxNodes& nodes,
                                          Work& work) {
  for (int v = 0; v < nodes.count / 4; ++v) {
    const Square s = square<exact>(arm, nodes, v);
    add_exponent<exact>(work.high[v], work.low[v], s.high, s.low);
  }
}

template <bool exact>
ASSAY_VECTOR_INLINE double weighted_sum(const ArgmaxNodes& nodes, const Work& work, double shift,
                                        const ArgmaxArm* density) {
  Vec sum = Vec{};
  for (int v = 0; v < nodes.count / 4; ++v) {
    Vec high = work.high[v];
    Vec low = exact ? work.low[v] : Vec{};
    if (density != nullptr) {
      const Square s = square<exact>(*density, nodes, v);
      add_exponent<exact>(high, low, s.high, s.low);
    }
    const Vec q = exact ? (high - splat(shift)) + low : high - splat(shift);
    sum += load(nodes.weight + 4 * v) * (work.product[v] * exp_minus<exact>(q));
  }
  return sum_lanes(sum);
}

template <bool exact>
static void add(const ArgmaxNodes& nodes, const ArgmaxIntegrand& f, double sums[2]) {
  Work common;
  for (int v = 0; v < nodes.count / 4; ++v) {
    common.product[v] = splat(1.0);
    common.high[v] = Vec{};
    if constexpr (exact) common.low[v] = Vec{};
  }
  if (f.played != nullptr) multiply_density<exact>(*f.played, nodes, common);
  for (int j = 0; j < f.shared_count; ++j) multiply_cdf<exact>(f.shared[j], nodes, common, common);
  for (int side = 0; side < f.sides; ++side) {
    if (f.played == nullptr) {
      sums[side] += weighted_sum<exact>(nodes, common, f.shift[side], f.own[side]);
    } else if (f.own[side] == nullptr) {
      sums[side] += weighted_sum<exact>(nodes, common, f.shift[side], nullptr);
    } else {
      Work own;
      multiply_cdf<exact>(*f.own[side], nodes, common, own);
      sums[side] += weighted_sum<exact>(nodes, own, f.shift[side], nullptr);
    }
  }
}

struct Factor {
  Vec density, cdf;
};

// exp(-q) and Phi(z) themselves.
template <bool exact>
ASSAY_VECTOR_INLINE Factor factor(const ArgmaxArm& arm, const ArgmaxNodes& nodes, int v) {
  const Vec y = load(nodes.position + 4 * v);
  const Square s = square<exact>(arm, nodes, v);
  const Vec density = exp_minus<exact>(exact ? s.high + s.low : s.high);
  const Vec tail = density * scaled_tail<exact>(s.t);
  return {density, select(y <= splat(arm.mean), tail, splat(1.0) - tail)};
}

template <bool exact>
static void add_all(const ArgmaxNodes& nodes, const ArgmaxFamily& f, double* sums, double* other) {
  const int n = f.count;
  const bool pair = f.other_changed != nullptr;
  Vec total[kArgmaxFamilyLimit];
  Vec other_total[kArgmaxFamilyLimit];
  for (int k = 0; k < n; ++k) total[k] = other_total[k] = Vec{};
  for (int v = 0; v < nodes.count / 4; ++v) {
    const Vec w = load(nodes.weight + 4 * v);
    // The unchanged arms first: before[k] = product of the cdfs of the arms in front of k.
    Factor arm[kArgmaxFamilyLimit];
    Vec before[kArgmaxFamilyLimit];
    Vec product = splat(1.0);
    for (int k = 0; k < n; ++k) {
      arm[k] = factor<exact>(f.arms[k], nodes, v);
      before[k] = product;
      if (!pair || k != f.changed) product = product * arm[k].cdf;
    }
    if (!pair) {
      Vec after = w;
      for (int k = n - 1; k >= 0; --k) {
        total[k] += (before[k] * after) * arm[k].density;
        after = after * arm[k].cdf;
      }
      continue;
    }
    const int c = f.changed;
    const Factor changed = arm[c];
    const Factor replaced = factor<exact>(*f.other_changed, nodes, v);
    total[c] += (w * product) * changed.density;
    other_total[c] += (w * product) * replaced.density;
    Vec after = w;
    for (int k = n - 1; k >= 0; --k) {
      if (k == c) continue;
      const Vec rest = (before[k] * after) * arm[k].density;
      total[k] += rest * changed.cdf;
      other_total[k] += rest * replaced.cdf;
      after = after * arm[k].cdf;
    }
  }
  for (int k = 0; k < n; ++k) sums[k] += sum_lanes(total[k]);
  for (int k = 0; pair && k < n; ++k) other[k] += sum_lanes(other_total[k]);
}

template <bool exact>
static void tails(const ArgmaxTails& f, double* values) {
  const ArmVec arm = {load(f.depth), load(f.depth_low), load(f.inverse_scale),
                      load(f.half_precision), load(f.half_precision_low)};
  const Square s = square_at<exact>(arm, Vec{}, Vec{});
  const Vec high = s.high - load(f.shift);
  const Vec result = scaled_tail<exact>(s.t) * exp_minus<exact>(exact ? high + s.low : high);
  for (int i = 0; i < 4; ++i) values[i] = result[i];
}

ASSAY_VECTOR_INLINE int place(long long block) {
  return 4 * static_cast<int>(block & (ArgmaxFactors::kRing - 1));
}
ASSAY_VECTOR_INLINE void store(double* p, Vec x) { *reinterpret_cast<MemoryVec*>(p) = x; }

template <bool exact>
static void factors(const ArgmaxArm& arm, double step, long long first, int blocks,
                    ArgmaxFactors& out) {
  const ArmVec all = {splat(arm.mean), splat(arm.mean_low), splat(arm.inverse_scale),
                      splat(arm.half_precision), splat(arm.half_precision_low)};
  for (long long b = first; b < first + blocks; ++b) {
    const Vec y = (splat(4.0 * static_cast<double>(b)) + Vec{0.0, 1.0, 2.0, 3.0}) * splat(step);
    const Square s = square_at<exact>(all, y, Vec{});
    const Vec density = exp_minus<exact>(exact ? s.high + s.low : s.high);
    const Vec tail = density * scaled_tail<exact>(s.t);
    store(out.density + place(b), density);
    store(out.cdf + place(b), select(y <= all.mean, tail, splat(1.0) - tail));
  }
}

static void products(const ArgmaxProducts& f, double* sums) {
  Vec total[2] = {Vec{}, Vec{}};
  for (long long b = f.first; b < f.first + f.blocks; ++b) {
    const int at = place(b);
    Vec product = splat(1.0);
    for (int j = 0; j < f.shared_count; ++j) product = product * load(f.shared[j]->cdf + at);
    for (int side = 0; side < f.sides; ++side) {
      Vec value = product * load(f.density[side]->density + at);
      if (f.own[side] != nullptr) value = value * load(f.own[side]->cdf + at);
      total[side] += value;
    }
  }
  for (int side = 0; side < f.sides; ++side) sums[side] = sum_lanes(total[side]);
}

constexpr ArgmaxKernels kKernels = {
    {&add<false>, &add_all<false>, &tails<false>, &factors<false>, &products},
    {&add<true>, &add_all<true>, &tails<true>, &factors<true>, &products}};

#undef ASSAY_VECTOR_INLINE

}  // namespace
}  // namespace assay::detail
