#include "assay/policies/sparse/gaussian_contexts.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "assay/mechanisms/noise/gaussian.hpp"

namespace assay {
namespace {

constexpr std::int64_t kMostEntries = 10'000'000;  // of a round

Gaussian standard_normal() { return Gaussian::create(0.0, 1.0).value(); }

}  // namespace

Status GaussianContextsConfig::check() const {
  if (arms * dimension > kMostEntries) {
    return fail(ErrorCode::kLimit,
                "arms " + std::to_string(arms) + " and dimension " + std::to_string(dimension) +
                    " make rounds of " + std::to_string(arms * dimension) + " entries; at most " +
                    std::to_string(kMostEntries) + " are allowed",
                "/dimension");
  }
  if (covariance == ContextCovariance::kEquicorrelated && correlation < 0.0) {
    return fail(ErrorCode::kInvalidArgument,
                "correlation must be 0 to 0.999 where covariance = equicorrelated, not " +
                    number_text(correlation),
                "/correlation");
  }
  return {};
}

Result<GaussianContexts> GaussianContexts::create(const GaussianContextsConfig& config,
                                                  SparseVector signal) {
  ASSAY_TRY(validate(config));
  ASSAY_TRY(check_signal(signal, config.dimension));
  return GaussianContexts(config, std::move(signal));
}

GaussianContexts::GaussianContexts(const GaussianContextsConfig& config, SparseVector signal)
    : config_(config),
      signal_(std::move(signal)),
      values_(static_cast<std::size_t>(config.arms * config.dimension)),
      scores_(static_cast<std::size_t>(config.arms)),
      means_(static_cast<std::size_t>(config.arms), 0.0) {
  const double c = config.correlation;
  const bool chain = config.covariance == ContextCovariance::kAutoregressive;
  inherited_ = chain ? c : std::sqrt(c);
  fresh_ = std::sqrt(chain ? (1.0 - c) * (1.0 + c) : 1.0 - c);
}

ContextSet GaussianContexts::context(std::int64_t, ReplayStream& random) {
  const auto d = static_cast<std::size_t>(config_.dimension);
  const bool chain = config_.covariance == ContextCovariance::kAutoregressive;
  const double bound = config_.truncation;
  standard_normal().fill(random, values_);
  for (std::size_t arm = 0; arm < scores_.size(); ++arm) {
    const auto x = std::span(values_).subspan(arm * d, d);
    if (chain) {
      for (std::size_t j = 1; j < d; ++j) x[j] = inherited_ * x[j - 1] + fresh_ * x[j];  // (1)
    } else {
      const double shared = inherited_ * standard_normal().sample(random);
      for (double& entry : x) entry = shared + fresh_ * entry;  // (2)
    }
    if (bound > 0.0) {
      for (double& entry : x) entry = std::clamp(entry, -bound, bound);  // (3)
    }
    scores_[arm] = signal_.dot(x);
  }
  most_ = *std::max_element(scores_.begin(), scores_.end());
  return {config_.arms, config_.dimension, values_};
}

double GaussianContexts::feedback(std::int64_t, int action, ReplayStream& random) const {
  ASSAY_CHECK(action >= 0 && action < config_.arms, "the action must be one of the arms");
  const double noise = config_.reward_noise == RewardNoise::kGaussian
                           ? standard_normal().sample(random)
                           : 2.0 * random.uniform() - 1.0;
  return scores_[static_cast<std::size_t>(action)] + config_.noise_width * noise;  // (4)
}

}  // namespace assay
