#include "assay/auditors/methods/black_box/output_summary.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

namespace assay {

std::uint64_t bits_of(double value) {
  if (std::isnan(value)) return 0x7ff8000000000000u;
  return std::bit_cast<std::uint64_t>(value == 0.0 ? 0.0 : value);
}

OutputSummary::OutputSummary(const SideRuns& runs) {
  constexpr std::int64_t kMostNumbers = 1 << 22;
  const std::int64_t looked_at = std::min<std::int64_t>(
      2000, 1 + kMostNumbers / std::max<std::int64_t>(1, runs.base_side.width));
  constexpr std::size_t kMostValues = 16;
  constexpr std::size_t kMostSymbols = 8;
  std::vector<std::set<std::uint64_t>> seen(static_cast<std::size_t>(runs.base_side.width));
  std::set<std::uint64_t> symbols;
  for (const OutputBatch* batch : {&runs.base_side, &runs.neighbour_side}) {
    for (std::int64_t i = 0; i < std::min(batch->count, looked_at); ++i) {
      const auto output = batch->play(i);
      for (std::size_t j = 0; j < output.size(); ++j) {
        if (!std::isfinite(output[j])) {
          all_finite_ = false;
          symbols.insert(bits_of(output[j]));
        } else if (seen[j].size() <= kMostValues) {
          seen[j].insert(bits_of(output[j]));
        }
      }
    }
  }
  for (const auto& values : seen) {
    numbers_.push_back(values.size() > kMostValues);
    any_number_ = any_number_ || numbers_.back();
    if (!numbers_.back()) symbols.insert(values.begin(), values.end());
  }
  if (symbols.size() > kMostSymbols) return;
  for (const std::uint64_t bits : symbols) symbols_.push_back(std::bit_cast<double>(bits));
}

void OutputSummary::write(std::span<const double> block, std::size_t first,
                          std::span<double> out) const {
  std::fill(out.begin(), out.end(), 0.0);
  double low = 0.0;
  double high = 0.0;
  double sum = 0.0;
  bool any = false;
  std::size_t place = block.size();
  for (std::size_t i = 0; i < block.size(); ++i) {
    const double value = block[i];
    const bool finite = std::isfinite(value);
    if (finite && value != 0.0 && place == block.size()) place = i;
    if (finite && numbers_[first + i]) {
      low = any ? std::min(low, value) : value;
      high = any ? std::max(high, value) : value;
      sum += value;
      any = true;
      continue;
    }
    for (std::size_t k = 0; k < symbols_.size(); ++k) {
      out[k] += value == symbols_[k] || (value != value && symbols_[k] != symbols_[k]) ? 1.0 : 0.0;
    }
  }
  out[symbols_.size()] = static_cast<double>(place);
  if (!any_number_) return;
  out[symbols_.size() + 1] = low;
  out[symbols_.size() + 2] = high;
  out[symbols_.size() + 3] = sum;
}

}  // namespace assay
