// Numbers the different outputs of a target, in the order in which they are first seen.
//
// Outputs of one width, compared entry by entry: NaN is one value, and -0 is 0.
// Threads: const members may be called from several threads. Cost: 50 ns a look-up of 20 entries;
// one entry of 8 bytes a number kept, in one block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace assay {

class OutputIndex {
 public:
  explicit OutputIndex(std::size_t width) : width_(width), slots_(64, kFree) {}

  std::size_t size() const { return hashes_.size(); }
  std::optional<std::size_t> find(std::span<const double> output) const;
  std::size_t find_or_add(std::span<const double> output);

 private:
  static constexpr std::size_t kFree = ~std::size_t{0};
  // The slot of the output, or the free one where it belongs.
  std::size_t slot_of(std::span<const double> output, std::uint64_t hash) const;
  void grow();

  std::size_t width_;
  std::vector<double> outputs_;        // one after another
  std::vector<std::uint64_t> hashes_;  // of each
  std::vector<std::size_t> slots_;     // numbers; a power of two of them, at most half taken
};

}  // namespace assay
