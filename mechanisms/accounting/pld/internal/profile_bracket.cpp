// discretise_profile of pld_bracket.hpp: brackets from the values of a privacy profile.
#include <algorithm>
#include <cmath>
#include <string>

#include "assay/mechanisms/accounting/pld/internal/pld_bracket.hpp"
#include "assay/mechanisms/accounting/pld/internal/projection.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

// The P-masses of the kinks of the function that is `at_zero` at x = 0, values[i] at x_i, and
// values.back() from there on: p_i = x_i times the change of slope at x_i.
std::vector<double> masses_of(const std::vector<double>& values, double at_zero, double step) {
  const double grow = portable_expm1(step);
  const double shrink = -portable_expm1(-step);
  std::vector<double> masses(values.size() + 1);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double fall_after = i + 1 < values.size() ? (values[i] - values[i + 1]) / grow : 0.0;
    const double fall_before = i > 0 ? (values[i - 1] - values[i]) / shrink : at_zero - values[i];
    masses[i] = fall_before - fall_after;
  }
  return masses;
}

// The optimistic values: at each dot the lower one of its two cells' lines.
std::vector<double> lines_of(const std::vector<double>& dots, double step) {
  const double grow = portable_exp(step);     // the next cell is this much wider
  const double shrink = portable_exp(-step);  // and the one before narrower
  const std::size_t last = dots.size() - 1;
  std::vector<double> values = dots;
  for (std::size_t cell = 0; cell < last; ++cell) {
    // The line through the dots on the left, at both ends of the cell; x = 0 has delta = 1.
    const double before =
        cell > 0 ? dots[cell - 1] - dots[cell] : (1.0 - dots[0]) * portable_expm1(step) * shrink;
    const double left_low = dots[cell];
    const double left_high = dots[cell] - before * grow;
    double low = left_low, high = left_high;
    if (cell + 1 < last) {
      const double after = dots[cell + 1] - dots[cell + 2];
      low = 0.5 * (low + dots[cell + 1] + after * shrink);
      high = 0.5 * (high + dots[cell + 1]);
    }
    values[cell] = std::min(values[cell], low);
    values[cell + 1] = std::min(values[cell + 1], high);
  }
  return values;
}

}  // namespace

Result<PldBracket> discretise_profile(const std::function<double(double)>& delta, double step,
                                      std::int64_t lowest, std::int64_t highest,
                                      double relative_error) {
  if (!(step > 0.0 && step <= 100.0)) {
    return fail(ErrorCode::kInvalidArgument, "step must be in (0, 100], not " + number_text(step),
                "/step");
  }
  if (highest < lowest + 3 || highest - lowest > (std::int64_t{1} << 22)) {
    return fail(ErrorCode::kInvalidArgument,
                "highest must be lowest + 3 to lowest + 2^22, not lowest + " +
                    std::to_string(highest - lowest),
                "/highest");
  }
  if (!(relative_error >= 0.0 && relative_error <= 0.1)) {
    return fail(ErrorCode::kInvalidArgument,
                "relative_error must be in [0, 0.1], not " + number_text(relative_error),
                "/relative_error");
  }
  std::vector<double> dots;
  for (std::int64_t i = lowest; i <= highest; ++i) {
    const double l = static_cast<double>(i) * step;
    const double value = delta(l);
    if (!(value >= 0.0 && value <= 1.0)) {
      return fail(ErrorCode::kInvalidArgument,
                  "delta(" + number_text(l) + ") must be in [0, 1], not " + number_text(value),
                  "/delta");
    }
    dots.push_back(value);
  }
  PldBracket bracket;
  bracket.step = step;
  bracket.lowest = lowest;
  const double shrink = -portable_expm1(-step);
  const double relative = relative_error + 4.0 * kUnitRoundoff;

  bracket.upper = masses_of(dots, 1.0, step);
  for (double& mass : bracket.upper) mass = std::max(mass, 0.0);  // below 0 by rounding alone
  bracket.upper_at_infinity = std::min(dots.back() * (1.0 + 2.0 * relative), 1.0);

  std::vector<double> lines = lines_of(dots, step);
  // To the left of the dots: the line through the first two.
  const double at_zero = dots[0] + (dots[0] - dots[1]) / portable_expm1(step);
  const double end = lines.back();
  lines.back() = 0.0;
  bracket.lower = masses_of(lines, std::min(at_zero, 1.0), step);
  bracket.error.resize(lines.size() + 1);
  detail::convex_hull(bracket.lower, lines.size() - 1, step, 0.0, bracket.error);

  // A profile that is too high by e up to l_i is the profile of a mass e/(1 - e^(-h)) one step up.
  const std::size_t top = lines.size();  // one point above the dots
  for (std::size_t i = 0; i < dots.size(); ++i) {
    bracket.error[std::min(i + 3, top)] += 16.0 * relative * dots[i] / shrink;
  }
  bracket.error[top] += std::max(-end, 0.0) / shrink;
  const double deficit = std::max(-bracket.lower[top - 1], 0.0);
  bracket.lower[top - 1] = std::max(bracket.lower[top - 1], 0.0);
  bracket.error[top] += deficit;
  const double furthest =
      static_cast<double>(std::max(std::abs(lowest), std::abs(highest)) + 1) * step;
  bracket.loss_error = 8.0 * kUnitRoundoff * furthest;
  return bracket;
}

}  // namespace assay
