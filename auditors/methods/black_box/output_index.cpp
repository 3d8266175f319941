#include "assay/auditors/methods/black_box/output_index.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/policies/external/target.hpp"

namespace assay {
namespace {

std::uint64_t hash_of(std::span<const double> output) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const double value : output) {
    const double number = std::isnan(value) ? HUGE_VAL : value + 0.0;
    hash = (hash ^ std::bit_cast<std::uint64_t>(number)) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 32;
  }
  return hash;
}

bool same_number(double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); }

}  // namespace

std::uint64_t digest_of(std::span<const double> output) {
  if (is_failed(output)) return hash_purpose("failed");
  std::uint64_t digest = hash_purpose("output");
  for (const double y : output) {
    const double one = y != y ? HUGE_VAL : y == 0.0 ? 0.0 : y;
    const std::uint64_t word = std::bit_cast<std::uint64_t>(one) + (y != y ? 1U : 0U);
    digest = (digest ^ word) * 0x9e3779b97f4a7c15U;
    digest ^= digest >> 29;
  }
  return digest;
}

std::size_t OutputIndex::slot_of(std::span<const double> output, std::uint64_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t slot = hash & mask;; slot = (slot + 1) & mask) {
    const std::size_t number = slots_[slot];
    if (number == kFree) return slot;
    if (hashes_[number] != hash) continue;
    const auto* known = outputs_.data() + number * width_;
    if (std::equal(output.begin(), output.end(), known, same_number)) return slot;
  }
}

std::optional<std::size_t> OutputIndex::find(std::span<const double> output) const {
  const std::size_t number = slots_[slot_of(output, hash_of(output))];
  if (number == kFree) return std::nullopt;
  return number;
}

std::size_t OutputIndex::find_or_add(std::span<const double> output) {
  const std::uint64_t hash = hash_of(output);
  const std::size_t slot = slot_of(output, hash);
  if (slots_[slot] != kFree) return slots_[slot];
  const std::size_t number = size();
  slots_[slot] = number;
  outputs_.insert(outputs_.end(), output.begin(), output.end());
  hashes_.push_back(hash);
  if (2 * size() > slots_.size()) grow();
  return number;
}

void OutputIndex::grow() {
  slots_.assign(2 * slots_.size(), kFree);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t number = 0; number < size(); ++number) {
    std::size_t slot = hashes_[number] & mask;
    while (slots_[slot] != kFree) slot = (slot + 1) & mask;
    slots_[slot] = number;
  }
}

}  // namespace assay
