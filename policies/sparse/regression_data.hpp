// The records of an episode, in the form that a regression keeps. They are clipped when they arrive, and
// only the numbers that later gradients read are kept.
//
//   x entry by entry into [-x_max, x_max], y into [-R, R]: clip_R(y) = y min(1, R/|y|)          (1)
//   slope(theta) = (X^T X theta - X^T y)/n, the gradient of sum (y_i - <x_i, theta>)^2/(2 n)    (2)
//   M gradients will follow, the first at theta = 0:
//   M <= 1         X^T y alone: d numbers
//   2 <= M <= d/2  X^T y and the records: n d numbers, 2 n d operations a gradient              (3)
//   M > d/2        X^T y and X^T X: d^2 numbers, d^2/2 operations a record, d s a gradient
//
// (1) bounds the sensitivity (niht.hpp); nothing else here concerns privacy.
// Threads: a value. The same bits on every machine: sums run in the order of the records.
// Cost: d additions a record, and (3): 0.8 ns a number and gradient where records are kept.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assay/policies/sparse/contexts.hpp"

namespace assay {

// The row of (3) that applies. A caller can bound its memory by it.
enum class KeptRecords { kSums, kRows, kGram };
KeptRecords kept_records(std::int64_t dimension, std::int64_t gradients);
// The number of doubles that a RegressionData of these sizes holds.
double kept_numbers(std::int64_t dimension, std::int64_t records, std::int64_t gradients);

class RegressionData {
 public:
  struct Clip {
    double context = 1.0;  // x_max
    double reward = 1.0;   // R
  };

  RegressionData() = default;  // has dimension 0
  // For at most `records` records and `gradients` gradients, the first at 0.
  RegressionData(std::int64_t dimension, std::int64_t records, std::int64_t gradients, Clip clip);

  void add(std::span<const double> context, double reward);  // (1)

  // (2). Preconditions: at least one record; theta is 0 if M <= 1.
  void slope(const SparseVector& theta, std::span<double> out) const;

  std::int64_t dimension() const { return static_cast<std::int64_t>(xy_.size()); }
  std::int64_t records() const { return records_; }
  const Clip& clip() const { return clip_; }

 private:
  void add_products(const SparseVector& theta, std::span<double> out) const;  // X^T X theta

  Clip clip_;
  KeptRecords kept_ = KeptRecords::kSums;
  std::int64_t records_ = 0;
  std::vector<double> xy_;    // X^T y
  std::vector<double> rows_;  // X, record by record
  std::vector<double> gram_;  // X^T X below and on the diagonal, row by row of d
  std::vector<double> row_;   // the last record's context
};

}  // namespace assay
