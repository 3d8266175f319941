// Parts that the figures of simulated experiments share: line styles, bounds, and curves of a series.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/auditors/figures/experiment.hpp"
#include "assay/auditors/figures/experiment_report.hpp"
#include "assay/auditors/figures/outcome.hpp"
#include "assay/policies/simulation/simulation.hpp"

namespace assay {

enum class RegretKind { kPseudo, kRealised };
constexpr std::array<std::pair<RegretKind, std::string_view>, 2> enum_names(RegretKind) {
  return {{{RegretKind::kPseudo, "pseudo"}, {RegretKind::kRealised, "realised"}}};
}

// Parameters that every simulated figure has, in addition to its own.
struct RunSetting {
  std::int64_t repetitions = 1000;
  std::int64_t horizon = 0;
  std::int64_t seed = 1;

  // A simulation with these parameters, without series.
  Simulation simulation(std::string id) const;
};

namespace detail {

// Width of a figure that fills the page.
inline constexpr double kPageWidth = 1064.0;

// Joint error probability of the intervals of one experiment.
inline constexpr double kExperimentAlpha = 1e-3;

// Line styles that differ from their neighbours in colour, and in dash or marker. The tenth is the first again.
Style line_look(std::size_t index);

// The possible range of a regret, known before any run.
struct RegretRange {
  double least = 0.0;
  double most = 0.0;
};

// The range for b pre-pulls of every arm and T - bN rounds that cost at most the largest gap each.
RegretRange regret_range(const std::vector<double>& means, std::int64_t horizon,
                         std::int64_t pre_pulls);
double sum_of_gaps(const std::vector<double>& means);

// Betting intervals of the mean final pseudo-regret of every series, each at alpha/(number of
// series), so that they are jointly valid with probability 1 - alpha, at any number of repetitions. `ranges`, one
// for each series, scale the regrets to [0, 1]. n repetitions resolve about log(1/alpha)/n of a range, so leave
// regret that is certain (pre-pulls) out of it.
std::vector<Bounds> final_regret_bounds(const SimulationResult& result,
                                        const std::vector<RegretRange>& ranges, double alpha);

// The same if every regret lies between 0 and `most`, each series at alpha/(number of them).
std::vector<Bounds> final_regret_bounds(const SimulationResult& result, double most, double alpha);

// The index of the series with this name. Precondition: there is one.
std::size_t series_index(const SimulationResult& result, const std::string& id);

const Moments& regret_moments(const SeriesResult& series, RegretKind kind);
std::string regret_name(RegretKind kind);  // "pseudo-regret"

// Mean regret over the recorded rounds with its band, as a curve.
Curve regret_curve(const SimulationResult& result, std::size_t series, RegretKind kind,
                   std::string panel, std::string name);

// Draws the curve as a line from (0, 0) on, with its band behind it, and adds it to the data of the report.
void draw_regret(Curve curve, const std::string& legend, const Style& look, Panel& panel,
                 ExperimentReport& report);

// Adds both kinds of regret to the data, and draws the kind that is `drawn` in the panel.
void draw_both_regrets(const SimulationResult& result, std::size_t series, RegretKind drawn,
                       const std::string& panel_name, const std::string& name, const Style& look,
                       Panel& panel, ExperimentReport& report);

// band_of makes a band with its edges; add_final_point adds the mean after the last round at x, with its band.
Series band_of(const std::vector<double>& x, const std::vector<double>& low,
               const std::vector<double>& high, Style look, double fill);
void add_final_point(double x, const Moments& moments, Curve& curve);

// Draws the curve as a line, with its band behind it if it has one, and adds it to the data of the report.
void draw_curve(Curve curve, const std::string& legend, const Style& look, Panel& panel,
                ExperimentReport& report, double fill = 0.12);

std::string level_legend(double epsilon);  // with the Greek letter

// "3210.5" to one decimal, "[3105.2, 3320.9]" rounded outward.
std::string regret_text(double regret);
std::string bounds_text(const Bounds& bounds);

// "b = 999: 6051.6 in [5993.5, 6516.1]", of the final pseudo-regret.
std::string final_text(const std::string& name, const SeriesResult& series, const Bounds& bounds);

// Cells of a row of values: the mean regret of a series over its repetitions, its half-width, its bounds.
void add_final_cells(const SeriesResult& series, RegretKind kind, const Bounds& bounds,
                     std::vector<std::string>& row);

// An empty panel with two logarithmic axes, which the caller may change.
Panel log_panel(std::string title, std::string x_label, std::string y_label);
Rule horizontal_rule(double at, std::string label, Dash dash = Dash::kDashed);

Panel regret_panel(const std::string& title, const std::string& x_label, RegretKind kind);

}  // namespace detail
}  // namespace assay
