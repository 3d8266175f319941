// Gaussian noise N(location, scale^2).
//
//   density(x) = phi((x - location)/scale)/scale,  cdf(x) = Phi((x - location)/scale)          (1)
//
// Sampling: one random number per draw, by inversion (gaussian_word.hpp). A draw increases with it;
// the tails reach to 9.15 scales. fill() makes the same draws as repeated calls of sample().
// Accuracy: draws have a relative error of 2e-15 (before the location is added). Functions of x have an
// error of about 1e-15 in the standardised argument; log tails do so at any depth.
// Cost: fill() takes 5 to 6 ns per draw with AVX2, sample() twice that.
// Threads: a value. Same bits on every machine.
#pragma once

#include <cstdint>
#include <span>

#include "assay/mechanisms/noise/gaussian_fill.hpp"
#include "assay/mechanisms/noise/gaussian_word.hpp"
#include "assay/mechanisms/noise/location_scale.hpp"
#include "assay/mechanisms/random/random_source.hpp"

namespace assay {

struct StandardGaussian {
  static constexpr bool kFromZero = false;

  static double from_word(std::uint64_t word, double location, double scale) {
    return location + scale * gaussian_from_word(word);
  }
  template <RandomSource R>
  static void fill(R& random, double location, double scale, std::span<double> out) {
    if constexpr (CounterSource<R>) {
      std::size_t first = 0;
      while (first < out.size() && random.buffered() > 0) {
        out[first++] = from_word(random.next(), location, scale);
      }
      if (const std::size_t whole = (out.size() - first) / 4; whole > 0) {
        const auto blocks = random.take_blocks(whole);
        detail::fill_gaussian_blocks(blocks.counter, blocks.key, location, scale,
                                     out.subspan(first, 4 * whole));
        first += 4 * whole;
      }
      out = out.subspan(first);
    }
    fill_from_words(random, out,
                    [=](std::uint64_t word) { return from_word(word, location, scale); });
  }

  static double log_density(double z, double log_scale);
  static double cdf(double z);
  static double ccdf(double z);
  static double log_cdf(double z);
  static double log_ccdf(double z);
  static double quantile(double p);
  static double ccdf_quantile(double q);
};

using Gaussian = LocationScale<StandardGaussian>;

}  // namespace assay
