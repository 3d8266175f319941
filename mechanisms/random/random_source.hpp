// RandomSource: anything that gives uniform 64-bit numbers, one for each draw of every sampler.
//
// A sampler maps a random number to a value, so the position of the number names the draw. A source
// that makes numbers four at a time (BlockSource) lets fill_from_words run the map on whole blocks,
// where the processor overlaps the block cipher of one block with the map of another. The numbers,
// their order and the source's state afterwards are those of repeated next().
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
  { view.buffered() } -> std::convertible_to<int>;  // numbers left in the current block
  { random.next_block() } -> std::same_as<std::array<std::uint64_t, 4>>;  // if none is left
};

// A source whose blocks are philox4x64 of successive counters. The caller of take_blocks makes them.
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
