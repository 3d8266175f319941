#include "assay/auditors/claims/search/parameter_space.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

constexpr int kMostDigits = 17;

double rounded_to(double value, int digits) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*e", digits - 1, value);
  return std::strtod(text, nullptr);
}

// The effort of writing a value down: least for 0, 1 and 1/2, otherwise it grows with the
// significant digits.
int complexity(double value) {
  if (value == 0.0) return 0;
  if (value == 1.0) return 1;
  if (value == 0.5) return 2;
  int digits = 1;
  while (digits < kMostDigits && rounded_to(value, digits) != value) ++digits;
  return 2 + digits;
}

std::vector<double> simpler_wholes(const Parameter& parameter, double value) {
  std::vector<double> out;
  for (double gap = value - parameter.low; gap >= 1.0; gap = std::floor(gap / 2.0)) {
    out.push_back(value - gap);
  }
  return out;
}

std::vector<double> simpler_decimals(const Parameter& parameter, double value) {
  const int now = complexity(value);
  std::vector<double> out;
  const auto consider = [&](double candidate) {
    const bool inside = candidate >= parameter.low && candidate <= parameter.high;
    if (inside && complexity(candidate) < now) out.push_back(candidate);
  };
  for (const double candidate : {0.0, 1.0, 0.5}) consider(candidate);
  for (int digits = 1; digits + 2 < now; ++digits) consider(rounded_to(value, digits));
  return out;
}

}  // namespace

double position_of(const Parameter& p, double value) {
  if (p.high == p.low) return 0.0;
  if (p.scale == ParameterScale::kLog) {
    return portable_log(value / p.low) / portable_log(p.high / p.low);
  }
  return (value - p.low) / (p.high - p.low);
}

double value_at(const Parameter& p, double position) {
  const double at = std::clamp(position, 0.0, 1.0);
  const double value = p.scale == ParameterScale::kLog
                           ? p.low * portable_exp(at * portable_log(p.high / p.low))
                           : p.low + at * (p.high - p.low);
  return std::clamp(p.whole ? std::round(value) : value, p.low, p.high);
}

Point generate_point(std::span<const Parameter> space, ReplayStream& random) {
  Point point;
  point.reserve(space.size());
  for (const Parameter& p : space) {
    const double kind = random.uniform();
    const double at = random.uniform();
    point.push_back(kind < 0.125 ? p.low : kind < 0.1875 ? p.high : value_at(p, at));
  }
  return point;
}

std::vector<Point> simpler_points(std::span<const Parameter> space, const Point& point) {
  ASSAY_CHECK(point.size() == space.size(), "a point has one value per parameter");
  std::vector<Point> out;
  for (std::size_t i = 0; i < space.size(); ++i) {
    const auto values =
        space[i].whole ? simpler_wholes(space[i], point[i]) : simpler_decimals(space[i], point[i]);
    for (const double value : values) {
      out.push_back(point);
      out.back()[i] = value;
    }
  }
  return out;
}

std::string point_text(std::span<const Parameter> space, const Point& point) {
  std::string text;
  for (std::size_t i = 0; i < space.size(); ++i) {
    text += (i == 0 ? "" : ", ") + space[i].name + " = " + number_text(point[i]);
  }
  return text;
}

}  // namespace assay
