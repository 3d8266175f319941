// A step function of a number that separates two samples: bins at quantiles, finer towards both ends,
// where neighbouring bins are joined until every remaining step is significant.
//
// The bins are cut at the pooled quantiles k/32 and, below 1/32 and above 31/32, at ratios of 2 as far
// as there are values. If there are few different values, each has its own bin. Then the two neighbours
// whose union costs least deviance are joined while that costs less than `least_gain`,
//     loss = D(a + a', c + c') - D(a, c) - D(a', c'),
//     D(a, c) = -2 (a log(a/(a + c)) + c log(c/(a + c))),                                    (1)
// a and c the counts of the two samples. If the samples do not differ, one bin remains, with ratio 0, so
// twenty entries of which one matters do not add the noise of nineteen. A bin's ratio is
// log((a + 1/2) C/((c + 1/2) A)), A and C the totals.                                          (2)
//
// -infinity and +infinity are ordinary values of the order; NaN lies above +infinity.
// Reference: Breiman, Friedman, Olshen, Stone, "Classification and regression trees" (1984),
// chapter 3, for pruning by cost per leaf.
// Threads: values. Cost: counting, 10 ns a value.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "assay/auditors/methods/events.hpp"

namespace assay {

// Ranks (events.hpp) of at most about 100 cuts. Values of a rank below a cut lie to its left. The
// pooled values need not be sorted. Cuts leave at least `least_count` values on their outer side.
std::vector<std::int64_t> quantile_cuts(std::span<const double> a, std::span<const double> b,
                                        std::size_t least_count, double tail_step);

// How many of the cuts lie at or below the value: its bin.
inline std::size_t bin_of(std::span<const std::int64_t> cuts, double value) {
  const std::int64_t rank = score_rank(value);
  const std::int64_t* at = cuts.data();
  for (std::size_t left = cuts.size(); left > 0;) {  // without branches that depend on the value
    const std::size_t half = (left + 1) / 2;
    at += at[half - 1] <= rank ? half : 0;
    left -= half;
  }
  return static_cast<std::size_t>(at - cuts.data());
}

// (1), the cost of joining two bins. a and b are the counts of both samples in them.
double join_loss(const std::array<double, 2>& a, const std::array<double, 2>& b);

class AdaptiveBins {
 public:
  AdaptiveBins() = default;  // ratio 0 everywhere
  AdaptiveBins(std::span<const double> first, std::span<const double> second, double least_gain);

  double ratio(double value) const { return ratios_.empty() ? 0.0 : ratios_[bin_of(cuts_, value)]; }
  std::size_t size() const { return ratios_.size(); }
  double gain() const { return gain_; }  // deviance explained compared with one bin

 private:
  std::vector<std::int64_t> cuts_;
  std::vector<double> ratios_;
  double gain_ = 0.0;
};

}  // namespace assay
