#include "assay/mechanisms/release/discrete_noise_mechanisms.hpp"

#include "assay/mechanisms/accounting/discrete_gaussian_profile.hpp"
#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/rounding.hpp"

namespace assay {
namespace {

constexpr std::int64_t kLargest = std::int64_t{1} << 52;

}  // namespace

Result<DiscreteLaplaceMechanism> DiscreteLaplaceMechanism::create(const Config& config) {
  return detail::create_valid<DiscreteLaplaceMechanism>(
      config, [&]() -> Result<DiscreteLaplaceMechanism> {
        const auto steps = static_cast<double>(config.sensitivity);
        const auto noise =
            ExactDiscreteLaplace::create(detail::divide_up(steps, config.epsilon));  // (1)
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
  Output out(input.size());
  release_many(input, random, out);
  return out;
}

template <RandomSource R>
void DiscreteLaplaceMechanism::release_many(const Input& input, R& random,
                                            std::span<std::int64_t> out) const {
  ASSAY_CHECK(check_input(input).has_value(), "answers within 2^52");
  ASSAY_CHECK(out.size() % input.size() == 0, "whole releases");
  for (std::size_t first = 0; first < out.size(); first += input.size()) {
    for (std::size_t i = 0; i < input.size(); ++i) {
      out[first + i] = input[i] + noise_.sample(random);  // (1)
    }
  }
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
        const auto noise = ASSAY_TRY(ExactDiscreteGaussian::at_least(config.scale));
        return DiscreteGaussianMechanism(config, noise);
      });
}

Status DiscreteGaussianMechanism::check_input(const Input& input) const {
  return detail::check_integer(input, -kLargest, kLargest);
}

template <RandomSource R>
DiscreteGaussianMechanism::Output DiscreteGaussianMechanism::release(const Input& input,
                                                                     R& random) const {
  ASSAY_CHECK(check_input(input).has_value(), "an answer within 2^52");
  return input + noise_.sample(random);  // (2)
}

template <RandomSource R>
void DiscreteGaussianMechanism::release_many(const Input& input, R& random,
                                             std::span<std::int64_t> out) const {
  for (std::int64_t& x : out) x = release(input, random);
}

Guarantee DiscreteGaussianMechanism::guarantee() const {
  const auto delta = discrete_gaussian_delta(noise_.law(), static_cast<double>(config_.sensitivity),
                                             Epsilon{config_.epsilon});  // (3)
  return {ApproximateDp{Epsilon{config_.epsilon}, delta.value}, Relation::kReplaceOneRecord,
          View::kOutput, "Canonne, Kamath, Steinke (NeurIPS 2020), theorem 7"};
}

template DiscreteLaplaceMechanism::Output DiscreteLaplaceMechanism::release(const Input&,
                                                                            ReplayStream&) const;
template void DiscreteLaplaceMechanism::release_many(const Input&, ReplayStream&,
                                                     std::span<std::int64_t>) const;
template DiscreteGaussianMechanism::Output DiscreteGaussianMechanism::release(const Input&,
                                                                              ReplayStream&) const;
template void DiscreteGaussianMechanism::release_many(const Input&, ReplayStream&,
                                                      std::span<std::int64_t>) const;
template DiscreteLaplaceMechanism::Output DiscreteLaplaceMechanism::release(const Input&,
                                                                            SecureStream&) const;
template void DiscreteLaplaceMechanism::release_many(const Input&, SecureStream&,
                                                     std::span<std::int64_t>) const;
template DiscreteGaussianMechanism::Output DiscreteGaussianMechanism::release(const Input&,
                                                                              SecureStream&) const;
template void DiscreteGaussianMechanism::release_many(const Input&, SecureStream&,
                                                      std::span<std::int64_t>) const;

}  // namespace assay
