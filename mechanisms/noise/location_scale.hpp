// A family of distributions: location + scale Z, where Z is a standard form that describes all of them.
//
//   P(X <= x) = P(Z <= z), z = (x - location)/scale                                            (1)
//   log density of X at x = log density of Z at z - log(scale)                                 (2)
//
// A Standard is a struct of static functions: from_word and fill draw location + scale Z, log_density
// computes (2), and the others are those of Z. With kFromZero there is no location: draws start at 0.
// Threads: a value. Same bits on every machine.
#pragma once

#include <cstdint>
#include <span>

#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/mechanisms/random/random_source.hpp"

namespace assay {
namespace detail {

Status check_location_scale(double location, double scale);

}  // namespace detail

template <class Standard>
class LocationScale {
 public:
  // Errors: a scale that is not positive and finite, a location that is not finite.
  static Result<LocationScale> create(double location,
                                      double scale) requires(!Standard::kFromZero) {
    return checked(location, scale);
  }
  static Result<LocationScale> create(double scale) requires(Standard::kFromZero) {
    return checked(0.0, scale);
  }

  double location() const { return location_; }
  double scale() const { return scale_; }

  double from_word(std::uint64_t word) const {
    return Standard::from_word(word, location_, scale_);
  }

  template <RandomSource R>
  double sample(R& random) const {
    return from_word(random.next());
  }
  // The draws are those of repeated calls of sample(), from the same random numbers.
  template <RandomSource R>
  void fill(R& random, std::span<double> out) const {
    Standard::fill(random, location_, scale_, out);
  }

  double log_density(double x) const {
    return Standard::log_density(standardised(x), portable_log(scale_));  // (2)
  }
  double cdf(double x) const { return Standard::cdf(standardised(x)); }    // (1)
  double ccdf(double x) const { return Standard::ccdf(standardised(x)); }  // P(X > x), not 1 - cdf
  double log_cdf(double x) const { return Standard::log_cdf(standardised(x)); }
  double log_ccdf(double x) const { return Standard::log_ccdf(standardised(x)); }
  // The x with cdf(x) = p, and the x with ccdf(x) = q; NaN if p or q is outside [0, 1].
  double quantile(double p) const { return location_ + scale_ * Standard::quantile(p); }
  double ccdf_quantile(double q) const { return location_ + scale_ * Standard::ccdf_quantile(q); }

 private:
  LocationScale(double location, double scale) : location_(location), scale_(scale) {}

  static Result<LocationScale> checked(double location, double scale) {
    ASSAY_TRY(detail::check_location_scale(location, scale));
    return LocationScale(location, scale);
  }
  double standardised(double x) const { return (x - location_) / scale_; }

  double location_;
  double scale_;
};

}  // namespace assay
