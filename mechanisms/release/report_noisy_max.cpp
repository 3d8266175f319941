#include "assay/mechanisms/release/report_noisy_max.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/numerics/argmax.hpp"
#include "assay/mechanisms/numerics/rounding.hpp"
#include "assay/mechanisms/release/internal/both_streams.hpp"

namespace assay {
namespace {

template <class Noise>
constexpr bool kIsDiscrete = std::is_same_v<Noise, DiscreteLaplace>;

template <RandomSource R, class Noise>
void release_of(const Noise& noise, std::span<const double> q, R& random, std::span<double> out) {
  constexpr std::size_t kBatch = 1024;
  double values[kBatch];
  const std::size_t rows = std::max<std::size_t>(1, kBatch / q.size());
  for (std::size_t first = 0; first < out.size(); first += rows) {
    const std::size_t count = std::min(rows, out.size() - first);
    const std::span<double> noises(values, count * q.size());
    if constexpr (kIsDiscrete<Noise>) {
      for (double& x : noises) x = static_cast<double>(noise.sample(random));
    } else {
      noise.fill(random, noises);
    }
    for (std::size_t row = 0; row < count; ++row) {
      const auto noisy = [&](std::size_t i) { return q[i] + noises[row * q.size() + i]; };
      out[first + row] = static_cast<double>(detail::argmax(q.size(), noisy));  // (1)
    }
  }
}

}  // namespace

Result<ReportNoisyMax> ReportNoisyMax::create(const Config& config) {
  ASSAY_TRY(validate(config));
  const double b = detail::divide_up(2.0, config.epsilon);
  const auto wrap = [&](const auto& noise) -> Result<ReportNoisyMax> {
    if (!noise) return tl::make_unexpected(noise.error());
    return ReportNoisyMax(config, *noise);
  };
  switch (config.noise) {
    case MaxNoise::kLaplace:
      return wrap(Laplace::create(0.0, b));
    case MaxNoise::kExponential:
      return wrap(Exponential::create(b));
    case MaxNoise::kGumbel:
      return wrap(Gumbel::create(0.0, b));
    case MaxNoise::kGaussian:
      return wrap(Gaussian::create(
          0.0, detail::round_up(detail::round_up(std::sqrt(static_cast<double>(config.answers))) *
                                b)));  // (3)
    case MaxNoise::kDiscreteLaplace:
      return wrap(DiscreteLaplace::create(b));
  }
  return fail(ErrorCode::kInvalidArgument, "noise is not one of the five", "/noise");
}

template <RandomSource R>
void ReportNoisyMax::release_many(const Input& input, R& random, std::span<double> out) const {
  ASSAY_CHECK(check_input(input).has_value(), "one finite entry per answer");
  std::visit([&](const auto& noise) { release_of(noise, input, random, out); }, noise_);
}

std::vector<double> ReportNoisyMax::log_pmf(const Input& input) const {
  ASSAY_CHECK(check_input(input).has_value(), "one finite entry per answer");
  return noisy_max_log_probabilities(noise_, input);  // (2), (4)
}

Guarantee ReportNoisyMax::guarantee() const {
  if (config_.noise == MaxNoise::kGaussian) {
    return {GaussianDp{Mu{0.5 * config_.epsilon}}, Relation::kAllAnswers, View::kOutput,
            "post-processing of n Gaussian releases (Dong, Roth, Su, JRSS B, 2022)"};
  }
  return {PureDp{Epsilon{config_.epsilon}}, Relation::kAllAnswers, View::kOutput,
          "Dwork, Roth (2014), section 3.3"};
}

ASSAY_MANY_FROM_BOTH_STREAMS(ReportNoisyMax, double);

}  // namespace assay
