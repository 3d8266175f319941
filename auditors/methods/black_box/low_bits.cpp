#include "assay/auditors/methods/black_box/low_bits.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "assay/auditors/methods/events.hpp"

namespace assay {
namespace {

constexpr int kNoBits = 2000;  // for 0, infinities and NaN
constexpr int kExponents = 4096;

std::int64_t cell_of(double y) {
  const int bit = lowest_bit(y);
  if (bit == kNoBits) return std::isnan(y) ? -1 : y == 0.0 ? -2 : -3;
  return static_cast<std::int64_t>(std::ilogb(y) + kExponents / 2) * kExponents +
         (bit + kExponents / 2);
}

using Entries = std::vector<std::size_t>;

std::vector<std::int64_t> cells_of(const OutputBatch& runs, const Entries& entries) {
  std::vector<std::int64_t> cells;
  cells.reserve(static_cast<std::size_t>(runs.count) * entries.size());
  for (std::int64_t i = 0; i < runs.count; ++i) {
    for (const std::size_t entry : entries) cells.push_back(cell_of(runs.play(i)[entry]));
  }
  return cells;
}

class LowBitScore final : public OutputScore {
 public:
  LowBitScore(const SideRuns& runs, const Entries& entries)
      : entries_(entries),
        score_(cells_of(runs.base_side, entries), cells_of(runs.neighbour_side, entries)) {}
  std::string name() const override { return kLowBitsName; }
  EventClass events() const override { return EventClass::kHalfLines; }
  double of_output(std::span<const double> output) const override {
    double sum = 0.0;
    for (const std::size_t entry : entries_) sum += score_(cell_of(output[entry]));
    return sum;
  }

 private:
  Entries entries_;
  CellScore score_;
};

bool whole(const OutputBatch& runs, const Entries& entries) {
  for (std::int64_t i = 0; i < runs.count; ++i) {
    for (const std::size_t entry : entries) {
      if (lowest_bit(runs.play(i)[entry]) < 0) return false;
    }
  }
  return true;
}

}  // namespace

int lowest_bit(double y) {
  if (y == 0.0 || !std::isfinite(y)) return kNoBits;
  constexpr int kFractionBits = 52;
  constexpr int kBias = 1023;
  const auto bits = std::bit_cast<std::uint64_t>(y);
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << kFractionBits) - 1);
  const int exponent = static_cast<int>((bits >> kFractionBits) & 0x7ff);
  const std::uint64_t significand =
      exponent == 0 ? fraction : fraction | (std::uint64_t{1} << kFractionBits);
  return std::max(exponent, 1) - kBias - kFractionBits + std::countr_zero(significand);
}

std::shared_ptr<const OutputScore> learn_low_bits(const SideRuns& runs, const Entries& entries) {
  if (whole(runs.base_side, entries) && whole(runs.neighbour_side, entries)) return nullptr;
  return std::make_shared<const LowBitScore>(runs, entries);
}

}  // namespace assay
