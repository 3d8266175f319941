// ts-arms: two private bandits over the number of arms, at long horizons.
#include <fmt/format.h>

#include <cmath>

#include "assay/auditors/bandits/figures/thompson_sampling_figures.hpp"
#include "assay/auditors/figures/grid_run.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/policies/bandits/anytime_lazy_ucb.hpp"
#include "assay/policies/bandits/dp_successive_elimination.hpp"
#include "assay/policies/environments/bernoulli_arms.hpp"

namespace assay::detail {
namespace {

constexpr double kBestMean = 0.75, kWorstMean = 0.25;

struct ArmsConfig : RunSetting {
  std::int64_t arms = 300;
  double epsilon = 1.0;

  ArmsConfig() {
    repetitions = 1000;
    horizon = 1'000'000;
  }
  static void fields(auto&& visit) {
    using C = ArmsConfig;
    visit(field<C, std::int64_t>("repetitions", &C::repetitions, Range{2, 1e4}, "R",
                                 "independent runs of every series"));
    visit(field<C, std::int64_t>("horizon", &C::horizon, Range{100, 1e9}, "T", "rounds of a run"));
    visit(field("arms", &C::arms, Range{5, 1e4}, "N", "the most arms; the figure has fewer, too"));
    visit(field<C, double>("epsilon", &C::epsilon, Range{0.01, 100.0}, "eps",
                           "level of the policies"));
    visit(field<C, std::int64_t>("seed", &C::seed, Range{0, 9e15}, "", "names the random streams"));
  }
};

enum class ArmsPolicy { kLazy, kElimination };

struct ArmsPoint {
  ArmsPolicy policy = ArmsPolicy::kLazy;
  std::int64_t arms = 5;

