// Discrete Gaussian noise of rational scale, exact in distribution: for the release of real data.
//
//   P(X = k) = exp(-k^2/(2 s^2))/N, s = n/m, m a power of two                                  (1)
//   t = floor(s) + 1; Y exact discrete Laplace of scale t, kept with probability
//   exp(-(|Y| - s^2/t)^2/(2 s^2)) = e^(-p^2/(2 q^2)), p = |Y| t m^2 - n^2, q = n m t            (2)
//
// If the random numbers are uniform, the distribution is (1), except that candidates with |p| >= 2^63 are
// rejected: the coin (2) would keep one with a probability below e^-131072, far below the least
// positive double. DiscreteGaussian, with P(X = k) right to 1e-15 (3 + |k|/s) of itself plus 2^-64,
// is three times faster, but a mechanism's delta then needs an allowance for that error.
// Reference: Canonne, Kamath, Steinke (NeurIPS 2020), algorithm 3. Threads: a value.
// Cost: 200 ns per draw, 520 from SecureStream. Same values on every machine.
#pragma once

#include <cstdint>

#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/noise/discrete_gaussian.hpp"
#include "assay/mechanisms/noise/exact_discrete_laplace.hpp"

namespace assay {

class ExactDiscreteGaussian {
 public:
  static constexpr double kLeastScale = 0.01;
  static constexpr double kMostScale = 0x1p24;

  // The least possible scale at or above `scale`: within 2^-23 of it, and equal if it has at most 24
  // significant bits. Errors: scale not in [0.01, 2^24].
  static Result<ExactDiscreteGaussian> at_least(double scale);

  double scale() const { return distribution_.scale(); }  // n/m, a double

  template <RandomSource R>
  std::int64_t sample(R& random) const {
    for (;;) {
      const std::int64_t candidate = proposal_.sample(random);
      if (accepts(candidate, random)) return candidate;
    }
  }

  double log_pmf(std::int64_t k) const { return distribution_.log_pmf(k); }  // (1)
  const DiscreteGaussian& distribution() const { return distribution_; }

 private:
  ExactDiscreteGaussian(std::uint64_t n, int log2_m, const ExactDiscreteLaplace& proposal,
                        const DiscreteGaussian& distribution);

  template <RandomSource R>
  bool accepts(std::int64_t candidate, R& random) const {
    const auto size = static_cast<detail::Wide>(candidate < 0 ? -candidate : candidate);
    const detail::Wide scaled = size * step_;
    const detail::Wide p = scaled > centre_ ? scaled - centre_ : centre_ - scaled;
    if (p >> 63 != 0) return false;
    return detail::exp_coin(random, p * p, width_);  // (2)
  }

  ExactDiscreteLaplace proposal_;
  DiscreteGaussian distribution_;
  detail::Wide step_;    // t m^2, at most 2^60
  detail::Wide centre_;  // n^2
  detail::Wide width_;   // 2 q^2, at most 2^109
};

}  // namespace assay
