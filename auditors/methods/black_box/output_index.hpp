// Numbers the different outputs of a target, in the order in which they first occur.
//
// Outputs have one width and are compared entry by entry: NaN is one value, and -0 is 0.
// Threads: const members may be called from several threads. Cost: 50 ns per look-up of 20 entries;
// 8 bytes per entry of a stored output, in one block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace assay {

// A hash of an output. Outputs that are equal number by number have the same; all failed runs have one.
std::uint64_t digest_of(std::span<const double> output);

class OutputIndex {
 public:
  explicit OutputIndex(std::size_t width) : width_(width), slots_(64, kFree) {}

  std::size_t size() const { return hashes_.size(); }
  std::optional<std::size_t> find(std::span<const double> output) const;
  std::size_t find_or_add(std::span<const double> output);

 private:
  static constexpr std::size_t kFree = ~std::size_t{0};
  // The slot of the output, or the free slot for it.
  std::size_t slot_of(std::span<const double> output, std::uint64_t hash) const;
  void grow();

  std::size_t width_;
  std::vector<double> outputs_;        // one after another
  std::vector<std::uint64_t> hashes_;  // of each
  std::vector<std::size_t> slots_;     // output numbers; a power of two of slots, at most half used
};

}  // namespace assay
