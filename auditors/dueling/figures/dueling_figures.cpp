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
constexpr double kManyLevels = 10.0;  // of duel-horizon, beside the setting's

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

// a's mean final regret below b's for each pair.
OutcomeDecision all_below(const DuelRun& run,
                          const std::vector<std::pair<DuelPoint, DuelPoint>>& pairs,
                          bool shows_arms = false) {
  OutcomeDecision found;
  std::vector<Outcome> parts;
  for (const auto& [a, b] : pairs) {
    parts.push_back(is_below(run.at(a), run.at(b)));
    const auto arms = [&](const DuelPoint& point) {
      return shows_arms ? fmt::format(" (K = {})", point.arms) : std::string();
    };
    found.observed += (found.observed.empty() ? "" : "; ") + mean_text(run, a) + arms(a) +
                      " beside " + mean_text(run, b) + arms(b);
  }
  found.outcome = all_of(parts);
  return found;
}

// The policies in place of duels of two uniform arms.
OutcomeDecision learns(const DuelRun& run, const std::vector<DuelPoint>& points) {
  OutcomeDecision found;
  std::vector<Outcome> parts;
  for (const auto& point : points) {
    const double uniform = uniform_regret(point.arms, run.setting.horizon);
    parts.push_back(is_below(run.at(point), {uniform, uniform}));
    found.observed += (found.observed.empty() ? "" : "; ") + mean_text(run, point);
  }
  found.observed += fmt::format("; uniform duels cost {}",
                                regret_text(uniform_regret(points[0].arms, run.setting.horizon)));
  found.outcome = all_of(parts);
  return found;
}

void add_final_row(const DuelRun& run, const DuelPoint& point, ExperimentReport& report) {
  std::vector<std::string> row = {name_of(point.policy), std::to_string(point.arms),
                                  has_level(point.policy) ? number_text(point.epsilon) : "-"};
  for (auto& cell :
       final_cells(run.result->at(run.index(point)), RegretKind::kPseudo, run.at(point))) {
    row.push_back(std::move(cell));
  }
  report.values.rows.push_back(std::move(row));
}

// Final regrets along a line of points, with their intervals.
void add_final_line(const DuelRun& run, const std::vector<DuelPoint>& points,
                    const std::string& x_name, double (*x_of)(const DuelPoint&),
                    const std::string& legend, const Style& look, Panel& panel,
                    ExperimentReport& report) {
  Curve curve;
  curve.panel = panel.title;
  curve.series = name_of(points[0].policy);
  curve.x_name = x_name;
  curve.y_name = "final_pseudo_regret_reward";
  curve.repetitions = run.setting.repetitions;
  for (const auto& point : points) {
    add_final_point(x_of(point), run.result->at(run.index(point)).all.pseudo, curve);
  }
  add_final_lines(curve, legend, look, panel);
  report.curves.push_back(std::move(curve));
}

std::string arms_text(std::int64_t arms) {
  return fmt::format("{} arms with scores evenly from 1 to -1, preferences logistic in them", arms);
}

void describe_run(const DuelRun& run, const std::string& what, ExperimentReport& report) {
  report.confidence = 1.0 - kExperimentAlpha;
  report.values.caption =
      fmt::format("Mean final regret of {} runs, T = {}", grouped(run.setting.repetitions),
                  grouped(run.setting.horizon));
  report.values.columns = {{"policy", false}, {"K"},          {"\xCE\xB5"},
                           {"mean"},          {"half-width"}, {"interval"}};
  for (const auto& point : run.points) add_final_row(run, point, report);
  report.caption = fmt::format(
      "{} Regret of a duel is 2 r* - r(a) - r(b); means of {} runs, pointwise 95% bands; checks by "
      "intervals that hold jointly at {}%. Seed {}.",
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
          "The paper has no experiments. DP-EBS has the smallest Laplace noise of its level and the "
          "exact quantile for its radius: with the printed radius, and exact estimates, the worst "
          "arm leaves after {} duels at the earliest (duel-phases).",
          rounded(leaves, 3)),
      fmt::format(
          "GOptimal-DPDB plays {} of its printed phase lengths and no initial draws; a first "
          "phase of full length resolves differences to 0.01 where it has to resolve 1 "
          "(`assay verify gopt-confidence-differences`).",
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
       "elimination plays the arms left in turn; RUCB, RMED1 and Double Thompson Sampling lean to "
       "the best (their papers)",
       "the intervals of all three lie below that of EBS", [](const DuelRun& run) {
         const auto k = run.setting.arms;
         const DuelPoint ebs{P::kEbs, k, 0.0};
         return all_below(
             run,
             {{{P::kRucb, k, 0.0}, ebs}, {{P::kRmed, k, 0.0}, ebs}, {{P::kThompson, k, 0.0}, ebs}});
       }}};
}

