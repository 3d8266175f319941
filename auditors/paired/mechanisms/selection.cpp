#include "assay/auditors/paired/mechanisms/selection.hpp"

#include <algorithm>
#include <cmath>

namespace assay::detail {

std::vector<RowPair> one_against_all(std::int64_t answers, double move, double scale,
                                     double epsilon) {
  // A law of n outputs costs n^2 or more.
  std::vector<double> gaps{0.0};
  if (answers <= 256) gaps = {0.0, 3.0, std::min(30.0 + 3.0 * epsilon, 600.0)};
  if (answers <= 32) gaps = {0.0, 1.0, 3.0, 8.0, -3.0, 30.0, std::min(30.0 + 3.0 * epsilon, 600.0)};
  std::vector<RowPair> pairs;
  for (const double gap : gaps) {
    RowPair pair;
    for (std::int64_t i = 0; i < answers; ++i) {
      // Whole multiples of the move keep the differences exact for moves of 1 and powers of 2.
      const double old = i == 0 ? -move * std::round(gap * scale / move) : 0.0;
      pair.old_row.push_back(old);
      pair.new_row.push_back(i == 0 ? old + move : -move);
      if (std::fabs(pair.new_row.back() - old) > move) pair.new_row.back() = old;
    }
    if (pair.old_row != pair.new_row) pairs.push_back(std::move(pair));
  }
  return pairs;
}

std::vector<RowPair> random_scores(std::int64_t answers, double move, double scale,
                                   ReplayStream& random) {
  constexpr int kPairs = 16;
  std::vector<RowPair> pairs;
  for (int i = 0; i < kPairs && answers <= 16; ++i) {
    auto pair = random_moves(answers, 4.0 * scale, move, random);
    if (pair.old_row != pair.new_row) pairs.push_back(std::move(pair));
  }
  return pairs;
}

}  // namespace assay::detail
