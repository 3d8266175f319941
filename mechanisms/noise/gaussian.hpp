// Gaussian noise N(location, scale^2).
//
//   density(x) = phi((x - location)/scale)/scale,  cdf(x) = Phi((x - location)/scale)          (1)
//
// Sampling: one word per draw, by inversion (gaussian_word.hpp): increasing in the word, tails to
// 9.15 scales. `fill` gives the bits of repeated `sample`.
// Accuracy: draws 2e-15 relative (before location is added), functions of x about 1e-15 in the
// standardised argument, log tails at any depth.
// Cost: fill 5 to 6 ns per draw with AVX2, sample twice that.
// Threads: a value. Same bits on every machine.
#pragma once

#include <cstdint>
#include <span>

#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/noise/gaussian_fill.hpp"
#include "assay/mechanisms/noise/gaussian_word.hpp"
#include "assay/mechanisms/random/random_source.hpp"

namespace assay {

class Gaussian {
 public:
  // Errors: scale not positive and finite, location not finite.
  static Result<Gaussian> create(double location, double scale);

  double location() const { return location_; }
  double scale() const { return scale_; }

  double from_word(std::uint64_t word) const {
    return location_ + scale_ * gaussian_from_word(word);
  }

  template <RandomSource R>
  double sample(R& random) const {
    return from_word(random.next());
  }
  template <RandomSource R>
  void fill(R& random, std::span<double> out) const {
    if constexpr (CounterSource<R>) {
      std::size_t first = 0;
      while (first < out.size() && random.buffered() > 0) out[first++] = sample(random);
      if (const std::size_t whole = (out.size() - first) / 4; whole > 0) {
        const auto blocks = random.take_blocks(whole);
        detail::fill_gaussian_blocks(blocks.counter, blocks.key, location_, scale_,
                                     out.subspan(first, 4 * whole));
        first += 4 * whole;
      }
      out = out.subspan(first);
    }
    fill_from_words(random, out, [this](std::uint64_t word) { return from_word(word); });
  }

  double log_density(double x) const;
  double cdf(double x) const;
  double ccdf(double x) const;  // P(X > x), not 1 - cdf
  double log_cdf(double x) const;
  double log_ccdf(double x) const;
  double quantile(double p) const;       // x with cdf(x) = p; NaN outside [0, 1]
  double ccdf_quantile(double q) const;  // x with ccdf(x) = q

 private:
  Gaussian(double location, double scale) : location_(location), scale_(scale) {}

  double location_;
  double scale_;
};

}  // namespace assay