Status draw_horizon(const DuelSetting& setting, SimulationRunner& runner,
                    ExperimentReport& report) {
  auto points = private_points(setting);
  for (const auto& point : reference_points(setting)) points.push_back(point);
  const auto run = ASSAY_TRY(run_duels("duel-horizon", setting, points, runner));
  report.figure.columns = 2;
  const auto panel_of = [&](const std::string& title, const std::vector<DuelPoint>& drawn) {
    Panel panel = regret_panel(title, "duels", RegretKind::kPseudo);
    panel.y.label = "mean regret";
    for (const auto& point : drawn) {
      const auto curve = regret_curve(*run.result, run.index(point), RegretKind::kPseudo, title,
                                      point_name(point));
      Style look = look_of(point.policy);
      if (has_level(point.policy) && point.epsilon == kManyLevels) look.dash = Dash::kDotted;
      add_regret_lines(curve, point_name(point), look, panel);
      report.curves.push_back(curve);
    }
    report.figure.panels.push_back(std::move(panel));
  };
  auto left = private_points(setting);
  left.push_back({P::kEbs, setting.arms, 0.0});
  panel_of("with privacy", left);
  auto right = reference_points(setting);
  right.erase(right.begin());  // EBS, far above
  panel_of("policies that adapt, not private", right);
  report.checks = checks_of(horizon_outcomes(), run);
  describe_run(run, arms_text(setting.arms) + ".", report);
  return {};
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
               if (arms < 3) continue;  // hardly any regret to tell apart
               pairs.push_back({{P::kEbs, arms, 0.0}, {P::kDpEbs, arms, run.setting.epsilon}});
             }
             return all_below(run, pairs, true);
           }}};
}

Status draw_arms(const DuelSetting& setting, SimulationRunner& runner, ExperimentReport& report) {
  std::vector<DuelPoint> points;
  for (const P policy : kArmsPolicies) {
    for (const int arms : kArmsDrawn) {
      points.push_back({policy, arms, epsilon_for(policy, setting.epsilon)});
    }
  }
  const auto run = ASSAY_TRY(run_duels("duel-arms", setting, points, runner));
  Panel panel = regret_panel("T = " + grouped(setting.horizon), "arms K", RegretKind::kPseudo);
  panel.x.scale = Scale::kLog;
  panel.y.scale = Scale::kLog;
  panel.y.low.reset();
  panel.y.label = "mean final regret";
  for (std::size_t i = 0; i < kArmsPolicies.size(); ++i) {
    const auto first = points.begin() + static_cast<std::ptrdiff_t>(i * kArmsDrawn.size());
    const std::vector<DuelPoint> line(first, first + kArmsDrawn.size());
    add_final_line(
        run, line, "arms", [](const DuelPoint& p) { return static_cast<double>(p.arms); },
        point_name(line[0]), look_of(kArmsPolicies[i]), panel, report);
  }
  report.figure.panels.push_back(std::move(panel));
  report.checks = checks_of(arms_outcomes(), run);
  describe_run(run, "Arms with scores evenly from 1 to -1, preferences logistic in them.", report);
  return {};
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
           "counters of level eps/4 (Algorithm 1), of which less than half is spent (`assay verify "
           "duel-dp`)",
           "at \xCE\xB5 = 3 the interval of DP-EBS lies below that with the paper's noise",
           [](const DuelRun& run) {
             return all_below(run, {{{P::kDpEbs, run.setting.arms, 3.0},
                                     {P::kPaperEbs, run.setting.arms, 3.0}}});
           }}};
}

