#include "assay/mechanisms/accounting/pld/internal/tilted_pld.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "assay/mechanisms/accounting/pld/internal/projection.hpp"
#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay::detail {
namespace {

// Noise at the far end of a transform leaves deficits far below this, lone masses far above.
constexpr double kLargestDeficit = 1e-13;

double sum_of(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double x : values) sum += x;
  return sum;
}

// An upper bound on the mass of either side.
double mass_bound(const TiltedPld& pld) {
  const double slack = 1.0 + kUnitRoundoff * static_cast<double>(pld.size() + 2);
  return std::max(sum_of(pld.lower), sum_of(pld.upper)) * slack;
}

double norm_of(const TiltedPld& pld) {
  double sum = 0.0;
  for (std::size_t i = 0; i < pld.size(); ++i) {
    sum += pld.lower[i] * pld.lower[i] + pld.upper[i] * pld.upper[i];
  }
  return std::sqrt(sum) * (1.0 + 1e-9);
}

double power_of(double base, std::int64_t exponent) {
  return portable_exp(static_cast<double>(exponent) * portable_log(base)) * (1.0 + 1e-9);
}

double largest_loss(const TiltedPld& pld) {
  const double low = static_cast<double>(pld.lowest);
  const double high = low + static_cast<double>(pld.size());
  return std::max(std::fabs(low), std::fabs(high)) * pld.step;
}

// Mean and variance of the places, of the pessimistic side.
struct Moments {
  double mean = 0.0;
  double variance = 0.0;
};

Moments moments_of(const TiltedPld& pld) {
  double mass = 0.0, first = 0.0, second = 0.0;
  for (std::size_t i = 0; i < pld.size(); ++i) {
    mass += pld.upper[i];
    first += pld.upper[i] * static_cast<double>(i);
  }
  const double mean = mass > 0.0 ? first / mass : 0.0;
  for (std::size_t i = 0; i < pld.size(); ++i) {
    const double d = static_cast<double>(i) - mean;
    second += pld.upper[i] * d * d;
  }
  return {mean, mass > 0.0 ? second / mass : 0.0};
}

// log of an upper bound on the sum of max(lower, upper)_i e^(slope (i - center)).
double log_moment(const TiltedPld& pld, double slope, double center) {
  double factor = portable_exp(-slope * center);
  const double ratio = portable_exp(slope);
  double sum = 0.0;
  for (std::size_t i = 0; i < pld.size(); ++i) {
    sum += std::max(pld.lower[i], pld.upper[i]) * factor;
    factor *= ratio;
  }
  // Each factor has 2 roundings a step and the error of ratio's power.
  return portable_log(sum) + 4.0 * kUnitRoundoff * (static_cast<double>(pld.size()) + 2.0) +
         4.0 * kUnitRoundoff * std::fabs(slope * center);
}

// The factors of a composition, at places relative to the sum of power times lowest.
struct Shape {
  const PowerProduct& of;
  std::vector<double> means;
  double mean = 0.0;
  double variance = 0.0;
  std::int64_t length = 1;  // of the whole result
  std::size_t longest = 1;  // of the factors

  explicit Shape(const PowerProduct& product) : of(product) {
    for (const auto& [pld, power] : of.factors) {
      const auto n = static_cast<double>(power);
      const Moments moments = moments_of(*pld);
      means.push_back(moments.mean);
      mean += n * moments.mean;
      variance += n * moments.variance;
      length += power * (static_cast<std::int64_t>(pld->size()) - 1);
      longest = std::max(longest, pld->size());
    }
  }

  // (5): a bound on the mass at places >= x (slope > 0) or <= x (slope < 0).
  double tail(double x, double slope) const {
    double exponent = 0.0;
    for (std::size_t i = 0; i < of.factors.size(); ++i) {
      const auto& [pld, power] = of.factors[i];
      exponent += static_cast<double>(power) * log_moment(*pld, slope, means[i]);
    }
    exponent -= slope * (x - mean);
    return portable_exp(std::min(exponent + 1e-9 * (1.0 + std::fabs(exponent)), 700.0));
  }

