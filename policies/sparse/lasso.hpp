// The lasso by coordinate descent, on records that come one after another.
//
//   minimise ||y - X b||^2/(2 n) + lambda ||b||_1                                               (1)
//   with g = X^T (y - X b)/n and q_j = ||x^j||^2/n, x^j the j-th column, one coordinate at a time:
//   b_j <- S(g_j + q_j b_j, lambda)/q_j,  S(z, l) = sign(z) max(|z| - l, 0)                     (2)
//   b solves (1) if and only if g_j = lambda sign(b_j) where b_j != 0, and |g_j| <= lambda
//   elsewhere; the largest violation of this, over lambda, is the certificate                   (3)
// Each fit starts from the previous one. It sweeps over the coordinates in use until they settle, then
// over all, until (3) is at most kLassoTolerance or 10,000 sweeps are done; Fit::violation reports (3).
// Every coordinate ever in use keeps its column of X^T X, which each fit updates: a change of b_j then
// costs d additions.
//
// Why this is no library's: among the libraries of Debian, dlib solves the form with a budget for ||b||_1
// and needs X11 and OpenCV, liblinear has an l1 penalty only for classification, glmnet and lars are for R,
// and Eigen, GSL, Armadillo and Ceres have no lasso. Libraries that use a BLAS give other bits on other
// machines.
//
// Reference: Friedman, Hastie, Tibshirani, "Regularization Paths for Generalized Linear Models via
// Coordinate Descent" (Journal of Statistical Software 33, 2010), section 2.2, covariance updates.
// Threads: a value. The same bits on every machine.
// Cost: 2 d additions a record. A fit takes d additions for each added record and coordinate ever in use,
// d n for a new coordinate, and d for one that changes in a sweep. Memory: n d numbers, and d for each
// coordinate ever in use.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assay/policies/sparse/contexts.hpp"

namespace assay {

inline constexpr double kLassoTolerance = 1e-9;

class Lasso {
 public:
  explicit Lasso(std::int64_t dimension);

  void add(std::span<const double> context, double reward);

  struct Fit {
    SparseVector weights;    // b, its entries that are not 0
    double violation = 0.0;  // (3) over lambda, computed afresh; infinity where sums overflow
    std::int64_t sweeps = 0;
  };
  // Preconditions: at least one record, lambda > 0.
  Fit fit(double lambda);

  std::int64_t records() const { return records_; }

 private:
  struct Column {
    std::size_t coordinate;
    std::int64_t records;          // the number of records in the sum
    std::vector<double> products;  // X^T x^j
  };

  const std::vector<double>& column(std::size_t coordinate);
  void bring_up_to_date(Column& column) const;
  void compute_slopes();
  bool update(std::size_t coordinate, double lambda);
  double violation(double lambda) const;

  std::size_t dimension_;
  std::int64_t records_ = 0;
  std::vector<double> rows_;          // X, record by record
  std::vector<double> xy_;            // X^T y
  std::vector<double> squares_;       // the diagonal of X^T X
  std::vector<double> weights_;       // b
  std::vector<double> slopes_;        // g
  std::vector<Column> columns_;       // in the order of first use
  std::vector<std::int32_t> places_;  // index in columns_ of each coordinate; -1 for none
};

}  // namespace assay
