// duel-eliminations: the duel after which the first arm leaves, and that after which one arm is left,
// against eps. A run is a trial, one round of the simulation: its "regret" is that duel, T where it
// does not come; its pulls count on arm 0 the runs in which the best arm is still there at the end.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "assay/auditors/dueling/figures/duel_run.hpp"
#include "assay/auditors/dueling/scored_duels.hpp"
#include "assay/auditors/statistics/binomial.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/core/check.hpp"
#include "assay/policies/dueling/dp_ebs_elimination.hpp"
#include "assay/policies/dueling/ebs_elimination.hpp"

namespace assay::detail {
namespace {

constexpr std::array kTimeLevels = {0.3, 1.0, 3.0, 10.0, 30.0};

enum class Event { kFirst, kLast };

struct TimesConfig : DuelSetting {
  TimesConfig() {
    arms = 4;
    horizon = 100'000;
  }
  static void fields(auto&& visit) {
    using C = TimesConfig;
    visit(field<C, std::int64_t>("repetitions", &C::repetitions, Range{2, 1e4}, "R",
                                 "independent runs of every policy"));
    visit(field<C, std::int64_t>("horizon", &C::horizon, Range{1000, 1e7}, "T", "duels of a run"));
    visit(field<C, std::int64_t>("arms", &C::arms, Range{2, 64}, "K", "arms"));
    visit(field<C, std::int64_t>("seed", &C::seed, Range{0, 1e9}, "", "names the random streams"));
  }
};

template <class E>
SimulatedSeries times_series(std::string id, E policy, ScoredDuels duels, Event event) {
  SimulatedSeries series;
  series.id = std::move(id);
  series.means.assign(duels.means().begin(), duels.means().end());
  series.play = [policy = std::move(policy), duels = std::move(duels),
                 event](const ChunkPlan& plan) -> std::optional<ChunkResult> {
    const std::int64_t horizon = policy.config().horizon;
    ChunkResult result;
    result.pulls.assign(duels.means().size(), 0);
    for (std::int64_t trial = plan.first; trial < plan.end; ++trial) {
      if (plan.cancelled()) return std::nullopt;
      E player = policy;
      ReplayStream choices = plan.stream(plan.policy_purpose, trial, 0);
      ReplayStream luck = plan.stream(plan.environment_purpose, trial, 1);
      const std::size_t wanted = event == Event::kFirst ? duels.means().size() - 1 : 1;
      std::int64_t round = 0;
      while (round < horizon && player.active().size() > wanted) {
        const bool won = duels.feedback(round, player.choose(choices), luck);
        observe(player, won, choices);
        ++round;
      }
      const auto when = static_cast<double>(round);
      result.pulls[0] += player.active().front() == 0 ? 1 : 0;
      result.pseudo.add(std::array{when});
      result.realised.add(std::array{when});
      result.final_pseudo.push_back(when);
      result.final_realised.push_back(when);
    }
    return result;
  };
  return series;
}

constexpr std::array kTimed = {DuelPolicy::kDpEbs, DuelPolicy::kLocal, DuelPolicy::kEbs};

struct TimesRun {
  TimesConfig config;
  std::shared_ptr<const SimulationResult> result;
  std::vector<Bounds> bounds;

  static std::string id(DuelPolicy policy, double epsilon, Event event) {
    return fmt::format("{} eps={} {}", name_of(policy), number_text(epsilon),
                       event == Event::kFirst ? "first" : "last");
  }
  std::size_t find(DuelPolicy policy, double epsilon, Event event) const {
    const auto wanted = id(policy, has_level(policy) ? epsilon : 0.0, event);
    const auto& all = result->series;
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const SeriesResult& one) { return one.id == wanted; });
    ASSAY_CHECK(found != all.end(), "a series of the run");
    return static_cast<std::size_t>(found - all.begin());
  }
};

