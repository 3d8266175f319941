// The parameters of a claim as a space to search. It generates, moves and simplifies points.
//
// One description drives the budgeted search of `assay verify` (violation_search.hpp), the
// certification of whole boxes (box_certifier.hpp) and, through tests/support, RapidCheck.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "assay/mechanisms/random/replay_stream.hpp"

namespace assay {

enum class ParameterScale { kLinear, kLog };

struct Parameter {
  std::string name;
  double low = 0.0;  // positive on a logarithmic scale
  double high = 1.0;
  ParameterScale scale = ParameterScale::kLinear;
  bool whole = false;  // takes whole values only
};

inline Parameter real(std::string name, double low = 0.0, double high = 1.0) {
  return {std::move(name), low, high, ParameterScale::kLinear, false};
}
inline Parameter whole(std::string name, double low, double high) {
  return {std::move(name), low, high, ParameterScale::kLinear, true};
}
inline Parameter log_scale(std::string name, double low, double high) {
  return {std::move(name), low, high, ParameterScale::kLog, false};
}
inline Parameter whole_log_scale(std::string name, double low, double high) {
  return {std::move(name), low, high, ParameterScale::kLog, true};
}

using Point = std::vector<double>;  // one value per parameter

// The position of a value between the ends of its parameter, in [0, 1] along the scale, and back.
double position_of(const Parameter& parameter, double value);
double value_at(const Parameter& parameter, double position);

// A random point: often at the ends of the ranges, otherwise uniform along the scale.
Point generate_point(std::span<const Parameter> space, ReplayStream& random);

// Points that differ from `point` in one parameter, which has a simpler value: a smaller whole number, a decimal with
// fewer digits, or 0, 1 or 1/2. They are ordered by parameter, the simplest first. A chain of such steps always ends.
std::vector<Point> simpler_points(std::span<const Parameter> space, const Point& point);

// "n_1 = 3, delta = 0.01".
std::string point_text(std::span<const Parameter> space, const Point& point);

}  // namespace assay
