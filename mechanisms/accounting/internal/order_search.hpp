// Finds the least value of a function over Renyi orders alpha > 1, by a golden-section search over
// log(alpha - 1). The value is right for quasi-convex functions; for any function some order attains it.
//
// Orders go from 1 + 2^-40, where alpha - 1 still has 12 bits, to 2^60. Where two orders give equal
// values (both infinite, say) the search drops the higher ones, since no curve is finite only there.
// Threads: pure. Cost: 50 evaluations.
#pragma once

#include <algorithm>
#include <limits>

#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay::detail {

template <class Value>
double least_over_orders(const Value& value) {
  constexpr double kGolden = 0.61803398874989484820;
  constexpr int kSteps = 48;  // 7e-9 of an order: its square is lost in rounding
  double low = -27.7;         // log 2^-40
  double high = 41.5;         // log 2^60
  double best = std::numeric_limits<double>::infinity();
  const auto at = [&](double log_beyond) {
    const double result = value(1.0 + portable_exp(log_beyond));
    best = std::min(best, result);
    return result;
  };
  double left = high - kGolden * (high - low);
  double right = low + kGolden * (high - low);
  double at_left = at(left);
  double at_right = at(right);
  for (int step = 0; step < kSteps; ++step) {
    if (at_left <= at_right) {
      high = right;
      right = left;
      at_right = at_left;
      left = high - kGolden * (high - low);
      at_left = at(left);
    } else {
      low = left;
      left = right;
      at_left = at_right;
      right = low + kGolden * (high - low);
      at_right = at(right);
    }
  }
  return best;
}

}  // namespace assay::detail
