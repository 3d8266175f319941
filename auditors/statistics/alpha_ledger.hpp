// An audit has one probability of error, alpha = 1 - confidence, for all its statements. The ledger gives
// out named shares of alpha, and never more than the total.
//
// By the union bound, all statements that get their alpha from one ledger hold together with probability
// at least 1 - total.
#pragma once

#include <string>
#include <vector>

#include "assay/mechanisms/core/result.hpp"

namespace assay {

class AlphaLedger {
 public:
  struct Entry {
    std::string purpose;
    double alpha;
  };

  // Errors: total outside (0, 1/2].
  static Result<AlphaLedger> create(double total);

  // Gives out a share and returns it as a probability: `fraction` times the total. Errors: fraction not in
  // (0, 1], or more than what is left.
  Result<double> spend(std::string purpose, double fraction);

  double total() const { return total_; }
  double left() const;  // never negative
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  explicit AlphaLedger(double total) : total_(total) {}
  double total_;
  double spent_fraction_ = 0.0;
  std::vector<Entry> entries_;
};

// 1 - confidence, rounded to 15 digits, so that 0.999 gives 0.001 and not slightly more.
double alpha_of(double confidence);
// Errors: a confidence outside [0.5, 1).
Status check_confidence(double confidence);

}  // namespace assay
