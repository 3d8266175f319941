#include "assay/policies/experts/leader_noise.hpp"

#include "assay/policies/experts/internal/noise_scale.hpp"

namespace assay {

Result<LeaderNoiseDistribution> leader_noise(LeaderNoise noise, double scale) {
  switch (noise) {
    case LeaderNoise::kLaplace:
      return LeaderNoiseDistribution(ASSAY_TRY(Laplace::create(0.0, scale)));
    case LeaderNoise::kExponential:
      return LeaderNoiseDistribution(ASSAY_TRY(Exponential::create(scale)));
    case LeaderNoise::kGumbel:
      return LeaderNoiseDistribution(ASSAY_TRY(Gumbel::create(0.0, scale)));
  }
  return fail(ErrorCode::kInvalidArgument, "noise is not one of the three", "/noise");
}

double printed_scale(LeaderNoise noise, double epsilon) {
  return detail::scale_for(noise == LeaderNoise::kExponential ? 1.0 : 2.0, epsilon);  // (2)
}

LeaderNoiseDistribution printed_noise(LeaderNoise noise, double epsilon) {
  return leader_noise(noise, printed_scale(noise, epsilon)).value();
}

std::vector<double> leader_log_probabilities(const LeaderNoiseDistribution& noise,
                                             std::span<const ScoreGroup> groups,
                                             const RunControl& control) {
  return std::visit(
      [&](const auto& distribution) { return grouped_noisy_max(distribution, groups, control); },
      noise);
}

}  // namespace assay
