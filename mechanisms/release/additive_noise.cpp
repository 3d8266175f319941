#include "assay/mechanisms/release/additive_noise.hpp"

#include <limits>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/noise/exact_discrete_gaussian.hpp"
#include "assay/mechanisms/noise/exact_discrete_laplace.hpp"
#include "assay/mechanisms/noise/gaussian.hpp"
#include "assay/mechanisms/noise/laplace.hpp"
#include "assay/mechanisms/release/fixed_point.hpp"
#include "assay/mechanisms/release/input_checks.hpp"
#include "assay/mechanisms/release/internal/both_streams.hpp"

namespace assay {

template <class Distribution, class Grid>
Status AdditiveNoise<Distribution, Grid>::check_input(const Input& input) const {
  if constexpr (std::is_same_v<Number, double>) {
    return detail::check_answers(input, answers_);
  } else {
    if (input.empty()) {
      return fail(ErrorCode::kInvalidArgument, "input must have at least 1 entry, not 0", "/input");
    }
    for (const Number x : input) {
      ASSAY_TRY(detail::check_integer(x, -FixedPoint::kMostSteps, FixedPoint::kMostSteps));
    }
    return {};
  }
}

template <class Distribution, class Grid>
template <RandomSource R>
void AdditiveNoise<Distribution, Grid>::release_many(const Input& input, R& random,
                                                     std::span<Number> out) const {
  ASSAY_CHECK(check_input(input).has_value() && out.size() % input.size() == 0, "whole releases");
  if constexpr (std::is_same_v<Grid, RealLine>) noise_.fill(random, out);
  for (std::size_t first = 0; first < out.size(); first += input.size()) {
    for (std::size_t i = 0; i < input.size(); ++i) {
      if constexpr (std::is_same_v<Grid, RealLine>) {
        out[first + i] += input[i];  // (1)
      } else if constexpr (std::is_same_v<Grid, Integers>) {
        out[first + i] = input[i] + noise_.sample(random);  // (2)
      } else {
        out[first + i] = grid_.value(grid_.steps(input[i]) + noise_.sample(random));  // (3)
      }
    }
  }
}

template <class Distribution, class Grid>
double AdditiveNoise<Distribution, Grid>::log_probability(Number output, Number answer) const {
  if constexpr (std::is_same_v<Grid, RealLine>) {
    return noise_.log_density(output - answer);
  } else if constexpr (std::is_same_v<Grid, Integers>) {
    return noise_.log_pmf(output - answer);
  } else {
    std::int64_t z = 0;
    if (!grid_.steps_of(output, z)) return -std::numeric_limits<double>::infinity();
    const std::int64_t distance = z - grid_.steps(answer);
    if constexpr (requires { noise_.log_ccdf(distance); }) {
      const bool at_end = z == FixedPoint::kMostOutput || z == -FixedPoint::kMostOutput;
      if (at_end) return noise_.log_ccdf(distance < 0 ? -distance : distance);
    }
    return noise_.log_pmf(distance);
  }
}

template <class Distribution, class Grid>
double AdditiveNoise<Distribution, Grid>::log_density(std::span<const Number> output,
                                                      const Input& input) const {
  ASSAY_CHECK(output.size() == input.size(), "one output per answer");
  double sum = 0.0;
  for (std::size_t i = 0; i < input.size(); ++i) sum += log_probability(output[i], input[i]);
  return sum;  // (4)
}

using LaplaceOnTheLine = AdditiveNoise<Laplace, RealLine>;
using GaussianOnTheLine = AdditiveNoise<Gaussian, RealLine>;
using LaplaceOnIntegers = AdditiveNoise<ExactDiscreteLaplace, Integers>;
using LaplaceOnAGrid = AdditiveNoise<ExactDiscreteLaplace, FixedPoint>;
using GaussianOnAGrid = AdditiveNoise<ExactDiscreteGaussian, FixedPoint>;
template class AdditiveNoise<Laplace, RealLine>;
template class AdditiveNoise<Gaussian, RealLine>;
template class AdditiveNoise<ExactDiscreteLaplace, Integers>;
template class AdditiveNoise<ExactDiscreteLaplace, FixedPoint>;
template class AdditiveNoise<ExactDiscreteGaussian, FixedPoint>;
ASSAY_MANY_FROM_BOTH_STREAMS(LaplaceOnTheLine, double);
ASSAY_MANY_FROM_BOTH_STREAMS(GaussianOnTheLine, double);
ASSAY_MANY_FROM_BOTH_STREAMS(LaplaceOnIntegers, std::int64_t);
ASSAY_MANY_FROM_BOTH_STREAMS(LaplaceOnAGrid, double);
ASSAY_MANY_FROM_BOTH_STREAMS(GaussianOnAGrid, double);

}  // namespace assay
