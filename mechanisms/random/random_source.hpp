// RandomSource: anything that gives uniform 64-bit words, one per draw of every sampler.
//
// Samplers are maps from a word to a value, so a draw is named by the position of its word. A
// source that makes words four at a time (BlockSource) lets fill_from_words run the map on whole
// blocks, where the processor overlaps the block cipher of one block with the map of another; the
// words, their order and the source's state afterwards are those of repeated next().
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include "assay/mechanisms/random/philox.hpp"

namespace assay {

template <class R>
concept RandomSource = requires(R random) {
  { random.next() } -> std::same_as<std::uint64_t>;
};

template <class R>
concept BlockSource = RandomSource<R> && requires(R random, const R& view) {
  { view.buffered() } -> std::convertible_to<int>;  // words left of the current block
  { random.next_block() } -> std::same_as<std::array<std::uint64_t, 4>>;  // when none is left
};

// A source whose blocks are philox4x64 of successive counters, made by whoever takes them.
template <class R>
concept CounterSource = BlockSource<R> && requires(R random, std::uint64_t count) {
  { random.take_blocks(count).counter } -> std::convertible_to<PhiloxCounter>;
  { random.take_blocks(count).key } -> std::convertible_to<PhiloxKey>;
};

// out[i] = map(random.next()) for each i in order.
template <RandomSource R, class Map>
void fill_from_words(R& random, std::span<double> out, Map map) {
  std::size_t i = 0;
  if constexpr (BlockSource<R>) {
    for (; i < out.size() && random.buffered() > 0; ++i) out[i] = map(random.next());
    for (; i + 4 <= out.size(); i += 4) {
      const auto block = random.next_block();
      for (std::size_t j = 0; j < 4; ++j) out[i + j] = map(block[j]);
    }
  }
  for (; i < out.size(); ++i) out[i] = map(random.next());
}

}  // namespace assay