  std::string policy_name() const {
    return policy == ArmsPolicy::kLazy ? "Anytime-Lazy-UCB" : "DP-SE";
  }
  friend bool operator==(const ArmsPoint&, const ArmsPoint&) = default;
};

struct ArmsRun : GridRun<ArmsPoint> {  // bounds of mean final regrets
  ArmsConfig config;
};

// 5, 10, 30, 100, 300, .. below the most arms, and these.
std::vector<std::int64_t> arms_drawn(std::int64_t most) {
  std::vector<std::int64_t> drawn = {5};
  for (std::int64_t ten = 10; ten < most; ten *= 10) {
    drawn.push_back(ten);
    if (3 * ten < most) drawn.push_back(3 * ten);
  }
  if (drawn.back() < most) drawn.push_back(most);
  return drawn;
}

// From kBestMean to kWorstMean in even steps, as the five arms of the paper.
BernoulliArms even_arms(std::int64_t arms) {
  std::vector<double> means;
  for (std::int64_t i = 0; i < arms; ++i) {
    means.push_back(kBestMean + (kWorstMean - kBestMean) * static_cast<double>(i) /
                                    static_cast<double>(arms - 1));
  }
  return BernoulliArms::create(means).value();
}

Result<SimulatedSeries> series_of(const ArmsPoint& point, const ArmsConfig& config) {
  const std::string id = fmt::format("{} N={}", point.policy_name(), point.arms);
  if (point.policy == ArmsPolicy::kLazy) {
    AnytimeLazyUcbConfig lazy;
    lazy.arms = point.arms;
    lazy.epsilon = config.epsilon;
    return make_series(id, ASSAY_TRY(AnytimeLazyUcb::create(lazy)), even_arms(point.arms));
  }
  DpSuccessiveEliminationConfig elimination;
  elimination.arms = point.arms;
  elimination.horizon = config.horizon;
  elimination.epsilon = config.epsilon;
  return make_series(id, ASSAY_TRY(DpSuccessiveElimination::create(elimination)),
                     even_arms(point.arms));
}

Result<ArmsRun> simulate_arms(const ArmsConfig& config, SimulationRunner& runner) {
  std::vector<ArmsPoint> points;
  for (const auto policy : {ArmsPolicy::kLazy, ArmsPolicy::kElimination}) {
    for (const std::int64_t arms : arms_drawn(config.arms)) points.push_back({policy, arms});
  }
  const double most = (kBestMean - kWorstMean) * static_cast<double>(config.horizon);
  auto grid = ASSAY_TRY(run_grid<ArmsPoint>(
      config.simulation("ts-arms"), std::move(points), runner,
      [&](const ArmsPoint& point) { return series_of(point, config); },
      [&](const SimulationResult& result) {
        return final_regret_bounds(result, most, kExperimentAlpha);
      }));
  return ArmsRun{std::move(grid), config};
}

std::vector<StatedOutcome<ArmsRun>> arms_outcomes() {
  return {{"Lazy-UCB is ahead of DP-SE at every number of arms",
           "Anytime-Lazy-UCB always outperforms DP-SE (Appendix D, of 5 arms)",
           "at every number of arms, its mean final pseudo-regret is below that of DP-SE",
           [](const ArmsRun& run) {
             JointDecision found(". ");
             for (const std::int64_t arms : arms_drawn(run.config.arms)) {
               const ArmsPoint lazy{ArmsPolicy::kLazy, arms}, other{ArmsPolicy::kElimination, arms};
               found.add(is_below(run.at(lazy), run.at(other)),
                         fmt::format("N = {}: ", arms) +
                             final_text("Lazy-UCB", run.series(lazy), run.at(lazy)) +
                             final_text("; DP-SE", run.series(other), run.at(other)));
             }
             return found.decision();
           }}};
}

void draw_arms(const ArmsRun& run, ExperimentReport& report) {
  const auto& config = run.config;
  Panel panel =
      log_panel("\xCE\xB5 = " + number_text(config.epsilon), "arms", "final pseudo-regret");
  std::size_t look = 1;
  for (const auto policy : {ArmsPolicy::kLazy, ArmsPolicy::kElimination}) {
    const std::string name = ArmsPoint{policy}.policy_name();
    Curve curve{.panel = panel.title,
                .series = name,
                .x_name = "arms",
                .y_name = "final_pseudo_regret",
                .repetitions = config.repetitions};
    for (const std::int64_t arms : arms_drawn(config.arms)) {
      add_final_point(static_cast<double>(arms), run.series({policy, arms}).all.pseudo, curve);
    }
    draw_curve(std::move(curve), name, line_look(look), panel, report);
    look += 2;
  }
  report.figure.panels.push_back(std::move(panel));

  report.values.caption = fmt::format("Mean final pseudo-regret of {} runs, T = {}",
                                      grouped(config.repetitions), grouped(config.horizon));
  report.values.columns = {{"policy", false}, {"arms"}, {"mean"}, {"\xC2\xB1 95%"}, {"interval"}};
  for (const auto& point : run.points) {
    std::vector<std::string> row = {point.policy_name(), grouped(point.arms)};
    add_final_cells(run.series(point), RegretKind::kPseudo, run.at(point), row);
    report.values.rows.push_back(std::move(row));
  }
  report.caption = fmt::format(
      "Bernoulli arms with means from {} to {} in even steps. Lines are means of {} runs with "
      "pointwise 95% bands; the checks use intervals that hold jointly at {}%. Seed {}.",
      number_text(kBestMean), number_text(kWorstMean), grouped(config.repetitions),
      number_text(100.0 * report.confidence), config.seed);
  report.notes = {
      "Thompson sampling and UCB1 are left out: they look at every arm in every round, so that a run "
      "of 1e9 rounds with 10,000 arms takes hours. These two look at all arms only when their "
      "private means change."};
}

}  // namespace

Experiment arms_figure() {
  return make_figure<ArmsConfig, ArmsRun>(
      {.id = "ts-arms",
       .title = "Regret of two private bandits against the number of arms",
       .about =
           "Anytime-Lazy-UCB and DP successive elimination on up to 10,000 Bernoulli arms, over up to "
           "1e9 rounds. Mean final pseudo-regret against the number of arms, at one privacy "
           "level. A run needs memory for its arms, and none for its rounds.",
       .reproduces = "Thompson Sampling Itself is Differentially Private, Appendix D (no figure)"},
      {simulate_arms, arms_outcomes, draw_arms});
}

}  // namespace assay::detail
