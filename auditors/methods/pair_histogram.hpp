// Histograms of one number on both inputs of a pair.
#pragma once

#include <span>
#include <vector>

namespace assay {

struct PairHistogram {
  std::vector<double> edges;      // k + 1 increasing edges of a privacy loss, a score or a number
  std::vector<double> side_base;  // k fractions of the runs on D
  std::vector<double> side_neighbour;  // k fractions of those on D'
};

// At most 40 bins over the middle 99% of all values. -infinity counts in the first; +infinity and NaN in the last.
PairHistogram pair_histogram(std::span<const double> base, std::span<const double> neighbour);

}  // namespace assay
