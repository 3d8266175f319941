#include "assay/mechanisms/release/discrete_noise_mechanisms.hpp"

#include <algorithm>
#include <cmath>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

constexpr std::int64_t kLargest = std::int64_t{1} << 52;

}  // namespace

Result<DiscreteLaplaceMechanism> DiscreteLaplaceMechanism::create(const Config& config) {
  return detail::create_valid<DiscreteLaplaceMechanism>(
      config, [&]() -> Result<DiscreteLaplaceMechanism> {
        const double scale = static_cast<double>(config.sensitivity) / config.epsilon;
        const auto noise = DiscreteLaplace::create(scale);
        if (!noise) return tl::make_unexpected(noise.error());
        return DiscreteLaplaceMechanism(config, *noise);
      });
}

Status DiscreteLaplaceMechanism::check_input(const Input& input) const {
  if (input.empty()) {
    return fail(ErrorCode::kInvalidArgument, "input must have at least 1 entry, not 0", "/input");
  }
  for (const std::int64_t x : input) {
    if (const auto status = detail::check_integer(x, -kLargest, kLargest); !status) return status;
  }
  return {};
}

template <RandomSource R>
DiscreteLaplaceMechanism::Output DiscreteLaplaceMechanism::release(const Input& input,
                                                                   R& random) const {
  Output out(input.begin(), input.end());
  for (std::int64_t& x : out) x += noise_.sample(random);  // (1)
  return out;
}

double DiscreteLaplaceMechanism::log_density(const Output& output, const Input& input) const {
  ASSAY_CHECK(output.size() == input.size(), "one output per answer");
  double sum = 0.0;
  for (std::size_t i = 0; i < input.size(); ++i) sum += noise_.log_pmf(output[i] - input[i]);
  return sum;
}

Guarantee DiscreteLaplaceMechanism::guarantee() const {
  return {PureDp{Epsilon{config_.epsilon}}, Relation::kReplaceOneRecord, View::kOutput,
          "Ghosh, Roughgarden, Sundararajan (STOC 2009)"};
}

Result<DiscreteGaussianMechanism> DiscreteGaussianMechanism::create(const Config& config) {
  return detail::create_valid<DiscreteGaussianMechanism>(
      config, [&]() -> Result<DiscreteGaussianMechanism> {
        const auto noise = DiscreteGaussian::create(config.scale);
        if (!noise) return tl::make_unexpected(noise.error());
        return DiscreteGaussianMechanism(config, *noise);
      });
}

Status DiscreteGaussianMechanism::check_input(const Input& input) const {
  return detail::check_integer(input, -kLargest, kLargest);
}

Guarantee DiscreteGaussianMechanism::guarantee() const {
  const auto d = static_cast<double>(config_.sensitivity);
  const double s2 = config_.scale * config_.scale;
  // P(Y > x), x clamped to where it is 0 for every scale.
  const auto beyond = [&](double x) {
    const double least = std::floor(std::min(x, 1e7 + 50.0 * config_.scale)) + 1.0;
    return noise_.ccdf(static_cast<std::int64_t>(std::max(least, -1e7 - 50.0 * config_.scale)));
  };
  const double middle = config_.epsilon * s2 / d;
  const double first = beyond(middle - 0.5 * d);
  const double second = beyond(middle + 0.5 * d);
  const double delta =
      first - (second > 0.0 ? portable_exp(config_.epsilon) * second : 0.0) + 1e-12 * first;  // (3)
  return {ApproximateDp{Epsilon{config_.epsilon}, Delta{std::min(1.0, delta)}},
          Relation::kReplaceOneRecord, View::kOutput,
          "Canonne, Kamath, Steinke (NeurIPS 2020), theorem 7"};
}

template DiscreteLaplaceMechanism::Output DiscreteLaplaceMechanism::release(const Input&,
                                                                            ReplayStream&) const;
template DiscreteLaplaceMechanism::Output DiscreteLaplaceMechanism::release(const Input&,
                                                                            SecureStream&) const;

}  // namespace assay
