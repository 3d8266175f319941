#include "assay/mechanisms/faulty/noisy_max_value.hpp"

#include <algorithm>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/mechanisms/release/internal/both_streams.hpp"

namespace assay::faulty {
Result<NoisyMaxValue> NoisyMaxValue::create(const Config& config) {
  ASSAY_TRY(validate(config));
  const double b = 2.0 / config.epsilon;
  if (config.noise == ValueNoise::kLaplace) {
    const auto noise = ASSAY_TRY(Laplace::create(0.0, b));
    return NoisyMaxValue(config, noise);
  }
  const auto noise = ASSAY_TRY(Exponential::create(b));
  return NoisyMaxValue(config, noise);
}

template <RandomSource R>
void NoisyMaxValue::release_many(const Input& input, R& random, std::span<double> out) const {
  ASSAY_CHECK(check_input(input).has_value(), "one finite entry per answer");
  constexpr std::size_t kBatch = 1024;
  double values[kBatch];
  const std::size_t n = input.size();
  const std::size_t rows = kBatch / n;  // answers <= 1024
  for (std::size_t first = 0; first < out.size(); first += rows) {
    const std::size_t count = std::min(rows, out.size() - first);
    const std::span<double> noises(values, count * n);
    std::visit([&](const auto& noise) { noise.fill(random, noises); }, noise_);
    for (std::size_t row = 0; row < count; ++row) {
      double most = -kInfinity;
      for (std::size_t i = 0; i < n; ++i) most = std::max(most, input[i] + noises[row * n + i]);
      out[first + row] = most;  // (1)
    }
  }
}

double NoisyMaxValue::log_density(const Output& output, const Input& input) const {
  const auto of = [&](const auto& noise) {
    double all = 0.0;     // log of (3)
    double hazard = 0.0;  // sum of f/F
    for (const double q : input) {
      const double log_cdf_here = noise.log_cdf(output - q);
      if (log_cdf_here == -kInfinity) return -kInfinity;
      all += log_cdf_here;
      hazard += portable_exp(noise.log_density(output - q) - log_cdf_here);
    }
    return all + portable_log(hazard);  // (2)
  };
  return std::visit(of, noise_);
}

double NoisyMaxValue::log_cdf(double y, const Input& input) const {
  double all = 0.0;
  for (const double q : input) {
    all += std::visit([&](const auto& noise) { return noise.log_cdf(y - q); }, noise_);
  }
  return all;  // (3)
}

Guarantee NoisyMaxValue::guarantee() const {
  if (config_.noise == ValueNoise::kLaplace) {
    return {PureDp{Epsilon{0.5 * static_cast<double>(config_.answers) * config_.epsilon}},
            Relation::kAllAnswers, View::kOutput, "factor by factor, attained as the value falls"};
  }
  return {kNotPrivate, Relation::kAllAnswers, View::kOutput,
          "none: the support moves with the largest answer"};
}

ASSAY_MANY_FROM_BOTH_STREAMS(NoisyMaxValue, double);

}  // namespace assay::faulty
