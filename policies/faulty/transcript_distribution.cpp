#include "assay/policies/faulty/transcript_distribution.hpp"

#include <algorithm>

#include "assay/mechanisms/core/check.hpp"

namespace assay::faulty {

std::uint64_t transcript_key(std::span<const double> actions) {
  ASSAY_CHECK(actions.size() <= 64, "one bit an action");
  std::uint64_t key = 0;
  for (const double action : actions) key = 2 * key + (action == 1.0 ? 1 : 0);
  return key;
}

OutputCells cells_of(const TranscriptDistribution& p, const TranscriptDistribution& q) {
  std::map<std::uint64_t, OutputCell> cells;
  for (const auto& [cell, probability] : p) cells[cell].p = probability;
  for (const auto& [cell, probability] : q) cells[cell].q = probability;
  OutputCells out;
  for (const auto& [cell, both] : cells) out.push_back(both);
  return out;
}

double exact_epsilon(const OutputCells& cells) {
  return std::max(largest_loss(cells), largest_loss(exchanged(cells)));  // (1)
}

}  // namespace assay::faulty
