#include "assay/auditors/sparse/figures/peeling_levels.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "assay/auditors/figures/figure_parts.hpp"
#include "assay/auditors/figures/outcome.hpp"
#include "assay/auditors/sparse/peeling_composition.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/policies/sparse/fliphat.hpp"

namespace assay::detail {
namespace {

constexpr std::array kPeelingLevels = {0.5, 1.0, 2.0, 5.0, 10.0};
constexpr double kPeelingDelta = 0.01;
constexpr double kLeastDrawn = 1e-12;

struct PeelingLevelsConfig {
  std::int64_t dimension = 400;
  std::int64_t sparsity = 10;
  std::int64_t records = 8192;
  double level = 5.0;

  static void fields(auto&& visit) {
    using C = PeelingLevelsConfig;
    visit(field("dimension", &C::dimension, Range{20, 100'000}, "d", "entries of a context"));
    visit(field("sparsity", &C::sparsity, Range{1, 60}, "s", "entries that a peeling chooses"));
    visit(field("records", &C::records, Range{64, 1e6}, "N",
                "records of the call against the level"));
    visit(field("level", &C::level, Range{0.1, 100}, "eps", "level of the calls against N"));
  }
  Status check() const {
    if (2 * sparsity <= dimension) return {};
    return fail(ErrorCode::kInvalidArgument, "sparsity must be at most half of the dimension",
                "/sparsity");
  }
};

enum class Noise { kAssumed, kPaper, kCorrected };

struct CallLevel {
  std::int64_t iterations = 0;  // M
  double first = 0.0;           // h of the first iteration
  double later = 0.0;           // and of the others
  double above = 0.0;
  std::optional<double> below;  // if M = 1
};

EpisodesConfig experiment(const PeelingLevelsConfig& config, IterationRule rule) {
  EpisodesConfig out;
  out.arms = 3;
  out.dimension = config.dimension;
  out.sparsity = config.sparsity;
  out.horizon = 4'000'000;
  out.iterations = rule;
  out.iteration_factor = rule == IterationRule::kText ? 1.6 : 0.16;
  out.x_max = std::sqrt(2.0 * portable_log(static_cast<double>(config.dimension)));
  out.b_max = 3.75;  // five entries of mean size 3/4
  out.sigma = rule == IterationRule::kText ? 0.1 : 1.0;
  return out;
}

// The delta of the call on `records` records at `level`.
Result<CallLevel> call_level(const EpisodesConfig& config, std::int64_t records, double level,
                             Noise noise) {
  const auto plan = episode_plan(config, records);
  const auto bounds = episode_bounds(config, records);
  CallLevel out;
  out.iterations = plan.iterations;
  if (plan.iterations == 0) return out;
  const auto calibration =
      noise == Noise::kCorrected ? Calibration::kCorrected : Calibration::kPaper;
  const double unit = ASSAY_TRY(niht_unit_scale(plan, {level, kPeelingDelta, calibration}));
  const auto noisy = ASSAY_TRY(niht_with_noise(plan, bounds, unit, calibration));
  out.first = out.later = 1.0 / unit;
  if (noise != Noise::kAssumed) {
    out.first = niht_sensitivity(plan, bounds, 0) / noisy.first_scale;
    out.later = niht_sensitivity(plan, bounds, 1) / noisy.scale;
  }
  std::vector<PeeledEntries> peelings = {{config.sparsity, out.first}};
  if (plan.iterations > 1) {
    peelings.push_back({config.sparsity * (plan.iterations - 1), out.later});
  }
  out.above = ASSAY_TRY(peelings_delta_above(peelings, Epsilon{level})).value.value;
  if (plan.iterations == 1) {
    out.below =
        ASSAY_TRY(peeling_delta_below(peelings[0], config.dimension, Epsilon{level})).value.value;
  }
  return out;
}

struct NoiseLine {
  std::string name;
  Noise noise;
  bool below;
  Style look;
};

const std::array<NoiseLine, 4> kLines = {{
    {"the paper's noise, at least",
     Noise::kPaper,
     true,
     {Colour::kVermillion, Dash::kSolid, Marker::kSquare, 1.7}},
    {"the paper's noise, at most",
     Noise::kPaper,
     false,
     {Colour::kOrange, Dash::kDashed, Marker::kTriangle, 1.7}},
    {"the paper's noise, its sensitivity, at most",
     Noise::kAssumed,
     false,
     {Colour::kGrey, Dash::kDashDot, Marker::kDiamond, 1.7}},
    {"corrected noise, at most",
     Noise::kCorrected,
     false,
     {Colour::kBlue, Dash::kSolid, Marker::kCircle, 1.7}},
}};

struct PeelingRun {
  PeelingLevelsConfig config;
  std::array<std::vector<CallLevel>, 3> one_iteration;  // by Noise, then by level
};

std::vector<StatedOutcome<PeelingRun>> peeling_outcomes() {
  return {{"the paper's noise does not give the promised level",
           "FLIPHAT is (eps, delta)-JDP (Theorem 5.1): the release of the records is (eps, "
           "delta)-DP",
           "it holds if, at one of the five levels, a pair of records needs more than delta for "
           "the release of one call of one iteration",
           [](const PeelingRun& run) {
             std::string seen;
             bool within = true;
             bool exceeded = false;
             const auto& calls = run.one_iteration[static_cast<std::size_t>(Noise::kPaper)];
             for (std::size_t i = 0; i < calls.size(); ++i) {
               const double below = calls[i].below.value_or(0.0);
               exceeded = exceeded || below > kPeelingDelta;
               within = within && calls[i].above <= kPeelingDelta;
               seen += fmt::format("{}\xCE\xB5 = {}: {} to {}", seen.empty() ? "" : "; ",
                                   number_text(kPeelingLevels[i]), rounded_down(below, 3),
                                   rounded_up(calls[i].above, 3));
             }
             return OutcomeDecision{exceeded ? Outcome::kHolds
                                    : within ? Outcome::kFails
                                             : Outcome::kUndecided,
                                    "delta " + seen};
           }},
          {"with the sensitivity that the paper assumes its noise is enough",
           "peeling is (eps, delta)-DP (Lemma A.2)",
           "certified composition of one call stays at or below delta at all five levels",
           [](const PeelingRun& run) {
             double most = 0.0;
             for (const auto& call : run.one_iteration[static_cast<std::size_t>(Noise::kAssumed)]) {
               most = std::max(most, call.above);
             }
             return OutcomeDecision{most <= kPeelingDelta ? Outcome::kHolds : Outcome::kUndecided,
                                    "delta at most " + rounded_up(most, 3)};
           }}};
}

void add_line(Panel& panel, const std::string& x_name, const NoiseLine& line,
              const std::vector<double>& x, const std::vector<double>& y,
              ExperimentReport& report) {
  draw_curve({.panel = panel.title,
              .series = line.name,
              .x_name = x_name,
              .y_name = "delta",
              .x = x,
              .y = y},
             line.name, line.look, panel, report);
}

Panel delta_panel(const std::string& title, const std::string& x) {
  return log_panel(title, x, "\xCE\xB4 at the promised level");
}

void add_promised(const std::vector<double>& x, Panel& panel) {
  panel.series.push_back(Series::line("promised", x, std::vector<double>(x.size(), kPeelingDelta),
                                      {Colour::kBlack, Dash::kDotted, Marker::kNone, 1.2}));
}

Status draw_peelings(const PeelingLevelsConfig& config, SimulationRunner&,
                     ExperimentReport& report) {
  report.figure.columns = 2;
  report.values.caption = "delta at the promised level, delta = 0.01";
  report.values.columns = {{"call", false},  {"\xCE\xB5"}, {"N"},        {"M"},
                           {"noise", false}, {"shift"},    {"at least"}, {"at most"}};
  const auto row = [&](const std::string& call, double level, std::int64_t records,
                       const std::string& name, const CallLevel& found) {
    report.values.rows.push_back({call, number_text(level), grouped(records),
                                  std::to_string(found.iterations), name, rounded(found.first, 3),
                                  found.below ? rounded_down(*found.below, 3) : "-",
                                  rounded_up(found.above, 3)});
  };
  PeelingRun run{config, {}};
  const std::array names = {"the paper's, its sensitivity", "the paper's", "corrected"};
  const auto one = experiment(config, IterationRule::kCode);
  for (const Noise noise : {Noise::kAssumed, Noise::kPaper, Noise::kCorrected}) {
    for (const double level : kPeelingLevels) {
      const auto found = ASSAY_TRY(call_level(one, config.records, level, noise));
      row("code", level, config.records, names[static_cast<std::size_t>(noise)], found);
      run.one_iteration[static_cast<std::size_t>(noise)].push_back(found);
    }
  }
  Panel levels = delta_panel("one iteration (the code's M)", "\xCE\xB5");
  const std::vector<double> x(kPeelingLevels.begin(), kPeelingLevels.end());
  for (const auto& line : kLines) {
    std::vector<double> y;
    for (const auto& call : run.one_iteration[static_cast<std::size_t>(line.noise)]) {
      y.push_back(std::max(kLeastDrawn, line.below ? call.below.value_or(0.0) : call.above));
    }
    add_line(levels, "epsilon", line, x, y, report);
  }
  add_promised(x, levels);
  report.figure.panels.push_back(std::move(levels));

  Panel episodes = delta_panel("M of the text, against N", "records N");
  const auto many = experiment(config, IterationRule::kText);
  std::vector<double> sizes;
  for (std::int64_t n = 64; n <= 16'384; n *= 4) sizes.push_back(static_cast<double>(n));
  for (const auto& line : kLines) {
    if (line.below) continue;
    std::vector<double> y;
    for (const double n : sizes) {
      const auto records = static_cast<std::int64_t>(n);
      const auto found = ASSAY_TRY(call_level(many, records, config.level, line.noise));
      row("text", config.level, records, names[static_cast<std::size_t>(line.noise)], found);
      y.push_back(std::max(kLeastDrawn, found.above));
    }
    add_line(episodes, "records", line, sizes, y, report);
  }
  add_promised(sizes, episodes);
  report.figure.panels.push_back(std::move(episodes));
  report.checks = checks_of(peeling_outcomes(), run);
  report.caption = fmt::format(
      "The \xCE\xB4 that the peelings of one call of N-IHT need at the promised level with "
      "\xCE\xB4 = 0.01: d = {}, s = {}, x_max = sqrt(2 log d), b_max = 3.75. Left: N = {}, one "
      "iteration. Right: \xCE\xB5 = {}, M = floor(1.6 log N). The bounds are certified; the lower "
      "ones are for a pair of records. Values below 1e-12 are drawn at 1e-12.",
      config.dimension, config.sparsity, grouped(config.records), number_text(config.level));
  return {};
}

}  // namespace

Experiment peeling_levels() {
  return make_experiment<PeelingLevelsConfig>(
      {.id = "fliphat-peeling",
       .title = "Private sparse linear bandits: the privacy loss of a call's peelings",
       .about =
           "The delta that one call of N-IHT needs at the promised level, by certified composition "
           "of its peelings, with the paper's noise and with corrected noise, for one iteration "
           "and for those of the text; and from below for a pair of records.",
       .reproduces =
           "FLIPHAT, Lemma A.2 and Theorem 5.1 at the parameters of Section 6 (no figure)",
       .outcomes = names_of(peeling_outcomes())},
      draw_peelings);
}

}  // namespace assay::detail
