#include "assay/policies/sparse/fliphat.hpp"

#include <algorithm>
#include <map>

namespace assay {

Status FliphatConfig::check() const {
  ASSAY_TRY(EpisodesConfig::check());
  if (calibration == Calibration::kPaper && delta == 0.0) {
    return fail(ErrorCode::kInvalidArgument,
                "delta must be above 0 and at most 0.5 where calibration = paper: its noise grows "
                "with log(1/delta)",
                "/delta");
  }
  return {};
}

Result<Fliphat> Fliphat::create(const Config& config) {
  ASSAY_TRY(validate(config));
  std::vector<NihtPlan> plans;
  std::map<std::int64_t, double> unit_scales;  // by iterations
  for (std::int64_t episode = 0; episode < estimated_episodes(config); ++episode) {
    const std::int64_t n = std::int64_t{1} << episode;
    const NihtPlan plan = episode_plan(config, n);
    auto known = unit_scales.find(plan.iterations);
    if (known == unit_scales.end()) {
      const double unit =
          ASSAY_TRY(niht_unit_scale(plan, {config.epsilon, config.delta, config.calibration}));
      known = unit_scales.emplace(plan.iterations, unit).first;
    }
    const auto noisy = ASSAY_TRY(niht_with_noise(plan, episode_bounds(config, n), known->second,
                                                 config.calibration));  // (1), (2)
    plans.push_back(noisy);
  }
  return Fliphat(config, std::move(plans));
}

Fliphat::Fliphat(const Config& config, std::vector<NihtPlan> plans)
    : PolicyOf(config),
      episodes_(config),
      plans_(std::make_shared<const std::vector<NihtPlan>>(std::move(plans))) {}

double Fliphat::proved_epsilon() const {
  double most = 0.0;
  for (std::int64_t episode = 0; episode < estimates(); ++episode) {
    const std::int64_t n = std::int64_t{1} << episode;
    most = std::max(most,
                    niht_proved_epsilon(plan(episode), episode_bounds(config_, n), config_.delta));
  }
  return most;
}

Guarantee Fliphat::guarantee() const {
  PrivacyLevel level = PureDp{Epsilon{config_.epsilon}};
  if (config_.delta > 0.0) level = ApproximateDp{Epsilon{config_.epsilon}, Delta{config_.delta}};
  return {level, Relation::kReplaceOneUser, View::kOtherActions,
          config_.calibration == Calibration::kPaper
              ? "FLIPHAT, Theorem 5.1"
              : "FLIPHAT, algorithm 2, with the noise that the sensitivity of N-IHT needs"};
}

}  // namespace assay
