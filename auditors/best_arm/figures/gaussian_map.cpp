#include "assay/auditors/best_arm/figures/gaussian_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "assay/auditors/best_arm/claims/gaussian_levels.hpp"
#include "assay/auditors/figures/grid_run.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay::detail {
namespace {

using best_arm_checks::boundary;
using best_arm_checks::true_delta;

constexpr double kLog10 = 2.302585092994046;
constexpr std::array kViews = {BestArmView::kRelease, BestArmView::kTranscript};

struct GaussianMapConfig {
  std::int64_t decades = 10;  // delta from 10^-decades to 10^-1

  static void fields(auto&& visit) {
    using C = GaussianMapConfig;
    visit(field("decades", &C::decades, Range{2, 12}, "", "the least delta is 10^-decades"));
  }
};

std::string name_of(BestArmView view) {
  return view == BestArmView::kRelease ? "released means" : "transcript of two arms";
}

Style look_of(BestArmView view) {
  return view == BestArmView::kRelease
             ? Style{Colour::kVermillion, Dash::kSolid, Marker::kCircle, 1.7}
             : Style{Colour::kBlue, Dash::kDashed, Marker::kSquare, 1.7};
}

struct MapRun {
  std::vector<double> deltas;                   // ascending
  std::array<std::vector<double>, 2> epsilons;  // the least that fails, by view
};

Result<MapRun> map_of(const GaussianMapConfig& config, SimulationRunner&) {
  MapRun run;
  for (std::int64_t quarter = -4 * config.decades; quarter <= -4; ++quarter) {
    run.deltas.push_back(portable_exp(kLog10 * static_cast<double>(quarter) / 4.0));
    for (const auto view : kViews) {
      run.epsilons[static_cast<std::size_t>(view)].push_back(
          boundary(view, run.deltas.back()).value_or(HUGE_VAL));
    }
  }
  return run;
}

void draw_map(const MapRun& run, ExperimentReport& report) {
  Panel panel =
      log_panel("the classical constant is enough below the line", "\xCE\xB4", "\xCE\xB5");
  panel.y.low = 0.5;
  panel.y.high = 200.0;
  for (const auto view : kViews) {
    Style look = look_of(view);
    look.marker_stride = 4;
    draw_curve({.panel = "map",
                .series = name_of(view),
                .x_name = "delta",
                .y_name = "epsilon_up_to_which_it_holds",
                .x = run.deltas,
                .y = run.epsilons[static_cast<std::size_t>(view)]},
               name_of(view), look, panel, report);
  }
  panel.rules.push_back(horizontal_rule(1.0, "\xCE\xB5 = 1: the theorem ends"));
  report.figure.panels.push_back(std::move(panel));
}

void draw_excess(double delta, ExperimentReport& report) {
  Panel panel =
      log_panel("true over claimed \xCE\xB4, \xCE\xB4 = " + number_text(delta), "\xCE\xB5", "");
  panel.y.low = 1e-3;
  for (const auto view : kViews) {
    Curve curve{.panel = "excess at delta = " + number_text(delta),
                .series = name_of(view),
                .x_name = "epsilon",
                .y_name = "true_over_claimed_delta"};
    for (int i = 0; i <= 40; ++i) {  // eps from 1 to 100
      curve.x.push_back(portable_exp(kLog10 * static_cast<double>(i) / 20.0));
      curve.y.push_back(true_delta(view, curve.x.back(), delta) / delta);
    }
    Style look = look_of(view);
    look.marker_stride = 5;
    draw_curve(std::move(curve), "", look, panel, report);
  }
  panel.rules.push_back(horizontal_rule(1.0, "as claimed"));
  report.figure.panels.push_back(std::move(panel));
}

StatedOutcome<MapRun> enough_for(BestArmView view) {
  const bool release = view == BestArmView::kRelease;
  return {
      release ? "the classical constant is enough for the release"
              : "the classical constant is enough for the actions",
      release ? "by Theorem A.1 of Dwork and Roth the private means are (eps, delta)-DP "
                "(Appendix I)"
              : "DP-BAI-Gauss is (eps, delta)-DP for any eps > 0 (Proposition D.2)",
      fmt::format("at every \xCE\xB4 drawn and every \xCE\xB5 up to 1000 the exact \xCE\xB4 of {} "
                  "is at most the claimed one",
                  release ? "one mean" : "which of two means is smaller"),
      [view](const MapRun& run) {
        const auto& epsilons = run.epsilons[static_cast<std::size_t>(view)];
        const double least = *std::min_element(epsilons.begin(), epsilons.end());
        return OutcomeDecision{
            outcome_of(least > 1000.0),
            fmt::format("it fails from \xCE\xB5 = {} on at \xCE\xB4 = {}, from {} on at {}",
                        rounded_up(epsilons.front(), 4), rounded(run.deltas.front(), 3),
                        rounded_up(epsilons.back(), 4), rounded(run.deltas.back(), 3))};
      }};
}

StatedOutcome<MapRun> theorem_holds() {
  return {"it is enough where the theorem says so",
          "the Gaussian mechanism with this constant is (eps, delta)-DP for eps < 1 (Dwork, Roth, "
          "Theorem A.1)",
          "at every \xCE\xB4 drawn it is enough up to \xCE\xB5 = 1", [](const MapRun& run) {
            const auto& epsilons = run.epsilons[0];
            const double least = *std::min_element(epsilons.begin(), epsilons.end());
            return OutcomeDecision{outcome_of(least > 1.0),
                                   "enough up to \xCE\xB5 = " + rounded_down(least, 4)};
          }};
}

std::vector<StatedOutcome<MapRun>> map_outcomes() {
  return {theorem_holds(), enough_for(BestArmView::kRelease), enough_for(BestArmView::kTranscript)};
}

void draw_constant(const MapRun& run, ExperimentReport& report) {
  report.figure.columns = 3;
  draw_map(run, report);
  draw_excess(1e-2, report);
  draw_excess(1e-5, report);
  report.values.caption = "The classical constant is enough up to this \xCE\xB5";
  report.values.columns = {{"\xCE\xB4"}, {"released means"}, {"transcript of two arms"}};
  for (std::size_t i = 0; i < run.deltas.size(); i += 4) {
    report.values.rows.push_back({rounded(run.deltas[i], 3), rounded_down(run.epsilons[0][i], 4),
                                  rounded_down(run.epsilons[1][i], 4)});
  }
  report.caption =
      "Normal noise of deviation sqrt(2 log(1.25/\xCE\xB4))/\xCE\xB5 on a sum of rewards: the "
      "largest \xCE\xB5 at which it gives (\xCE\xB5, \xCE\xB4)-DP, for the sum itself and for the "
      "index of the smaller of two sums, and the excess of the exact \xCE\xB4 over the claimed one. Computed, "
      "no repetitions.";
  report.notes = {
      "A transcript of more arms loses at least as much as one of two arms. Between the two lines "
      "some of them may fail too, but none fails below the line of the released means."};
}

}  // namespace

Experiment gaussian_map() {
  return make_figure<GaussianMapConfig, MapRun>(
      {.id = "bai-gauss-map",
       .title = "Where the classical constant of Gaussian noise is enough for DP-BAI-Gauss",
       .about =
           "The largest eps, for each delta, at which the noise that DP-BAI-Gauss adds by the classical "
           "constant is enough, for its release and for its actions.",
       .reproduces =
           "Fixed-Budget Differentially Private Best Arm Identification, Proposition D.2 (no figure)"},
      {map_of, map_outcomes, draw_constant});
}

}  // namespace assay::detail
