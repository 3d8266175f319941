// Exponential noise of mean `scale` on [0, inf).
//
//   density(x) = exp(-z)/scale, z = x/scale >= 0                                               (1)
//   z = -log(1 - (word + 1/2) 2^-64)                                                           (2)
//
// Sampling: (2), one word per draw, increasing in the word, z from 2^-65 to 45.1; used by
// permute-and-flip (McKenna and Sheldon, NeurIPS 2020).
// Accuracy: about 1e-15 in z, relative. Cost: fill 5 ns per draw with AVX2, else and
// sample 15 to 20 ns.
// Threads: a value. Same bits on every machine.
#pragma once

#include <cstdint>
#include <span>

#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/noise/log_words.hpp"
#include "assay/mechanisms/random/random_source.hpp"

namespace assay {

class Exponential {
 public:
  // Errors: scale not positive and finite.
  static Result<Exponential> create(double scale);

  double scale() const { return scale_; }

  double from_word(std::uint64_t word) const { return detail::exponential_from_word(word, scale_); }

  template <RandomSource R>
  double sample(R& random) const {
    return from_word(random.next());
  }
  template <RandomSource R>
  void fill(R& random, std::span<double> out) const {
    detail::fill_log_law(detail::LogLaw::kExponential, random, 0.0, scale_, out);
  }

  double log_density(double x) const;
  double cdf(double x) const;
  double ccdf(double x) const;  // P(X > x), not 1 - cdf
  double log_cdf(double x) const;
  double log_ccdf(double x) const;
  double quantile(double p) const;       // x with cdf(x) = p; NaN outside [0, 1]
  double ccdf_quantile(double q) const;  // x with ccdf(x) = q

 private:
  explicit Exponential(double scale) : scale_(scale) {}

  double scale_;
};

}  // namespace assay
