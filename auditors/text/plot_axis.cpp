#include "assay/auditors/text/plot_axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

constexpr double kTickSlack = 1e-9;  // of a step: a range that ends on a tick keeps it

// multiple * 10^k, correctly rounded; the multiple is a whole number.
double decimal(double multiple, int k) {
  const std::string text = fmt::format("{:.0f}e{}", multiple, k);
  double value = 0.0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

double power_of_ten(int k) { return decimal(1.0, k); }

// floor(log10(x)) for x > 0.
int decade_of(double x) {
  const std::string text = fmt::format("{:.16e}", x);
  return std::stoi(text.substr(text.find('e') + 1));
}

struct Step {
  int multiple = 1;  // 1, 2 or 5
  int decade = 0;
  double value() const { return decimal(multiple, decade); }
};

Step nice_step(AxisRange range, int wanted, bool whole) {
  const double least = (range.high - range.low) / std::max(wanted, 1);
  if (whole && least <= 1.0) return {};
  Step step{1, decade_of(least)};
  for (const int multiple : {1, 2, 5}) {
    step.multiple = multiple;
    if (step.value() >= least * (1.0 - kTickSlack)) return step;
  }
  return {1, step.decade + 1};
}

std::string linear_label(double value, int decade) {
  const double size = std::fabs(value);
  if (value == 0.0) return "0";
  if (decade >= 0 && size < 1e7) {
    return size < 1e4 ? fmt::format("{:.0f}", value) : grouped(static_cast<long long>(value));
  }
  if (decade < 0 && decade >= -4 && size < 1e5) return fmt::format("{:.{}f}", value, -decade);
  return rounded(value, std::max(2, decade_of(size) - decade + 1));
}

std::vector<Tick> linear_ticks(AxisRange range, int wanted, bool whole) {
  const Step step = nice_step(range, wanted, whole);
  const double size = step.value();
  const double first = std::ceil(range.low / size - kTickSlack);
  const double last = std::floor(range.high / size + kTickSlack);
  std::vector<Tick> ticks;
  for (double i = first; i <= last; ++i) {
    const double value = decimal(i * step.multiple, step.decade);
    ticks.push_back({value, linear_label(value, step.decade)});
  }
  return ticks;
}

std::string plain_label(double value) {
  const bool is_grouped = value >= 1e4 && value < 1e7;
  return is_grouped ? grouped(static_cast<long long>(value)) : rounded(value, 1);
}

// Plain numbers on an axis of few decades; powers of ten, and 1, on a long one.
std::string decade_label(int k, bool few) {
  if (k == 0 || (few && k >= -3 && k <= 6)) return plain_label(power_of_ten(k));
  return fmt::format("10^{}", k);
}

bool inside(AxisRange range, double value) {
  return value >= range.low * (1.0 - kTickSlack) && value <= range.high * (1.0 + kTickSlack);
}

// Every multiple 1..9 of every decade; labels on the decades of the stride, or on 1, 2, 5.
std::vector<Tick> log_ticks(AxisRange range, int wanted) {
  const int first = decade_of(range.low);
  const int last = decade_of(range.high) + 1;
  const double decades = (portable_log(range.high) - portable_log(range.low)) / portable_log(10.0);
  if (decades < 0.7) return linear_ticks(range, wanted, false);
  const bool few = decades < 2.0;
  const int stride = std::max(1, static_cast<int>(std::ceil(decades / std::max(wanted, 1))));
  const int minor = decades <= 5.0 ? 9 : 1;
  std::vector<Tick> ticks;
  for (int k = first; k <= last; ++k) {
    for (int multiple = 1; multiple <= minor; ++multiple) {
      const double value = decimal(multiple, k);
      if (!inside(range, value)) continue;
      const bool labelled = few ? (multiple == 1 || multiple == 2 || multiple == 5)
                                : multiple == 1 && k % stride == 0;
      const std::string label = multiple == 1 ? decade_label(k, decades < 4.0) : plain_label(value);
      ticks.push_back({value, labelled ? label : ""});
    }
  }
  return ticks;
}

bool usable(Scale scale, double value) {
  return std::isfinite(value) && (scale == Scale::kLinear || value > 0.0);
}

// Half a magnitude around a single value, a decade on a logarithmic axis; a given end stays. Values so close that
// ticks between them could not be told apart as numbers count as one.
AxisRange nonempty(const Axis& axis, AxisRange range) {
  constexpr double kApart = 1e-9;  // of the larger one
  const double magnitude = std::max(std::fabs(range.low), std::fabs(range.high));
  if (range.high - range.low > kApart * magnitude) return range;
  const bool log = axis.scale == Scale::kLog;
  const double centre = axis.low ? range.low : range.high;
  const double by = centre == 0.0 ? 1.0 : 0.5 * std::fabs(centre);
  const AxisRange around =
      log ? AxisRange{centre / 10.0, centre * 10.0} : AxisRange{centre - by, centre + by};
  return {axis.low ? centre : around.low, axis.high && !axis.low ? centre : around.high};
}

}  // namespace

std::vector<Tick> axis_ticks(const Axis& axis, AxisRange range, int wanted) {
  if (axis.hidden) return {};
  return axis.scale == Scale::kLog ? log_ticks(range, wanted)
                                   : linear_ticks(range, wanted, axis.whole);
}

AxisRange axis_range(const Axis& axis, const std::vector<double>& data) {
  bool any = false;
  AxisRange seen;
  for (const double value : data) {
    if (!usable(axis.scale, value)) continue;
    seen.low = any ? std::min(seen.low, value) : value;
    seen.high = any ? std::max(seen.high, value) : value;
    any = true;
  }
  if (!any) seen = axis.scale == Scale::kLog ? AxisRange{0.1, 1.0} : AxisRange{0.0, 1.0};
  return nonempty(axis, {axis.low.value_or(seen.low), axis.high.value_or(seen.high)});
}

AxisRange widened_to_ticks(const Axis& axis, AxisRange range, int wanted) {
  if (axis.scale == Scale::kLog) {
    if (!axis.low) range.low = power_of_ten(decade_of(range.low));
    const int top = decade_of(range.high);
    if (!axis.high && power_of_ten(top) < range.high) range.high = power_of_ten(top + 1);
    return range;
  }
  const double size = nice_step(range, wanted, axis.whole).value();
  if (!axis.low) range.low = std::floor(range.low / size + kTickSlack) * size;
  if (!axis.high) range.high = std::ceil(range.high / size - kTickSlack) * size;
  return range;
}

double axis_position(Scale scale, AxisRange range, double value) {
  if (scale == Scale::kLinear) return (value - range.low) / (range.high - range.low);
  if (!(value > 0.0)) return -1.0;
  const double low = portable_log(range.low);
  return (portable_log(value) - low) / (portable_log(range.high) - low);
}

}  // namespace assay
