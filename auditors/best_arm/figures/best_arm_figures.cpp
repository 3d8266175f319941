#include "assay/auditors/best_arm/figures/best_arm_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "assay/auditors/best_arm/figures/best_arm_run.hpp"
#include "assay/auditors/best_arm/figures/gaussian_map.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/core/enum_table.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay::detail {
namespace {

template <BestArmFigure F>
struct BestArmConfig : BestArmSetting {
  static void fields(auto&& visit) {
    using C = BestArmConfig;
    visit(field<C, std::int64_t>("repetitions", &C::repetitions, Range{2, 1e6}, "R",
                                 "independent trials of every policy at every point"));
    visit(field<C, std::int64_t>("horizon", &C::horizon, Range{100, 1e5}, "T",
                                 "the largest budget of pulls, and those of the grid below it"));
    if (F == BestArmFigure::kTwo) {
      visit(field<C, double>("gap", &C::gap, Range{0.001, 0.4}, "D",
                             "mean of the first arm beyond that of the second"));
    }
    visit(field<C, std::int64_t>("seed", &C::seed, Range{0, 1e9}, "",
                                 F == BestArmFigure::kOne ? "names the random streams, and draws w"
                                                          : "names the random streams"));
  }
};

Style look_of(BestArmPolicy policy) {
  static constexpr EnumTable<BestArmPolicy, Style, 4> kLooks = {
      {{BestArmPolicy::kDpBai, {Colour::kBlue, Dash::kSolid, Marker::kCircle, 1.7}},
       {BestArmPolicy::kBaseline, {Colour::kOrange, Dash::kDashed, Marker::kSquare, 1.7}},
       {BestArmPolicy::kOdLinBai, {Colour::kBlack, Dash::kDotted, Marker::kCross, 1.7}},
       {BestArmPolicy::kDpOd, {Colour::kVermillion, Dash::kDashDot, Marker::kTriangle, 1.7}}}};
  return entry_of(kLooks, policy);
}

// The horizontal axis of a panel: one member of the point, with everything else fixed.
struct SuccessAxis {
  std::string title;
  std::string label;  // "T"
  std::string name;   // in data: "budget"
  std::vector<BestArmPoint> points;
  double (*value)(const BestArmPoint&);
};

SuccessAxis against_budget(const BestArmGrid& grid, double epsilon) {
  SuccessAxis axis{
      "\xCE\xB5 = " + number_text(epsilon), "budget T", "budget", {}, [](const BestArmPoint& p) {
        return static_cast<double>(p.budget);
      }};
  for (const auto budget : grid.budgets) axis.points.push_back({budget, epsilon});
  return axis;
}

SuccessAxis against_epsilon(const BestArmGrid& grid, std::int64_t budget) {
  SuccessAxis axis{"T = " + grouped(budget), "\xCE\xB5", "epsilon", {}, [](const BestArmPoint& p) {
                     return p.epsilon;
                   }};
  for (const double epsilon : grid.epsilons) axis.points.push_back({budget, epsilon});
  return axis;
}

SuccessAxis against_ratio(const BestArmGrid& grid, std::int64_t budget, double epsilon) {
  SuccessAxis axis{fmt::format("T = {}, \xCE\xB5 = {}", grouped(budget), number_text(epsilon)),
                   "y/x",
                   "ratio",
                   {},
                   [](const BestArmPoint& p) { return p.ratio; }};
  for (const double ratio : grid.ratios) axis.points.push_back({budget, epsilon, ratio});
  return axis;
}

std::vector<SuccessAxis> axes_of(const BestArmRun& run) {
  std::vector<SuccessAxis> axes;
  const auto& grid = run.grid;
  if (run.figure == BestArmFigure::kTwo) {
    for (const auto budget : grid.budgets) {
      for (const double epsilon : grid.epsilons) {
        axes.push_back(against_ratio(grid, budget, epsilon));
      }
    }
    return axes;
  }
  for (const double epsilon : grid.epsilons) axes.push_back(against_budget(grid, epsilon));
  const auto last = grid.budgets.size() - 1;  // three panels against eps
  for (const std::size_t i : {std::min<std::size_t>(3, last), (last + 4) / 2, last}) {
    axes.push_back(against_epsilon(grid, grid.budgets[std::min(i, last)]));
  }
  return axes;
}

// The half width of the pointwise 95% band in data files (normal_half_width), for a share of
// trials.
double half_width(double rate, std::int64_t trials) {
  Moments moments;
  moments.count = trials;
  moments.mean = {rate};
  moments.squares = {static_cast<double>(trials) * rate * (1.0 - rate)};
  return normal_half_width(moments, 0);
}

void draw(const BestArmRun& run, const SuccessAxis& axis, bool names_policies,
          ExperimentReport& report) {
  Panel panel = log_panel(axis.title, axis.label, "best arm found");
  panel.x.whole = axis.name == "budget";
  panel.y.scale = Scale::kLinear;
  panel.y.low = 0.0;
  panel.y.high = 1.0;
  panel.plot_height = 240.0;
  for (const auto policy : kBestArmPolicies) {
    Curve curve{.panel = axis.title,
                .series = value_text(policy),
                .x_name = axis.name,
                .y_name = "success_rate",
                .repetitions = run.setting.repetitions};
    std::array<std::vector<double>, 2> bounds;
    for (const auto& point : axis.points) {
      curve.x.push_back(axis.value(point));
      curve.y.push_back(run.rate(policy, point));
      const double half = half_width(curve.y.back(), run.setting.repetitions);
      curve.low.push_back(curve.y.back() - half);
      curve.high.push_back(curve.y.back() + half);
      bounds[0].push_back(run.at(policy, point).lower);
      bounds[1].push_back(run.at(policy, point).upper);
    }
    panel.series.push_back(band_of(curve.x, bounds[0], bounds[1], look_of(policy), 0.14));
    panel.series.push_back(Series::line(names_policies ? curve.series : std::string(), curve.x,
                                        curve.y, look_of(policy)));
    report.curves.push_back(std::move(curve));
  }
  report.figure.panels.push_back(std::move(panel));
}

ValueTable values_of(const BestArmRun& run) {
  ValueTable table;
  const bool one = run.figure == BestArmFigure::kOne;
  table.caption = fmt::format("Best arm found, of {} trials", grouped(run.setting.repetitions));
  table.columns = {{"T"}, {"\xCE\xB5"}};
  if (!one) table.columns.push_back({"y/x"});
  for (const auto policy : kBestArmPolicies) table.columns.push_back({value_text(policy)});
  for (const auto& point : run.drawn()) {
    std::vector<std::string> row = {grouped(point.budget), number_text(point.epsilon)};
    if (!one) row.push_back(number_text(point.ratio));
    for (const auto policy : kBestArmPolicies) {
      row.push_back(fmt::format("{:.3f}", run.rate(policy, point)));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

void draw_success(const BestArmRun& run, ExperimentReport& report) {
  const bool one = run.figure == BestArmFigure::kOne;
  const auto& setting = run.setting;
  report.figure.columns = one ? 3 : 2;
  const auto axes = axes_of(run);
  for (std::size_t i = 0; i < axes.size(); ++i) draw(run, axes[i], i == 0, report);
  report.values = values_of(run);
  report.caption = fmt::format(
      "{} The share of {} trials in which the policy recommends the best arm. The shaded "
      "Clopper-Pearson intervals hold jointly at {}%. Seed {}.",
      one ? "Thirty arms in two dimensions, means 0.5, 0.45, 0.45 and 27 below 0.445."
          : fmt::format("Two arms of means {} and 0.5, features (1, 0) and (0, y).",
                        number_text(0.5 + setting.gap)),
      grouped(setting.repetitions), number_text(100.0 * report.confidence), setting.seed);
  report.notes = {
      "The paper prints no grid. Below T = 100 Baseline has hardly a pull for each arm in each "
      "phase. From 5,000 on DP-BAI errs so rarely that only the smallest levels distinguish it "
      "from OD-LinBAI. At \xCE\xB5 = 0.01 all private policies find the best arm in less than four "
      "of five trials at every T here; at 10 the noise is smaller than the variation of the "
      "rewards.",
      "OD-LinBAI is not private, so it has one line for every \xCE\xB5. DP-OD is drawn with the "
      "noise of the l1 norm, with which it is \xCE\xB5-DP; with that of the l2 norm it is not "
      "(`assay verify dp-od-dp`)."};
  if (!one) {
    report.notes.push_back(
        "Rewards uniform on [0, 2 mu] would exceed 1 for the first arm, which neither the paper's "
        "model nor its privacy allows. Here they are uniform on [2 mu - 1, 1], with the same "
        "mean.");
    report.notes.push_back("With two arms DP-BAI pulls both, so it equals Baseline.");
  }
}

template <BestArmFigure F>
Experiment best_arm_figure(ExperimentDescription description) {
  return make_figure<BestArmConfig<F>, BestArmRun>(
      std::move(description), {[](const BestArmSetting& setting, SimulationRunner& runner) {
                                 return run_best_arm(F, setting, runner);
                               },
                               [] { return best_arm_outcomes(F); }, draw_success});
}

std::vector<Experiment> bai_figures() {
  return {
      best_arm_figure<BestArmFigure::kOne>(
          {.id = best_arm_id(BestArmFigure::kOne),
           .title = "Private best-arm identification: success against budget and level",
           .about = "How often DP-BAI, Baseline, OD-LinBAI and DP-OD find the best of thirty arms "
                    "in two dimensions, for eight budgets and six privacy levels.",
           .reproduces = "Fixed-Budget Differentially Private Best Arm Identification, Figure 1"}),
      best_arm_figure<BestArmFigure::kTwo>(
          {.id = best_arm_id(BestArmFigure::kTwo),
           .title = "Private best-arm identification: success against the features' ratio",
           .about = "How often the policies find the better of two arms with features (1, 0) and "
                    "(0, y), against y. The noise on the moments, as in DP-OD, grows with y.",
           .reproduces = "Fixed-Budget Differentially Private Best Arm Identification, Figure 2"}),
      gaussian_map()};
}

}  // namespace
}  // namespace assay::detail

namespace assay {

std::vector<Experiment> best_arm_figures() { return detail::bai_figures(); }

}  // namespace assay
