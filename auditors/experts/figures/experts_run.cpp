#include "assay/auditors/experts/figures/experts_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "assay/auditors/experts/claims/regret_bounds.hpp"
#include "assay/auditors/figures/figure_parts.hpp"
#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/core/enum_table.hpp"
#include "assay/mechanisms/core/map_chunks.hpp"
#include "assay/mechanisms/core/progress.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/policies/environments/stochastic_losses.hpp"
#include "assay/policies/experts/follow_the_leader.hpp"
#include "assay/policies/experts/random_prefix.hpp"

namespace assay::detail {
namespace {

constexpr std::array<std::int64_t, 6> kActions = {2, 4, 8, 16, 32, 64};
constexpr std::array<double, 7> kEpsilons = {0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0};

std::int64_t least_actions(ExpertsInstance instance) {
  return instance == ExpertsInstance::kDeterministic ? 3 : 2;
}

// The grid and the setting's own value, ascending, each once.
template <class T, std::size_t N>
std::vector<T> with_value(const std::array<T, N>& grid, T least, T value) {
  std::vector<T> all = {value};
  for (const T x : grid) {
    if (x >= least) all.push_back(x);
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

ExpertsPoint point_of(const ExpertsSetting& setting) { return {setting.actions, setting.epsilon}; }

Simulation simulation_of(ExpertsInstance instance, const ExpertsSetting& setting) {
  Simulation simulation = setting.simulation(experts_id(instance));
  const auto losses = [&](std::int64_t actions) {
    return StochasticLosses(instance_losses(instance, actions, setting.gap));
  };
  for (const FtnlVariant& variant : ftnl_variants()) {
    simulation.series.push_back(make_series(SimulatedIds::variant(variant),
                                            policy_of(variant, point_of(setting), setting.horizon),
                                            losses(setting.actions)));
  }
  const auto add_prefix = [&](const ExpertsPoint& point) {
    RandomPrefixConfig config;
    config.actions = point.actions;
    config.horizon = setting.horizon;
    config.epsilon = point.epsilon;
    simulation.series.push_back(make_series(
        SimulatedIds::prefix(point), RandomPrefix::create(config).value(), losses(point.actions)));
  };
  for (const auto& point : points_of(ExpertsAxis::kActions, instance, setting)) {
    FollowTheLeaderConfig config;
    config.actions = point.actions;
    simulation.series.push_back(make_series(SimulatedIds::leader(point.actions),
                                            FollowTheLeader::create(config).value(),
                                            losses(point.actions)));
    add_prefix(point);
  }
  for (const auto& point : points_of(ExpertsAxis::kEpsilon, instance, setting)) {
    if (point.epsilon != setting.epsilon) add_prefix(point);
  }
  return simulation;
}

// If losses are 0 and 1, a resample is the loss, so the variant without resampling has the same
// distribution.
const FtnlVariant& same_distribution(const std::vector<FtnlVariant>& variants, std::size_t v,
                                     ExpertsInstance instance) {
  const std::size_t half = variants.size() / 2;
  return variants[resampling_changes_nothing(instance) && v >= half ? v - half : v];
}

Status fill_exact(ExpertsRun& run, const RunControl& control) {
  struct Cell {
    ExpertsAxis axis;
    std::size_t variant;
    ExpertsPoint point;
    ExpectedRegret* out;
  };
  std::vector<Cell> cells;
  for (const auto axis : kExpertsAxes) {
    auto& of_axis = run.exact[static_cast<std::size_t>(axis)];
    const auto points = points_of(axis, run.instance, run.setting);
    of_axis.assign(run.variants.size(), std::vector<ExpectedRegret>(points.size()));
    for (std::size_t v = 0; v < run.variants.size(); ++v) {
      for (std::size_t i = 0; i < points.size(); ++i) {
        cells.push_back({axis, v, points[i], &of_axis[v][i]});
      }
    }
  }
  const auto regret_in = [&](std::size_t i) {
    if (control.cancelled()) return ExpectedRegret();
    const Cell& cell = cells[i];
    return expected_regret(policy_of(same_distribution(run.variants, cell.variant, run.instance),
                                     cell.point, run.setting.horizon),
                           instance_losses(run.instance, cell.point.actions, run.setting.gap));
  };
  auto regrets = map_chunks(control, cells.size(), regret_in,
                            reporting(control, "exact regret", cells.size()));
  if (control.cancelled()) return fail(ErrorCode::kInterrupted, "interrupted");
  for (std::size_t i = 0; i < cells.size(); ++i) *cells[i].out = std::move(regrets[i]);
  return {};
}

}  // namespace

bool resampling_changes_nothing(ExpertsInstance instance) {
  return instance == ExpertsInstance::kOneGap;
}

std::string FtnlVariant::noise_name() const {
  if (as_printed()) return "Exponential(1/\xCE\xB5)";
  constexpr EnumTable<LeaderNoise, std::string_view, 3> kNames{
      {{LeaderNoise::kLaplace, "Laplace(2/\xCE\xB5)"},
       {LeaderNoise::kExponential, "Exponential(2/\xCE\xB5)"},
       {LeaderNoise::kGumbel, "Gumbel(2/\xCE\xB5)"}}};
  return std::string(entry_of(kNames, noise));
}

std::string FtnlVariant::name() const { return noise_name() + (resample ? ", B = 1" : ", B = 0"); }

std::vector<FtnlVariant> ftnl_variants() {
  std::vector<FtnlVariant> variants;
  for (const bool resample : {false, true}) {
    variants.push_back({LeaderNoise::kLaplace, Calibration::kCorrected, resample});
    variants.push_back({LeaderNoise::kGumbel, Calibration::kCorrected, resample});
    variants.push_back({LeaderNoise::kExponential, Calibration::kCorrected, resample});
    variants.push_back({LeaderNoise::kExponential, Calibration::kPaper, resample});
  }
  return variants;
}

std::vector<ExpertsPoint> points_of(ExpertsAxis axis, ExpertsInstance instance,
                                    const ExpertsSetting& setting) {
  std::vector<ExpertsPoint> points;
  switch (axis) {
    case ExpertsAxis::kRounds:
      return {point_of(setting)};
    case ExpertsAxis::kActions:
      for (const auto actions : with_value(kActions, least_actions(instance), setting.actions)) {
        points.push_back({actions, setting.epsilon});
      }
      return points;
    case ExpertsAxis::kEpsilon:
      for (const double epsilon : with_value(kEpsilons, 0.0, setting.epsilon)) {
        points.push_back({setting.actions, epsilon});
      }
      break;
  }
  return points;
}

RnmFtnl policy_of(const FtnlVariant& variant, const ExpertsPoint& point, std::int64_t horizon) {
  RnmFtnlConfig config;
  config.actions = point.actions;
  config.horizon = horizon;
  config.epsilon = point.epsilon;
  config.noise = variant.noise;
  config.resample = variant.resample;
  config.calibration = variant.calibration;
  return RnmFtnl::create(config).value();
}

std::string SimulatedIds::variant(const FtnlVariant& variant) { return variant.name(); }

std::string SimulatedIds::leader(std::int64_t actions) {
  return fmt::format("follow the leader K={}", actions);
}

std::string SimulatedIds::prefix(const ExpertsPoint& point) {
  return fmt::format("random prefix K={} eps={}", point.actions, number_text(point.epsilon));
}

std::size_t ExpertsRun::find(const std::string& id) const { return series_index(*result, id); }

TwoPointLosses instance_losses(ExpertsInstance instance, std::int64_t actions, double gap) {
  ASSAY_CHECK(actions >= least_actions(instance), "as many experts as the instance needs");
  const auto n = static_cast<std::size_t>(actions);
  std::vector<TwoPointDistribution> distributions;
  switch (instance) {
    case ExpertsInstance::kOneGap:
      distributions.assign(n, {0.0, 1.0, 0.5 + 0.5 * gap});
      distributions.back().probability = 0.5 - 0.5 * gap;
      break;
    case ExpertsInstance::kResampling:
      distributions.assign(n, {0.0, 0.4, 0.8});
      distributions.back() = {0.3, 0.3, 1.0};
      break;
    case ExpertsInstance::kDeterministic:
      distributions.assign(n, {1.0, 1.0, 1.0});
      distributions[n - 3] = distributions[n - 2] = {gap, gap, 1.0};
      distributions.back() = {0.0, 0.0, 1.0};
      break;
  }
  return TwoPointLosses::create(std::move(distributions)).value();
}

TwoPointLosses resampling_helps_losses() {
  return TwoPointLosses::create({{0.0, 1.0, 0.4}, {0.02, 0.02, 1.0}}).value();
}

std::vector<GapGroup> gap_groups(const TwoPointLosses& losses) {
  std::vector<double> gaps;
  for (int j = 0; j < losses.actions(); ++j) gaps.push_back(losses.gap(j));
  std::sort(gaps.begin(), gaps.end());
  std::vector<GapGroup> groups;
  for (std::size_t i = 1; i < gaps.size(); ++i) {
    if (groups.empty() || groups.back().gap != gaps[i]) {
      groups.push_back({gaps[i], 0.0});
    }
    groups.back().times += 1.0;
  }
  return groups;
}

Result<ExpertsRun> run_experts(ExpertsInstance instance, const ExpertsSetting& setting,
                               SimulationRunner& runner) {
  ExpertsRun run;
  run.instance = instance;
  run.setting = setting;
  run.variants = ftnl_variants();
  auto result = ASSAY_TRY(runner.run(simulation_of(instance, setting)));
  run.result = result;
  std::vector<RegretRange> ranges;
  for (const auto& series : run.result->series) {
    ranges.push_back({0.0, static_cast<double>(setting.horizon) * series.largest_gap});
  }
  run.bounds = final_regret_bounds(*run.result, ranges, kExperimentAlpha);
  ASSAY_TRY(fill_exact(run, runner.control()));
  return run;
}

// ---- theory -------------------------------------------------------------------------------------

std::vector<TheoryCurve> theory_curves(ExpertsInstance instance, const ExpertsSetting& setting) {
  using expert_checks::theorem_2_bound;
  using expert_checks::theorem_3_bound;
  using expert_checks::theorem_4_bound;
  const auto log_k = [](const ExpertsPoint& p) {
    return portable_log(static_cast<double>(p.actions));
  };
  if (instance == ExpertsInstance::kDeterministic) {
    return {{"Theorem 4: 3 + 4(1 + 1/ln 2) ln K/\xCE\xB5", true,
             [](const ExpertsPoint& p, double) {
               return theorem_4_bound(static_cast<double>(p.actions), p.epsilon,
                                      expert_checks::kTheoremFour);
             }},
            {"the same at the temperature as printed", true,
             [](const ExpertsPoint& p, double) {
               return theorem_4_bound(static_cast<double>(p.actions), p.epsilon,
                                      expert_checks::kTheoremFourPrinted);
             }},
            {"Theorem 3: at least this, for any \xCE\xB5-DP policy", true,
             [](const ExpertsPoint& p, double rounds) -> std::optional<double> {
               if (p.actions < 6) return std::nullopt;
               return theorem_3_bound(static_cast<double>(p.actions), p.epsilon, rounds);
             }}};
  }
  const auto gaps = [instance, gap = setting.gap](const ExpertsPoint& p) {
    return gap_groups(instance_losses(instance, p.actions, gap));
  };
  return {{"Theorem 2, B = 1: with c1 = 2, c2 = 16", true,
           [gaps](const ExpertsPoint& p, double) {
             return theorem_2_bound(gaps(p), p.epsilon, expert_checks::kC2);
           }},
          {"order of Theorem 1: ln K/\xCE\x94 + ln K ln T/\xCE\xB5", false,
           [gaps, log_k](const ExpertsPoint& p, double rounds) {
             return log_k(p) / gaps(p).front().gap + log_k(p) * portable_log(rounds) / p.epsilon;
           }},
          {"order of Theorem 2: ln K/\xCE\x94 + ln\xC2\xB2 K/\xCE\xB5", false,
           [gaps, log_k](const ExpertsPoint& p, double) {
             return log_k(p) / gaps(p).front().gap + log_k(p) * log_k(p) / p.epsilon;
           }},
          {"order of the lower bound: ln K/\xCE\x94 + ln K/\xCE\xB5", false,
           [gaps, log_k](const ExpertsPoint& p, double) {
             return log_k(p) / gaps(p).front().gap + log_k(p) / p.epsilon;
           }}};
}

}  // namespace assay::detail
