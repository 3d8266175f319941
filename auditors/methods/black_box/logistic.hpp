// Logistic regression with a ridge penalty: log-odds of one class against another, linear in
// standardised features.
//
// Newton's method with a Cholesky factorisation; features that do not vary are left out. Same bits on
// every machine. Cost: (rows x features^2 + features^3) a step, at most 25 steps.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "assay/mechanisms/core/progress.hpp"

namespace assay {

class LogisticModel {
 public:
  // Row-major features of the two classes, finite. `columns` >= 1. A poll that says stop leaves the
  // model as far as it came.
  static LogisticModel fit(std::span<const double> first, std::span<const double> second,
                           std::size_t columns, StopPoll stop = {});

  double log_odds(std::span<const double> row) const;  // of the first class

 private:
  double intercept_ = 0.0;
  std::vector<double> slopes_;  // of the raw features
};

}  // namespace assay
