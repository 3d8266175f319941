// Laplace noise: two-sided exponential of mean absolute deviation `scale` about `location`.
//
//   density(x) = exp(-|z|)/(2 scale), z = (x - location)/scale                                 (1)
//   z = -+ log(2 q), q the distance of (word + 1/2) 2^-64 from the nearer of 0 and 1           (2)
//
// Sampling: (2), one word per draw, increasing in the word, |z| <= 44.4.
// Accuracy: about 1e-15 in z, relative, from the centre to the tails.
// Reference: Dwork, McSherry, Nissim, Smith (TCC 2006). Cost: fill 5 ns per draw with AVX2, else
// and sample 15 to 20 ns.
// Threads: a value. Same bits on every machine.
#pragma once

#include <cstdint>
#include <span>

#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/noise/log_words.hpp"
#include "assay/mechanisms/random/random_source.hpp"

namespace assay {

class Laplace {
 public:
  // Errors: scale not positive and finite, location not finite.
  static Result<Laplace> create(double location, double scale);

  double location() const { return location_; }
  double scale() const { return scale_; }

  double from_word(std::uint64_t word) const {
    return detail::laplace_from_word(word, location_, scale_);
  }

  template <RandomSource R>
  double sample(R& random) const {
    return from_word(random.next());
  }
  template <RandomSource R>
  void fill(R& random, std::span<double> out) const {
    detail::fill_log_law(detail::LogLaw::kLaplace, random, location_, scale_, out);
  }

  double log_density(double x) const;
  double cdf(double x) const;
  double ccdf(double x) const;  // P(X > x), not 1 - cdf
  double log_cdf(double x) const;
  double log_ccdf(double x) const;
  double quantile(double p) const;       // x with cdf(x) = p; NaN outside [0, 1]
  double ccdf_quantile(double q) const;  // x with ccdf(x) = q

 private:
  Laplace(double location, double scale) : location_(location), scale_(scale) {}

  double location_;
  double scale_;
};

}  // namespace assay
