// Linear algebra of counters on explicit matrices: the oracle for variances and Gaussian levels.
#pragma once

#include "assay/tests/support/testing.hpp"

namespace assay::testing {

using Vector = std::vector<double>;
using Matrix = std::vector<Vector>;  // rows

inline Vector unit_vector(std::size_t n, std::size_t i) {
  Vector e(n, 0.0);
  e[i] = 1.0;
  return e;
}

inline double dot(const Vector& a, const Vector& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

inline Vector times(const Matrix& a, const Vector& x) {
  Vector out;
  for (const auto& row : a) out.push_back(dot(row, x));
  return out;
}

inline Matrix transposed(const Matrix& a) {
  Matrix out(a.front().size(), Vector(a.size()));
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < a[i].size(); ++j) out[j][i] = a[i][j];
  }
  return out;
}

inline Matrix gram(const Matrix& rows) {  // A A^T
  Matrix out;
  for (const auto& row : rows) out.push_back(times(rows, row));
  return out;
}

// a^-1 b by Gauss elimination with pivots.
inline Vector solve(Matrix a, Vector b) {
  const std::size_t n = b.size();
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t best = c;
    for (std::size_t r = c + 1; r < n; ++r) {
      if (std::abs(a[r][c]) > std::abs(a[best][c])) best = r;
    }
    std::swap(a[c], a[best]);
    std::swap(b[c], b[best]);
    for (std::size_t r = c + 1; r < n; ++r) {
      const double factor = a[r][c] / a[c][c];
      for (std::size_t k = c; k < n; ++k) a[r][k] -= factor * a[c][k];
      b[r] -= factor * b[c];
    }
  }
  for (std::size_t c = n; c-- > 0;) {
    for (std::size_t k = c + 1; k < n; ++k) b[c] -= a[c][k] * b[k];
    b[c] /= a[c][c];
  }
  return b;
}

// Which entries each node of the whole tree sums, as nodes complete: the textbook's tree, from its
// definition. `end` is the time at which it completes.
struct DyadicNode {
  std::size_t first;  // from 0
  std::size_t end;    // one past the last
};
inline std::vector<DyadicNode> dyadic_nodes(std::size_t horizon) {
  std::vector<DyadicNode> out;
  for (std::size_t end = 1; end <= horizon; ++end) {
    for (std::size_t length = 1; length <= end && end % length == 0; length *= 2) {
      out.push_back({end - length, end});
    }
  }
  return out;
}
inline Vector indicator(const DyadicNode& node, std::size_t n) {
  Vector out(n, 0.0);
  for (std::size_t i = node.first; i < node.end; ++i) out[i] = 1.0;
  return out;
}

// The noises that each estimate of the plain tree adds, by the dyadic intervals of [1, t], greedily.
inline Matrix plain_tree_rows(std::size_t horizon) {
  const auto nodes = dyadic_nodes(horizon);
  Matrix out;
  for (std::size_t t = 1; t <= horizon; ++t) {
    Vector row(nodes.size(), 0.0);
    for (std::size_t first = 0; first < t;) {
      std::size_t longest = 0;
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        const bool fits = nodes[i].first == first && nodes[i].end <= t;
        if (fits && (longest == 0 || nodes[i].end > nodes[longest - 1].end)) longest = i + 1;
      }
      row[longest - 1] = 1.0;
      first = nodes[longest - 1].end;
    }
    out.push_back(row);
  }
  return out;
}

// The level of Gaussian estimates with noise (rows) z, z of variance s^2, when entry i moves by d:
// all estimates from i on move by d.   mu^2 = d^2 v^T (B B^T)^-1 v/s^2
inline double level_of_estimates(const Matrix& rows, std::size_t i, double d, double s) {
  Vector moved(rows.size(), 0.0);
  for (std::size_t t = i; t < rows.size(); ++t) moved[t] = d;
  return std::sqrt(dot(moved, solve(gram(rows), moved))) / s;
}

}  // namespace assay::testing
