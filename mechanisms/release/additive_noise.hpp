// Answers plus independent noise of one law: what the Laplace and Gaussian mechanisms share. The grid
// says what answers and noise are made of.
//
//   RealLine    doubles, noise in real numbers:  y_i = q_i + noise_i                           (1)
//   Integers    integers within 2^52:            y_i = q_i + noise_i                           (2)
//   FixedPoint  doubles on a grid (fixed_point.hpp), integer noise: y_i = g (x_i + noise_i)    (3)
//   log P(y given q) = sum of log P(noise_i = y_i - q_i), in steps on the grid                 (4)
//
// In (3) an output is clamped, and its end gathers the tail beyond where the law has log_ccdf.
// The mechanism that derives from this says how much noise there is and what that proves.
// Threads: a value. Cost: that of a draw an answer.
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

template <class Law, class Grid>
class AdditiveNoise : public detail::ReleasesOneOfMany<AdditiveNoise<Law, Grid>> {
 public:
  using Number = typename Grid::Number;
  using Input = std::span<const Number>;
  using Output = std::vector<Number>;

  Status check_input(const Input& input) const;
  // As many releases, one after another, as fit: out.size() is a multiple of input.size().
  template <RandomSource R>
  void release_many(const Input& input, R& random, std::span<Number> out) const;
  double log_density(std::span<const Number> output,
                     const Input& input) const;  // (4); -inf off a grid

  const Law& noise() const { return noise_; }

 protected:
  // For inputs of `answers` entries; 0 for any number of them but none.
  explicit AdditiveNoise(const Law& noise, const Grid& grid = {}, std::int64_t answers = 0)
      : noise_(noise), grid_(grid), answers_(static_cast<std::size_t>(answers)) {}

  const Grid& grid() const { return grid_; }

 private:
  double log_probability(Number output, Number answer) const;

  Law noise_;
  Grid grid_;
  std::size_t answers_;
};

}  // namespace assay
