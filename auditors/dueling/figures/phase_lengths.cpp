// duel-phases: the T from which on the printed constants have any effect. For DP-EBS-Elimination,
// the duels after which the worst of K arms leaves a run with exact estimates: K n, n the least
// with
//   B(best) - B(worst) > 2 radius(n)                                                            (1)
// For GOptimal-DPDB, the duels of the first phase. Each happens if it is below T. Computed, not
// simulated.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "assay/auditors/dueling/figures/duel_run.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/policies/dueling/dp_ebs_elimination.hpp"
#include "assay/policies/dueling/gopt_dpdb.hpp"

namespace assay::detail {
namespace {

struct PhasesConfig {
  std::int64_t arms = 10;
  double epsilon = 1.0;

  static void fields(auto&& visit) {
    using C = PhasesConfig;
    visit(field("arms", &C::arms, Range{2, 64}, "K", "arms of the eliminations"));
    visit(field("epsilon", &C::epsilon, Range{0.001, 100}, "eps", "privacy level"));
  }
};

// The two parts of the radius of a mean of n duels: sampling and noise.
struct Radius1 {
  double block = 1.0;
  double noise = 0.0;
  double cases = 0.0;
  double of(double n) const { return block * std::sqrt(cases / n) + noise / n; }
};

enum class Way { kPrinted, kExact, kLocal, kNone };

Radius1 radius_of(Way way, std::int64_t arms, double horizon, double epsilon) {
  Radius1 out;
  out.cases = portable_log(static_cast<double>(arms)) + 2.0 * portable_log(horizon);
  if (way == Way::kLocal) {
    const double e = portable_exp(epsilon);
    out.block = (e + 1.0) / (e - 1.0);
  } else if (way != Way::kNone) {
    DpEbsEliminationConfig config;
    config.arms = arms;
    config.horizon = static_cast<std::int64_t>(horizon);
    config.epsilon = epsilon;
    config.radius = way == Way::kPrinted ? Radius::kPaper : Radius::kExact;
    const auto policy = DpEbsElimination::create(config).value();
    const auto entries = static_cast<std::uint64_t>(config.horizon + arms - 2);
    out.noise = policy.radius(static_cast<int>(std::bit_width(entries)));
  }
  return out;
}

// (1), times K.
double duels_until_one_leaves(Way way, const PhasesConfig& config, double horizon) {
  const auto scores = even_scores(config.arms);
  double lead = 0.0;
  for (const double score : scores) {
    lead += (logistic(1.0 - score) - logistic(-1.0 - score)) / static_cast<double>(config.arms);
  }
  const Radius1 radius = radius_of(way, config.arms, horizon, config.epsilon);
  double low = 1.0;
  double high = 2.0;
  while (2.0 * radius.of(high) >= lead) high *= 2.0;
  for (int i = 0; i < 200 && high - low > 0.5; ++i) {
    const double middle = 0.5 * (low + high);
    (2.0 * radius.of(middle) >= lead ? low : high) = middle;
  }
  return static_cast<double>(config.arms) * std::ceil(high);
}

double first_phase(std::int64_t dimension, Kappa kappa, double scale, double epsilon,
                   double horizon) {
  GOptDpdbConfig config;
  config.dimension = dimension;
  config.horizon = static_cast<std::int64_t>(horizon);
  config.epsilon = epsilon;
  config.kappa = kappa;
  config.phase_scale = scale;
  return static_cast<double>(gopt_phase_length(config, 1));
}

struct PhaseLine {
  std::string name;
  Style look;
  double (*duels)(const PhasesConfig& config, double horizon);
};

using Config = PhasesConfig;
const std::array<PhaseLine, 4> kEliminations = {{
    {"the printed radius",
     {Colour::kVermillion, Dash::kSolid, Marker::kSquare, 1.7},
     [](const Config& c, double t) { return duels_until_one_leaves(Way::kPrinted, c, t); }},
    {"the exact radius",
     {Colour::kBlue, Dash::kSolid, Marker::kCircle, 1.7},
     [](const Config& c, double t) { return duels_until_one_leaves(Way::kExact, c, t); }},
    {"the local model",
     {Colour::kOrange, Dash::kDashed, Marker::kTriangle, 1.7},
     [](const Config& c, double t) { return duels_until_one_leaves(Way::kLocal, c, t); }},
    {"no privacy",
     {Colour::kBlack, Dash::kDotted, Marker::kNone, 1.7},
     [](const Config& c, double t) { return duels_until_one_leaves(Way::kNone, c, t); }},
}};
const std::array<PhaseLine, 5> kPhases = {{
    {"d = 5, \xCE\xBA = \xCF\x83'(4)",
     {Colour::kGrey, Dash::kDashDot, Marker::kTriangle, 1.7},
     [](const Config& c, double t) { return first_phase(5, Kappa::kListing, 1.0, c.epsilon, t); }},
    {"d = 2, \xCE\xBA = \xCF\x83'(4)",
     {Colour::kPurple, Dash::kDashed, Marker::kSquare, 1.7},
     [](const Config& c, double t) { return first_phase(2, Kappa::kListing, 1.0, c.epsilon, t); }},
    {"d = 5, \xCE\xBA = \xCF\x83'(2)",
     {Colour::kOrange, Dash::kSolid, Marker::kDiamond, 1.7},
     [](const Config& c, double t) { return first_phase(5, Kappa::kTheorem, 1.0, c.epsilon, t); }},
    {"d = 2, \xCE\xBA = \xCF\x83'(2)",
     {Colour::kVermillion, Dash::kSolid, Marker::kSquare, 1.7},
     [](const Config& c, double t) { return first_phase(2, Kappa::kTheorem, 1.0, c.epsilon, t); }},
    {"a thousandth, d = 2, \xCE\xBA = \xCF\x83'(2)",
     {Colour::kBlue, Dash::kSolid, Marker::kCircle, 1.7},
     [](const Config& c, double t) {
       return first_phase(2, Kappa::kTheorem, kPhaseScale, c.epsilon, t);
     }},
}};

std::vector<double> horizons() {
  std::vector<double> out;
  for (int k = 6; k <= 18; ++k) {  // 1e3 to 1e9
    out.push_back(std::round(portable_exp(2.302585092994046 * 0.5 * k)));
  }
  return out;
}

// The least T at which it happens, to a relative 0.01; infinite beyond 1e9.
double first_horizon(const PhaseLine& line, const Config& config) {
  for (double t = 10.0; t <= 1e9; t *= 1.01) {
    if (line.duels(config, std::ceil(t)) <= std::ceil(t)) return std::ceil(t);
  }
  return HUGE_VAL;
}

std::string horizon_text(double t) { return t == HUGE_VAL ? "above 1e9" : rounded_up(t, 2); }

template <std::size_t N>
void draw_lines(const std::string& title, const std::array<PhaseLine, N>& lines,
                const Config& config, ExperimentReport& report) {
  Panel panel = log_panel(title, "horizon T", "duels it takes");
  const auto x = horizons();
  for (const auto& line : lines) {
    Curve curve{
        .panel = title, .series = line.name, .x_name = "horizon", .y_name = "duels", .x = x};
    for (const double t : x) curve.y.push_back(line.duels(config, t));
    draw_curve(std::move(curve), line.name, line.look, panel, report);
    const double first = first_horizon(line, config);
    report.values.rows.push_back(
        {title, line.name, rounded(line.duels(config, 1e6), 3), horizon_text(first)});
  }
  panel.series.push_back(
      Series::line("T itself", x, x, {Colour::kGrey, Dash::kDotted, Marker::kNone, 1.2}));
  report.figure.panels.push_back(std::move(panel));
}

constexpr const char* kLeaves = "the first arm leaves";
constexpr const char* kEnds = "the first phase ends";

std::vector<StatedOutcome<Config>> phase_outcomes() {
  return {
      {"with the printed constants nothing happens at T = 1e6",
       "radius 16 log(K/delta) log(T)^2.5/(n eps) (Lemma 4), phases of 16 d^5 log(dT/delta)/(kappa "
       "eps xi) + 64 d log(T/delta)/(kappa xi)^2 duels (Algorithm 2)",
       "at T = 1e6 the printed radius takes more than T duels to let the worst arm go, and the first "
       "phase in two dimensions, for either kappa, is longer than T",
       [](const Config& c) {
         const double leaves = kEliminations[0].duels(c, 1e6);
         const double theorem = kPhases[3].duels(c, 1e6);
         const double listing = kPhases[1].duels(c, 1e6);
         return OutcomeDecision{
             outcome_of(leaves > 1e6 && theorem > 1e6 && listing > 1e6),
             fmt::format("{} duels for the arm, {} and {} for the phase", rounded(leaves, 3),
                         rounded(theorem, 3), rounded(listing, 3))};
       }},
      {"the local model costs more at small epsilon",
       "the local model's error is worse than the central model's (Remark 3): about 1/eps^2 duels "
       "compared with 1/eps",
       "at a hundredth of the level, at least 0.001, and T = 1e9 the worst arm leaves later in the "
       "local model than with the exact radius",
       [](const Config& c) {
         Config small = c;
         small.epsilon = std::max(0.001, c.epsilon / 100.0);
         const double central = kEliminations[1].duels(small, 1e9);
         const double local = kEliminations[2].duels(small, 1e9);
         return OutcomeDecision{
             outcome_of(local > central),
             fmt::format("\xCE\xB5 = {}: {} duels locally, {} centrally; \xCE\xB5 = {}: {} and {}",
                         number_text(small.epsilon), rounded(local, 3), rounded(central, 3),
                         number_text(c.epsilon), rounded(kEliminations[2].duels(c, 1e9), 3),
                         rounded(kEliminations[1].duels(c, 1e9), 3))};
       }}};
}

void draw_phases(const Config& config, ExperimentReport& report) {
  report.figure.columns = 2;
  report.values.caption = "Duels until it happens at T = 1e6, and the T from which on it happens";
  report.values.columns = {{"event", false}, {"constants", false}, {"at T = 1e6"}, {"from T"}};
  draw_lines(kLeaves, kEliminations, config, report);
  draw_lines(kEnds, kPhases, config, report);
  report.caption = fmt::format(
      "Left: duels until the worst of {} arms, with scores evenly from 1 to -1, leaves elimination "
      "if all estimates are exact. Right: duels of GOptimal-DPDB's first phase, without initial "
      "draws. \xCE\xB5 = {}, \xCE\xB4 = 1/T. It happens where a line is below that of T. Computed, "
      "no repetitions.",
      config.arms, number_text(config.epsilon));
}

}  // namespace

double duels_with_printed_radius(std::int64_t arms, double epsilon, std::int64_t horizon) {
  return duels_until_one_leaves(Way::kPrinted, {arms, epsilon}, static_cast<double>(horizon));
}

Experiment phase_lengths() {
  return make_figure<PhasesConfig, PhasesConfig>(
      {.id = "duel-phases",
       .title = "Private dueling bandits: the horizons at which the printed constants have an "
                "effect",
       .about =
           "The duels until the first arm leaves DP-EBS-Elimination and until GOptimal-DPDB's first phase "
           "ends, against the horizon: with the printed constants, with exact radii, in the local model "
           "and without privacy.",
       .reproduces = "DP-Dueling, Lemma 4 and Algorithm 2 (no figure)"},
      {as_given<Config>, phase_outcomes, draw_phases});
}

}  // namespace assay::detail