Status draw_epsilon(const DuelSetting& setting, SimulationRunner& runner,
                    ExperimentReport& report) {
  std::vector<DuelPoint> points;
  for (const P policy : kLevelPolicies) {
    for (const double epsilon : kLevelsDrawn) points.push_back({policy, setting.arms, epsilon});
  }
  for (const P policy : kLevelReferences) points.push_back({policy, setting.arms, 0.0});
  const auto run = ASSAY_TRY(run_duels("duel-epsilon", setting, points, runner));
  Panel panel =
      regret_panel("T = " + grouped(setting.horizon) + ", K = " + std::to_string(setting.arms),
                   "\xCE\xB5", RegretKind::kPseudo);
  panel.x.scale = Scale::kLog;
  panel.x.whole = false;
  panel.y.scale = Scale::kLog;
  panel.y.low.reset();
  panel.y.label = "mean final regret";
  for (std::size_t i = 0; i < kLevelPolicies.size(); ++i) {
    const auto first = points.begin() + static_cast<std::ptrdiff_t>(i * kLevelsDrawn.size());
    const std::vector<DuelPoint> line(first, first + kLevelsDrawn.size());
    add_final_line(
        run, line, "epsilon", [](const DuelPoint& p) { return p.epsilon; },
        name_of(kLevelPolicies[i]), look_of(kLevelPolicies[i]), panel, report);
  }
  for (const P policy : kLevelReferences) {
    Style look = look_of(policy);
    look.marker = Marker::kNone;
    const double mean = run.mean({policy, setting.arms, 0.0});
    panel.series.push_back(Series::line(
        name_of(policy), {kLevelsDrawn.front(), kLevelsDrawn.back()}, {mean, mean}, look));
  }
  panel.rules.push_back({Rule::Along::kHorizontal,
                         uniform_regret(setting.arms, setting.horizon),
                         "uniform duels",
                         {Colour::kGrey, Dash::kDotted, Marker::kNone, 1.2}});
  report.figure.panels.push_back(std::move(panel));
  report.checks = checks_of(epsilon_outcomes(), run);
  describe_run(run, arms_text(setting.arms) + ".", report);
  std::string dearer;  // levels
  for (const double epsilon : kLevelsDrawn) {
    const auto interval = [&](P policy) { return run.at({policy, setting.arms, epsilon}); };
    if (is_below(interval(P::kDpEbs), interval(P::kLocal)) != Outcome::kHolds) continue;
    dearer += (dearer.empty() ? "\xCE\xB5 = " : ", ") + number_text(epsilon);
  }
  report.notes.push_back(fmt::format(
      "At T = {} the intervals show the local model to cost more than the central one at {}. Where "
      "eps is small, its intervals are about 2/eps times as wide as without privacy, while each "
      "radius of the central model pays for the noise of a whole tree; with T long enough for "
      "either, the central model is ahead there (duel-eliminations at eps = 0.3, duel-phases).",
      grouped(setting.horizon), dearer.empty() ? "no level drawn" : dearer));
  return {};
}

template <DuelFigure F>
Experiment duel_figure() {
  constexpr bool kHorizon = F == DuelFigure::kHorizon;
  constexpr bool kArms = F == DuelFigure::kArms;
  ExperimentDescription d;
  d.id = kHorizon ? "duel-horizon" : kArms ? "duel-arms" : "duel-epsilon";
  d.title =
      std::string("Private dueling bandits: regret ") + (kHorizon ? "over time"
                                                         : kArms  ? "against the number of arms"
                                                                  : "against the level");
  d.about = kHorizon
                ? "Regret over time of elimination by effective Borda scores with central, local "
                  "and no privacy, of GOptimal-DPDB, and of RUCB, RMED1 and Double Thompson "
                  "Sampling."
            : kArms ? "Final regret of elimination with and without privacy, of RUCB and of RMED1, "
                      "for 2 to 12 arms."
                    : "Final regret of DP-EBS-Elimination with the smallest and with the paper's "
                      "noise, of the local model and of GOptimal-DPDB, for six levels.";
  d.reproduces = kHorizon ? "DP-Dueling, Theorem 1 (no figure)"
                 : kArms  ? "DP-Dueling, Theorems 1 and 2 (no figure)"
                          : "DP-Dueling, Theorem 1 and Remark 3 (no figure)";
  d.outcomes = names_of(kHorizon ? horizon_outcomes()
                        : kArms  ? arms_outcomes()
                                 : epsilon_outcomes());
  return make_experiment<DuelConfig<F>>(
      std::move(d),
      [](const DuelSetting& setting, SimulationRunner& runner, ExperimentReport& report) {
        return kHorizon ? draw_horizon(setting, runner, report)
               : kArms  ? draw_arms(setting, runner, report)
                        : draw_epsilon(setting, runner, report);
      });
}

}  // namespace
}  // namespace assay::detail

namespace assay {

std::vector<Experiment> dueling_figures() {
  using detail::DuelFigure;
  return {detail::duel_figure<DuelFigure::kHorizon>(), detail::duel_figure<DuelFigure::kArms>(),
          detail::duel_figure<DuelFigure::kEpsilon>(), detail::elimination_times(),
          detail::phase_lengths()};
}

}  // namespace assay
