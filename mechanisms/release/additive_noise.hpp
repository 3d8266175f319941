// Adds independent noise of one distribution to each answer: the base of the Laplace and Gaussian
// mechanisms. The grid determines which numbers answers and noise are.
//
//   RealLine    doubles, noise in real numbers:  y_i = q_i + noise_i                           (1)
//   Integers    integers within 2^52:            y_i = q_i + noise_i                           (2)
//   FixedPoint  doubles on a grid (fixed_point.hpp), integer noise: y_i = g (x_i + noise_i)    (3)
//   log P(y given q) = sum of log P(noise_i = y_i - q_i), in steps on the grid                 (4)
//
// In (3) an output is clamped. If the distribution has log_ccdf, log_density() gives the end point the
// whole tail beyond it. A mechanism that derives from this class chooses the scale of the noise and
// states the guarantee. Threads: a value. Cost: one draw per answer.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/random/random_source.hpp"
#include "assay/mechanisms/release/mechanism_parts.hpp"

namespace assay {

struct RealLine {
  using Number = double;
};

struct Integers {
  using Number = std::int64_t;
};

template <class Distribution, class Grid>
class AdditiveNoise : public detail::ReleasesOneOfMany<AdditiveNoise<Distribution, Grid>> {
 public:
  using Number = typename Grid::Number;
  using Input = std::span<const Number>;
  using Output = std::vector<Number>;

  Status check_input(const Input& input) const;
  // Fills `out` with independent releases, one after another. Precondition: out.size() is a multiple of input.size().
  template <RandomSource R>
  void release_many(const Input& input, R& random, std::span<Number> out) const;
  double log_density(std::span<const Number> output,
                     const Input& input) const;  // (4); -inf off a grid

  const Distribution& noise() const { return noise_; }

 protected:
  // For inputs of `answers` entries; 0 for any positive number of entries.
  explicit AdditiveNoise(const Distribution& noise, const Grid& grid = {}, std::int64_t answers = 0)
      : noise_(noise), grid_(grid), answers_(static_cast<std::size_t>(answers)) {}

  const Grid& grid() const { return grid_; }

 private:
  double log_probability(Number output, Number answer) const;

  Distribution noise_;
  Grid grid_;
  std::size_t answers_;
};

}  // namespace assay
