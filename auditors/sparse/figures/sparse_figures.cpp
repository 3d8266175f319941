#include "assay/auditors/sparse/figures/sparse_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>

#include "assay/auditors/figures/grid_run.hpp"
#include "assay/auditors/sparse/figures/peeling_levels.hpp"
#include "assay/auditors/sparse/figures/sparse_run.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay::detail {
namespace {

using K = SparseKind;

constexpr std::array kNoises = {Calibration::kPaper, Calibration::kCorrected};
constexpr int kSweepSteps = 12;
constexpr std::int64_t kManyEntries = 10;  // s* of the sweep over s

struct SparseSetting : RunSetting {
  IterationRule iterations = IterationRule::kCode;

  SparseSetting() {
    repetitions = 60;
    horizon = 20'000;
  }
  Status check() const {
    if (iterations != IterationRule::kTheorem) return {};
    return fail(ErrorCode::kInvalidArgument,
                "iterations must be text or code, not theorem, as in the experiments",
                "/iterations");
  }
};

template <SparseFigure F>
struct SparseConfig : SparseSetting {
  SparseConfig() {
    if (F == SparseFigure::kThree) horizon = 10'000;
  }
  static void fields(auto&& visit) {
    using C = SparseConfig;
    visit(field<C, std::int64_t>("repetitions", &C::repetitions, Range{2, 1e4}, "R",
                                 "independent runs of every policy"));
    visit(field<C, std::int64_t>(
        "horizon", &C::horizon, Range{200, 1e6}, "T",
        F == SparseFigure::kOne ? "rounds of a run; against d, half of them" : "rounds of a run"));
    visit(field<C, IterationRule>("iterations", &C::iterations, Range{}, "",
                                  "iterations of N-IHT: code (M_0 = 0.16) or text (1.6)"));
    visit(field<C, std::int64_t>("seed", &C::seed, Range{0, 1e9}, "",
                                 "names the random streams, and draws beta"));
  }
};

// ---- names --------------------------------------------------------------------------------------

std::string noise_text(Calibration noise) {
  return noise == Calibration::kPaper ? "the paper's noise" : "corrected noise";
}
std::string m0_text(IterationRule rule) {
  return rule == IterationRule::kCode ? "M\xE2\x82\x80 of the code" : "M\xE2\x82\x80 of the text";
}
IterationRule other_than(IterationRule rule) {
  return rule == IterationRule::kCode ? IterationRule::kText : IterationRule::kCode;
}

std::string legend_of(const SparsePoint& point) {
  switch (point.kind) {
    case K::kFliphat:
      return level_legend(point.epsilon);
    case K::kIht:
      return "IHT, not private";
    case K::kLasso:
      return "lasso, not private";
    case K::kRandom:
      break;
  }
  return "random";
}

Style look_of(const SparsePoint& point) {
  static constexpr std::array<Style, kLevels.size()> kLooks = {{
      {Colour::kVermillion, Dash::kSolid, Marker::kSquare, 1.6},
      {Colour::kOrange, Dash::kDashed, Marker::kTriangle, 1.6},
      {Colour::kGreen, Dash::kDashDot, Marker::kDiamond, 1.6},
      {Colour::kSkyBlue, Dash::kSolid, Marker::kCircle, 1.6},
      {Colour::kBlue, Dash::kDashed, Marker::kCross, 1.6},
  }};
  if (point.kind == K::kIht) return {Colour::kPurple, Dash::kDashDot, Marker::kNone, 1.6};
  if (point.kind == K::kLasso) return {Colour::kBlack, Dash::kSolid, Marker::kNone, 1.6};
  if (point.kind == K::kRandom) return {Colour::kGrey, Dash::kDotted, Marker::kNone, 1.6};
  const auto* const at = std::find(kLevels.begin(), kLevels.end(), point.epsilon);
  return kLooks[static_cast<std::size_t>(at - kLevels.begin())];
}

// ---- the simulations ----------------------------------------------------------------------------

SparsePoint fliphat(double epsilon, Calibration noise, IterationRule rule,
                    std::int64_t sparsity = 10) {
  return {K::kFliphat, epsilon, noise, rule, sparsity};
}
SparsePoint iht(IterationRule rule, std::int64_t sparsity = 10) {
  return {K::kIht, 0.0, Calibration::kPaper, rule, sparsity};
}
SparsePoint lasso() { return {K::kLasso}; }
SparsePoint random() { return {K::kRandom}; }

template <std::size_t N>
std::vector<SparsePoint> levels(const std::array<double, N>& epsilons, Calibration noise,
                                IterationRule rule, std::int64_t sparsity = 10) {
  std::vector<SparsePoint> points;
  for (const double epsilon : epsilons) points.push_back(fliphat(epsilon, noise, rule, sparsity));
  return points;
}

void add(std::vector<SparsePoint>& to, const std::vector<SparsePoint>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

// A line of worlds along a size.
struct Sweep {
  std::string name;   // in data: "dimension"
  std::string label;  // of the axis
  std::vector<double> x;
  std::vector<std::string> worlds;     // of each x
  std::vector<std::int64_t> sparsity;  // s of each x
};

struct SparseRun : Medians {  // which decide the outcomes
  SparseSetting setting;
  WorldsRun time;   // figures 1 and 2
  WorldsRun sizes;  // figures 1 and 3
  std::vector<Sweep> sweeps;

  std::vector<double> over(const Sweep& sweep, const SparsePoint& point,
                           std::size_t repetition) const {
    std::vector<double> y;
    for (std::size_t i = 0; i < sweep.x.size(); ++i) {
      y.push_back(sizes.finals(sweep.worlds[i], at_step(sweep, point, i))[repetition]);
    }
    return y;
  }
  static SparsePoint at_step(const Sweep& sweep, SparsePoint point, std::size_t i) {
    if (point.kind == K::kFliphat || point.kind == K::kIht) point.sparsity = sweep.sparsity[i];
    return point;
  }
};

std::vector<double> ratios(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> out;
  for (std::size_t i = 0; i < a.size(); ++i) out.push_back(a[i] / b[i]);
  return out;
}

std::vector<double> logs(std::vector<double> values) {
  for (double& value : values) value = portable_log(value);
  return values;
}

// ---- numbers of a repetition --------------------------------------------------------------------

// Medians of R(T)/R(T/2) with the paper's noise.
void add_growths(const std::string& world, SparseRun& run) {
  for (const double epsilon : kLevels) {
    const auto point = fliphat(epsilon, Calibration::kPaper, run.setting.iterations);
    run.add(growth_name(world, epsilon),
            ratios(run.time.finals(world, point), run.time.halves(world, point)));
  }
}

// ---- drawing ------------------------------------------------------------------------------------

void draw_time(const SparseRun& run, const std::string& world, const std::string& title,
               const std::vector<SparsePoint>& points, bool legend, ExperimentReport& report) {
  Panel panel = regret_panel(title, "rounds", RegretKind::kPseudo);
  panel.y.label = "mean regret";
  for (const auto& point : points) {
    draw_regret(regret_curve(*run.time.result, run.time.index(world, point), RegretKind::kPseudo,
                             title, legend_of(point)),
                legend ? legend_of(point) : std::string(), look_of(point), panel, report);
  }
  report.figure.panels.push_back(std::move(panel));
}

void draw_sweep(const SparseRun& run, const Sweep& sweep, const std::string& title, Scale x_scale,
                Scale y_scale, const std::vector<SparsePoint>& points,
                const std::function<std::string(const SparsePoint&)>& legend,
                ExperimentReport& report) {
  Panel panel = regret_panel(title, sweep.label, RegretKind::kPseudo);
  panel.x.scale = x_scale;
  panel.y.scale = y_scale;
  if (y_scale == Scale::kLog) panel.y.low.reset();
  panel.y.label = "mean final regret";
  for (const auto& point : points) {
    Curve curve{.panel = title,
                .series = legend_of(point),
                .x_name = sweep.name,
                .y_name = "final_pseudo_regret_reward",
                .repetitions = run.setting.repetitions};
    for (std::size_t i = 0; i < sweep.x.size(); ++i) {
      add_final_point(sweep.x[i],
                      run.sizes.at(sweep.worlds[i], SparseRun::at_step(sweep, point, i)).all.pseudo,
                      curve);
    }
    if (y_scale == Scale::kLog) {  // without widening to decades
      const auto [low, high] = std::minmax_element(curve.y.begin(), curve.y.end());
      panel.y.low = std::min(panel.y.low.value_or(HUGE_VAL), 0.8 * *low);
      panel.y.high = std::max(panel.y.high.value_or(0.0), 1.25 * *high);
    }
    draw_curve(std::move(curve), legend(point), look_of(point), panel, report);
  }
  report.figure.panels.push_back(std::move(panel));
}

std::string setting_text(const SparseRun& run, const std::string& what) {
  return fmt::format(
      "{} Contexts Gaussian with covariance 0.1^|i - j|, s = 10, \xCE\xB7 = 1e-4, \xCE\xB4 = 0.01; "
      "{}, unless a panel says otherwise. Lines are means of {} runs on common rounds with "
      "pointwise 95% bands. The checks use order statistics of medians over runs that hold jointly "
      "at 99.9%. Seed {}.",
      what, m0_text(run.setting.iterations), grouped(run.setting.repetitions), run.setting.seed);
}

const char* const kReadings =
    "Text: M\xE2\x82\x80 = 1.6, \xCF\x83 = 0.1. Code: M\xE2\x82\x80 = 0.16 (0.15 against d), \xCF\x83 "
    "= 1, at most one iteration in an episode, as in the published curves. x_max = sqrt(2 log d) "
    "clips contexts, b_max is the l1 norm of \xCE\xB2.";

// The level that the paper's noise proves, by the requested level. Of episodes with equally many
// iterations the last proves the most, because (R + x_max b_max)/R, its noise over the sensitivity,
// falls with their length.
std::map<double, double> proved_levels(const SparseWorld& world, const SparseSetting& setting) {
  const auto signal = signal_of(world, static_cast<std::uint64_t>(setting.seed)).value();
  std::map<double, double> out;
  for (const double epsilon : kLevels) {
    const auto point = fliphat(epsilon, Calibration::kPaper, setting.iterations);
    const auto policy =
        Fliphat::create(fliphat_config(world, point, signal, setting.horizon).value()).value();
    for (std::int64_t l = 0; l < policy.estimates(); ++l) {
      const auto& plan = policy.plan(l);
      if (l + 1 < policy.estimates() && policy.plan(l + 1).iterations == plan.iterations) continue;
      const auto bounds = episode_bounds(policy.config(), std::int64_t{1} << l);
      out[epsilon] =
          std::max(out[epsilon], niht_proved_epsilon(plan, bounds, policy.config().delta));
    }
  }
  return out;
}

std::string proved_text(const SparseRun& run, const SparsePoint& point,
                        const std::map<double, double>& proved) {
  if (point.kind != K::kFliphat) return "-";
  if (point.calibration == Calibration::kCorrected) return number_text(point.epsilon);
  return point.iterations == run.setting.iterations ? rounded_up(proved.at(point.epsilon), 3) : "";
}

void add_time_rows(const SparseRun& run, ExperimentReport& report) {
  const auto proved = proved_levels(run.time.worlds[0], run.setting);
  for (const auto& world : run.time.worlds) {
    for (const auto& point : world.points) {
      const bool noisy = point.kind == K::kFliphat;
      const auto& moments = run.time.at(world.id, point).all.pseudo;
      report.values.rows.push_back(
          {world.noise == RewardNoise::kGaussian ? "Gaussian" : "uniform",
           noisy ? "FLIPHAT, " + noise_text(point.calibration) : legend_of(point),
           noisy || point.kind == K::kIht ? value_text(point.iterations) : "-",
           noisy ? number_text(point.epsilon) : "-", proved_text(run, point, proved),
           regret_text(moments.mean.back()),
           regret_text(normal_half_width(moments, moments.mean.size() - 1))});
    }
  }
}

void start_time_table(const SparseRun& run, ExperimentReport& report) {
  report.values.caption =
      fmt::format("Mean regret of {} runs at T = {}", grouped(run.setting.repetitions),
                  grouped(run.setting.horizon));
  report.values.columns = {{"rewards' noise", false},
                           {"policy", false},
                           {"M\xE2\x82\x80", false},
                           {"\xCE\xB5"},
                           {"\xCE\xB5 proved"},
                           {"regret"},
                           {"half-width"}};
}

std::vector<SparsePoint> with_references(std::vector<SparsePoint> points, IterationRule rule,
                                         bool has_lasso) {
  points.push_back(iht(rule));
  if (has_lasso) points.push_back(lasso());
  points.push_back(random());
  return points;
}

// ---- fliphat-fig1 -------------------------------------------------------------------------------

SparseWorld time_world(const std::string& id, RewardNoise noise,
                       const std::vector<IterationRule>& rules) {
  SparseWorld world;
  world.id = id;
  world.noise = noise;
  world.halves = Halves::kYes;
  for (const auto rule : rules) {
    for (const auto calibration : kNoises) add(world.points, levels(kLevels, calibration, rule));
    world.points.push_back(iht(rule));
  }
  world.points.push_back(lasso());
  world.points.push_back(random());
  return world;
}

// Slopes in log d and, for the paper's noise, bends.
void add_slopes(SparseRun& run) {
  const Sweep& sweep = run.sweeps[0];
  const auto x = logs(sweep.x);
  for (const auto noise : kNoises) {
    for (const double epsilon : kSweepLevels) {
      std::vector<double> slopes, bends;
      for (std::int64_t r = 0; r < run.setting.repetitions; ++r) {
        const auto y = run.over(sweep, fliphat(epsilon, noise, run.setting.iterations),
                                static_cast<std::size_t>(r));
        const auto [slope, bend] = fit_line(x, y);
        slopes.push_back(slope);
        bends.push_back(bend);
      }
      run.add(fmt::format("slope {} {}", value_text(noise), epsilon), std::move(slopes));
      if (noise == Calibration::kPaper) {
        run.add(fmt::format("bend {}", epsilon), std::move(bends));
      }
    }
  }
}

Result<SparseRun> run_levels(const SparseSetting& setting, SimulationRunner& runner) {
  const auto rule = setting.iterations;
  SparseRun run;
  run.setting = setting;
  run.time = ASSAY_TRY(
      run_worlds("fliphat-fig1", setting,
                 {time_world(kTime, RewardNoise::kGaussian, {rule, other_than(rule)})}, runner));
  Sweep sweep{"dimension", "dimension d", {}, {}, {}};
  std::vector<SparseWorld> worlds;
  for (int i = 0; i < kSweepSteps; ++i) {
    SparseWorld world;
    world.dimension = 400 + 3600 * i / (kSweepSteps - 1);
    world.id = fmt::format("d={}", world.dimension);
    world.code_factor = 0.15;
    for (const auto noise : kNoises) add(world.points, levels(kSweepLevels, noise, rule));
    world.points = with_references(std::move(world.points), rule, false);
    sweep.x.push_back(static_cast<double>(world.dimension));
    sweep.worlds.push_back(world.id);
    sweep.sparsity.push_back(10);
    worlds.push_back(std::move(world));
  }
  run.sweeps = {sweep};
  RunSetting half = setting;
  half.horizon = setting.horizon / 2;
  run.sizes = ASSAY_TRY(run_worlds("fliphat-fig1 against d", half, std::move(worlds), runner));
  add_growths(kTime, run);
  const auto finals = [&](const SparsePoint& point) { return run.time.finals(kTime, point); };
  const auto at = [&](double epsilon, Calibration noise) {
    return finals(fliphat(epsilon, noise, rule));
  };
  for (std::size_t i = 1; i < kLevels.size(); ++i) {
    run.add(fmt::format("step {}", kLevels[i]),
            ratios(at(kLevels[i], Calibration::kPaper), at(kLevels[i - 1], Calibration::kPaper)));
  }
  std::vector<double> beyond = at(10.0, Calibration::kPaper);
  run.add("lasso", ratios(beyond, finals(lasso())));
  for (std::size_t r = 0; r < beyond.size(); ++r) beyond[r] -= finals(lasso())[r];
  run.add("beyond", ratios(beyond, finals(random())));
  for (const double epsilon : kLevels) {
    run.add(fmt::format("price {}", epsilon),
            ratios(at(epsilon, Calibration::kCorrected), at(epsilon, Calibration::kPaper)));
  }
  add_slopes(run);
  run.bound(kExperimentAlpha);
  return run;
}

void draw_levels(const SparseRun& run, ExperimentReport& report) {
  const auto rule = run.setting.iterations;
  report.figure.columns = 2;
  for (const auto noise : kNoises) {
    draw_time(run, kTime, noise_text(noise),
              with_references(levels(kLevels, noise, rule), rule, true),
              noise == Calibration::kPaper, report);
    draw_sweep(
        run, run.sweeps[0],
        fmt::format("{}, T = {}", noise_text(noise), grouped(run.setting.horizon / 2)), Scale::kLog,
        Scale::kLinear, with_references(levels(kSweepLevels, noise, rule), rule, false),
        [&](const SparsePoint& point) {
          if (point.kind != K::kFliphat) return legend_of(point);
          const auto slope =
              run.median(fmt::format("slope {} {}", value_text(noise), point.epsilon));
          return fmt::format("{}, slope {:.0f}", legend_of(point), slope);
        },
        report);
  }
  for (const auto noise : kNoises) {
    draw_time(run, kTime, noise_text(noise) + ", " + m0_text(other_than(rule)),
              with_references(levels(kLevels, noise, other_than(rule)), other_than(rule), true),
              false, report);
  }
  start_time_table(run, report);
  add_time_rows(run, report);
  report.caption = setting_text(run, "d = 400, s* = 5, K = 3.");
  report.notes = {kReadings};
  std::string slopes;
  for (const double epsilon : kSweepLevels) {
    const auto one = [&](Calibration noise) {
      const auto name = fmt::format("slope {} {}", value_text(noise), epsilon);
      return fmt::format("{:.0f} in {}", run.median(name), bounds_text(run.at(name)));
    };
    slopes += fmt::format("{}{}: {} with the paper's noise, {} with corrected noise",
                          slopes.empty() ? "" : "; ", level_legend(epsilon), one(kNoises[0]),
                          one(kNoises[1]));
  }
  report.notes.push_back("Slopes in log d, medians over runs: " + slopes + ".");
  report.notes.push_back(
      "\"\xCE\xB5 proved\" is the smallest \xCE\xB5 that composition of all peelings proves at "
      "\xCE\xB4 for the noise that was drawn. The paper's noise is more than composition needs in "
      "that it splits its level over iterations, and less than privacy needs in that it assumes "
      "too small a sensitivity.");
}

// ---- fliphat-fig2 -------------------------------------------------------------------------------

Result<SparseRun> run_noises(const SparseSetting& setting, SimulationRunner& runner) {
  const auto rule = setting.iterations;
  SparseRun run;
  run.setting = setting;
  run.time = ASSAY_TRY(run_worlds("fliphat-fig2", setting,
                                  {time_world(kTime, RewardNoise::kGaussian, {rule}),
                                   time_world(kUniform, RewardNoise::kUniform, {rule})},
                                  runner));
  for (const auto& world : run.time.worlds) add_growths(world.id, run);
  for (const double epsilon : kLevels) {
    const auto point = fliphat(epsilon, Calibration::kPaper, rule);
    run.add(fmt::format("uniform over Gaussian {}", epsilon),
            ratios(run.time.finals(kUniform, point), run.time.finals(kTime, point)));
  }
  run.bound(kExperimentAlpha);
  return run;
}

void draw_noises(const SparseRun& run, ExperimentReport& report) {
  const auto rule = run.setting.iterations;
  report.figure.columns = 2;
  start_time_table(run, report);
  for (const auto noise : kNoises) {
    for (const auto& world : run.time.worlds) {
      const bool gaussian = world.noise == RewardNoise::kGaussian;
      draw_time(run, world.id,
                fmt::format("{}, {}", gaussian ? "Gaussian rewards" : "uniform rewards",
                            noise_text(noise)),
                with_references(levels(kLevels, noise, rule), rule, true),
                gaussian && noise == Calibration::kPaper, report);
    }
  }
  add_time_rows(run, report);
  report.caption = setting_text(
      run, "d = 400, s* = 5, K = 3; rewards with noise N(0, 0.1^2), or uniform on [-0.1, 0.1].");
  report.notes = {kReadings};
}

// ---- fliphat-fig3 -------------------------------------------------------------------------------

Result<SparseRun> run_sizes(const SparseSetting& setting, SimulationRunner& runner) {
  const auto rule = setting.iterations;
  SparseRun run;
  run.setting = setting;
  Sweep over_s{"sparsity", "sparsity s", {}, {}, {}};
  Sweep over_arms{"arms", "arms K", {}, {}, {}};
  std::vector<SparseWorld> worlds(1);
  worlds[0].id = "s";
  worlds[0].true_sparsity = kManyEntries;
  for (int i = 1; i <= kSweepSteps; ++i) {
    const std::int64_t sparsity = 5 * i;
    for (const auto noise : kNoises) {
      add(worlds[0].points, levels(kSweepLevels, noise, rule, sparsity));
    }
    worlds[0].points.push_back(iht(rule, sparsity));
    over_s.x.push_back(static_cast<double>(sparsity));
    over_s.worlds.push_back(worlds[0].id);
    over_s.sparsity.push_back(sparsity);
    SparseWorld world;
    world.arms = 2 * i;
    world.id = fmt::format("K={}", world.arms);
    for (const auto noise : kNoises) add(world.points, levels(kSweepLevels, noise, rule));
    world.points = with_references(std::move(world.points), rule, false);
    over_arms.x.push_back(static_cast<double>(world.arms));
    over_arms.worlds.push_back(world.id);
    over_arms.sparsity.push_back(10);
    worlds.push_back(std::move(world));
  }
  worlds[0].points.push_back(random());
  run.sweeps = {over_s, over_arms};
  run.sizes = ASSAY_TRY(run_worlds("fliphat-fig3", setting, std::move(worlds), runner));
  for (const double epsilon : kSweepLevels) {
    const auto at = [&](std::int64_t sparsity) {
      return run.sizes.finals("s", fliphat(epsilon, Calibration::kPaper, rule, sparsity));
    };
    run.add(fmt::format("over s=5 {}", epsilon), ratios(at(kManyEntries), at(5)));
    run.add(fmt::format("over s=60 {}", epsilon), ratios(at(kManyEntries), at(60)));
    std::vector<double> powers;
    for (std::size_t r = 0; r < at(5).size(); ++r) {
      powers.push_back(fit_line(logs(over_arms.x),
                                logs(run.over(over_arms, fliphat(epsilon, kNoises[0], rule), r)))
                           .slope);
    }
    run.add(fmt::format("power of K {}", epsilon), std::move(powers));
  }
  run.bound(kExperimentAlpha);
  return run;
}

void draw_sizes(const SparseRun& run, ExperimentReport& report) {
  const auto& setting = run.setting;
  const auto rule = setting.iterations;
  const Sweep& over_s = run.sweeps[0];
  report.figure.columns = 2;
  for (const auto noise : kNoises) {
    for (const auto& sweep : run.sweeps) {
      const bool arms = &sweep == &run.sweeps[1];
      const bool named = noise == Calibration::kPaper && !arms;
      draw_sweep(
          run, sweep, noise_text(noise) + (arms ? ", s* = 5" : ", s* = 10"),
          arms ? Scale::kLinear : Scale::kLog, arms ? Scale::kLinear : Scale::kLog,
          with_references(levels(kSweepLevels, noise, rule), rule, false),
          [&](const SparsePoint& point) { return named ? legend_of(point) : std::string(); },
          report);
    }
  }
  report.values.caption = fmt::format("Mean regret of {} runs at T = {}",
                                      grouped(setting.repetitions), grouped(setting.horizon));
  report.values.columns = {{"noise", false}, {"against", false}, {"at"}};
  for (const double epsilon : kSweepLevels)
    report.values.columns.push_back({level_legend(epsilon)});
  for (const auto noise : kNoises) {
    for (const auto& sweep : run.sweeps) {
      for (std::size_t i = 0; i < sweep.x.size(); ++i) {
        std::vector<std::string> row = {noise_text(noise), sweep.name, number_text(sweep.x[i])};
        for (const double epsilon : kSweepLevels) {
          const auto point = SparseRun::at_step(sweep, fliphat(epsilon, noise, rule), i);
          row.push_back(regret_text(run.sizes.at(sweep.worlds[i], point).all.pseudo.mean.back()));
        }
        report.values.rows.push_back(std::move(row));
      }
    }
  }
  report.caption = setting_text(run, "d = 400; left K = 3, s* = 10, s on the axis; right s* = 5.");
  std::string best;
  for (const double epsilon : kSweepLevels) {
    const auto mean = [&](std::size_t i) {
      const auto point = SparseRun::at_step(over_s, fliphat(epsilon, Calibration::kPaper, rule), i);
      return run.sizes.at("s", point).all.pseudo.mean.back();
    };
    std::size_t least = 0;
    for (std::size_t i = 1; i < over_s.x.size(); ++i) least = mean(i) < mean(least) ? i : least;
    best += fmt::format("{}{} at {}", best.empty() ? "" : ", ", number_text(over_s.x[least]),
                        level_legend(epsilon));
  }
  report.notes = {kReadings,
                  "With the paper's noise the mean regret is least at s = " + best + "; s* = 10."};
}

template <SparseFigure F>
Experiment sparse_figure(ExperimentDescription description,
                         Result<SparseRun> (*run)(const SparseSetting&, SimulationRunner&),
                         void (*draw)(const SparseRun&, ExperimentReport&)) {
  return make_figure<SparseConfig<F>, SparseRun, Medians>(
      std::move(description), {run, [] { return sparse_outcomes(F); }, draw});
}

std::vector<Experiment> fliphat_figures() {
  return {
      sparse_figure<SparseFigure::kOne>(
          {.id = "fliphat-fig1",
           .title =
               "Private sparse linear bandits: regret at five levels, and against the dimension",
           .about =
               "Regret of FLIPHAT over time at five levels, with the paper's noise and with the "
               "noise that its level needs, for the iterations of the text and of the code, with "
               "the sparsity-agnostic lasso bandit, hard thresholding without noise and random "
               "arms; and against the dimension.",
           .reproduces = "FLIPHAT, Figure 1"},
          run_levels, draw_levels),
      sparse_figure<SparseFigure::kTwo>(
          {.id = "fliphat-fig2",
           .title = "Private sparse linear bandits: regret under Gaussian and uniform noise",
           .about =
               "Regret of FLIPHAT over time at five levels, with Gaussian and with uniform noise "
               "of rewards, with the paper's noise and with corrected noise.",
           .reproduces = "FLIPHAT, Figure 2"},
          run_noises, draw_noises),
      sparse_figure<SparseFigure::kThree>(
          {.id = "fliphat-fig3",
           .title =
               "Private sparse linear bandits: regret against the assumed sparsity and the number "
               "of arms",
           .about =
               "Final regret of FLIPHAT at four levels against the sparsity that it assumes, if "
               "ten entries matter, and against the number of arms, with the paper's noise and "
               "with corrected noise.",
           .reproduces = "FLIPHAT, Figure 3"},
          run_sizes, draw_sizes),
      peeling_levels()};
}

}  // namespace
}  // namespace assay::detail

namespace assay {

std::vector<Experiment> sparse_figures() { return detail::fliphat_figures(); }

}  // namespace assay