  double best_tail(double x, bool is_above, double enough) const {
    const double distance = is_above ? x - mean : mean - x;
    if (distance <= 0.0) return std::numeric_limits<double>::infinity();
    const auto at = [&](double slope) {
      if (slope * static_cast<double>(longest) > 600.0) {
        return std::numeric_limits<double>::infinity();
      }
      return tail(x, is_above ? slope : -slope);
    };
    // The Gaussian choice, and smaller ones for tails that are heavier.
    double best = std::numeric_limits<double>::infinity();
    for (const double share : {1.0, 0.8, 0.6, 0.4}) {
      const double value = at(share * distance / std::max(variance, 1e-3));
      if (value > best) break;
      best = value;
    }
    // If most of the variance is far from most of the mass: a slope that makes little of what is beyond x.
    for (const double fall : {40.0, 55.0, 75.0}) {
      if (best <= enough) break;
      best = std::min(best, at(fall / distance));
    }
    return best;
  }
};

struct Window {
  std::int64_t first = 0;  // place of the result that comes first in the window
  std::size_t size = 0;
  double outside = 0.0;  // bound on the mass that wraps around
};

Window window_of(const Shape& shape, double budget) {
  const auto whole = static_cast<std::size_t>(shape.length);
  const double spread = std::sqrt(shape.variance);
  const std::size_t least =
      std::max(shape.longest, static_cast<std::size_t>(std::min(10.0 * spread, 1e15)));
  for (std::size_t size = std::bit_ceil(std::min(least, whole));; size *= 2) {
    if (size >= whole) return {0, size, 0.0};
    const auto half = static_cast<std::int64_t>(size / 2);
    const std::int64_t last_start = shape.length - static_cast<std::int64_t>(size);
    const std::int64_t first =
        std::clamp(static_cast<std::int64_t>(shape.mean) - half, std::int64_t{0}, last_start);
    double outside = 0.0;
    if (first > 0) {
      outside += shape.best_tail(static_cast<double>(first - 1), false, 0.5 * budget);
    }
    if (first < last_start) {
      const double beyond = static_cast<double>(first) + static_cast<double>(size);
      outside += shape.best_tail(beyond, true, 0.5 * budget);
    }
    if (outside <= budget) return {first, size, outside};
  }
}

struct Complex {
  double re;
  double im;
};

Complex times(Complex x, Complex y) {
  return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}

Complex power(Complex base, std::int64_t exponent) {
  Complex result{1.0, 0.0};
  bool is_one = true;
  for (; exponent > 0; exponent >>= 1) {
    if ((exponent & 1) != 0) {
      result = is_one ? base : times(result, base);
      is_one = false;
    }
    if (exponent > 1) base = times(base, base);
  }
  return result;
}

// Both sides at once: lower + i upper.
struct Spectrum {
  std::vector<double> re;
  std::vector<double> im;

  Spectrum(const TiltedPld& pld, const Fft& fft) : re(fft.size()), im(fft.size()) {
    std::copy(pld.lower.begin(), pld.lower.end(), re.begin());
    std::copy(pld.upper.begin(), pld.upper.end(), im.begin());
    fft.forward(re, im);
  }

  // The transform of either real sequence at one place, given its partner's.
  Complex lower(std::size_t k, std::size_t p) const {
    return {0.5 * (re[k] + re[p]), 0.5 * (im[k] - im[p])};
  }
  Complex upper(std::size_t k, std::size_t p) const {
    return {0.5 * (im[k] + im[p]), 0.5 * (re[p] - re[k])};
  }
};

// Raises both sides in place and multiplies them with those of `others`. Returns |.|_2.
double raise(Spectrum& a, std::int64_t exponent, std::span<const Spectrum> others,
             std::span<const PowerProduct::Factor> factors) {
  double squares = 0.0;
  for (std::size_t k = 0; k < a.re.size(); ++k) {
    const std::size_t p = Fft::partner(k);
    if (p < k) continue;
    Complex low = power(a.lower(k, p), exponent);
    Complex high = power(a.upper(k, p), exponent);
    for (std::size_t i = 0; i < others.size(); ++i) {
      low = times(low, power(others[i].lower(k, p), factors[i].power));
      high = times(high, power(others[i].upper(k, p), factors[i].power));
    }
    a.re[k] = low.re - high.im;
    a.im[k] = low.im + high.re;
    a.re[p] = low.re + high.im;
    a.im[p] = high.re - low.im;
    const double both = low.re * low.re + low.im * low.im + high.re * high.re + high.im * high.im;
    squares += p == k ? both : 2.0 * both;
  }
  return std::sqrt(squares) * (1.0 + 1e-9);
}

