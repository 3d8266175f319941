// Makes a figure from a grid of parameters, in the same steps for every family:
//
//   axes       a Point of plain values with ==; the family lists the points that it draws
//   series     one for each point, all in one simulation, with its chunks, checkpoint, progress and random streams
//   bounds     of the measured mean at each point, which all hold together
//   outcomes   of the paper, decided on the run (outcome.hpp)
//   drawing    curves and a table of values, by figure_parts.hpp
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "assay/auditors/figures/experiment.hpp"
#include "assay/auditors/figures/figure_parts.hpp"
#include "assay/auditors/figures/outcome.hpp"
#include "assay/mechanisms/core/check.hpp"
#include "assay/policies/simulation/simulation.hpp"

namespace assay::detail {

// The simulated points, each with its series and its bounds.
template <class Point>
struct GridRun {
  std::vector<Point> points;
  std::shared_ptr<const SimulationResult> result = nullptr;
  std::vector<Bounds> bounds = {};

  std::optional<std::size_t> find(const Point& point) const {
    const auto found = std::find(points.begin(), points.end(), point);
    if (found == points.end()) return std::nullopt;
    return static_cast<std::size_t>(found - points.begin());
  }
  // Precondition of the functions below: a point of the run.
  std::size_t index(const Point& point) const {
    const auto found = find(point);
    ASSAY_CHECK(found, "a point of the run");
    return *found;
  }
  const SeriesResult& series(const Point& point) const { return result->at(index(point)); }
  const Bounds& at(const Point& point) const { return bounds[index(point)]; }
  double mean(const Point& point) const { return series(point).all.pseudo.mean.back(); }
};

// Errors: those of a series or a checkpoint; an interrupt.
template <class Point>
Result<GridRun<Point>> run_grid(
    Simulation simulation, std::vector<Point> points, SimulationRunner& runner,
    const std::function<Result<SimulatedSeries>(const Point&)>& series_of,
    const std::function<std::vector<Bounds>(const SimulationResult&)>& bounds_of) {
  for (const Point& point : points) simulation.series.push_back(ASSAY_TRY(series_of(point)));
  auto result = ASSAY_TRY(runner.run(simulation));
  GridRun<Point> run{std::move(points), std::move(result)};
  run.bounds = bounds_of(*run.result);
  return run;
}

// A figure: its run, the outcomes that the paper states, and the drawing of the rest of the report.
// Seen is the part of the run that decides the outcomes.
template <class Config, class Run, class Seen>
struct FigureSteps {
  std::function<Result<Run>(const Config&, SimulationRunner&)> run;
  std::function<std::vector<StatedOutcome<Seen>>()> outcomes;
  std::function<void(const Run&, ExperimentReport&)> draw;
};

// The run of a figure that is computed while it is drawn.
template <class Config>
Result<Config> as_given(const Config& config, SimulationRunner&) {
  return config;
}

template <class Config, class Run, class Seen = Run>
Experiment make_figure(ExperimentDescription description, FigureSteps<Config, Run, Seen> steps) {
  description.outcomes = names_of(steps.outcomes());
  return make_experiment<Config>(
      std::move(description),
      [steps = std::move(steps)](const Config& config, SimulationRunner& runner,
                                 ExperimentReport& report) -> Status {
        const Run run = ASSAY_TRY(steps.run(config, runner));
        if (std::is_base_of_v<RunSetting, Config>) report.confidence = 1.0 - kExperimentAlpha;
        const Seen& seen = run;
        report.checks = checks_of(steps.outcomes(), seen);
        steps.draw(run, report);
        return {};
      });
}

}  // namespace assay::detail
