// Means and squared deviations of many columns at once, over repetitions.
//
// For each column, with n rows so far, mean m and sum of squared deviations s (Welford; Chan,
// Golub and LeVeque, "Algorithms for computing the sample variance" (1983)):
//   adding x:         d = x - m,  m' = m + d/n',  s' = s + d (x - m')                       (1)
//   merging (n2,..):  d = m2 - m,  m' = m + d n2/(n + n2),  s' = s + s2 + d^2 n n2/(n + n2) (2)
// A column that never varies has s = 0 exactly. The result depends on the order of rows and merges,
// so the caller fixes both: chunks of rows, merged in index order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "assay/mechanisms/core/check.hpp"

namespace assay {

struct Moments {
  std::int64_t count = 0;
  std::vector<double> mean;
  std::vector<double> squares;  // sum of squared deviations from the mean

  void add(std::span<const double> row) {
    if (count == 0) start(row.size());
    ASSAY_CHECK(row.size() == mean.size(), "rows have the same length");
    const double n = static_cast<double>(++count);
    for (std::size_t i = 0; i < row.size(); ++i) {
      const double d = row[i] - mean[i];
      mean[i] += d / n;                      // (1)
      squares[i] += d * (row[i] - mean[i]);  // (1)
    }
  }

  void merge(const Moments& other) {
    if (other.count == 0) return;
    if (count == 0) {
      *this = other;
      return;
    }
    ASSAY_CHECK(other.mean.size() == mean.size(), "rows have the same length");
    const double n = static_cast<double>(count);
    const double n2 = static_cast<double>(other.count);
    for (std::size_t i = 0; i < mean.size(); ++i) {
      const double d = other.mean[i] - mean[i];
      mean[i] += d * (n2 / (n + n2));                                // (2)
      squares[i] += other.squares[i] + d * d * (n * n2 / (n + n2));  // (2)
    }
    count += other.count;
  }

  friend bool operator==(const Moments&, const Moments&) = default;
  static auto byte_fields(auto& self) { return std::tie(self.count, self.mean, self.squares); }

 private:
  void start(std::size_t columns) {
    mean.assign(columns, 0.0);
    squares.assign(columns, 0.0);
  }
};

}  // namespace assay
