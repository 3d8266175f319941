#include "assay/mechanisms/accounting/pld/composed_pld.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "assay/mechanisms/accounting/internal/smallest_double.hpp"
#include "assay/mechanisms/accounting/pld/internal/tilted_pld.hpp"
#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

// c_t, rounded up.
double profile_constant(double t) {
  if (t == 0.0) return 1.0;
  const double exponent = t * portable_log(t) - (1.0 + t) * portable_log1p(t);
  return portable_exp(exponent +
                      8.0 * kUnitRoundoff * (1.0 + t) * (1.0 + std::fabs(portable_log(t))));
}

}  // namespace

ComposedPld::ComposedPld(const detail::TiltedPld& finite, double lower_at_infinity,
                         double upper_at_infinity, double offset)
    : step_(finite.step),
      lowest_(finite.lowest),
      tilt_(finite.tilt),
      log_scale_(finite.log_scale),
      scale_error_(finite.scale_error),
      unlocated_(finite.unlocated * profile_constant(finite.tilt)),
      loss_error_(finite.loss_error),
      offset_(offset),
      lower_at_infinity_(lower_at_infinity),
      upper_at_infinity_(upper_at_infinity),
      lower_(side_of(finite.lower)),
      upper_(side_of(finite.upper)) {}

ComposedPld::Side ComposedPld::side_of(const std::vector<double>& masses) const {
  const double tilt_step = portable_exp(-tilt_ * step_);
  const double shrink = -portable_expm1(-step_);
  const double keep = portable_exp(-step_);
  Side side{std::vector<double>(masses.size()), std::vector<double>(masses.size())};
  double mass = 0.0;
  double profile = 0.0;
  for (std::size_t j = masses.size(); j-- > 0;) {
    side.profile[j] = profile;
    mass = masses[j] + tilt_step * mass;  // (2)
    side.mass[j] = mass;
    profile = tilt_step * (shrink * mass + keep * profile);  // (3)
  }
  return side;
}

double ComposedPld::scaled_profile(const Side& side, double eps) const {
  const double place = std::ceil(eps / step_) - static_cast<double>(lowest_);
  if (!(place < static_cast<double>(side.mass.size()))) return 0.0;
  const auto j = place > 0.0 ? static_cast<std::size_t>(place) : std::size_t{0};
  const double l = static_cast<double>(lowest_ + static_cast<std::int64_t>(j)) * step_;
  const double rise = std::max(l - eps, 0.0);
  return portable_exp(-tilt_ * rise) *
         (-portable_expm1(-rise) * side.mass[j] + portable_exp(-rise) * side.profile[j]);  // (3)
}

double ComposedPld::log_bound(double scaled, double eps) const {
  if (scaled <= 0.0) return -kInfinity;  // NaN stays NaN: it bounds nothing
  return portable_log(scaled) + (log_scale_ - tilt_ * eps);
}

LogDeltaBounds ComposedPld::log_delta(Epsilon eps) const {
  ASSAY_CHECK(eps.value >= 0.0, "eps must be in [0, inf]");
  if (std::isinf(eps.value)) {
    return {portable_log(lower_at_infinity_), portable_log(upper_at_infinity_)};
  }
  // Also covers the rounding of eps/step, of l - eps and of the offset.
  const double shift = loss_error_ + 8.0 * kUnitRoundoff * (eps.value + std::fabs(offset_) + step_);
  const double on_grid = eps.value - offset_;
  const double above = on_grid + shift;
  const double below = on_grid - shift;
  const double relative = 16.0 * kUnitRoundoff * static_cast<double>(lower_.mass.size() + 8);
  const double slack =
      scale_error_ +
      8.0 * kUnitRoundoff * (2.0 + std::fabs(log_scale_) + tilt_ * std::fabs(on_grid));
  const double low = scaled_profile(lower_, above) * (1.0 - relative) - unlocated_;   // (1)
  const double high = scaled_profile(upper_, below) * (1.0 + relative) + unlocated_;  // (1)
  const double finite_low = log_bound(low, above) - slack;
  const double finite_high = log_bound(high, below) + slack;
  const auto with_infinity = [](double log_finite, double infinity) {
    return infinity > 0.0 ? log_add_exp(log_finite, portable_log(infinity)) : log_finite;
  };
  LogDeltaBounds bounds{with_infinity(finite_low, lower_at_infinity_),
                        with_infinity(finite_high, upper_at_infinity_)};
  bounds.lower -= 8.0 * kUnitRoundoff * (1.0 + std::fabs(bounds.lower));
  bounds.upper += 8.0 * kUnitRoundoff * (1.0 + std::fabs(bounds.upper));
  if (std::isnan(bounds.lower)) bounds.lower = -kInfinity;
  // If tilt times eps overflows, the only bound on delta is 1.
  bounds.upper = std::isnan(bounds.upper) ? 0.0 : std::min(bounds.upper, 0.0);
  bounds.lower = std::min(bounds.lower, bounds.upper);
  return bounds;
}

Interval<Delta> ComposedPld::delta(Epsilon eps) const {
  const LogDeltaBounds bounds = log_delta(eps);
  return {{Delta{portable_exp(bounds.lower) * (1.0 - 4.0 * kUnitRoundoff)}},
          {Delta{std::min(portable_exp(bounds.upper) * (1.0 + 4.0 * kUnitRoundoff), 1.0)}}};
}

Interval<Epsilon> ComposedPld::epsilon(double log_target) const {
  ASSAY_CHECK(log_target < 0.0, "delta must be below 1");
  const double upper = detail::smallest_double(
      [&](double eps) { return std::isinf(eps) || log_delta(Epsilon{eps}).upper <= log_target; });
  return {{Epsilon{largest_certified(log_target, upper)}}, {Epsilon{upper}}};
}

// Far below the focus the lower bound on delta falls again, since the unlocated mass outweighs it. So
// this searches downwards from the upper end instead of bisecting from 0.
double ComposedPld::largest_certified(double log_target, double upper) const {
  const auto is_certified = [&](double eps) { return log_delta(Epsilon{eps}).lower > log_target; };
  if (std::isinf(upper)) {
    const auto points = static_cast<std::int64_t>(lower_.mass.size());
    upper = std::max(static_cast<double>(lowest_ + points) * step_ + offset_, step_);
    if (is_certified(upper))
      return log_delta(Epsilon{kInfinity}).lower > log_target ? kInfinity : upper;
  }
  double fails = upper;
  double distance = std::max(upper * 1e-15, std::numeric_limits<double>::min());
  double works = upper - distance;
  while (works > 0.0 && !is_certified(works)) {
    fails = works;
    distance *= 2.0;
    works = upper - distance;
  }
  if (!(works > 0.0)) return 0.0;
  for (;;) {
    const double middle = works + 0.5 * (fails - works);
    if (middle <= works || middle >= fails) return works;
    (is_certified(middle) ? works : fails) = middle;
  }
}

Interval<Epsilon> ComposedPld::epsilon(Delta target) const {
  return epsilon(portable_log(target.value));
}

}  // namespace assay
