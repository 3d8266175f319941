// Regret of RNM-FTNL against T, K and eps, drawn with the paper's bounds.
#include "assay/auditors/experts/figures/experts_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "assay/auditors/experts/figures/experts_run.hpp"
#include "assay/auditors/figures/grid_run.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/core/enum_table.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/policies/simulation/round_grid.hpp"

namespace assay::detail {
namespace {

// ---- parameters ---------------------------------------------------------------------------------

template <ExpertsInstance I>
struct ExpertsConfig : ExpertsSetting {
  ExpertsConfig() {
    if (I == ExpertsInstance::kResampling) actions = 2;
  }

  static void fields(auto&& visit) {
    using C = ExpertsConfig;
    visit(field<C, std::int64_t>("repetitions", &C::repetitions, Range{2, 1e6}, "R",
                                 "independent runs of every simulated series"));
    visit(field<C, std::int64_t>("horizon", &C::horizon, Range{64, 4e6}, "T", "rounds of a run"));
    visit(field<C, std::int64_t>("actions", &C::actions,
                                 Range{I == ExpertsInstance::kDeterministic ? 3.0 : 2.0, 1000}, "K",
                                 "experts, if K is not the axis"));
    visit(field<C, double>("epsilon", &C::epsilon, Range{0.01, 100}, "eps",
                           "privacy level, if it is not the axis"));
    if (I != ExpertsInstance::kResampling) {
      visit(field<C, double>("gap", &C::gap, Range{0.001, 1}, "Delta",
                             "expected loss of the second best expert minus the best one's"));
    }
    visit(field<C, std::int64_t>("seed", &C::seed, Range{0, 9e15}, "", "names the random streams"));
  }
};

struct InstanceWords {
  const char* id = "";
  const char* title = "";
  const char* about = "";
  const char* more = "";   // about parts that only this figure shows
  const char* place = "";  // in the paper
  const char* note = "";
};

constexpr EnumTable<ExpertsInstance, InstanceWords, 3> kInstances{
    {{ExpertsInstance::kOneGap,
      {"ftnl-gap", "Regret of private experts, Bernoulli losses with one gap",
       "Bernoulli losses, one expert better than all others by a gap.", "", "Theorems 1 and 2",
       "Losses are 0 or 1, so a Bernoulli resample is the loss itself. The variants with B = 0 and "
       "B = 1 have the same distribution and are drawn as one line. Both are simulated."}},
     {ExpertsInstance::kResampling,
      {"ftnl-resampling", "Regret of private experts, the example of why resampling helps",
       "The paper's example: the best expert always loses 0.3, the others 0.4 with probability "
       "0.8, else 0.",
       " And how often the worse of two experts leads when no noise is added.",
       "the example of Section 3.1",
       "The sentence that introduces the example (Section 3.1) has the comparison the wrong way "
       "around: the worse expert loses 0.4 > 0.3 with probability 0.8, so the better one leads "
       "then. Without noise resampling does help if the best expert's loss is small and certain "
       "(last panel). With noise at \xCE\xB5 \xE2\x89\xA4 1 sums that differ by so little are "
       "indistinguishable anyway."}},
     {ExpertsInstance::kDeterministic,
      {"ftnl-deterministic", "Regret of private experts, deterministic losses",
       "The worst deterministic instance: losses 0, gap, gap, 1, ..., 1.", "", "Theorems 3 and 4",
       "A certificate refutes the printed temperature too: `assay verify "
       "ftnl-det-regret-printed`."}}}};

// ---- curves -------------------------------------------------------------------------------------

std::string axis_name(ExpertsAxis axis) {
  constexpr EnumTable<ExpertsAxis, std::string_view, 3> kNames{
      {{ExpertsAxis::kRounds, "round"},
       {ExpertsAxis::kActions, "experts"},
       {ExpertsAxis::kEpsilon, "epsilon"}}};
  return std::string(entry_of(kNames, axis));
}

std::string panel_title(ExpertsAxis axis, const ExpertsSetting& setting) {
  const std::string k = fmt::format("K = {}", setting.actions);
  const std::string epsilon = "\xCE\xB5 = " + number_text(setting.epsilon);
  const std::string rounds = "T = " + grouped(setting.horizon);
  if (axis == ExpertsAxis::kRounds) return fmt::format("against rounds: {}, {}", k, epsilon);
  if (axis == ExpertsAxis::kActions) return fmt::format("against experts: {}, {}", epsilon, rounds);
  return fmt::format("against the level \xCE\xB5: {}, {}", k, rounds);
}

// The colour shows the noise, the dash shows B.
Style look_of(const FtnlVariant& variant) {
  const Dash dash = variant.resample ? Dash::kDashed : Dash::kSolid;
  constexpr double kWidth = 1.7;
  if (variant.as_printed()) return {Colour::kVermillion, dash, Marker::kTriangle, kWidth};
  constexpr EnumTable<LeaderNoise, std::pair<Colour, Marker>, 3> kLooks{
      {{LeaderNoise::kLaplace, {Colour::kBlue, Marker::kCircle}},
       {LeaderNoise::kExponential, {Colour::kGreen, Marker::kDiamond}},
       {LeaderNoise::kGumbel, {Colour::kOrange, Marker::kSquare}}}};
  const auto [colour, marker] = entry_of(kLooks, variant.noise);
  return {colour, dash, marker, kWidth};
}

Style theory_look(std::size_t index, bool is_bound) {
  static constexpr std::array kDashes = {Dash::kSolid, Dash::kDashDot, Dash::kDashed,
                                         Dash::kDotted};
  return {is_bound ? Colour::kBlack : Colour::kGrey, kDashes[index % kDashes.size()], Marker::kNone,
          is_bound ? 1.3 : 1.6};
}

Curve started_curve(ExpertsAxis axis, std::string series) {
  return {.panel = axis_name(axis),
          .series = std::move(series),
          .x_name = axis_name(axis),
          .y_name = "pseudo_regret_loss"};
}

double abscissa(ExpertsAxis axis, const ExpertsPoint& point) {
  return axis == ExpertsAxis::kActions ? static_cast<double>(point.actions) : point.epsilon;
}

Curve exact_curve(const ExpertsRun& run, ExpertsAxis axis, std::size_t variant) {
  Curve curve = started_curve(axis, run.variants[variant].name());
  const auto& exact = run.exact[static_cast<std::size_t>(axis)][variant];
  if (axis == ExpertsAxis::kRounds) {
    for (const std::int64_t rounds : run.result->rounds) {
      curve.x.push_back(static_cast<double>(rounds));
      curve.y.push_back(exact[0].after(rounds));
    }
    return curve;
  }
  const auto points = points_of(axis, run.instance, run.setting);
  for (std::size_t i = 0; i < points.size(); ++i) {
    curve.x.push_back(abscissa(axis, points[i]));
    curve.y.push_back(exact[i].after(run.setting.horizon));
  }
  return curve;
}

// Final regret over an axis, or the regret over time, of the series that `id_of` names.
template <class IdOf>
Curve simulated_curve(const ExpertsRun& run, ExpertsAxis axis, const std::string& name,
                      IdOf id_of) {
  const auto points = points_of(axis, run.instance, run.setting);
  if (axis == ExpertsAxis::kRounds) {
    return regret_curve(*run.result, run.find(id_of(points[0])), RegretKind::kPseudo,
                        axis_name(axis), name);
  }
  Curve curve = started_curve(axis, name);
  curve.repetitions = run.setting.repetitions;
  for (const auto& point : points) {
    add_final_point(abscissa(axis, point), run.result->at(run.find(id_of(point))).all.pseudo,
                    curve);
  }
  return curve;
}

Curve theory_curve(const ExpertsRun& run, ExpertsAxis axis, const TheoryCurve& theory) {
  Curve curve = started_curve(axis, theory.name);
  const auto points = points_of(axis, run.instance, run.setting);
  const auto add = [&](double x, const ExpertsPoint& point, double rounds) {
    if (const auto value = theory.value(point, rounds)) {
      curve.x.push_back(x);
      curve.y.push_back(*value);
    }
  };
  if (axis == ExpertsAxis::kRounds) {
    for (const std::int64_t rounds : run.result->rounds) {
      add(static_cast<double>(rounds), points[0], static_cast<double>(rounds));
    }
    return curve;
  }
  for (const auto& point : points) {
    add(abscissa(axis, point), point, static_cast<double>(run.setting.horizon));
  }
  return curve;
}

// A marker at about every eighth of a curve over time, and at every point of a short curve.
int marker_stride(const Curve& curve) { return std::max(1, static_cast<int>(curve.x.size()) / 8); }

void add_curve(Curve curve, Style look, const std::string& legend, Panel& panel,
               ExperimentReport& report) {
  if (curve.x.empty()) return;
  look.marker_stride = marker_stride(curve);
  draw_curve(std::move(curve), legend, look, panel, report, 0.2);
}

// The legend of all panels, distributed over them.
bool names_variants(ExpertsAxis axis) { return axis == ExpertsAxis::kRounds; }
bool names_others(ExpertsAxis axis) { return axis == ExpertsAxis::kActions; }
bool names_theory(ExpertsAxis axis) { return axis == ExpertsAxis::kEpsilon; }

void draw_axis(const ExpertsRun& run, ExpertsAxis axis, ExperimentReport& report) {
  Panel panel = log_panel(panel_title(axis, run.setting), axis_name(axis), "mean pseudo-regret");
  panel.x.whole = axis != ExpertsAxis::kEpsilon;
  const auto legend = [](bool here, const std::string& name) { return here ? name : ""; };
  for (std::size_t v = 0; v < run.variants.size(); ++v) {
    const FtnlVariant& variant = run.variants[v];
    Curve curve = exact_curve(run, axis, v);
    if (resampling_changes_nothing(run.instance)) {
      if (variant.resample) {
        report.curves.push_back(std::move(curve));
        continue;
      }
      add_curve(std::move(curve), look_of(variant),
                legend(names_variants(axis), variant.noise_name() + ", B = 0 and 1"), panel,
                report);
      continue;
    }
    add_curve(std::move(curve), look_of(variant), legend(names_variants(axis), variant.name()),
              panel, report);
  }
  add_curve(simulated_curve(run, axis, "follow the leader",
                            [](const ExpertsPoint& p) { return SimulatedIds::leader(p.actions); }),
            {Colour::kBlack, Dash::kDotted, Marker::kCross, 1.8},
            legend(names_others(axis), "follow the leader, not private"), panel, report);
  add_curve(simulated_curve(run, axis, "random prefix",
                            [](const ExpertsPoint& p) { return SimulatedIds::prefix(p); }),
            {Colour::kSkyBlue, Dash::kDashDot, Marker::kNone, 2.0},
            legend(names_others(axis), "random prefix"), panel, report);
  const auto theory = theory_curves(run.instance, run.setting);
  for (std::size_t i = 0; i < theory.size(); ++i) {
    add_curve(theory_curve(run, axis, theory[i]), theory_look(i, theory[i].is_bound),
              legend(names_theory(axis), theory[i].name), panel, report);
  }
  report.figure.panels.push_back(std::move(panel));
}

// ---- the example of resampling, without noise ---------------------------------------------------

constexpr int kExampleEpochs = 11;  // of 1 to 1024 rounds

void draw_example(const std::string& title, const std::string& name, const TwoPointLosses& losses,
                  bool printed, ExperimentReport& report) {
  Panel panel = log_panel(title, "rounds of the epoch", "P[J = the worse expert]");
  panel.x.whole = true;
  panel.y.scale = Scale::kLinear;
  panel.y.low = 0.0;
  panel.y.high = 1.0;
  for (const bool resample : {false, true}) {
    Curve curve{.panel = name,
                .series = resample ? "B = 1" : "B = 0",
                .x_name = "rounds_of_the_epoch",
                .y_name = "probability_of_the_worse_expert",
                .y = worse_leads_without_noise(losses, resample, kExampleEpochs)};
    for (int r = 0; r < kExampleEpochs; ++r) curve.x.push_back(std::ldexp(1.0, r));
    const Style look = {resample ? Colour::kVermillion : Colour::kBlack,
                        resample ? Dash::kDashed : Dash::kSolid,
                        resample ? Marker::kSquare : Marker::kCircle, 1.7};
    draw_curve(std::move(curve), resample ? "B = 1, resampled, no noise" : "B = 0, no noise", look,
               panel, report);
  }
  if (printed) {
    panel.rules.push_back(horizontal_rule(0.8, "0.8, as printed for B = 0"));
  }
  report.figure.panels.push_back(std::move(panel));
}

// ---- text ---------------------------------------------------------------------------------------

ValueTable values_of(const ExpertsRun& run) {
  ValueTable table;
  table.caption = fmt::format("After {} rounds, K = {}, \xCE\xB5 = {}, {} repetitions",
                              grouped(run.setting.horizon), run.setting.actions,
                              number_text(run.setting.epsilon), grouped(run.setting.repetitions));
  table.columns = {{"policy", false}, {"level"},        {"exact"},
                   {"simulated"},     {"\xC2\xB1 95%"}, {"pseudo-regret in"}};
  const ExpertsPoint point{run.setting.actions, run.setting.epsilon};
  const auto add = [&](const std::string& name, const std::string& level, const std::string& exact,
                       std::size_t i) {
    std::vector<std::string> row = {name, level, exact};
    add_final_cells(run.result->at(i), RegretKind::kPseudo, run.bounds[i], row);
    table.rows.push_back(std::move(row));
  };
  for (std::size_t v = 0; v < run.variants.size(); ++v) {
    const auto level =
        policy_of(run.variants[v], point, run.setting.horizon).proved_guarantee().level;
    add("RNM-FTNL, " + run.variants[v].name(), number_text(std::get<PureDp>(level).epsilon.value),
        fmt::format("{:.3f}", run.at_setting(v).after(run.setting.horizon)),
        run.find(SimulatedIds::variant(run.variants[v])));
  }
  add("random prefix", number_text(point.epsilon), "", run.find(SimulatedIds::prefix(point)));
  add("follow the leader", "none", "", run.find(SimulatedIds::leader(point.actions)));
  return table;
}

std::string instance_text(ExpertsInstance instance, const ExpertsSetting& setting) {
  switch (instance) {
    case ExpertsInstance::kOneGap:
      return fmt::format("Bernoulli losses of mean {} for the best expert and {} for all others",
                         number_text(0.5 - 0.5 * setting.gap),
                         number_text(0.5 + 0.5 * setting.gap));
    case ExpertsInstance::kResampling:
      return "the best expert always loses 0.3, the others 0.4 with probability 0.8, else 0";
    case ExpertsInstance::kDeterministic:
      break;
  }
  return fmt::format("deterministic losses 0 for the best expert, {} for two, 1 for the others",
                     number_text(setting.gap));
}

std::string caption_of(const ExpertsRun& run) {
  return fmt::format(
      "Pseudo-regret with {}. RNM-FTNL has exact expectations. Follow the leader and the "
      "random-prefix policy have means over {} repetitions; the shaded pointwise 95% band of the "
      "mean uses the normal approximation, and no check uses it. Grey lines are orders of growth, "
      "drawn with constant 1 and natural logarithms. Black lines without markers are bounds with "
      "their constants. The three legends together apply to each panel. Seed {}.",
      instance_text(run.instance, run.setting), grouped(run.setting.repetitions), run.setting.seed);
}

std::vector<std::string> notes_of(const ExpertsRun& run) {
  std::vector<std::string> notes = {
      "Levels are proved. Exponential(1/\xCE\xB5) is the scale that the paper prints. It is "
      "2\xCE\xB5-DP and not \xCE\xB5-DP (`assay verify ftnl-dp-exponential`), so its regret is not "
      "the price of \xCE\xB5.",
      "The best expert is the last one, and follow the leader takes the first of equal sums, so "
      "ties never help it.",
      "Theorem 1 and Corollary 1 state only orders. The constants of Theorem 2 are those of its "
      "proof (`assay verify ftnl-regret`)."};
  notes.emplace_back(entry_of(kInstances, run.instance).note);
  return notes;
}

void draw_experts(const ExpertsRun& run, ExperimentReport& report) {
  report.figure.columns = 3;
  for (const auto axis : kExpertsAxes) draw_axis(run, axis, report);
  if (run.instance == ExpertsInstance::kResampling) {
    draw_example("the printed example, two experts", "printed example",
                 instance_losses(run.instance, 2, 0.0), true, report);
    draw_example("always 0.02 against 1 with probability 0.4", "where resampling helps",
                 resampling_helps_losses(), false, report);
  }
  report.values = values_of(run);
  report.caption = caption_of(run);
  report.notes = notes_of(run);
}

template <ExpertsInstance I>
Experiment experts_figure() {
  static const std::string kLines =
      " Regret against T, K and eps of RNM-FTNL with Laplace, Gumbel and exponential noise (at "
      "both of its scales), with and without resampling, with follow the leader, the random-prefix "
      "policy and the paper's bounds.";
  const auto words = entry_of(kInstances, I);
  return make_figure<ExpertsConfig<I>, ExpertsRun>(
      {.id = words.id,
       .title = words.title,
       .about = words.about + kLines + words.more,
       .reproduces =
           "Improved Regret in Stochastic Decision-Theoretic Online Learning under Differential "
           "Privacy, " +
           std::string(words.place) + " (it has no figures)"},
      {[](const ExpertsSetting& setting, SimulationRunner& runner) {
         return run_experts(I, setting, runner);
       },
       [] { return experts_outcomes(I); }, draw_experts});
}

}  // namespace

std::string experts_id(ExpertsInstance instance) { return entry_of(kInstances, instance).id; }

}  // namespace assay::detail

namespace assay {

std::vector<Experiment> experts_figures() {
  using enum detail::ExpertsInstance;
  return {detail::experts_figure<kOneGap>(), detail::experts_figure<kResampling>(),
          detail::experts_figure<kDeterministic>()};
}

}  // namespace assay
