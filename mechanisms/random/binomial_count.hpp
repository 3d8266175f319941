// Draws the number of successes in n independent trials, exact in distribution, from fair bits alone.
//
//   p = threshold / 2^63, threshold in [0, 2^63]; trial i succeeds where U_i < p, its uniform U_i
//   compared with p bit by bit from the top, all trials side by side                           (1)
// Of the m trials that have agreed with p so far, Binomial(m, 1/2) have a 1 as their next bit: a
// popcount. Where p's bit is 1, the zeros succeed and the ones go on. Where it is 0, the ones fail
// and the zeros go on; their number has the same distribution. Trials left when p has no more ones
// fail. No arithmetic is rounded, so the count is exactly Binomial(n, threshold / 2^63).
//
// Reference: the comparison is that of Knuth and Yao ("The complexity of nonuniform random number
// generation", 1976), for all trials at once. Threads: as the source. Same counts on every
// machine. Cost: about 2 n + 64 log2(n) bits, 0.2 ns a trial for large n
// (benchmarks/experts_benchmark.cpp).
#pragma once

#include <bit>
#include <cstdint>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/random/random_source.hpp"

namespace assay {

inline constexpr std::uint64_t kSureThreshold = std::uint64_t{1} << 63;

// floor(p 2^63) for p in [0, 1]: within 2^-63 of p, and exact where p is a multiple of 2^-63.
inline std::uint64_t probability_threshold(double p) {
  ASSAY_CHECK(p >= 0.0 && p <= 1.0, "a probability lies in [0, 1]");
  return static_cast<std::uint64_t>(p * 0x1p63);
}

// Binomial(trials, 1/2).
template <RandomSource R>
std::int64_t fair_count(R& random, std::int64_t trials) {
  std::int64_t ones = 0;
  for (; trials >= 64; trials -= 64) ones += std::popcount(random.next());
  if (trials > 0) ones += std::popcount(random.next() >> (64 - trials));
  return ones;
}

template <RandomSource R>
std::int64_t binomial_count(R& random, std::int64_t trials, std::uint64_t threshold) {
  ASSAY_CHECK(trials >= 0 && threshold <= kSureThreshold, "a number of trials and a probability");
  if (threshold == kSureThreshold) return trials;
  std::int64_t successes = 0;
  // `left` holds the remaining bits of p, the next one at the top.
  for (std::uint64_t left = threshold << 1; left != 0 && trials > 0; left <<= 1) {
    const std::int64_t next = fair_count(random, trials);
    if ((left >> 63) != 0) successes += trials - next;  // (1)
    trials = next;
  }
  return successes;
}

}  // namespace assay
