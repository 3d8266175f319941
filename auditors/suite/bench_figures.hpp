// What a suite follows of a benchmark: the errors of every contender and the seconds of a unit of work, at
// the size asked for.
#pragma once

#include <vector>

#include "assay/auditors/bench/bench.hpp"
#include "assay/auditors/suite/suite_report.hpp"

namespace assay {

// In the order of the contenders' names, so that one that became better than another moves nothing. kError:
// "laplace: rms at answers = 100", between its bounds. kTime: "laplace: seconds per answer", its quartiles,
// and the repetitions for a test; none where nothing was timed.
std::vector<EntryFigure> bench_figures(const BenchReport& report);

}  // namespace assay
