// Classes of runs by a score, for bets on the coin that chose their input (forecast_bets.hpp).
//
// Cuts lie at quantiles of the scores of earlier runs, with finer ones towards both ends, and never within a
// group of equal values. If few different values occur, each is a class. Infinities and NaN, which failed runs score,
// are classes of their own. A score that was not seen yet falls into the class of a neighbour.
// Threads: pure functions. Cost: a sort of the scores.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assay/auditors/statistics/coin_forecast.hpp"

namespace assay {

struct ScoreCuts {
  std::vector<std::int64_t>
      cuts;  // ranks (events.hpp); the class of a score is bin_of(cuts, score)
  ClassedRuns runs;
};

// on_p: 1 for each run on P, 0 for one on Q. As many as scores; at least one.
ScoreCuts class_runs(std::span<const double> scores, std::span<const std::uint8_t> on_p);

}  // namespace assay
