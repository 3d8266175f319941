// Laplace, exponential and Gumbel draws from spans of random 64-bit numbers w: the distributions with a
// logarithm as inverse. They use the widest instruction set of the machine, with the bits of the scalar
// function below.
//
//   Laplace      location -+ scale log(2 q), q the distance of (w + 1/2) 2^-64 from the nearer of 0
//                and 1; - below 1/2, + above                                                  (1)
//   exponential  -scale log(1 - (w + 1/2) 2^-64)                                              (2)
//   Gumbel       location - scale log(-log((w + 1/2) 2^-64))                                  (3)
//
// The wide kernel does the operations of numerics/portable_math.cpp in their order, without fused
// ones, on four numbers at a time. Numbers whose logarithm takes another path there (one group of
// four in 500) go through the scalar function. So accuracy is portable_math's: 1 ulp of each logarithm.
// Threads: pure functions. Cost: (1), (2) 3 ns, (3) 5 ns per draw with AVX2; 12 and 20 ns without;
// and the random numbers (philox_words.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/mechanisms/random/philox_words.hpp"
#include "assay/mechanisms/random/random_source.hpp"

namespace assay::detail {

enum class LogDistribution { kLaplace, kExponential, kGumbel };

// The draw of one number. Exponential draws have no location.
inline double log_distribution_from_word(LogDistribution distribution, std::uint64_t word,
                                         double location, double scale) {
  if (distribution == LogDistribution::kExponential) {
    return -scale * log_midpoint(~word, 64);  // (2)
  }
  if (distribution == LogDistribution::kGumbel) {
    return location - scale * portable_log(-log_midpoint(word, 64));  // (3)
  }
  const bool upper = (word >> 63) != 0;
  const double size = -log_midpoint(upper ? ~word : word, 63);
  return location + scale * (upper ? size : -size);  // (1)
}

// out[i] is the draw of words[i].
void map_log_words(LogDistribution distribution, std::span<const std::uint64_t> words,
                   double location, double scale, double* out);

// The same in portable C++, and with AVX2 (only where has_avx2()). For tests and benchmarks.
void map_log_words_baseline(LogDistribution distribution, std::span<const std::uint64_t> words,
                            double location, double scale, double* out);
void map_log_words_avx2(LogDistribution distribution, std::span<const std::uint64_t> words,
                        double location, double scale, double* out);

// The draws of a Standard (location_scale.hpp).
template <LogDistribution kDistribution>
struct LogDraws {
  static double from_word(std::uint64_t word, double location, double scale) {
    return log_distribution_from_word(kDistribution, word, location, scale);
  }
  template <RandomSource R>
  static void fill(R& random, double location, double scale, std::span<double> out) {
    std::array<std::uint64_t, 256> words;
    while (!out.empty()) {
      const std::size_t n = out.size() < words.size() ? out.size() : words.size();
      fill_words(random, std::span(words).first(n));
      map_log_words(kDistribution, std::span(words).first(n), location, scale, out.data());
      out = out.subspan(n);
    }
  }
};

}  // namespace assay::detail
