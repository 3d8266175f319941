#include "assay/auditors/dueling/figures/dueling_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "assay/auditors/dueling/figures/duel_run.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay::detail {
namespace {

using P = DuelPolicy;

enum class DuelFigure { kHorizon, kArms, kEpsilon };

constexpr std::array kArmsDrawn = {2, 3, 5, 8, 12};
constexpr std::array kLevelsDrawn = {0.1, 0.3, 1.0, 3.0, 10.0, 30.0};
constexpr double kManyLevels = 10.0;  // the second level of duel-horizon

template <DuelFigure F>
struct DuelConfig : DuelSetting {
  static void fields(auto&& visit) {
    using C = DuelConfig;
    visit(field<C, std::int64_t>("repetitions", &C::repetitions, Range{2, 1e4}, "R",
                                 "independent runs of every policy"));
    visit(field<C, std::int64_t>("horizon", &C::horizon, Range{1000, 1e7}, "T", "duels of a run"));
    if (F != DuelFigure::kArms) {
      visit(field<C, std::int64_t>("arms", &C::arms, Range{2, 64}, "K", "arms"));
    }
    if (F != DuelFigure::kEpsilon) {
      visit(field<C, double>("epsilon", &C::epsilon, Range{0.01, 9.0}, "eps",
                             "level of the private policies"));
    }
    visit(field<C, std::int64_t>("seed", &C::seed, Range{0, 1e9}, "", "names the random streams"));
  }
};

std::string point_name(const DuelPoint& point) {
  return name_of(point.policy) +
         (has_level(point.policy) ? ", " + level_legend(point.epsilon) : "");
}

std::string mean_text(const DuelRun& run, const DuelPoint& point) {
  return fmt::format("{} {} in {}", point_name(point), regret_text(run.mean(point)),
                     bounds_text(run.at(point)));
}

// Decides whether a's mean final regret is below b's for each pair.
OutcomeDecision all_below(const DuelRun& run,
                          const std::vector<std::pair<DuelPoint, DuelPoint>>& pairs,
                          bool shows_arms = false) {
  JointDecision found;
  for (const auto& [a, b] : pairs) {
    const auto arms = [&](const DuelPoint& point) {
      return shows_arms ? fmt::format(" (K = {})", point.arms) : std::string();
    };
    found.add(is_below(run.at(a), run.at(b)),
              mean_text(run, a) + arms(a) + " compared with " + mean_text(run, b) + arms(b));
  }
  return found.decision();
}

// Compares the policies with duels of two uniform arms.
OutcomeDecision learns(const DuelRun& run, const std::vector<DuelPoint>& points) {
  JointDecision found;
  for (const auto& point : points) {
    const double uniform = uniform_regret(point.arms, run.setting.horizon);
    found.add(is_below(run.at(point), {uniform, uniform}), mean_text(run, point));
  }
  found.note("uniform duels cost " +
             regret_text(uniform_regret(points[0].arms, run.setting.horizon)));
  return found.decision();
}

void add_final_row(const DuelRun& run, const DuelPoint& point, ExperimentReport& report) {
  std::vector<std::string> row = {name_of(point.policy), std::to_string(point.arms),
                                  has_level(point.policy) ? number_text(point.epsilon) : "-"};
  add_final_cells(run.series(point), RegretKind::kPseudo, run.at(point), row);
  report.values.rows.push_back(std::move(row));
}

// Final regrets along a line of points, with their intervals.
void draw_finals(const DuelRun& run, const std::vector<DuelPoint>& points,
                 const std::string& x_name, double (*x_of)(const DuelPoint&),
                 const std::string& legend, const Style& look, Panel& panel,
                 ExperimentReport& report) {
  Curve curve{.panel = panel.title,
              .series = name_of(points[0].policy),
              .x_name = x_name,
              .y_name = "final_pseudo_regret_reward",
              .repetitions = run.setting.repetitions};
  for (const auto& point : points) {
    add_final_point(x_of(point), run.series(point).all.pseudo, curve);
  }
  draw_curve(std::move(curve), legend, look, panel, report);
}

std::string arms_text(std::int64_t arms) {
  return fmt::format("{} arms with scores evenly from 1 to -1, preferences logistic in them", arms);
}

void describe_run(const DuelRun& run, const std::string& what, ExperimentReport& report) {
  report.values.caption =
      fmt::format("Mean final regret of {} runs, T = {}", grouped(run.setting.repetitions),
                  grouped(run.setting.horizon));
  report.values.columns = {{"policy", false}, {"K"},          {"\xCE\xB5"},
                           {"mean"},          {"half-width"}, {"interval"}};
  for (const auto& point : run.points) add_final_row(run, point, report);
  report.caption = fmt::format(
      "{} The regret of a duel is 2 r* - r(a) - r(b). Lines are means of {} runs with pointwise "
      "95% bands. The checks use intervals that hold jointly at {}%. Seed {}.",
      what, grouped(run.setting.repetitions), number_text(100.0 * report.confidence),
      run.setting.seed);
  double leaves = HUGE_VAL;
  for (const auto& point : run.points) {
    if (point.policy != P::kDpEbs) continue;
    leaves =
        std::min(leaves, duels_with_printed_radius(point.arms, point.epsilon, run.setting.horizon));
  }
  report.notes = {
      fmt::format(
          "The paper has no experiments. DP-EBS has the smallest Laplace noise of its level and "
          "the exact quantile for its radius. With the printed radius and exact estimates the "
          "worst arm leaves after {} duels at the earliest (duel-phases).",
          rounded(leaves, 3)),
      fmt::format(
          "GOptimal-DPDB has {} of its printed phase lengths and no initial draws. A first phase "
          "of full length resolves differences to 0.01, but it needs to resolve only 1 (`assay "
          "verify gopt-confidence-differences`).",
          number_text(kPhaseScale))};
}

// ---- duel-horizon -------------------------------------------------------------------------------

std::vector<DuelPoint> private_points(const DuelSetting& setting) {
  std::vector<DuelPoint> points;
  for (const double epsilon : {setting.epsilon, kManyLevels}) {
    for (const P policy : {P::kDpEbs, P::kLocal}) points.push_back({policy, setting.arms, epsilon});
  }
  points.push_back({P::kGOptimal, setting.arms, setting.epsilon});
  return points;
}

std::vector<DuelPoint> reference_points(const DuelSetting& setting) {
  std::vector<DuelPoint> points;
  for (const P policy : {P::kEbs, P::kRucb, P::kRmed, P::kThompson}) {
    points.push_back({policy, setting.arms, 0.0});
  }
  return points;
}

std::vector<StatedOutcome<DuelRun>> horizon_outcomes() {
  return {
      {"elimination learns",
       "the regret of DP-EBS-Elimination is O~(sum log(KT)/Delta + K/eps) (Theorem 1)",
       "at T the intervals of EBS and of DP-EBS at the larger \xCE\xB5 lie below the regret of "
       "uniform duels",
       [](const DuelRun& run) {
         return learns(
             run, {{P::kEbs, run.setting.arms, 0.0}, {P::kDpEbs, run.setting.arms, kManyLevels}});
       }},
      {"privacy costs regret", "the term K/eps of Theorems 1 and 2",
       "the interval of EBS lies below those of DP-EBS, and that of the larger \xCE\xB5 below that "
       "of the smaller",
       [](const DuelRun& run) {
         const auto k = run.setting.arms;
         const DuelPoint ebs{P::kEbs, k, 0.0};
         const DuelPoint low{P::kDpEbs, k, run.setting.epsilon};
         const DuelPoint high{P::kDpEbs, k, kManyLevels};
         return all_below(run, {{ebs, high}, {high, low}});
       }},
      {"policies that adapt are ahead of elimination",
       "elimination plays the remaining arms in turn; RUCB, RMED1 and Double Thompson Sampling "
       "favour the best (their papers)",
       "the intervals of all three lie below that of EBS", [](const DuelRun& run) {
         const auto k = run.setting.arms;
         const DuelPoint ebs{P::kEbs, k, 0.0};
         return all_below(
             run,
             {{{P::kRucb, k, 0.0}, ebs}, {{P::kRmed, k, 0.0}, ebs}, {{P::kThompson, k, 0.0}, ebs}});
       }}};
}

Result<DuelRun> run_horizon(const DuelSetting& setting, SimulationRunner& runner) {
  auto points = private_points(setting);
  for (const auto& point : reference_points(setting)) points.push_back(point);
  return run_duels("duel-horizon", setting, points, runner);
}

void draw_horizon(const DuelRun& run, ExperimentReport& report) {
  const auto& setting = run.setting;
  report.figure.columns = 2;
  const auto panel_of = [&](const std::string& title, const std::vector<DuelPoint>& drawn) {
    Panel panel = regret_panel(title, "duels", RegretKind::kPseudo);
    panel.y.label = "mean regret";
    for (const auto& point : drawn) {
      Style look = look_of(point.policy);
      if (has_level(point.policy) && point.epsilon == kManyLevels) look.dash = Dash::kDotted;
      draw_regret(regret_curve(*run.result, run.index(point), RegretKind::kPseudo, title,
                               point_name(point)),
                  point_name(point), look, panel, report);
    }
    report.figure.panels.push_back(std::move(panel));
  };
  auto left = private_points(setting);
  left.push_back({P::kEbs, setting.arms, 0.0});
  panel_of("with privacy", left);
  auto right = reference_points(setting);
  right.erase(right.begin());  // EBS, far above
  panel_of("policies that adapt, not private", right);
  describe_run(run, arms_text(setting.arms) + ".", report);
}

// ---- duel-arms ----------------------------------------------------------------------------------

constexpr std::array kArmsPolicies = {P::kDpEbs, P::kLocal, P::kEbs, P::kRucb, P::kRmed};

double epsilon_for(P policy, double epsilon) { return has_level(policy) ? epsilon : 0.0; }

std::vector<StatedOutcome<DuelRun>> arms_outcomes() {
  return {{"regret grows with the number of arms", "both terms of Theorem 1 are sums over arms",
           "the intervals of EBS and DP-EBS with the fewest arms lie below those with the most",
           [](const DuelRun& run) {
             std::vector<std::pair<DuelPoint, DuelPoint>> pairs;
             for (const P policy : {P::kEbs, P::kDpEbs}) {
               const double epsilon = epsilon_for(policy, run.setting.epsilon);
               pairs.push_back(
                   {{policy, kArmsDrawn.front(), epsilon}, {policy, kArmsDrawn.back(), epsilon}});
             }
             return all_below(run, pairs, true);
           }},
          {"privacy costs regret with more arms than two", "the term K/eps of Theorems 1 and 2",
           "for every K drawn from 3 the interval of EBS lies below that of DP-EBS",
           [](const DuelRun& run) {
             std::vector<std::pair<DuelPoint, DuelPoint>> pairs;
             for (const int arms : kArmsDrawn) {
               if (arms < 3) continue;  // the regrets hardly differ
               pairs.push_back({{P::kEbs, arms, 0.0}, {P::kDpEbs, arms, run.setting.epsilon}});
             }
             return all_below(run, pairs, true);
           }}};
}

std::vector<DuelPoint> points_over_arms(P policy, const DuelSetting& setting) {
  std::vector<DuelPoint> points;
  for (const int arms : kArmsDrawn) {
    points.push_back({policy, arms, epsilon_for(policy, setting.epsilon)});
  }
  return points;
}

Result<DuelRun> run_arms(const DuelSetting& setting, SimulationRunner& runner) {
  std::vector<DuelPoint> points;
  for (const P policy : kArmsPolicies) {
    for (const auto& point : points_over_arms(policy, setting)) points.push_back(point);
  }
  return run_duels("duel-arms", setting, points, runner);
}

void draw_arms(const DuelRun& run, ExperimentReport& report) {
  Panel panel = log_panel("T = " + grouped(run.setting.horizon), "arms K", "mean final regret");
  panel.x.whole = true;
  for (const P policy : kArmsPolicies) {
    const auto line = points_over_arms(policy, run.setting);
    draw_finals(
        run, line, "arms", [](const DuelPoint& p) { return static_cast<double>(p.arms); },
        point_name(line[0]), look_of(policy), panel, report);
  }
  report.figure.panels.push_back(std::move(panel));
  describe_run(run, "Arms with scores evenly from 1 to -1, preferences logistic in them.", report);
}

// ---- duel-epsilon -------------------------------------------------------------------------------

constexpr std::array kLevelPolicies = {P::kDpEbs, P::kPaperEbs, P::kLocal, P::kGOptimal};
constexpr std::array kLevelReferences = {P::kEbs, P::kRmed};

std::vector<StatedOutcome<DuelRun>> epsilon_outcomes() {
  return {{"regret falls with epsilon", "the term K/eps of Theorem 1",
           "the intervals of DP-EBS and of the local model at the largest \xCE\xB5 drawn lie below "
           "those at the smallest",
           [](const DuelRun& run) {
             std::vector<std::pair<DuelPoint, DuelPoint>> pairs;
             for (const P policy : {P::kDpEbs, P::kLocal}) {
               pairs.push_back({{policy, run.setting.arms, kLevelsDrawn.back()},
                                {policy, run.setting.arms, kLevelsDrawn.front()}});
             }
             return all_below(run, pairs);
           }},
          {"the smallest noise costs less than the paper's",
           "counters of level eps/4 (Algorithm 1), which spend less than half of it (`assay verify "
           "duel-dp`)",
           "at \xCE\xB5 = 3 the interval of DP-EBS lies below that with the paper's noise",
           [](const DuelRun& run) {
             return all_below(run, {{{P::kDpEbs, run.setting.arms, 3.0},
                                     {P::kPaperEbs, run.setting.arms, 3.0}}});
           }}};
}

std::vector<DuelPoint> points_over_levels(P policy, const DuelSetting& setting) {
  std::vector<DuelPoint> points;
  for (const double epsilon : kLevelsDrawn) points.push_back({policy, setting.arms, epsilon});
  return points;
}

Result<DuelRun> run_epsilon(const DuelSetting& setting, SimulationRunner& runner) {
  std::vector<DuelPoint> points;
  for (const P policy : kLevelPolicies) {
    for (const auto& point : points_over_levels(policy, setting)) points.push_back(point);
  }
  for (const P policy : kLevelReferences) points.push_back({policy, setting.arms, 0.0});
  return run_duels("duel-epsilon", setting, points, runner);
}

void draw_epsilon(const DuelRun& run, ExperimentReport& report) {
  const auto& setting = run.setting;
  Panel panel =
      log_panel("T = " + grouped(setting.horizon) + ", K = " + std::to_string(setting.arms),
                "\xCE\xB5", "mean final regret");
  for (const P policy : kLevelPolicies) {
    draw_finals(
        run, points_over_levels(policy, setting), "epsilon",
        [](const DuelPoint& p) { return p.epsilon; }, name_of(policy), look_of(policy), panel,
        report);
  }
  for (const P policy : kLevelReferences) {
    Style look = look_of(policy);
    look.marker = Marker::kNone;
    const double mean = run.mean({policy, setting.arms, 0.0});
    panel.series.push_back(Series::line(
        name_of(policy), {kLevelsDrawn.front(), kLevelsDrawn.back()}, {mean, mean}, look));
  }
  panel.rules.push_back(horizontal_rule(uniform_regret(setting.arms, setting.horizon),
                                        "uniform duels", Dash::kDotted));
  report.figure.panels.push_back(std::move(panel));
  describe_run(run, arms_text(setting.arms) + ".", report);
  std::string dearer;  // levels
  for (const double epsilon : kLevelsDrawn) {
    const auto interval = [&](P policy) { return run.at({policy, setting.arms, epsilon}); };
    if (is_below(interval(P::kDpEbs), interval(P::kLocal)) != Outcome::kHolds) continue;
    dearer += (dearer.empty() ? "\xCE\xB5 = " : ", ") + number_text(epsilon);
  }
  report.notes.push_back(fmt::format(
      "At T = {} the intervals show that the local model costs more than the central one at {}. If "
      "eps is small, its intervals are about 2/eps times as wide as without privacy, while each "
      "radius of the central model pays for the noise of a whole tree. With T long enough for "
      "both, the central model is ahead there (duel-eliminations at eps = 0.3, duel-phases).",
      grouped(setting.horizon), dearer.empty() ? "no level drawn" : dearer));
}

// ---- the figures --------------------------------------------------------------------------------

std::vector<Experiment> duel_figures() {
  return {
      make_figure<DuelConfig<DuelFigure::kHorizon>, DuelRun>(
          {.id = "duel-horizon",
           .title = "Private dueling bandits: regret over time",
           .about = "Regret over time of elimination by effective Borda scores with central, local "
                    "and no privacy, of GOptimal-DPDB, and of RUCB, RMED1 and Double Thompson "
                    "Sampling.",
           .reproduces = "DP-Dueling, Theorem 1 (no figure)"},
          {run_horizon, horizon_outcomes, draw_horizon}),
      make_figure<DuelConfig<DuelFigure::kArms>, DuelRun>(
          {.id = "duel-arms",
           .title = "Private dueling bandits: regret against the number of arms",
           .about = "Final regret of elimination with and without privacy, of RUCB and of RMED1, "
                    "for 2 to 12 arms.",
           .reproduces = "DP-Dueling, Theorems 1 and 2 (no figure)"},
          {run_arms, arms_outcomes, draw_arms}),
      make_figure<DuelConfig<DuelFigure::kEpsilon>, DuelRun>(
          {.id = "duel-epsilon",
           .title = "Private dueling bandits: regret against the level",
           .about = "Final regret of DP-EBS-Elimination with the smallest and with the paper's "
                    "noise, of the local model and of GOptimal-DPDB, for six levels.",
           .reproduces = "DP-Dueling, Theorem 1 and Remark 3 (no figure)"},
          {run_epsilon, epsilon_outcomes, draw_epsilon}),
      elimination_times(), phase_lengths()};
}

}  // namespace
}  // namespace assay::detail

namespace assay {

std::vector<Experiment> dueling_figures() { return detail::duel_figures(); }

}  // namespace assay
