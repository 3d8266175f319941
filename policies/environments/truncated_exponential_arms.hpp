// An environment of arms whose rewards are exponential, conditioned on [0, 1].
//
// Density of an arm with rate a > 0: a e^(-a x)/(1 - e^-a) on [0, 1]. By inversion of a uniform u,
//   x = -log(1 - u (1 - e^-a)) / a                                                         (1)
// with mean 1/a - 1/(e^a - 1)                                                              (2)
// Rates 0.1, 1, 2, 5, 10 have means 0.492, 0.418, 0.343, 0.193, 0.1.
// Reference: Ou, Avella Medina, Cummings, "Thompson Sampling Itself is Differentially Private",
// section 5 (Figures 4 and 5).
// Threads: a value, read-only after create. The same bits on every machine.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assay/mechanisms/core/result.hpp"
#include "assay/policies/environments/environment.hpp"

namespace assay {

class TruncatedExponentialArms {
 public:
  static Result<TruncatedExponentialArms> create(std::vector<double> rates);  // 1e-6 to 700

  double feedback(std::int64_t round, int action, ReplayStream& random) const;
  std::span<const double> rates() const { return rates_; }
  std::span<const double> means() const { return means_; }

 private:
  explicit TruncatedExponentialArms(std::vector<double> rates);

  std::vector<double> rates_;
  std::vector<double> means_;
};

static_assert(StochasticEnvironment<TruncatedExponentialArms>);

// The mean (2), with a relative error below 1e-14. Precondition: rate in [1e-6, 700].
double truncated_exponential_mean(double rate);

}  // namespace assay
