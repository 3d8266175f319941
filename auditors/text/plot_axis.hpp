// Axes of plots: the places and labels of ticks, and the positions of values.
//
// Ticks lie on multiples of 1, 2 or 5 times a power of ten, and are exact decimals (0.3, never
// 0.30000000000000004). A logarithmic axis labels decades, at a stride when there are many, and
// multiples 1, 2, 5 when there are fewer than two.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace assay {

enum class Scale { kLinear, kLog };

struct Tick {
  double value = 0.0;
  std::string label;  // "0.25", "10^-6" (the part after ^ is a superscript); empty for a minor tick
  friend bool operator==(const Tick&, const Tick&) = default;
};

struct Axis {
  std::string label;
  Scale scale = Scale::kLinear;
  std::optional<double> low = std::nullopt;   // derived from the data if not given
  std::optional<double> high = std::nullopt;  // derived from the data if not given
  bool whole = false;                         // only whole numbers have ticks (rounds, arms)
  bool hidden = false;                        // without ticks, line and label
};

// low < high, and low > 0 on a logarithmic axis.
struct AxisRange {
  double low = 0.0;
  double high = 1.0;
};

// About `wanted` labelled ticks inside the range.
std::vector<Tick> axis_ticks(const Axis& axis, AxisRange range, int wanted);

// The range that the axis asks for, completed by finite data (on a logarithmic axis: positive data)
// and widened if it would be empty.
AxisRange axis_range(const Axis& axis, const std::vector<double>& data);

// The range, widened to the next tick beyond each end that the axis leaves to the data.
AxisRange widened_to_ticks(const Axis& axis, AxisRange range, int wanted);

// Position in [0, 1] of a value between the ends of the range; outside it for values outside.
// On a logarithmic axis zero and negative values lie a whole axis below the low end.
double axis_position(Scale scale, AxisRange range, double value);

}  // namespace assay
