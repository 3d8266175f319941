#include "assay/auditors/figures/figure_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "assay/auditors/statistics/alpha_ledger.hpp"
#include "assay/auditors/statistics/betting.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/core/chunk_engine.hpp"
#include "assay/mechanisms/core/map_chunks.hpp"
#include "assay/mechanisms/core/progress.hpp"
#include "assay/policies/simulation/round_grid.hpp"

namespace assay {

Simulation RunSetting::simulation(std::string id) const {
  Simulation simulation;
  simulation.id = std::move(id);
  simulation.horizon = horizon;
  simulation.repetitions = repetitions;
  simulation.seed = static_cast<std::uint64_t>(seed);
  return simulation;
}

namespace detail {

Style line_look(std::size_t index) {
  constexpr double kWidth = 1.6;
  static constexpr std::array<Style, 9> kLooks = {{
      {Colour::kBlack, Dash::kSolid, Marker::kCircle, kWidth},
      {Colour::kVermillion, Dash::kDashed, Marker::kSquare, kWidth},
      {Colour::kOrange, Dash::kSolid, Marker::kTriangle, kWidth},
      {Colour::kGreen, Dash::kDashDot, Marker::kDiamond, kWidth},
      {Colour::kBlue, Dash::kSolid, Marker::kCross, kWidth},
      {Colour::kSkyBlue, Dash::kDashed, Marker::kCircle, kWidth},
      {Colour::kPurple, Dash::kSolid, Marker::kSquare, kWidth},
      {Colour::kGrey, Dash::kDashDot, Marker::kTriangle, kWidth},
      {Colour::kBlack, Dash::kDotted, Marker::kDiamond, kWidth},
  }};
  return kLooks[index % kLooks.size()];
}

double sum_of_gaps(const std::vector<double>& means) {
  const double best = *std::max_element(means.begin(), means.end());
  double sum = 0.0;
  for (const double mean : means) sum += best - mean;
  return sum;
}

RegretRange regret_range(const std::vector<double>& means, std::int64_t horizon,
                         std::int64_t pre_pulls) {
  const auto [low, high] = std::minmax_element(means.begin(), means.end());
  const double forced = static_cast<double>(pre_pulls) * sum_of_gaps(means);
  const auto rounds =
      static_cast<double>(horizon - pre_pulls * static_cast<std::int64_t>(means.size()));
  return {forced, forced + rounds * (*high - *low)};
}

std::vector<Bounds> final_regret_bounds(const SimulationResult& result,
                                        const std::vector<RegretRange>& ranges, double alpha) {
  auto ledger = AlphaLedger::create(alpha).value();
  const double share = 1.0 / static_cast<double>(result.series.size());
  std::vector<BettingPlan> plans;
  for (const SeriesResult& series : result.series) {
    BettingPlan& plan = plans.emplace_back();
    plan.alpha = ledger.spend("final regret of " + series.id, share).value();
    plan.horizon = series.repetitions();
  }
  // Of many repetitions, these take longer than all else that follows the runs.
  RunControl control;
  control.engine = engine_of_process;
  const auto ends = map_chunks(control, plans.size(), [&](std::size_t i) {
    const auto [least, most] = ranges[i];
    const auto interval =
        mean_interval_between(result.series[i].all.final_pseudo, least, most, plans[i]);
    return std::pair(interval.lower.value.value, interval.upper.value.value);
  });
  std::vector<Bounds> bounds;
  for (const auto& [lower, upper] : ends) bounds.push_back({lower, upper});
  return bounds;
}

std::vector<Bounds> final_regret_bounds(const SimulationResult& result, double most, double alpha) {
  return final_regret_bounds(result, std::vector<RegretRange>(result.series.size(), {0.0, most}),
                             alpha);
}

std::size_t series_index(const SimulationResult& result, const std::string& id) {
  const auto found = std::find_if(result.series.begin(), result.series.end(),
                                  [&](const SeriesResult& one) { return one.id == id; });
  ASSAY_CHECK(found != result.series.end(), "a series of the run");
  return static_cast<std::size_t>(found - result.series.begin());
}

const Moments& regret_moments(const SeriesResult& series, RegretKind kind) {
  return kind == RegretKind::kPseudo ? series.all.pseudo : series.all.realised;
}

std::string regret_name(RegretKind kind) {
  return kind == RegretKind::kPseudo ? "pseudo-regret" : "realised regret";
}

Curve regret_curve(const SimulationResult& result, std::size_t series, RegretKind kind,
                   std::string panel, std::string name) {
  const Moments& moments = regret_moments(result.at(series), kind);
  Curve curve;
  curve.panel = std::move(panel);
  curve.series = std::move(name);
  curve.x_name = "round";
  curve.y_name = kind == RegretKind::kPseudo ? "pseudo_regret_reward" : "realised_regret_reward";
  curve.repetitions = moments.count;
  for (std::size_t k = 0; k < result.rounds.size(); ++k) {
    const double half = normal_half_width(moments, k);
    curve.x.push_back(static_cast<double>(result.rounds[k]));
    curve.y.push_back(moments.mean[k]);
    curve.low.push_back(moments.mean[k] - half);
    curve.high.push_back(moments.mean[k] + half);
  }
  return curve;
}

void draw_regret(Curve curve, const std::string& legend, const Style& look, Panel& panel,
                 ExperimentReport& report) {
  // Only even steps, since on a linear axis the others would crowd at its beginning.
  const double last = curve.x.back();
  std::vector<double> x = {0.0};
  std::vector<double> y = {0.0};
  std::vector<double> low = {0.0};
  std::vector<double> high = {0.0};
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    if (curve.x[i] < last && curve.x[i] - x.back() < 0.99 * last / kEvenRounds) continue;
    x.push_back(curve.x[i]);
    y.push_back(curve.y[i]);
    low.push_back(curve.low[i]);
    high.push_back(curve.high[i]);
  }
  panel.series.push_back(band_of(x, low, high, look, 0.22));
  Style line = look;
  line.marker_stride = 13;
  panel.series.push_back(Series::line(legend, x, y, line));
  report.curves.push_back(std::move(curve));
}

void draw_both_regrets(const SimulationResult& result, std::size_t series, RegretKind drawn,
                       const std::string& panel_name, const std::string& name, const Style& look,
                       Panel& panel, ExperimentReport& report) {
  for (const RegretKind kind : {RegretKind::kPseudo, RegretKind::kRealised}) {
    auto curve = regret_curve(result, series, kind, panel_name, name);
    if (kind == drawn) {
      draw_regret(std::move(curve), name, look, panel, report);
    } else {
      report.curves.push_back(std::move(curve));
    }
  }
}

Series band_of(const std::vector<double>& x, const std::vector<double>& low,
               const std::vector<double>& high, Style look, double fill) {
  look.width = 0.0;
  look.fill = fill;
  return Series::band("", x, low, high, look);
}

void add_final_point(double x, const Moments& moments, Curve& curve) {
  const double half = normal_half_width(moments, moments.mean.size() - 1);
  curve.x.push_back(x);
  curve.y.push_back(moments.mean.back());
  curve.low.push_back(curve.y.back() - half);
  curve.high.push_back(curve.y.back() + half);
}

void draw_curve(Curve curve, const std::string& legend, const Style& look, Panel& panel,
                ExperimentReport& report, double fill) {
  if (!curve.low.empty()) {
    panel.series.push_back(band_of(curve.x, curve.low, curve.high, look, fill));
  }
  panel.series.push_back(Series::line(legend, curve.x, curve.y, look));
  report.curves.push_back(std::move(curve));
}

std::string level_legend(double epsilon) { return "\xCE\xB5 = " + number_text(epsilon); }

std::string regret_text(double regret) { return fmt::format("{:.1f}", regret); }

std::string bounds_text(const Bounds& bounds) {
  return fmt::format("[{}, {}]", rounded_down(bounds.lower, 5), rounded_up(bounds.upper, 5));
}

std::string final_text(const std::string& name, const SeriesResult& series, const Bounds& bounds) {
  return fmt::format("{}: {} in {}", name, regret_text(series.all.pseudo.mean.back()),
                     bounds_text(bounds));
}

void add_final_cells(const SeriesResult& series, RegretKind kind, const Bounds& bounds,
                     std::vector<std::string>& row) {
  const Moments& moments = regret_moments(series, kind);
  row.push_back(regret_text(moments.mean.back()));
  row.push_back(regret_text(normal_half_width(moments, moments.mean.size() - 1)));
  row.push_back(bounds_text(bounds));
}

Panel log_panel(std::string title, std::string x_label, std::string y_label) {
  Panel panel;
  panel.title = std::move(title);
  panel.x = {std::move(x_label), Scale::kLog};
  panel.y = {std::move(y_label), Scale::kLog};
  panel.plot_height = 300.0;
  return panel;
}

Rule horizontal_rule(double at, std::string label, Dash dash) {
  return {
      Rule::Along::kHorizontal, at, std::move(label), {Colour::kGrey, dash, Marker::kNone, 1.2}};
}

Panel regret_panel(const std::string& title, const std::string& x_label, RegretKind kind) {
  Panel panel;
  panel.title = title;
  panel.x.label = x_label;
  panel.x.whole = true;
  panel.y.label = "mean " + regret_name(kind);
  panel.y.low = 0.0;
  panel.plot_height = 300.0;
  return panel;
}

}  // namespace detail
}  // namespace assay
