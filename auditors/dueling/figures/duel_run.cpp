#include "assay/auditors/dueling/figures/duel_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assay/auditors/dueling/scored_duels.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/enum_table.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/policies/dueling/double_thompson_sampling.hpp"
#include "assay/policies/dueling/dp_ebs_elimination.hpp"
#include "assay/policies/dueling/ebs_elimination.hpp"
#include "assay/policies/dueling/gopt_dpdb.hpp"
#include "assay/policies/dueling/rmed1.hpp"
#include "assay/policies/dueling/rucb.hpp"

namespace assay::detail {
namespace {

std::string series_name(const DuelPoint& point) {
  std::string id = fmt::format("{} K={}", name_of(point.policy), point.arms);
  if (has_level(point.policy)) id += " eps=" + number_text(point.epsilon);
  return id;
}

// (r_i, sqrt(1 - r_i^2)): with w = (1, 0) their scores are r_i.
ArmFeatures circle_items(std::int64_t arms) {
  ArmFeatures out{arms, 2, {}};
  for (const double score : even_scores(arms)) {
    out.values.push_back(score);
    out.values.push_back(std::sqrt(std::max(0.0, 1.0 - score * score)));
  }
  return out;
}

template <class P>
Result<SimulatedSeries> duels_of(const DuelPoint& point, typename P::Config config) {
  auto policy = ASSAY_TRY(P::create(config));
  auto duels = ASSAY_TRY(ScoredDuels::create(even_scores(point.arms)));
  return make_series(series_name(point), std::move(policy), std::move(duels));
}

Result<SimulatedSeries> series_of(const DuelPoint& point, std::int64_t horizon) {
  const auto with_horizon = [&](auto config) {
    config.arms = point.arms;
    config.horizon = horizon;
    if constexpr (requires { config.epsilon; }) config.epsilon = point.epsilon;
    return config;
  };
  switch (point.policy) {
    case DuelPolicy::kEbs:
      return duels_of<EbsElimination>(point, with_horizon(EbsEliminationConfig{}));
    case DuelPolicy::kLocal:
      return duels_of<LocalEbsElimination>(point, with_horizon(LocalEbsEliminationConfig{}));
    case DuelPolicy::kDpEbs:
      return duels_of<DpEbsElimination>(point, with_horizon(DpEbsEliminationConfig{}));
    case DuelPolicy::kPaperEbs: {
      auto config = with_horizon(DpEbsEliminationConfig{});
      config.calibration = Calibration::kPaper;
      return duels_of<DpEbsElimination>(point, config);
    }
    case DuelPolicy::kGOptimal: {
      auto config = with_horizon(GOptDpdbConfig{});
      config.phase_scale = kPhaseScale;
      auto policy = ASSAY_TRY(GOptDpdb::create(config, circle_items(point.arms)));
      auto duels = ASSAY_TRY(ScoredDuels::create(even_scores(point.arms)));
      return make_series(series_name(point), std::move(policy), std::move(duels));
    }
    case DuelPolicy::kRucb: {
      RucbConfig config;
      config.arms = point.arms;
      return duels_of<Rucb>(point, config);
    }
    case DuelPolicy::kRmed: {
      Rmed1Config config;
      config.arms = point.arms;
      return duels_of<Rmed1>(point, config);
    }
    case DuelPolicy::kThompson:
      break;
  }
  DoubleThompsonSamplingConfig config;
  config.arms = point.arms;
  return duels_of<DoubleThompsonSampling>(point, config);
}

}  // namespace

std::vector<double> even_scores(std::int64_t arms) {
  std::vector<double> scores;
  for (std::int64_t i = 0; i < arms; ++i) {
    scores.push_back(1.0 - 2.0 * static_cast<double>(i) / static_cast<double>(arms - 1));
  }
  return scores;
}

double uniform_regret(std::int64_t arms, std::int64_t horizon) {
  double sum = 0.0;
  for (const double score : even_scores(arms)) sum += 1.0 - score;
  return 2.0 * static_cast<double>(horizon) * sum / static_cast<double>(arms);
}

std::string name_of(DuelPolicy policy) {
  static constexpr EnumTable<DuelPolicy, std::string_view, 8> kNames = {
      {{DuelPolicy::kEbs, "EBS, not private"},
       {DuelPolicy::kDpEbs, "DP-EBS"},
       {DuelPolicy::kPaperEbs, "DP-EBS, the paper's noise"},
       {DuelPolicy::kLocal, "EBS, local"},
       {DuelPolicy::kGOptimal, "GOptimal-DPDB"},
       {DuelPolicy::kRucb, "RUCB"},
       {DuelPolicy::kRmed, "RMED1"},
       {DuelPolicy::kThompson, "Double Thompson"}}};
  return std::string(entry_of(kNames, policy));
}

bool has_level(DuelPolicy policy) {
  return policy == DuelPolicy::kDpEbs || policy == DuelPolicy::kPaperEbs ||
         policy == DuelPolicy::kLocal || policy == DuelPolicy::kGOptimal;
}

Style look_of(DuelPolicy policy) {
  static constexpr EnumTable<DuelPolicy, Style, 8> kLooks = {
      {{DuelPolicy::kEbs, {Colour::kBlack, Dash::kSolid, Marker::kCircle, 1.7}},
       {DuelPolicy::kDpEbs, {Colour::kBlue, Dash::kSolid, Marker::kSquare, 1.7}},
       {DuelPolicy::kPaperEbs, {Colour::kSkyBlue, Dash::kDashed, Marker::kSquare, 1.7}},
       {DuelPolicy::kLocal, {Colour::kVermillion, Dash::kDashed, Marker::kTriangle, 1.7}},
       {DuelPolicy::kGOptimal, {Colour::kGreen, Dash::kDashDot, Marker::kDiamond, 1.7}},
       {DuelPolicy::kRucb, {Colour::kOrange, Dash::kSolid, Marker::kCross, 1.7}},
       {DuelPolicy::kRmed, {Colour::kPurple, Dash::kDashDot, Marker::kDiamond, 1.7}},
       {DuelPolicy::kThompson, {Colour::kGrey, Dash::kDashed, Marker::kTriangle, 1.7}}}};
  return entry_of(kLooks, policy);
}

Result<DuelRun> run_duels(const std::string& id, const DuelSetting& setting,
                          std::vector<DuelPoint> points, SimulationRunner& runner) {
  const double most = 4.0 * static_cast<double>(setting.horizon);  // both arms are 2 behind
  auto grid = ASSAY_TRY(run_grid<DuelPoint>(
      setting.simulation(id), std::move(points), runner,
      [&](const DuelPoint& point) { return series_of(point, setting.horizon); },
      [&](const SimulationResult& result) {
        return final_regret_bounds(result, most, kExperimentAlpha);
      }));
  return DuelRun{std::move(grid), setting};
}

}  // namespace assay::detail
