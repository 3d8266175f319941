// duel-eliminations: the duel after which the first arm leaves, and the duel after which one arm is
// left, against eps. A run is a trial, one round of the simulation. Its "regret" is that duel, or T
// if that does not happen. Its pulls of arm 0 count the runs in which the best arm is left at the
// end.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "assay/auditors/dueling/figures/duel_run.hpp"
#include "assay/auditors/dueling/scored_duels.hpp"
#include "assay/auditors/statistics/binomial.hpp"
#include "assay/auditors/text/rounding.hpp"
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

struct TimesPoint {
  DuelPolicy policy = DuelPolicy::kEbs;
  double epsilon = 0.0;  // of a policy that has a level
  Event event = Event::kFirst;

  friend bool operator==(const TimesPoint&, const TimesPoint&) = default;
};

struct TimesRun : GridRun<TimesPoint> {
  TimesConfig config;
};

Result<SimulatedSeries> series_at(const TimesPoint& point, const TimesConfig& config) {
  const auto duels = ASSAY_TRY(ScoredDuels::create(even_scores(config.arms)));
  const auto series_of = [&](auto policy) {
    return times_series(
        fmt::format("{} eps={} {}", name_of(point.policy), number_text(point.epsilon),
                    point.event == Event::kFirst ? "first" : "last"),
        std::move(policy), duels, point.event);
  };
  if (point.policy == DuelPolicy::kEbs) {
    return series_of(ASSAY_TRY(EbsElimination::create({config.arms, config.horizon, 0.0})));
  }
  if (point.policy == DuelPolicy::kLocal) {
    return series_of(
        ASSAY_TRY(LocalEbsElimination::create({config.arms, config.horizon, point.epsilon, 0.0})));
  }
  DpEbsEliminationConfig central;
  central.arms = config.arms;
  central.horizon = config.horizon;
  central.epsilon = point.epsilon;
  return series_of(ASSAY_TRY(DpEbsElimination::create(central)));
}

Result<TimesRun> run_times(const TimesConfig& config, SimulationRunner& runner) {
  std::vector<TimesPoint> points;
  for (const Event event : {Event::kFirst, Event::kLast}) {
    for (const double epsilon : kTimeLevels) {
      points.push_back({DuelPolicy::kDpEbs, epsilon, event});
      points.push_back({DuelPolicy::kLocal, epsilon, event});
    }
    points.push_back({DuelPolicy::kEbs, 0.0, event});
  }
  Simulation simulation = config.simulation("duel-eliminations");
  simulation.horizon = 1;
  auto grid = ASSAY_TRY(run_grid<TimesPoint>(
      std::move(simulation), std::move(points), runner,
      [&](const TimesPoint& point) { return series_at(point, config); },
      [&](const SimulationResult& result) {
        return final_regret_bounds(result, static_cast<double>(config.horizon),
                                   kExperimentAlpha / 2.0);
      }));
  return TimesRun{std::move(grid), config};
}

std::vector<StatedOutcome<TimesRun>> times_outcomes() {
  return {
      {"the best arm stays",
       "if all intervals hold, which they do with probability 1 - delta, the best arm is never "
       "eliminated (Lemmas 4 and 5)",
       "the share of runs that keep it is not certainly below 1 - 1/T for any policy and level",
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
         JointDecision found;
         const Bounds& without = run.at({DuelPolicy::kEbs, 0.0, Event::kFirst});
         found.note("without privacy in " + bounds_text(without));
         for (const auto policy : {DuelPolicy::kDpEbs, DuelPolicy::kLocal}) {
           const Bounds& with = run.at({policy, 1.0, Event::kFirst});
           found.add(is_below(without, with), name_of(policy) + " in " + bounds_text(with));
         }
         return found.decision();
       }}};
}

void draw_times(const TimesRun& run, Event event, ExperimentReport& report) {
  Panel panel = log_panel(event == Event::kFirst ? "the first arm leaves" : "one arm is left",
                          "\xCE\xB5", "duels, mean");
  for (const auto policy : {DuelPolicy::kDpEbs, DuelPolicy::kLocal}) {
    Curve curve{.panel = panel.title,
                .series = name_of(policy),
                .x_name = "epsilon",
                .y_name = "duels",
                .repetitions = run.config.repetitions};
    for (const double epsilon : kTimeLevels) {
      add_final_point(epsilon, run.series({policy, epsilon, event}).all.pseudo, curve);
    }
    draw_curve(std::move(curve), name_of(policy), look_of(policy), panel, report);
  }
  Style look = look_of(DuelPolicy::kEbs);
  look.marker = Marker::kNone;
  const double mean = run.mean({DuelPolicy::kEbs, 0.0, event});
  panel.series.push_back(Series::line(
      name_of(DuelPolicy::kEbs), {kTimeLevels.front(), kTimeLevels.back()}, {mean, mean}, look));
  panel.rules.push_back(
      horizontal_rule(static_cast<double>(run.config.horizon), "T: never", Dash::kDotted));
  report.figure.panels.push_back(std::move(panel));
}

void draw_eliminations(const TimesRun& run, ExperimentReport& report) {
  const auto& config = run.config;
  report.figure.columns = 2;
  draw_times(run, Event::kFirst, report);
  draw_times(run, Event::kLast, report);
  report.values.caption = fmt::format("Mean duels of {} runs; T = {} if it does not happen",
                                      grouped(config.repetitions), grouped(config.horizon));
  report.values.columns = {{"policy", false}, {"\xCE\xB5"}, {"first arm leaves"}, {"one arm left"}};
  for (const auto policy : kTimed) {
    for (const double epsilon : kTimeLevels) {
      if (!has_level(policy) && epsilon != kTimeLevels.front()) continue;
      const auto cell = [&](Event event) {
        return grouped(std::llround(run.mean({policy, has_level(policy) ? epsilon : 0.0, event})));
      };
      report.values.rows.push_back({name_of(policy), has_level(policy) ? number_text(epsilon) : "-",
                                    cell(Event::kFirst), cell(Event::kLast)});
    }
  }
  report.caption = fmt::format(
      "{} arms with scores evenly from 1 to -1. The duel after which the first arm has left, and "
      "the duel after which one arm is left, or T = {} if that does not happen. Lines are means of "
      "{} runs with pointwise 95% bands. The checks use intervals that hold jointly at 99.9%. Seed "
      "{}.",
      config.arms, grouped(config.horizon), grouped(config.repetitions), config.seed);
}

}  // namespace

Experiment elimination_times() {
  return make_figure<TimesConfig, TimesRun>(
      {.id = "duel-eliminations",
       .title = "Private dueling bandits: when arms leave",
       .about =
           "How many duels elimination by effective Borda scores takes until the first arm leaves and "
           "until one is left, with central and local privacy at five levels and without.",
       .reproduces = "DP-Dueling, Lemmas 5 and 6 (no figure)"},
      {run_times, times_outcomes, draw_eliminations});
}

}  // namespace assay::detail
