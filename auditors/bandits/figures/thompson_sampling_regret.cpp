// Figures 2 to 5: regret of pairs (b, c) of one privacy level, simulated.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "assay/auditors/bandits/figures/thompson_sampling_figures.hpp"
#include "assay/auditors/figures/grid_run.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/policies/bandits/modified_thompson_sampling.hpp"
#include "assay/policies/environments/bernoulli_arms.hpp"
#include "assay/policies/environments/truncated_exponential_arms.hpp"

namespace assay::detail {
namespace {

constexpr std::array<std::int64_t, 3> kEtas = {1, 2, 5};
constexpr std::array<std::int64_t, 9> kPrePulls = {0, 9, 99, 499, 999, 1999, 3999, 7999, 15999};
constexpr std::int64_t kArms = 5;

// ---- the simulation -----------------------------------------------------------------------------

struct Setting {
  std::int64_t eta = 1;
  std::size_t pre_pull_index = 0;  // index in kPrePulls, which sets the look of its line
  double variance = 1.0;           // follows from them and from T

  std::int64_t pre_pulls() const { return kPrePulls[pre_pull_index]; }
  std::string series_id() const { return fmt::format("eta={} b={}", eta, pre_pulls()); }
  std::string legend() const {
    return fmt::format("b = {}, c = {}", pre_pulls(), rounded(variance, 4));
  }
  friend bool operator==(const Setting& a, const Setting& b) {
    return a.eta == b.eta && a.pre_pull_index == b.pre_pull_index;
  }
};

// Every pair with c = T/(eta^2 (b + 1)) >= 1 and b N <= T, by eta, then by b.
std::vector<Setting> settings_of(std::int64_t horizon) {
  std::vector<Setting> settings;
  for (const std::int64_t eta : kEtas) {
    for (std::size_t i = 0; i < kPrePulls.size(); ++i) {
      const double variance =
          static_cast<double>(horizon) / static_cast<double>(eta * eta * (kPrePulls[i] + 1));
      if (variance >= 1.0 && kPrePulls[i] * kArms <= horizon)
        settings.push_back({eta, i, variance});
    }
  }
  return settings;
}

ModifiedThompsonSampling policy_of(const Setting& setting, std::int64_t horizon) {
  ModifiedThompsonSamplingConfig config;
  config.arms = kArms;
  config.horizon = horizon;
  config.pre_pulls = setting.pre_pulls();
  config.variance = setting.variance;
  return ModifiedThompsonSampling::create(config).value();
}

SimulatedSeries series_of(ArmFamily family, const Setting& setting, std::int64_t horizon) {
  auto policy = policy_of(setting, horizon);
  return family == ArmFamily::kBernoulli
             ? make_series(setting.series_id(), std::move(policy),
                           BernoulliArms::create({0.75, 0.625, 0.5, 0.375, 0.25}).value())
             : make_series(setting.series_id(), std::move(policy),
                           TruncatedExponentialArms::create({0.1, 1, 2, 5, 10}).value());
}

// Bounds of the final pseudo-regret; the checks decide by them.
struct Run : GridRun<Setting> {
  RegretFigureConfig config;

