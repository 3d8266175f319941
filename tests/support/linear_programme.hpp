// The largest value of a linear function over a polytope, by the simplex method in long double: an oracle for small
// cases.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "assay/tests/support/testing.hpp"

namespace assay {

// a x <= b with b >= 0; x >= 0.
struct LinearConstraint {
  std::vector<long double> a;
  long double b = 0.0L;
};

// max objective . x. By Bland's rule, which never cycles. The polytope must be bounded.
inline long double largest_value(const std::vector<long double>& objective,
                                 const std::vector<LinearConstraint>& constraints) {
  constexpr long double kZero = 1e-16L;
  const std::size_t n = objective.size(), rows = constraints.size();
  // Each row: the coefficients of the n variables that are 0 now, then the value of the basic variable.
  std::vector<std::vector<long double>> table;
  std::vector<std::size_t> basic, free;  // names: 0..n - 1 of x, then slacks
  for (std::size_t r = 0; r < rows; ++r) {
    table.push_back(constraints[r].a);
    table.back().push_back(constraints[r].b);
    basic.push_back(n + r);
  }
  for (std::size_t j = 0; j < n; ++j) free.push_back(j);
  std::vector<long double> gain = objective;
  gain.push_back(0.0L);  // minus the value so far
  for (;;) {
    std::size_t enters = n;
    for (std::size_t j = 0; j < n; ++j) {
      if (gain[j] > kZero && (enters == n || free[j] < free[enters])) enters = j;
    }
    if (enters == n) return -gain[n];
    std::size_t leaves = rows;
    for (std::size_t r = 0; r < rows; ++r) {
      if (!(table[r][enters] > kZero)) continue;
      const auto ratio = [&](std::size_t row) { return table[row][n] / table[row][enters]; };
      if (leaves == rows || ratio(r) < ratio(leaves) ||
          (ratio(r) == ratio(leaves) && basic[r] < basic[leaves])) {
        leaves = r;
      }
    }
    if (leaves == rows) {
      ADD_FAILURE() << "the polytope is not bounded";
      return HUGE_VALL;
    }
    auto& pivot_row = table[leaves];
    const long double pivot = pivot_row[enters];
    for (std::size_t j = 0; j <= n; ++j) pivot_row[j] /= pivot;
    pivot_row[enters] = 1.0L / pivot;
    const auto subtract = [&](std::vector<long double>& row) {
      const long double by = row[enters];
      if (by == 0.0L) return;
      row[enters] = 0.0L;
      for (std::size_t j = 0; j <= n; ++j) row[j] -= by * pivot_row[j];
    };
    for (std::size_t r = 0; r < rows; ++r) {
      if (r != leaves) subtract(table[r]);
    }
    subtract(gain);
    std::swap(basic[leaves], free[enters]);
  }
}

}  // namespace assay