// Drops the ends of both sides while the dropped mass stays within the budget; returns that mass.
double trim(TiltedPld& pld, double budget) {
  const auto weight = [&](std::size_t i) { return std::max(pld.lower[i], pld.upper[i]); };
  double dropped_below = 0.0;
  std::size_t begin = 0;
  while (begin + 1 < pld.size() && dropped_below + weight(begin) <= budget) {
    dropped_below += weight(begin++);
  }
  double dropped_above = 0.0;
  std::size_t end = pld.size();
  while (end > begin + 1 && dropped_above + weight(end - 1) <= budget) {
    dropped_above += weight(--end);
  }
  for (std::vector<double>* side : {&pld.lower, &pld.upper}) {
    side->erase(side->begin() + static_cast<std::ptrdiff_t>(end), side->end());
    side->erase(side->begin(), side->begin() + static_cast<std::ptrdiff_t>(begin));
  }
  pld.lowest += static_cast<std::int64_t>(begin);
  return (dropped_below + dropped_above) * (1.0 + 1e-9);
}

// (3) and (4): the error of the result, in l1. `norm` is that of the raised spectrum.
struct Ledger {
  double carried = 0.0;    // from the factors
  double transform = 0.0;  // new
};

Ledger ledger(const PowerProduct& of, const Fft& fft, double norm) {
  const double root = std::sqrt(static_cast<double>(fft.size())) * (1.0 + 1e-9);
  const double f = fft.relative_error();
  const std::size_t count = of.factors.size();
  std::vector<double> masses, losts, noises;
  double powers = 0.0;
  for (const auto& [pld, power] : of.factors) {
    masses.push_back(mass_bound(*pld));
    losts.push_back(pld->unlocated);
    noises.push_back(f * root * norm_of(*pld));
    powers += static_cast<double>(power);
  }
  // The product of (m + e)^n less that of m^n is at most the sum over the factors of its derivative along e, at
  // m + e of all.
  const auto growth = [&](const std::vector<double>& errors) {
    double sum = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
      double part = static_cast<double>(of.factors[i].power) * errors[i];
      for (std::size_t j = 0; j < count; ++j) {
        part *= power_of(masses[j] + errors[j], of.factors[j].power - (i == j ? 1 : 0));
      }
      sum += part;
    }
    return sum;
  };
  const double carried = growth(losts);  // (3)
  const double forward = growth(noises);
  const double products = powers * kComplexProductError * norm;
  const double spectrum = 1.4143 * forward + products;
  const double back = f * (norm + spectrum);
  // (4): sqrt(N) from l2 to l1 cancels the 1/sqrt(N) of the inverse.
  return {carried * (1.0 + 1e-6), (spectrum + back) * (1.0 + 1e-6)};
}

// Takes the projected masses of `pld`, with the errors of moving them.
void finish(Projection& projection, const TiltedPld& pld, TiltedPld& out) {
  out.lower = projection.take_lower(kLargestDeficit);
  out.upper = projection.take_upper();
  const double moved = 4.0 * out.step * out.tilt;
  const double sums = std::ceil(out.step / pld.step) + 1.0;  // masses that meet in a place
  out.unlocated =
      pld.unlocated +
      (kProjectionError + 4.0 * kUnitRoundoff * sums) * mass_bound(pld) * portable_exp(moved) +
      (projection.deficit() + sum_of(projection.hull_error())) * (1.0 + 1e-9);
  out.loss_error = pld.loss_error + 4.0 * kUnitRoundoff * (largest_loss(pld) + out.step);
}

}  // namespace

const Fft& FftPlans::of_size(std::size_t size) {
  points_ += static_cast<std::int64_t>(size);
  return plans_.try_emplace(size, size).first->second;
}

