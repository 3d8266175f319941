// A distribution of noise as a user states it: "laplace:scale=1", "discrete-gaussian:sigma=2".
//
// Continuous: laplace, gaussian, gumbel (location, and scale or sigma), exponential (scale), uniform (low, high).
// Whole numbers: discrete-laplace (scale), discrete-gaussian (sigma), geometric (p; the failures before the first
// success), bernoulli (p). Formulas and sources of the noises: mechanisms/noise.
//
//   P(low < X <= high) from the tail in which the cell lies, so that its relative error stays small         (1)
//   P(X = r mod m), r = 0 .. m - 1: (a^r + a^(m - r)) (1 - a)/((1 + a)(1 - a^m)) for the discrete Laplace,   (2)
//     a = e^(-1/scale); (1 - a) a^r/(1 - a^m) for the geometric, a = 1 - p; a sum for the others
//
// Accuracy: the relative error of every probability is at most kStatedError, for cells of at least 1e-3 of the tail
// in which they lie. Threads: a value that is only read. Cost: 30 ns for a probability; 30 ns times 11 sigma to create
// a discrete Gaussian, and 16 bytes for each of these.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

inline constexpr double kStatedError = 1e-9;

class StatedDistribution {
 public:
  // Errors: an unknown name or parameter, a missing parameter, one out of range. They name the field and its range.
  static Result<StatedDistribution> parse(std::string_view text);

  const std::string& name() const { return parts_->name; }
  const std::vector<KeyValue>& parameters() const { return parts_->parameters; }
  std::string text() const;  // "laplace:location=0,scale=1", which parse() reads
  bool is_whole() const { return static_cast<bool>(parts_->residue); }

  double at_most(double x) const { return parts_->at_most(x); }         // P(X <= x)
  double above(double x) const { return parts_->above(x); }             // P(X > x)
  double below(double x) const { return parts_->at_most(before(x)); }   // P(X < x)
  double between(double low, double high) const;                        // P(low < X <= high)   (1)
  double residue(int r, int m) const { return parts_->residue(r, m); }  // P(X = r mod m)       (2)
  // A place x with P(X <= x) about q, or P(X > x) about q; of whole numbers the first with at least, or at most, q.
  double lower_cut(double q) const { return parts_->lower_cut(q); }
  double upper_cut(double q) const { return parts_->upper_cut(q); }
  double low() const { return parts_->low; }  // of the values that can occur
  double high() const { return parts_->high; }
  // At least P(X = x) for every x, where a continuous X is a double made from at least 52 random bits: 2^-51 times
  // 1 + |location|/scale. For the rounding to doubles alone it is at most a quarter of this, since |z| times the
  // density of the standard form is at most 1/e and the density at most 1.
  double likeliest_value() const { return parts_->likeliest_value; }
  double density() const { return parts_->density; }  // at least the largest; continuous only
  // The same distribution with its scale times this factor; empty if it has none, or this one is out of range.
  std::optional<StatedDistribution> scaled(double factor) const;

  struct Parts {
    std::string name;
    std::vector<KeyValue> parameters;
    std::function<double(double)> at_most, above, lower_cut, upper_cut;
    std::function<double(int, int)> residue;  // of whole numbers
    double low = 0.0, high = 0.0, likeliest_value = 0.0, density = 0.0;
    std::function<Result<StatedDistribution>(double)> scaled;
  };
  explicit StatedDistribution(Parts parts)
      : parts_(std::make_shared<const Parts>(std::move(parts))) {}

 private:
  double before(double x) const { return is_whole() ? x - 1.0 : x; }
  std::shared_ptr<const Parts> parts_;
};

// "laplace:scale=1", one for each name.
const std::vector<std::string>& stated_examples();

}  // namespace assay
