// Coins that show heads with probability exactly e^(-n/d), for integers n and d. The exact discrete
// samplers use them. All arithmetic is in integers, without rounding.
//
//   K = the number of heads of coins of probability (n/d)/1, (n/d)/2, .. before the first tail;
//   P(K >= k) = (n/d)^k/k!, so P(K is even) = sum over k of (-n/d)^k/k! = e^(-n/d), n <= d       (1)
//   n > d: floor(n/d) coins of probability e^-1 and one for the remainder all show heads        (2)
//
// Reference: Canonne, Kamath, Steinke, "The discrete Gaussian for differential privacy" (NeurIPS
// 2020), algorithm 1. Threads: pure functions of their random numbers. Cost: about 3 random numbers for
// (1). The number depends on n/d and on the outcome.
#pragma once

#include <bit>
#include <cstdint>

#include "assay/mechanisms/random/random_source.hpp"
#include "assay/mechanisms/random/uniform_below.hpp"

namespace assay::detail {

__extension__ using Wide = unsigned __int128;

template <RandomSource R>
Wide uniform_below_wide(R& random, Wide bound) {
  if (bound >> 64 == 0) return uniform_below(random, static_cast<std::uint64_t>(bound));
  const auto high = static_cast<std::uint64_t>((bound - 1) >> 64);
  Wide draw;
  do {
    // A bound of 2^64 has no high half to draw.
    draw = high == 0 ? 0 : static_cast<Wide>(random.next() >> std::countl_zero(high)) << 64;
    draw |= random.next();
  } while (draw >= bound);
  return draw;
}

// Precondition: n <= d, 0 < d < 2^127.
template <RandomSource R>
bool exp_coin_below_one(R& random, Wide n, Wide d) {
  for (std::uint64_t k = 1;; ++k) {
    const bool head =
        (k == 1 || uniform_below(random, k) == 0) && (n == d || uniform_below_wide(random, d) < n);
    if (!head) return k % 2 == 1;  // (1)
  }
}

// Returns true (heads) with probability e^(-n/d). Precondition: 0 < d < 2^127.
template <RandomSource R>
bool exp_coin(R& random, Wide n, Wide d) {
  for (Wide whole = n / d; whole > 0; --whole) {
    if (!exp_coin_below_one(random, 1, 1)) return false;
  }
  return exp_coin_below_one(random, n % d, d);  // (2)
}

}  // namespace assay::detail