  std::optional<std::size_t> find(std::int64_t eta, std::size_t pre_pull_index) const {
    return GridRun::find({eta, pre_pull_index});
  }
  std::vector<std::size_t> of_eta(std::int64_t eta) const {  // by b
    std::vector<std::size_t> indices;
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (points[i].eta == eta) indices.push_back(i);
    }
    return indices;
  }
  double final_mean(std::size_t i, RegretKind kind) const {
    return regret_moments(result->at(i), kind).mean.back();
  }
  std::size_t best_of(const std::vector<std::size_t>& indices) const {
    return *std::min_element(indices.begin(), indices.end(), [&](std::size_t a, std::size_t b) {
      return final_mean(a, RegretKind::kPseudo) < final_mean(b, RegretKind::kPseudo);
    });
  }
  std::string text(std::size_t i) const {
    return final_text(fmt::format("b = {}", points[i].pre_pulls()), result->at(i), bounds[i]);
  }
};

// ---- stated outcomes ----------------------------------------------------------------------------

// The average cost of a pre-pull is exactly the mean gap of the arms.
StatedOutcome<Run> pre_pulls_cost_most() {
  return {"regret is high during the pre-pulls and lower after",
          "an initial period of high regret in the pre-pulling phase, then a transition to "
          "much lower regret per round (Section 5.1)",
          "for every pair with b >= 1, the mean pseudo-regret per round after the pre-pulls "
          "is below that of the pre-pulls, which is the mean gap of the arms",
          [](const Run& run) {
            OutcomeDecision found;
            std::vector<Outcome> parts;
            std::optional<std::pair<double, std::size_t>> least, most;
            double cost = 0.0;
            for (std::size_t i = 0; i < run.points.size(); ++i) {
              const double gaps = sum_of_gaps(run.result->at(i).means);
              const double forced = gaps * static_cast<double>(run.points[i].pre_pulls());
              const auto rounds =
                  static_cast<double>(run.config.horizon - kArms * run.points[i].pre_pulls());
              cost = gaps / static_cast<double>(kArms);
              if (run.points[i].pre_pulls() == 0 || rounds <= 0.0) continue;
              const auto after = [&](double regret) { return (regret - forced) / rounds; };
              parts.push_back(
                  is_below({after(run.bounds[i].lower), after(run.bounds[i].upper)}, {cost, cost}));
              // If only the best arm is played afterwards, a difference of rounded sums remains.
              const double mean = after(run.final_mean(i, RegretKind::kPseudo));
              const double rate = mean < 1e-12 ? 0.0 : mean;
              if (!least || rate < least->first) least = {rate, i};
              if (!most || rate > most->first) most = {rate, i};
            }
            found.outcome = parts.empty() ? Outcome::kUndecided : all_of(parts);
            if (parts.empty()) {
              found.observed = "no pair with pre-pulls at this horizon";
              return found;
            }
            const auto place = [&](std::size_t i) {
              return fmt::format("eta = {}, b = {}", run.points[i].eta, run.points[i].pre_pulls());
            };
            found.observed =
                fmt::format("{} a round in the pre-pulls; after them from {} ({}) to {} ({})",
                            rounded(cost, 4), rounded(least->first, 3), place(least->second),
                            rounded(most->first, 3), place(most->second));
            return found;
          }};
}

// "eta = 1: b = 999: 3210.5 in [3190, 3230], ends ..." for each eta.
StatedOutcome<Run> best_is_intermediate() {
  return {"the lowest final regret is at an intermediate b",
          "the lowest regret at time T is achieved with intermediate b and c; the highest "
          "and lowest b have the highest regret (Section 5.1)",
          "for every eta, some b strictly between the smallest and the largest has a lower "
          "mean final pseudo-regret than both",
          [](const Run& run) {
            JointDecision found(" ");
            for (const std::int64_t eta : kEtas) {
              const auto all = run.of_eta(eta);
              if (all.size() < 3) {
                found.add(Outcome::kUndecided,
                          fmt::format("eta = {}: fewer than three b at this horizon.", eta));
                continue;
              }
              std::vector<Outcome> candidates;
              for (std::size_t k = 1; k + 1 < all.size(); ++k) {
                const auto& here = run.bounds[all[k]];
                candidates.push_back(all_of({is_below(here, run.bounds[all.front()]),
                                             is_below(here, run.bounds[all.back()])}));
              }
              found.add(any_of(candidates),
                        fmt::format("eta = {}: lowest at {}; smallest {}; largest {}.", eta,
                                    run.text(run.best_of(all)), run.text(all.front()),
                                    run.text(all.back())));
            }
            return found.decision();
          }};
}

// The b that may be best, because no other b is certified to be better.
std::vector<std::size_t> maybe_best(const Run& run, std::int64_t eta) {
  const auto all = run.of_eta(eta);
  std::vector<std::size_t> open;
  for (const std::size_t i : all) {
    const bool beaten = std::any_of(all.begin(), all.end(), [&](std::size_t j) {
      return run.bounds[j].upper < run.bounds[i].lower;
    });
    if (!beaten) open.push_back(run.points[i].pre_pull_index);
  }
  return open;
}

StatedOutcome<Run> best_depends_on_eta() {
  return {"the best b depends on the privacy level",
          "the values of b and c that lead to the lowest regret depend on the privacy "
          "budget (Section 5.1)",
          "for two of the values of eta, no b can have the lowest mean final pseudo-regret at both",
          [](const Run& run) {
            OutcomeDecision found;
            std::vector<Outcome> parts;
            for (std::size_t e = 0; e < kEtas.size(); ++e) {
              const auto here = maybe_best(run, kEtas[e]);
              found.observed += fmt::format("{}eta = {}: b =", e == 0 ? "" : "; ", kEtas[e]);
              for (const std::size_t b : here) found.observed += fmt::format(" {}", kPrePulls[b]);
              if (here.size() > 1) found.observed += " (indistinguishable)";
              for (std::size_t f = 0; f < e; ++f) {
                const auto other = maybe_best(run, kEtas[f]);
                const bool meet = std::any_of(here.begin(), here.end(), [&](std::size_t b) {
                  return std::count(other.begin(), other.end(), b) > 0;
                });
                const bool both_known = here.size() == 1 && other.size() == 1;
                parts.push_back(!meet        ? Outcome::kHolds
                                : both_known ? Outcome::kFails
                                             : Outcome::kUndecided);
              }
            }
            found.outcome = any_of(parts);
            return found;
          }};
}

StatedOutcome<Run> falls_with_eta() {
  return {"regret falls as eta grows",
          "regret is lower with lower levels of privacy protection; at large b the level "
          "does not significantly change it (Section 5.1)",
          "at the smallest b, mean final pseudo-regret falls from each eta to the next, and it is "
          "not certified to rise at any b",
          [](const Run& run) {
            OutcomeDecision found;
            std::vector<Outcome> parts;
            int compared = 0;
            int fallen = 0;
            int risen = 0;
            std::string smallest;
            for (std::size_t b = 0; b < kPrePulls.size(); ++b) {
              for (std::size_t e = 0; e + 1 < kEtas.size(); ++e) {
                const auto low = run.find(kEtas[e], b);
                const auto high = run.find(kEtas[e + 1], b);
                if (!low || !high) continue;
                const Outcome falls = is_below(run.bounds[*high], run.bounds[*low]);
                const bool rises = is_below(run.bounds[*low], run.bounds[*high]) == Outcome::kHolds;
                ++compared;
                fallen += falls == Outcome::kHolds ? 1 : 0;
                risen += rises ? 1 : 0;
                if (b == 0) {
                  parts.push_back(falls);
                  smallest += fmt::format("; eta = {}: {}", kEtas[e + 1], run.text(*high));
                } else if (rises) {
                  parts.push_back(Outcome::kFails);
                }
              }
            }
            const auto first = run.find(kEtas.front(), 0);
            if (first)
              smallest = fmt::format("eta = {}: {}", kEtas.front(), run.text(*first)) + smallest;
            found.observed = fmt::format("{}. Of {} steps, {} certified to fall, {} to rise",
                                         smallest, compared, fallen, risen);
            found.outcome = parts.empty() ? Outcome::kUndecided : all_of(parts);
            return found;
          }};
}

StatedOutcome<Run> falls_most_at_small_b() {
  return {"the fall with eta is larger for small b",
          "the effect of the privacy level is more pronounced with smaller b (Section 5.1)",
          "from the smallest to the largest eta, mean final pseudo-regret falls by more at "
          "the smallest b than at the largest b that both have",
          [](const Run& run) {
            OutcomeDecision found;
            std::vector<std::size_t> common;
            for (std::size_t b = 0; b < kPrePulls.size(); ++b) {
              if (run.find(kEtas.front(), b) && run.find(kEtas.back(), b)) common.push_back(b);
            }
            if (common.size() < 2) {
              found.observed = "fewer than two b in common at this horizon";
              return found;
            }
            const auto fall = [&](std::size_t b) {
              const Bounds& from = run.bounds[*run.find(kEtas.front(), b)];
              const Bounds& to = run.bounds[*run.find(kEtas.back(), b)];
              return Bounds{from.lower - to.upper, from.upper - to.lower};
            };
            for (const std::size_t b : common) {
              const double mean = run.final_mean(*run.find(kEtas.front(), b), RegretKind::kPseudo) -
                                  run.final_mean(*run.find(kEtas.back(), b), RegretKind::kPseudo);
              found.observed +=
                  fmt::format("{}b = {}: {} in {}", b == common.front() ? "falls by " : "; ",
                              kPrePulls[b], regret_text(mean), bounds_text(fall(b)));
            }
            found.outcome = is_below(fall(common.back()), fall(common.front()));
            return found;
          }};
}

std::vector<StatedOutcome<Run>> outcomes_of(RegretView view) {
  if (view == RegretView::kOverTime) {
    return {pre_pulls_cost_most(), best_is_intermediate(), best_depends_on_eta()};
  }
  return {best_is_intermediate(), falls_with_eta(), falls_most_at_small_b()};
}

// ---- panels -------------------------------------------------------------------------------------

std::string eta_title(std::int64_t eta) { return fmt::format("\xCE\xB7 = {}", eta); }

void draw_over_time(const Run& run, ExperimentReport& report) {
  report.figure.columns = 3;
  for (const std::int64_t eta : kEtas) {
    Panel panel = regret_panel(eta_title(eta), "round", run.config.regret);
    for (const std::size_t i : run.of_eta(eta)) {
      draw_both_regrets(*run.result, i, run.config.regret, fmt::format("eta = {}", eta),
                        run.points[i].legend(), line_look(run.points[i].pre_pull_index), panel,
                        report);
    }
    report.figure.panels.push_back(std::move(panel));
  }
}

// Final regret of the given series against x, both kinds of it in the data.
void draw_finals(const Run& run, const std::vector<std::size_t>& indices,
                 const std::string& panel_id, const std::string& name, const std::string& x_name,
                 const std::vector<double>& x, std::size_t look, Panel& panel,
                 ExperimentReport& report) {
  for (const RegretKind kind : {RegretKind::kPseudo, RegretKind::kRealised}) {
    Curve curve{.panel = panel_id,
                .series = name,
                .x_name = x_name,
                .y_name = kind == RegretKind::kPseudo ? "final_pseudo_regret_reward"
                                                      : "final_realised_regret_reward",
                .repetitions = run.config.repetitions};
    for (std::size_t k = 0; k < indices.size(); ++k) {
      add_final_point(x[k], regret_moments(run.result->at(indices[k]), kind), curve);
    }
    if (kind == run.config.regret) {
      draw_curve(std::move(curve), name, line_look(look), panel, report, 0.22);
    } else {
      report.curves.push_back(std::move(curve));
    }
  }
}

void draw_final(const Run& run, ExperimentReport& report) {
  report.figure.columns = 2;
  Panel by_eta = regret_panel("against the privacy level, for each b",
                              "\xCE\xB7, the GDP level (larger: less private)", run.config.regret);
  for (std::size_t b = 0; b < kPrePulls.size(); ++b) {
    std::vector<std::size_t> indices;
    std::vector<double> etas;
    for (const std::int64_t eta : kEtas) {
      if (const auto i = run.find(eta, b)) {
        indices.push_back(*i);
        etas.push_back(static_cast<double>(eta));
      }
    }
    if (indices.empty()) continue;
    draw_finals(run, indices, "by eta", fmt::format("b = {}", kPrePulls[b]), "eta_gdp", etas, b,
                by_eta, report);
  }
  Panel by_b = regret_panel("against b, for each privacy level", "b + 1", run.config.regret);
  by_b.x.scale = Scale::kLog;
  for (std::size_t e = 0; e < kEtas.size(); ++e) {
    const auto indices = run.of_eta(kEtas[e]);
    std::vector<double> x;
    for (const std::size_t i : indices) {
      x.push_back(static_cast<double>(run.points[i].pre_pulls() + 1));
    }
    draw_finals(run, indices, "by b", eta_title(kEtas[e]), "pre_pulls_per_arm_plus_1", x,
                4 - 2 * (e % 2) + 2 * (e / 2), by_b, report);
  }
  report.figure.panels = {by_eta, by_b};
}

// Pulls and instance privacy, the curves that are not regrets.
void add_other_curves(const Run& run, ExperimentReport& report) {
  for (std::size_t i = 0; i < run.points.size(); ++i) {
    const SeriesResult& series = run.result->at(i);
    Curve pulls{.panel = fmt::format("eta = {}", run.points[i].eta),
                .series = run.points[i].legend(),
                .x_name = "arm",
                .y_name = "mean_pulls_rounds",
                .repetitions = series.repetitions()};
    for (std::size_t a = 0; a < series.all.pulls.size(); ++a) {
      pulls.x.push_back(static_cast<double>(a));
      pulls.y.push_back(static_cast<double>(series.all.pulls[a]) /
                        static_cast<double>(series.repetitions()));
    }
    report.curves.push_back(std::move(pulls));
  }
}

double mean_of(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

ValueTable values_of(const Run& run) {
  const RegretKind kind = run.config.regret;
  ValueTable table;
  table.caption = fmt::format("After {} rounds, {} repetitions", grouped(run.config.horizon),
                              grouped(run.config.repetitions));
  table.columns = {{"\xCE\xB7"},
                   {"b"},
                   {"c"},
                   {regret_name(kind)},
                   {"\xC2\xB1 95%"},
                   {"pseudo-regret in"},
                   {"best arm"},
                   {"instance \xCE\xBC"}};
  for (std::size_t i = 0; i < run.points.size(); ++i) {
    const SeriesResult& series = run.result->at(i);
    const double best_share = static_cast<double>(series.all.pulls[0]) /
                              static_cast<double>(series.repetitions() * run.config.horizon);
    std::vector<std::string> row = {std::to_string(run.points[i].eta),
                                    std::to_string(run.points[i].pre_pulls()),
                                    rounded(run.points[i].variance, 5)};
    add_final_cells(series, kind, run.bounds[i], row);
    row.push_back(fmt::format("{:.1f}%", 100.0 * best_share));
    row.push_back(rounded(mean_of(series.all.instance_mu), 3));
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string caption_of(ArmFamily family, RegretView view, const RegretFigureConfig& config) {
  return fmt::format(
      "Mean {} of Modified Thompson sampling {} over {} repetitions, T = {}, with 5 {}. The pairs "
      "(b, c) of a panel or line all have GDP level \xCE\xB7 by Theorem 4: c = T/(\xCE\xB7\xC2\xB2 "
      "(b + 1)). The shaded pointwise 95% band of the mean uses the normal approximation, and no "
      "check uses it. Seed {}.",
      regret_name(config.regret), view == RegretView::kOverTime ? "over time" : "after T rounds",
      grouped(config.repetitions), grouped(config.horizon),
      family == ArmFamily::kBernoulli
          ? "Bernoulli arms of means 0.75, 0.625, 0.5, 0.375, 0.25"
          : "arms of exponential rewards truncated to [0, 1], rates 0.1, 1, 2, 5, 10",
      config.seed);
}

Result<Run> simulate(ArmFamily family, const RegretFigureConfig& config, SimulationRunner& runner) {
  const auto settings = settings_of(config.horizon);
  auto grid = ASSAY_TRY(run_grid<Setting>(
      config.simulation(family == ArmFamily::kBernoulli ? "ts-bernoulli"
                                                        : "ts-truncated-exponential"),
      settings, runner,
      [&](const Setting& setting) { return series_of(family, setting, config.horizon); },
      [&](const SimulationResult& result) {
        std::vector<RegretRange> ranges;
        for (std::size_t i = 0; i < settings.size(); ++i) {
          ranges.push_back(
              regret_range(result.at(i).means, config.horizon, settings[i].pre_pulls()));
        }
        return final_regret_bounds(result, ranges, kExperimentAlpha);
      }));
  return Run{std::move(grid), config};
}

void report_on(ArmFamily family, RegretView view, const Run& run, ExperimentReport& report) {
  if (view == RegretView::kOverTime) {
    draw_over_time(run, report);
    add_other_curves(run, report);
  } else {
    draw_final(run, report);
  }
  report.caption = caption_of(family, view, run.config);
  report.values = values_of(run);
  report.notes = {
      "The paper averages 10 runs of the realised regret, \xCE\xBC* T less the rewards drawn; the "
      "pseudo-regret has the same mean and varies less. The checks use the pseudo-regret.",
      "\"Pseudo-regret in\" is the betting interval of its mean, which the checks use. Instance "
      "\xCE\xBC is the mean over runs of the realised sqrt(max S) of Remark 2. It is an odometer, "
      "not a guarantee."};
}

}  // namespace

Experiment regret_figure(ArmFamily family, RegretView view) {
  const bool bernoulli = family == ArmFamily::kBernoulli;
  const bool over_time = view == RegretView::kOverTime;
  const int number = (bernoulli ? 2 : 4) + (over_time ? 0 : 1);
  const std::string rewards = bernoulli ? "Bernoulli" : "truncated exponential";
  ExperimentDescription d;
  d.id = fmt::format("ts-fig{}", number);
  d.title = over_time ? "Regret over time at fixed privacy, " + rewards + " rewards"
                      : "Final regret by privacy and pre-pulls, " + rewards + " rewards";
  d.about = "Modified Thompson sampling on 5 arms with " + rewards +
            " rewards. For each GDP level eta of 1, 2, 5, pairs (b, c) on the curve c (b + 1) = "
            "T/eta^2 with c >= 1: b = 0, 9, 99, 499, 999, 1999, 3999, 7999, 15999 (the paper does "
            "not list its pairs).";
  d.about += over_time ? " Mean regret over time, a panel for each eta."
                       : " Mean regret after T rounds, against eta for each b and against b for "
                         "each eta.";
  d.reproduces =
      fmt::format("Thompson Sampling Itself is Differentially Private, Figure {}", number);
  return make_figure<RegretFigureConfig, Run>(
      std::move(d), {[family](const RegretFigureConfig& config, SimulationRunner& runner) {
                       return simulate(family, config, runner);
                     },
                     [view] { return outcomes_of(view); },
                     [family, view](const Run& run, ExperimentReport& report) {
                       report_on(family, view, run, report);
                     }});
}

}  // namespace assay::detail

namespace assay {

std::vector<Experiment> thompson_sampling_figures() {
  using enum detail::ArmFamily;
  using enum detail::RegretView;
  return {detail::levels_figure(),
          detail::regret_figure(kBernoulli, kOverTime),
          detail::regret_figure(kBernoulli, kFinal),
          detail::regret_figure(kTruncatedExponential, kOverTime),
          detail::regret_figure(kTruncatedExponential, kFinal),
          detail::analyses_figure(false),
          detail::analyses_figure(true),
          detail::comparison_figure(),
          detail::arms_figure()};
}

}  // namespace assay