TiltedPld tilt(const PldBracket& bracket, double by, double ends) {
  TiltedPld pld;
  pld.step = bracket.step;
  pld.lowest = bracket.lowest;
  pld.tilt = by;
  pld.loss_error = bracket.loss_error;
  double log_sum = -std::numeric_limits<double>::infinity();
  {
    double top = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < bracket.size(); ++i) {
      if (bracket.upper[i] > 0.0) top = std::max(top, by * bracket.loss(i));
    }
    double sum = 0.0;
    for (std::size_t i = 0; i < bracket.size(); ++i) {
      if (bracket.upper[i] != 0.0) {
        sum += bracket.upper[i] * portable_exp(by * bracket.loss(i) - top);
      }
    }
    if (sum > 0.0) log_sum = top + portable_log(sum);
  }
  pld.log_scale = std::isfinite(log_sum) ? log_sum : 0.0;
  const auto points = static_cast<std::size_t>(bracket.place(bracket.size() - 1)) + 1;
  pld.lower.resize(points);
  pld.upper.resize(points);
  for (std::size_t i = 0; i < bracket.size(); ++i) {
    if (bracket.upper[i] == 0.0 && bracket.lower[i] == 0.0 && bracket.error[i] == 0.0) continue;
    const auto place = static_cast<std::size_t>(bracket.place(i));
    const double exponent = by * bracket.loss(i) - pld.log_scale;
    const double factor = portable_exp(exponent);
    pld.lower[place] = bracket.lower[i] * factor;
    pld.upper[place] = bracket.upper[i] * factor;
    const double rounding =
        4.0 * kUnitRoundoff * (2.0 + std::fabs(by * bracket.loss(i)) + std::fabs(pld.log_scale));
    pld.unlocated += bracket.error[i] * factor * (1.0 + 1e-9) +
                     rounding * std::max(pld.lower[place], pld.upper[place]);
  }
  pld.unlocated += trim(pld, ends);
  return pld;
}

TiltedPld coarsen(const TiltedPld& pld, std::int64_t factor) {
  ASSAY_CHECK(factor >= 1, "a factor of at least 1");
  if (factor == 1) return pld;
  const auto floor_divide = [factor](std::int64_t x) {
    return x >= 0 ? x / factor : -((factor - 1 - x) / factor);
  };
  TiltedPld out;
  out.step = pld.step * static_cast<double>(factor);
  out.lowest = floor_divide(pld.lowest);
  out.tilt = pld.tilt;
  out.log_scale = pld.log_scale;
  out.scale_error = pld.scale_error;
  const std::int64_t highest = pld.lowest + static_cast<std::int64_t>(pld.size()) - 1;
  const auto top = static_cast<std::size_t>(floor_divide(highest) - out.lowest);
  Projection projection(top + 2, top, out.step, pld.tilt);
  std::vector<Offset> offsets;
  for (std::int64_t r = 0; r < factor; ++r) {
    offsets.push_back(2 * r == factor ? projection.middle()
                                      : projection.offset(static_cast<double>(r) * pld.step));
  }
  std::int64_t r = pld.lowest - out.lowest * factor;
  std::size_t cell = 0;
  for (std::size_t i = 0; i < pld.size(); ++i) {
    projection.add_upper(cell, offsets[static_cast<std::size_t>(r)], pld.upper[i]);
    projection.add_lower(cell, offsets[static_cast<std::size_t>(r)], pld.lower[i]);
    if (++r == factor) {
      r = 0;
      ++cell;
    }
  }
  finish(projection, pld, out);
  return out;
}

TiltedPld on_grid(const TiltedPld& pld, double step) {
  const double ratio = pld.step / step;
  TiltedPld out = pld;
  out.step = step;
  if (ratio >= 1.0 && ratio == std::floor(ratio)) {
    const auto stride = static_cast<std::int64_t>(ratio);
    if (stride == 1) return out;
    const std::size_t size = (pld.size() - 1) * static_cast<std::size_t>(stride) + 1;
    out.lowest = pld.lowest * stride;
    out.lower.assign(size, 0.0);
    out.upper.assign(size, 0.0);
    for (std::size_t i = 0; i < pld.size(); ++i) {
      out.lower[i * static_cast<std::size_t>(stride)] = pld.lower[i];
      out.upper[i * static_cast<std::size_t>(stride)] = pld.upper[i];
    }
    return out;
  }
  const double wider = step / pld.step;
  if (wider == std::floor(wider)) return coarsen(pld, static_cast<std::int64_t>(wider));
  const auto loss = [&](std::size_t i) {
    return static_cast<double>(pld.lowest + static_cast<std::int64_t>(i)) * pld.step;
  };
  const auto cell_of = [&](std::size_t i) {
    return static_cast<std::int64_t>(std::floor(loss(i) / step));
  };
  out.lowest = cell_of(0);
  const auto top = static_cast<std::size_t>(cell_of(pld.size() - 1) - out.lowest);
  Projection projection(top + 2, top, step, pld.tilt);
  for (std::size_t i = 0; i < pld.size(); ++i) {
    const std::int64_t cell = cell_of(i);
    const double r = std::clamp(loss(i) - static_cast<double>(cell) * step, 0.0, step);
    const auto offset = projection.offset(r);
    const auto place = static_cast<std::size_t>(cell - out.lowest);
    projection.add_upper(place, offset, pld.upper[i]);
    projection.add_lower(place, offset, pld.lower[i]);
  }
  finish(projection, pld, out);
  return out;
}