Result<TimesRun> run_times(const TimesConfig& config, SimulationRunner& runner) {
  TimesRun run{config, nullptr, {}};
  Simulation simulation = config.simulation("duel-eliminations");
  simulation.horizon = 1;
  const auto duels = ASSAY_TRY(ScoredDuels::create(even_scores(config.arms)));
  for (const Event event : {Event::kFirst, Event::kLast}) {
    const auto add = [&](DuelPolicy policy, double epsilon, auto player) {
      simulation.series.push_back(
          times_series(TimesRun::id(policy, epsilon, event), std::move(player), duels, event));
    };
    for (const double epsilon : kTimeLevels) {
      DpEbsEliminationConfig central;
      central.arms = config.arms;
      central.horizon = config.horizon;
      central.epsilon = epsilon;
      add(DuelPolicy::kDpEbs, epsilon, ASSAY_TRY(DpEbsElimination::create(central)));
      add(DuelPolicy::kLocal, epsilon,
          ASSAY_TRY(LocalEbsElimination::create({config.arms, config.horizon, epsilon, 0.0})));
    }
    add(DuelPolicy::kEbs, 0.0,
        ASSAY_TRY(EbsElimination::create({config.arms, config.horizon, 0.0})));
  }
  run.result = ASSAY_TRY(runner.run(simulation));
  const std::vector<RegretRange> ranges(run.result->series.size(),
                                        {0.0, static_cast<double>(config.horizon)});
  run.bounds = final_regret_bounds(*run.result, ranges, kExperimentAlpha / 2.0);
  return run;
}

std::vector<StatedOutcome<TimesRun>> times_outcomes() {
  return {
      {"the best arm stays",
       "if all intervals hold, which they do with probability 1 - delta, the best arm is never "
       "eliminated (Lemmas 4 and 5)",
       "of no policy and level the share of runs that keep it is certainly below 1 - 1/T",
       [](const TimesRun& run) {
         OutcomeDecision found{Outcome::kHolds, ""};
         std::int64_t kept = 0;
         std::int64_t runs = 0;
         const double alpha =
             kExperimentAlpha / 2.0 / static_cast<double>(run.result->series.size());
         for (const auto& series : run.result->series) {
           kept += series.all.pulls[0];
           runs += series.repetitions();
           const double upper =
               clopper_pearson_upper(series.all.pulls[0], series.repetitions(), alpha).value.value;
           if (upper < 1.0 - 1.0 / static_cast<double>(run.config.horizon)) {
             found.outcome = Outcome::kFails;
           }
         }
         found.observed = fmt::format("it stays in {} of {} runs", grouped(kept), grouped(runs));
         return found;
       }},
      {"privacy delays eliminations", "the noise's part of the radius (Algorithm 1)",
       "at \xCE\xB5 = 1 the interval of the duel after which the first arm leaves lies above that "
       "without privacy, for DP-EBS and for the local model",
       [](const TimesRun& run) {
         OutcomeDecision found;
         std::vector<Outcome> parts;
         const auto without = run.find(DuelPolicy::kEbs, 0.0, Event::kFirst);
         found.observed = "without privacy in " + bounds_text(run.bounds[without]);
         for (const auto policy : {DuelPolicy::kDpEbs, DuelPolicy::kLocal}) {
           const auto with = run.find(policy, 1.0, Event::kFirst);
           parts.push_back(is_below(run.bounds[without], run.bounds[with]));
           found.observed +=
               fmt::format("; {} in {}", name_of(policy), bounds_text(run.bounds[with]));
         }
         found.outcome = all_of(parts);
         return found;
       }}};
}

