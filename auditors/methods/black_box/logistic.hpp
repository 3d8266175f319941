// Logistic regression with a ridge penalty: log-odds of one class against another, linear in
// standardised features.
//
// Newton's method with a Cholesky factorisation. It leaves out features that do not vary. Every machine
// gives the same bits. Cost: (rows x features^2 + features^3) a step, at most 25 steps.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "assay/mechanisms/core/progress.hpp"

namespace assay {

class LogisticModel {
 public:
  // Row-major features of the two classes, finite. `columns` >= 1. A poll that says stop ends the fit
  // at its current step.
  static LogisticModel fit(std::span<const double> first, std::span<const double> second,
                           std::size_t columns, StopPoll stop = {});

  double log_odds(std::span<const double> row) const;  // of the first class

 private:
  double intercept_ = 0.0;
  std::vector<double> slopes_;  // of the raw features
};

}  // namespace assay
