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

constexpr int kNoBits = 2000;  // of 0, infinities and NaN
constexpr int kExponents = 4096;

std::int64_t cell_of(double y) {
  const int bit = lowest_bit(y);
  if (bit == kNoBits) return std::isnan(y) ? -1 : y == 0.0 ? -2 : -3;
  return static_cast<std::int64_t>(std::ilogb(y) + kExponents / 2) * kExponents +
         (bit + kExponents / 2);
}

std::vector<std::int64_t> cells_of(const OutputBatch& plays) {
  std::vector<std::int64_t> cells;
  cells.reserve(plays.values.size());
  for (const double y : plays.values) cells.push_back(cell_of(y));
  return cells;
}

class LowBitScore final : public OutputScore {
 public:
  explicit LowBitScore(const SidePlays& plays)
      : score_(cells_of(plays.old_side), cells_of(plays.new_side)) {}
  std::string name() const override { return "lowest bits of the outputs"; }
  EventClass events() const override { return EventClass::kHalfLines; }
  double score(std::span<const double> output) const override {
    double sum = 0.0;
    for (const double y : output) sum += score_(cell_of(y));
    return sum;
  }

 private:
  CellScore score_;
};

bool whole(const OutputBatch& plays) {
  return std::all_of(plays.values.begin(), plays.values.end(),
                     [](double y) { return lowest_bit(y) >= 0; });
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

std::shared_ptr<const OutputScore> learn_low_bits(const SidePlays& plays) {
  if (whole(plays.old_side) && whole(plays.new_side)) return nullptr;
  return std::make_shared<const LowBitScore>(plays);
}

}  // namespace assay
