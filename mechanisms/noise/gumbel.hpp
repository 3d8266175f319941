// Gumbel noise (maximum convention): adding it to scores and taking the argmax samples by softmax.
//
//   cdf(x) = exp(-exp(-z)), z = (x - location)/scale                                           (1)
//   z = -log(-log((word + 1/2) 2^-64))                                                         (2)
//
// Sampling: (2), one word per draw, increasing in the word, z from -3.81 to 45.1.
// Accuracy: about 1e-15 in z. Cost: fill 7 ns per draw with AVX2,
// else and sample 25 to 35 ns.
// Threads: a value. Same bits on every machine.
#pragma once

#include <cstdint>
#include <span>

#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/noise/log_words.hpp"
#include "assay/mechanisms/random/random_source.hpp"

namespace assay {

class Gumbel {
 public:
  // Errors: scale not positive and finite, location not finite.
  static Result<Gumbel> create(double location, double scale);

  double location() const { return location_; }
  double scale() const { return scale_; }

  double from_word(std::uint64_t word) const {
    return detail::gumbel_from_word(word, location_, scale_);
  }

  template <RandomSource R>
  double sample(R& random) const {
    return from_word(random.next());
  }
  template <RandomSource R>
  void fill(R& random, std::span<double> out) const {
    detail::fill_log_law(detail::LogLaw::kGumbel, random, location_, scale_, out);
  }

  double log_density(double x) const;
  double cdf(double x) const;
  double ccdf(double x) const;  // P(X > x), not 1 - cdf
  double log_cdf(double x) const;
  double log_ccdf(double x) const;
  double quantile(double p) const;       // x with cdf(x) = p; NaN outside [0, 1]
  double ccdf_quantile(double q) const;  // x with ccdf(x) = q

 private:
  Gumbel(double location, double scale) : location_(location), scale_(scale) {}

  double location_;
  double scale_;
};

}  // namespace assay
