#include "assay/auditors/suite/bench_figures.hpp"

#include <algorithm>
#include <string>

namespace assay {

std::vector<EntryFigure> bench_figures(const BenchReport& report) {
  std::vector<const BenchRow*> rows;
  for (const auto& row : report.rows) rows.push_back(&row);
  std::sort(rows.begin(), rows.end(), [](const auto* a, const auto* b) { return a->id < b->id; });
  const BenchComparison& comparison = report.comparison;
  std::vector<EntryFigure> figures;
  for (const BenchRow* row : rows) {
    const auto& point = row->points.back();
    for (std::size_t i = 0; i < point.errors.size(); ++i) {
      const BenchError& error = point.errors[i];
      if (!error.known()) continue;
      EntryFigure figure;
      figure.name = row->id + ": " + comparison.measures[i].name + " at " + comparison.size_name +
                    " = " + std::to_string(point.size);
      figure.kind = FigureKind::kError;
      figure.lower = error.lower;
      figure.upper = error.upper;
      if (comparison.measures[i].by != ErrorBy::kDistribution)
        figure.alpha = 1.0 - report.plan.confidence;
      figures.push_back(std::move(figure));
    }
    if (row->timing.seconds.empty()) continue;
    EntryFigure figure;
    figure.name = row->id + ": seconds per " + comparison.unit;
    figure.kind = FigureKind::kTime;
    figure.lower = row->timing.quantile(0.25);
    figure.upper = row->timing.quantile(0.75);
    figure.repetitions = row->timing.seconds;
    figures.push_back(std::move(figure));
  }
  return figures;
}

}  // namespace assay
