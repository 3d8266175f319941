#include "assay/auditors/statistics/bet_fraction.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay::detail {

namespace {

constexpr double kLeastPrice = 0x1.0p-60;
constexpr double kLargestPrice = 1.0 - 0x1.0p-6;
constexpr double kExactPoissonBelow = 30.0;
constexpr double kNormalAbove = 1e4;

// w = Phi^{-1}(1 - u) and phi(w)/u, at 32 prices u per power of two down to 2^-60.
class PriceTable {
 public:
  static constexpr int kPerOctave = 32;
  static constexpr int kOctaves = 60;

  struct Entry {
    double w;
    double hazard;
  };

  PriceTable() {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      const double mantissa = 1.0 + static_cast<double>(i % kPerOctave) / kPerOctave;
      const int octave = static_cast<int>(i / kPerOctave) - kOctaves;
      const double price = std::min(std::ldexp(mantissa, octave), 1.0 - 0x1.0p-8);
      const double w = normal_ccdf_quantile(price);
      entries_[i] = {w, normal_hazard(w)};
    }
  }

  Entry operator()(double price) const {
    // The bits of a positive double, read as an integer, are piecewise linear in its logarithm.
    const auto bits =
        std::bit_cast<std::uint64_t>(price) - std::bit_cast<std::uint64_t>(kLeastPrice);
    constexpr int kShift = 52 - 5;
    const auto i = static_cast<std::size_t>(bits >> kShift);
    const double f = static_cast<double>(bits & ((std::uint64_t{1} << kShift) - 1)) * 0x1.0p-47;
    const Entry& a = entries_[i];
    const Entry& b = entries_[i + 1];
    return {a.w + f * (b.w - a.w), a.hazard + f * (b.hazard - a.hazard)};
  }

 private:
  std::array<Entry, kPerOctave * kOctaves + 1> entries_;
};

// log Phi(-w) for w in [-6, 20], linear between nodes 1/64 apart.
class TailTable {
 public:
  TailTable() {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      values_[i] = normal_log_ccdf(kFirst + static_cast<double>(i) / kPerUnit);
    }
  }

  double operator()(double w) const {
    const double x = (std::clamp(w, kFirst, kLast - 0.01) - kFirst) * kPerUnit;
    const auto i = static_cast<std::size_t>(x);
    const double f = x - static_cast<double>(i);
    return values_[i] + f * (values_[i + 1] - values_[i]);
  }

 private:
  static constexpr double kFirst = -6.0;
  static constexpr double kLast = 20.0;
  static constexpr double kPerUnit = 64.0;
  std::array<double, static_cast<std::size_t>((kLast - kFirst) * kPerUnit) + 1> values_;
};

const PriceTable& price_table() {
  static const PriceTable table;
  return table;
}

const TailTable& tail_table() {
  static const TailTable table;
  return table;
}

// Position of log u between log a and log b, 0 at a.
double log_position(double u, double a, double b) {
  const double log_a = portable_log(a);
  return (portable_log(u) - log_a) / (portable_log(b) - log_a);
}

double log_blend(double a, double b, double f) {
  return portable_exp((1.0 - f) * portable_log(a) + f * portable_log(b));
}

// u(k - 1) where u = u(k) = P(Poisson(rate) >= k), log-linear in k between the integers.
double price_after_hit_above(double rate, double u) {
  constexpr double kLeastTail = 1e-13;  // well above the rounding of 1 - cdf
  double pmf = portable_exp(-rate);
  double before = 1.0;      // P(>= j - 1)
  double here = 1.0;        // P(>= j)
  double next = 1.0 - pmf;  // P(>= j + 1)
  for (double j = 1.0; next > u && next > kLeastTail; j += 1.0) {
    pmf *= rate / j;
    before = here;
    here = next;
    next -= pmf;
  }
  next = std::max(next, kLeastTail);
  if (!(next < here)) return before;
  return log_blend(before, here, std::clamp(log_position(u, here, next), 0.0, 1.0));
}

// u(k - 1) where u = u(k) = P(Poisson(rate) <= k); 0 if the price pays for no hit.
double price_after_hit_below(double rate, double u) {
  double pmf = portable_exp(-rate);
  double before = 0.0;  // P(<= j - 1)
  double here = pmf;    // P(<= j)
  if (u < here) return 0.0;
  double next = here;
  for (double j = 1.0;; j += 1.0) {
    pmf *= rate / j;
    next = here + pmf;
    if (next > u || !(next > here)) break;
    before = here;
    here = next;
  }
  if (!(next > here)) return before;
  const double f = log_position(u, here, next);
  return before > 0.0 ? log_blend(before, here, f) : f * here;
}

// u(k - 1)/u(k) by (4).
double price_ratio_after_hit(BetSide side, double w, double rate) {
  const double s = 3.0 * std::sqrt(rate);
  const auto& log_tail = tail_table();
  const double moved = side == BetSide::kAbove ? std::sqrt((w + s) * (w + s) - 6.0) - s
                                               : s - std::sqrt((s - w) * (s - w) - 6.0);  // (4)
  return portable_exp(log_tail(moved) - log_tail(w));
}

}  // namespace

double bet_fraction(BetSide side, double price, double m, double jump, double remaining) {
  const double u = std::clamp(price, kLeastPrice, kLargestPrice);
  const double rate = m * remaining / jump;
  if (rate > kNormalAbove) {
    return price_table()(u).hazard / std::sqrt(m * jump * remaining);  // (3)
  }
  double ratio;
  if (rate > kExactPoissonBelow) {
    ratio = price_ratio_after_hit(side, price_table()(u).w, rate);
  } else {
    ratio = (side == BetSide::kAbove ? price_after_hit_above(rate, u)
                                     : price_after_hit_below(rate, u)) /
            u;
  }
  return side == BetSide::kAbove ? (ratio - 1.0) / jump : (1.0 - ratio) / jump;  // (1), (2)
}

JumpSize::JumpSize(double design_mean, double design_variance, double fallback)
    : fallback_(fallback) {
  if (!(design_mean > 0.0)) return;
  // Worth 5 hits, and at least 5 observations.
  constexpr double kPriorHits = 5.0;
  const double square = design_variance + design_mean * design_mean;
  prior_count_ = kPriorHits * std::max(1.0, square / (design_mean * design_mean));
  prior_mean_ = design_mean;
  prior_square_ = square;
}

void JumpSize::add(std::int64_t count, double sum, double sum_of_squares) {
  count_ += static_cast<double>(count);
  sum_ += sum;
  sum_of_squares_ += sum_of_squares;
}

double JumpSize::value() const {
  const double count = count_ + prior_count_;
  const double sum = sum_ + prior_count_ * prior_mean_;
  if (!(sum > 0.0)) return fallback_;
  const double average = sum / count;
  const double square = (sum_of_squares_ + prior_count_ * prior_square_) / count;
  // The second moment about the mean; about zero as long as there are few observations.
  const double variance = square - average * average * (1.0 - 2.0 / (count + 2.0));
  constexpr double kLeastDispersion = 1e-12;
  return std::max(variance / average, kLeastDispersion * average);
}

double JumpSize::mean() const { return count_ > 0.0 ? sum_ / count_ : 0.0; }

std::int64_t block_length(std::int64_t time, std::int64_t horizon) {
  const std::int64_t by_start = time / 40;
  const std::int64_t by_horizon = horizon / 1000;
  const std::int64_t by_end = (horizon - time) / 100;
  constexpr std::int64_t kLongest = 4096;
  return std::clamp<std::int64_t>(std::min({by_start, by_horizon, by_end}), 1, kLongest);
}

}  // namespace assay::detail
