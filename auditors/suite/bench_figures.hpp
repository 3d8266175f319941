// The figures of a benchmark that a suite follows: the errors of every candidate and the seconds of a unit of
// work, at the requested size.
#pragma once

#include <vector>

#include "assay/auditors/bench/bench.hpp"
#include "assay/auditors/suite/suite_report.hpp"

namespace assay {

// The figures, sorted by the names of the candidates, so that the order does not change when one becomes better.
// kError: "laplace: rms at answers = 100", between its bounds. kTime: "laplace: seconds per answer", its
// quartiles, and the repetitions for a test. There is no kTime figure if nothing was timed.
std::vector<EntryFigure> bench_figures(const BenchReport& report);

}  // namespace assay