void draw_times(const TimesRun& run, Event event, ExperimentReport& report) {
  Panel panel;
  panel.title = event == Event::kFirst ? "the first arm leaves" : "one arm is left";
  panel.x = {"\xCE\xB5", Scale::kLog};
  panel.y = {"duels, mean", Scale::kLog};
  panel.plot_height = 300.0;
  for (const auto policy : {DuelPolicy::kDpEbs, DuelPolicy::kLocal}) {
    Curve curve;
    curve.panel = panel.title;
    curve.series = name_of(policy);
    curve.x_name = "epsilon";
    curve.y_name = "duels";
    curve.repetitions = run.config.repetitions;
    for (const double epsilon : kTimeLevels) {
      const auto at = run.find(policy, epsilon, event);
      const Moments& moments = run.result->at(at).all.pseudo;
      const double half = normal_half_width(moments, 0);
      curve.x.push_back(epsilon);
      curve.y.push_back(moments.mean[0]);
      curve.low.push_back(moments.mean[0] - half);
      curve.high.push_back(moments.mean[0] + half);
    }
    Style band = look_of(policy);
    band.width = 0.0;
    band.fill = 0.12;
    panel.series.push_back(Series::band("", curve.x, curve.low, curve.high, band));
    panel.series.push_back(Series::line(curve.series, curve.x, curve.y, look_of(policy)));
    report.curves.push_back(std::move(curve));
  }
  Style look = look_of(DuelPolicy::kEbs);
  look.marker = Marker::kNone;
  const auto without = run.find(DuelPolicy::kEbs, 0.0, event);
  const double mean = run.result->at(without).all.pseudo.mean[0];
  panel.series.push_back(Series::line(
      name_of(DuelPolicy::kEbs), {kTimeLevels.front(), kTimeLevels.back()}, {mean, mean}, look));
  panel.rules.push_back({Rule::Along::kHorizontal,
                         static_cast<double>(run.config.horizon),
                         "T: never",
                         {Colour::kGrey, Dash::kDotted, Marker::kNone, 1.2}});
  report.figure.panels.push_back(std::move(panel));
}

Status draw_eliminations(const TimesConfig& config, SimulationRunner& runner,
                         ExperimentReport& report) {
  const auto run = ASSAY_TRY(run_times(config, runner));
  report.confidence = 1.0 - kExperimentAlpha;
  report.figure.columns = 2;
  draw_times(run, Event::kFirst, report);
  draw_times(run, Event::kLast, report);
  report.checks = checks_of(times_outcomes(), run);
  report.values.caption = fmt::format("Mean duels of {} runs; T = {} where it does not happen",
                                      grouped(config.repetitions), grouped(config.horizon));
  report.values.columns = {{"policy", false}, {"\xCE\xB5"}, {"first arm leaves"}, {"one arm left"}};
  for (const auto policy : kTimed) {
    for (const double epsilon : kTimeLevels) {
      if (!has_level(policy) && epsilon != kTimeLevels.front()) continue;
      const auto cell = [&](Event event) {
        const auto& series = run.result->at(run.find(policy, epsilon, event));
        return grouped(std::llround(series.all.pseudo.mean[0]));
      };
      report.values.rows.push_back({name_of(policy), has_level(policy) ? number_text(epsilon) : "-",
                                    cell(Event::kFirst), cell(Event::kLast)});
    }
  }
  report.caption = fmt::format(
      "{} arms with scores evenly from 1 to -1. The duel after which the first arm has left, and that "
      "after which one is left, T = {} where that does not happen; means of {} runs, pointwise 95% "
      "bands; checks by intervals that hold jointly at 99.9%. Seed {}.",
      config.arms, grouped(config.horizon), grouped(config.repetitions), config.seed);
  return {};
}

}  // namespace

Experiment elimination_times() {
  ExperimentDescription d;
  d.id = "duel-eliminations";
  d.title = "Private dueling bandits: when arms leave";
  d.about =
      "How many duels elimination by effective Borda scores takes until the first arm leaves and "
      "until one is left, with central and local privacy at five levels and without.";
  d.reproduces = "DP-Dueling, Lemmas 5 and 6 (no figure)";
  d.outcomes = names_of(times_outcomes());
  return make_experiment<TimesConfig>(std::move(d), draw_eliminations);
}

}  // namespace assay::detail
