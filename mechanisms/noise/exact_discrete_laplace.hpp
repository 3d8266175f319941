// Discrete Laplace noise, exact in distribution: for the release of real data.
//
//   P(X = k) = (1 - a)/(1 + a) a^|k|, a = e^(-s/t), scale = t/s, s a power of 2                (1)
//   U uniform on 0..t - 1, kept with probability e^(-U/t);  V the heads before a tail of coins e^-1;
//   |X| = floor((U + t V)/s), with a new draw if it is a negative 0                             (2)
//
// If the random numbers are uniform, the distribution is exactly (1): the coins are exact
// (exact_coins.hpp) and everything else is in integers. It uses no table and no double, and the support is
// unbounded. |X| is cut at 2^62, so the mechanism that uses it must clamp its output below that.
// DiscreteLaplace (one random number, inverted in doubles, relative error 2^-65 + 4e-16 (1 + depth)
// of a tail) is five times faster, but the epsilon of a mechanism then needs an allowance for error.
// Reference: Canonne, Kamath, Steinke (NeurIPS 2020), algorithm 2. Threads: a value.
// Cost: 110 ns per draw, 320 from SecureStream. Same values on every machine.
#pragma once

#include <cstdint>

#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/noise/discrete_laplace.hpp"
#include "assay/mechanisms/noise/exact_coins.hpp"

namespace assay {

class ExactDiscreteLaplace {
 public:
  static constexpr double kLeastScale = 1e-3;
  static constexpr double kMostScale = 0x1p41;
  static constexpr std::int64_t kCut = std::int64_t{1} << 62;

  // t/s is the double itself. Errors: scale not in [1e-3, 2^41].
  static Result<ExactDiscreteLaplace> create(double scale);

  double scale() const { return distribution_.scale(); }

  template <RandomSource R>
  std::int64_t sample(R& random) const {
    for (;;) {
      const std::uint64_t u = uniform_below(random, t_);
      if (!detail::exp_coin_below_one(random, u, t_)) continue;
      std::uint64_t v = 0;
      while (detail::exp_coin_below_one(random, 1, 1)) ++v;
      const detail::Wide size = (u + static_cast<detail::Wide>(t_) * v) >> log2_s_;  // (2)
      const bool negative = (random.next() >> 63) != 0;
      if (negative && size == 0) continue;
      const auto magnitude =
          size < static_cast<detail::Wide>(kCut) ? static_cast<std::int64_t>(size) : kCut;
      return negative ? -magnitude : magnitude;
    }
  }

  double log_pmf(std::int64_t k) const { return distribution_.log_pmf(k); }  // (1)
  double log_ccdf(std::int64_t k) const;                                     // of P(X >= k), k >= 1
  const DiscreteLaplace& distribution() const { return distribution_; }

 private:
  ExactDiscreteLaplace(std::uint64_t t, int log2_s, const DiscreteLaplace& distribution)
      : t_(t), log2_s_(log2_s), distribution_(distribution) {}

  std::uint64_t t_;  // in [2^52, 2^53)
  int log2_s_;
  DiscreteLaplace distribution_;
};

}  // namespace assay
