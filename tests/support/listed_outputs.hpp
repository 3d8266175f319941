// Distributions over outputs that tests list: their delta, and two releases of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace assay::listed {

// The delta of p against q at eps.
inline double hockey_stick(const std::vector<double>& p, const std::vector<double>& q, double eps) {
  double delta = 0.0;
  for (std::size_t i = 0; i < p.size(); ++i) delta += std::max(0.0, p[i] - std::exp(eps) * q[i]);
  return delta;
}

// Two independent releases.
inline std::vector<double> product(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> all;
  for (const double x : a) {
    for (const double y : b) all.push_back(x * y);
  }
  return all;
}

}  // namespace assay::listed