Result<TiltedPld> compose(const PowerProduct& product, FftPlans& plans, std::int64_t max_points) {
  ASSAY_CHECK(!product.factors.empty(), "something to compose");
  const auto& [first, power] = product.factors.front();
  const std::span rest = std::span(product.factors).subspan(1);
  if (power == 1 && rest.empty()) return *first;
  const Shape shape(product);
  const double budget = kLevelBudget / product.repeats;
  const Window window = window_of(shape, budget);
  if (window.size > static_cast<std::size_t>(max_points)) {
    return fail(ErrorCode::kLimit,
                "the composition needs " + std::to_string(window.size) +
                    " points, more than max_points = " + std::to_string(max_points),
                "/max_points");
  }
  const Fft& fft = plans.of_size(window.size);
  Spectrum spectrum(*first, fft);
  std::vector<Spectrum> others;
  for (const auto& factor : rest) others.emplace_back(*factor.pld, fft);
  const double norm = raise(spectrum, power, others, rest);
  fft.inverse(spectrum.re, spectrum.im);

  TiltedPld out;
  out.step = first->step;
  out.tilt = first->tilt;
  out.lowest = window.first;
  const double rounding =
      2.0 * kUnitRoundoff * static_cast<double>(std::max<std::size_t>(product.factors.size(), 2));
  for (const auto& factor : product.factors) {
    const auto n = static_cast<double>(factor.power);
    out.lowest += factor.power * factor.pld->lowest;
    out.log_scale += n * factor.pld->log_scale;
    out.scale_error += n * (factor.pld->scale_error + rounding * std::fabs(factor.pld->log_scale));
    out.loss_error += n * factor.pld->loss_error;
  }
  out.scale_error += rounding * std::fabs(out.log_scale);
  const auto size = static_cast<std::size_t>(
      std::min(static_cast<std::int64_t>(window.size), shape.length - window.first));
  out.lower.resize(size);
  out.upper.resize(size);
  const double inverse_size = 1.0 / static_cast<double>(window.size);
  const std::size_t mask = window.size - 1;
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t place = (static_cast<std::size_t>(window.first) + i) & mask;
    // The truth is not negative: a clamp only brings the result nearer to it.
    out.lower[i] = std::max(spectrum.re[place] * inverse_size, 0.0);
    out.upper[i] = std::max(spectrum.im[place] * inverse_size, 0.0);
  }
  const Ledger lost = ledger(product, fft, norm);
  out.unlocated = lost.carried + lost.transform + 2.0 * window.outside;
  out.unlocated += trim(out, std::max(budget, 0.01 * lost.transform));
  return out;
}

TwoScales split(TiltedPld pld, std::int64_t factor) {
  const auto is_coarse = [&](std::size_t i) {
    return (pld.lower[i] == 0.0 && pld.upper[i] == 0.0) ||
           (pld.lowest + static_cast<std::int64_t>(i)) % factor == 0;
  };
  std::size_t begin = 0, end = pld.size();
  while (begin < end && is_coarse(begin)) ++begin;
  while (end > begin && is_coarse(end - 1)) --end;
  const std::size_t outside = pld.size() - (end - begin);
  if (begin == end || outside < static_cast<std::size_t>(4 * factor)) return {std::move(pld), {}};
  const auto lower = std::exchange(pld.lower, {});
  const auto upper = std::exchange(pld.upper, {});
  TwoScales parts{pld, pld};  // the unlocated mass may be in either: both keep it
  TiltedPld& fine = parts.fine;
  fine.lowest += static_cast<std::int64_t>(begin);
  const auto first = static_cast<std::ptrdiff_t>(begin), last = static_cast<std::ptrdiff_t>(end);
  fine.lower.assign(lower.begin() + first, lower.begin() + last);
  fine.upper.assign(upper.begin() + first, upper.begin() + last);
  TiltedPld& coarse = *parts.coarse;
  const std::int64_t rest = ((pld.lowest % factor) + factor) % factor;
  coarse.step = pld.step * static_cast<double>(factor);
  coarse.lowest = (pld.lowest - rest) / factor;
  const auto each = static_cast<std::size_t>(factor);
  const auto before =
      static_cast<std::size_t>(rest);  // steps between the first coarse point and the first mass
  const std::size_t points = (before + lower.size() - 1) / each + 1;
  coarse.lower.resize(points);
  coarse.upper.resize(points);
  for (std::size_t place = before == 0 ? 0 : 1; place < points; ++place) {
    const std::size_t i = place * each - before;
    if (i >= begin && i < end) continue;
    coarse.lower[place] = lower[i];
    coarse.upper[place] = upper[i];
  }
  return parts;
}

