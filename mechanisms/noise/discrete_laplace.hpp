// Discrete Laplace noise (two-sided geometric): integers with probabilities that fall by e^(-1/scale).
//
//   P(X = k) = (1 - a)/(1 + a) a^|k|, a = exp(-1/scale)                                        (1)
//   P(X >= k) = a^k/(1 + a) for k >= 1                                                         (2)
//   |X| = the largest m >= 0 with m = 0 or a^m/(1 + a) > q, q the distance of (w + 1/2) 2^-64,
//         w a random 64-bit number, from the nearer of 0 and 1; the sign is that end's          (3)
//
// Sampling: (3), one random number per draw. A draw increases with it, and |X| <= 45 scale + 1.
// Accuracy: (3) compares logarithms, so a tail probability (2) is right to
// 2^-65 + 4e-16 (1 + |log of it|) of itself; at |X| above 2^53 draws are rounded. log_pmf and the
// tails are good to about 1e-15 (1 + |k|/scale).
// Reference: Ghosh, Roughgarden, Sundararajan, "Universally utility-maximizing privacy mechanisms"
// (STOC 2009). Cost: 25 ns per draw.
// Threads: a value. Same bits on every machine.
#pragma once

#include <cstdint>

#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/random/random_source.hpp"

namespace assay {

class DiscreteLaplace {
 public:
  // Errors: scale not in [1e-3, 1e15].
  static Result<DiscreteLaplace> create(double scale);

  double scale() const { return scale_; }

  std::int64_t from_word(std::uint64_t word) const;

  template <RandomSource R>
  std::int64_t sample(R& random) const {
    return from_word(random.next());
  }

  double log_pmf(std::int64_t k) const;
  double ccdf(std::int64_t k) const;                     // P(X >= k)
  double cdf(std::int64_t k) const { return ccdf(-k); }  // P(X <= k)

 private:
  explicit DiscreteLaplace(double scale);

  double scale_;
  double log_norm_;  // log(1 + a)
  double log_zero_;  // log((1 - a)/(1 + a))
};

}  // namespace assay
