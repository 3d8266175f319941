// RandomSource: anything that gives uniform random 64-bit numbers by next().
//
// A sampler maps one random number to one value, so the position of the number identifies the draw. With a
// source that makes numbers four at a time (BlockSource), fill_from_words() maps whole blocks, and the
// processor computes one block while it maps another. The numbers, their order and the state of the source
// afterwards are those of repeated calls of next().
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
