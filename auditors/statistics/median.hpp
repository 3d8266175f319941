// Bounds on the median of a distribution, from independent values. They hold for any distribution.
//
//   the k-th smallest and the k-th largest of n values, k the largest with 2 P(Bin(n, 1/2) < k) <= alpha:
//   P(median < X_(k)) <= P(fewer than k of n at or below it) <= P(Bin(n, 1/2) < k); the same above  (1)
// Reference: David, Nagaraja, "Order Statistics", section 7.1. Threads: a pure function.
#pragma once

#include <vector>

namespace assay {

struct MedianBounds {
  double lower = 0.0;
  double upper = 0.0;
};

double median_of(std::vector<double> values);
// The bounds are infinite if there is no such k.
MedianBounds median_bounds(std::vector<double> values, double alpha);

}  // namespace assay