namespace {

// The sum of two brackets on one grid, or the part of `a` beyond b, which must be less.
TiltedPld combined(const TiltedPld& a, const TiltedPld& b, double sign) {
  TiltedPld out = a;
  out.lowest = std::min(a.lowest, b.lowest);
  const std::int64_t end = std::max(a.lowest + static_cast<std::int64_t>(a.size()),
                                    b.lowest + static_cast<std::int64_t>(b.size()));
  const auto size = static_cast<std::size_t>(end - out.lowest);
  for (auto [side, other, result] :
       {std::tuple{&a.lower, &b.lower, &out.lower}, std::tuple{&a.upper, &b.upper, &out.upper}}) {
    result->assign(size, 0.0);
    const auto first = static_cast<std::size_t>(a.lowest - out.lowest);
    for (std::size_t i = 0; i < side->size(); ++i) (*result)[first + i] = (*side)[i];
    const auto second = static_cast<std::size_t>(b.lowest - out.lowest);
    for (std::size_t i = 0; i < other->size(); ++i) {
      double& mass = (*result)[second + i];
      mass = std::max(mass + sign * (*other)[i], 0.0);  // the truth is not negative
    }
  }
  out.unlocated += b.unlocated + 4.0 * kUnitRoundoff * (mass_bound(a) + mass_bound(b));
  out.loss_error = std::max(a.loss_error, b.loss_error);
  out.scale_error = std::max(a.scale_error, b.scale_error);
  return out;
}

PowerProduct product_of(const std::vector<TiltedPld>& factors, double repeats) {
  PowerProduct product{{}, repeats};
  for (const TiltedPld& pld : factors) product.factors.push_back({&pld, 1});
  return product;
}

}  // namespace

TiltedPld together(const TwoScales& parts, double step) {
  if (!parts.coarse) return on_grid(parts.fine, step);
  return combined(on_grid(parts.fine, step), on_grid(*parts.coarse, step), 1.0);
}

// With f fine and c coarse, product (f + c) = product f + (product (f + c) - product f): the second part, which has a
// coarse factor in each of its terms, may be taken with f on the coarse grid.                                    (6)
Result<TwoScales> compose(const std::vector<TwoScales>& factors, double step, double repeats,
                          FftPlans& plans, std::int64_t max_points) {
  double coarse_step = 0.0;
  for (const TwoScales& factor : factors) {
    if (factor.coarse) coarse_step = factor.coarse->step;
  }
  std::vector<TiltedPld> fine, whole, middle;
  if (coarse_step <= step) {
    for (const TwoScales& factor : factors) whole.push_back(together(factor, step));
    auto product = ASSAY_TRY(compose(product_of(whole, repeats), plans, max_points));
    return TwoScales{std::move(product), {}};
  }
  for (const TwoScales& factor : factors) {
    fine.push_back(on_grid(factor.fine, step));
    middle.push_back(on_grid(factor.fine, coarse_step));
    whole.push_back(factor.coarse ? combined(middle.back(), *factor.coarse, 1.0) : middle.back());
  }
  auto product = ASSAY_TRY(compose(product_of(fine, repeats), plans, max_points));
  const auto all = ASSAY_TRY(compose(product_of(whole, repeats), plans, max_points));
  const auto no_coarse = ASSAY_TRY(compose(product_of(middle, repeats), plans, max_points));
  return TwoScales{std::move(product), combined(all, no_coarse, -1.0)};  // (6)
}

}  // namespace assay::detail
