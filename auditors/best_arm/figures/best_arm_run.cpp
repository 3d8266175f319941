#include "assay/auditors/best_arm/figures/best_arm_run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "assay/auditors/best_arm/figures/trial_series.hpp"
#include "assay/auditors/statistics/binomial.hpp"
#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/policies/best_arm/dp_bai.hpp"
#include "assay/policies/best_arm/instances.hpp"
#include "assay/policies/best_arm/od_lin_bai.hpp"

namespace assay::detail {
namespace {

std::string series_id(BestArmPolicy policy, const BestArmPoint& point) {
  std::string id = fmt::format("{} T={}", value_text(policy), point.budget);
  if (policy != BestArmPolicy::kOdLinBai) id += " eps=" + number_text(point.epsilon);
  if (point.ratio != 1.0) id += " y=" + number_text(point.ratio);
  return id;
}

template <class P, class C>
Result<SimulatedSeries> trials(std::string id, C config, const BestArmPoint& point,
                               const BestArmInstance& instance) {
  config.budget = point.budget;
  if constexpr (requires { config.epsilon; }) config.epsilon = point.epsilon;
  auto policy = ASSAY_TRY(P::create(config, instance.features));
  auto arms = ASSAY_TRY(UniformArms::create(instance.means));
  return make_trial_series(std::move(id), std::move(policy), std::move(arms));
}

Result<SimulatedSeries> series_of(BestArmPolicy policy, const BestArmPoint& point,
                                  const BestArmInstance& instance) {
  const std::string id = series_id(policy, point);
  switch (policy) {
    case BestArmPolicy::kDpBai:
      return trials<DpBai>(id, DpBaiConfig{}, point, instance);
    case BestArmPolicy::kBaseline:
      return trials<BaiBaseline>(id, DpBaiConfig{}, point, instance);
    case BestArmPolicy::kOdLinBai:
      return trials<OdLinBai>(id, OdLinBaiConfig{}, point, instance);
    case BestArmPolicy::kDpOd:
      break;
  }
  return trials<DpOd>(id, DpOdConfig{}, point, instance);
}

Result<BestArmInstance> instance_at(BestArmFigure figure, const BestArmSetting& setting,
                                    const BestArmPoint& point) {
  if (figure == BestArmFigure::kOne) {
    return figure1_instance(static_cast<std::uint64_t>(setting.seed));
  }
  return figure2_instance(1.0, point.ratio, setting.gap);
}

std::vector<Bounds> success_bounds(const SimulationResult& result) {
  const double alpha =
      kExperimentAlpha / (2.0 * static_cast<double>(result.series.size()));  // for one end of an
                                                                             // interval
  std::vector<Bounds> bounds;
  for (const auto& series : result.series) {
    const auto successes = series.all.pulls.front();
    const auto trials = series.repetitions();
    bounds.push_back({clopper_pearson_lower(successes, trials, alpha).value.value,
                      clopper_pearson_upper(successes, trials, alpha).value.value});
  }
  return bounds;
}

}  // namespace

std::string best_arm_id(BestArmFigure figure) {
  return figure == BestArmFigure::kOne ? "bai-fig1" : "bai-fig2";
}

BestArmGrid grid_of(BestArmFigure figure, const BestArmSetting& setting) {
  BestArmGrid grid;
  const bool one = figure == BestArmFigure::kOne;
  const std::vector<std::int64_t> budgets =
      one ? std::vector<std::int64_t>{100, 200, 300, 500, 1000, 2000, 3000, 5000}
          : std::vector<std::int64_t>{500, 5000};
  for (const auto budget : budgets) {
    if (budget < setting.horizon) grid.budgets.push_back(budget);
  }
  grid.budgets.push_back(setting.horizon);
  grid.epsilons = one ? std::vector{0.01, 0.03, 0.1, 0.3, 1.0, 10.0} : std::vector{0.1, 1.0};
  grid.ratios = one ? std::vector{1.0} : std::vector{1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0};
  return grid;
}

std::vector<BestArmPoint> BestArmRun::drawn() const {
  std::vector<BestArmPoint> out;
  for (const auto budget : grid.budgets) {
    for (const double epsilon : grid.epsilons) {
      for (const double ratio : grid.ratios) out.push_back({budget, epsilon, ratio});
    }
  }
  return out;
}

std::size_t BestArmRun::place(BestArmPolicy policy, BestArmPoint point) const {
  if (policy == BestArmPolicy::kOdLinBai) point.epsilon = grid.epsilons.front();
  return index({policy, point});
}

double BestArmRun::rate(BestArmPolicy policy, const BestArmPoint& point) const {
  const SeriesResult& series = result->at(place(policy, point));
  return static_cast<double>(series.all.pulls.front()) / static_cast<double>(series.repetitions());
}

const Bounds& BestArmRun::at(BestArmPolicy policy, const BestArmPoint& point) const {
  return bounds[place(policy, point)];
}

Result<BestArmRun> run_best_arm(BestArmFigure figure, const BestArmSetting& setting,
                                SimulationRunner& runner) {
  BestArmRun run{{}, figure, setting, grid_of(figure, setting)};
  std::vector<PolicyAtPoint> points;
  for (const auto& point : run.drawn()) {
    for (const auto policy : kBestArmPolicies) {
      if (policy == BestArmPolicy::kOdLinBai && point.epsilon != run.grid.epsilons.front())
        continue;
      points.push_back({policy, point});
    }
  }
  Simulation simulation = setting.simulation(best_arm_id(figure));
  simulation.horizon = kTrialHorizon;
  static_cast<GridRun<PolicyAtPoint>&>(run) = ASSAY_TRY(run_grid<PolicyAtPoint>(
      std::move(simulation), std::move(points), runner,
      [&](const PolicyAtPoint& at) -> Result<SimulatedSeries> {
        const auto instance = ASSAY_TRY(instance_at(figure, setting, at.point));
        ASSAY_CHECK(instance.best() == 0, "both figures have the best arm first");
        return series_of(at.policy, at.point, instance);
      },
      success_bounds));
  return run;
}

}  // namespace assay::detail
