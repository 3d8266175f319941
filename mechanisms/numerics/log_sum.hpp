// Computes the logarithm of a sum of terms weight e^exponent, which are added one by one in any order.
// Terms may be too large or too small for a double, and exponents may be -infinity. Cost: one exponential
// per term.
#pragma once

#include <limits>

#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {

class LogSum {
 public:
  void add(double weight, double exponent) {
    if (exponent > top_) {
      sum_ = sum_ * portable_exp(top_ - exponent) + weight;
      top_ = exponent;
    } else if (top_ > kNone) {
      sum_ += weight * portable_exp(exponent - top_);
    }
  }
  double log() const { return top_ > kNone ? top_ + portable_log(sum_) : kNone; }

 private:
  static constexpr double kNone = -std::numeric_limits<double>::infinity();
  double top_ = kNone;
  double sum_ = 0.0;
};

}  // namespace assay
