// Spans of the numbers of a counter-based stream, by the widest instruction set of the machine.
// They equal those of philox4x64 at successive counters.
//
// Cost: 1.5 ns per 64-bit number with AVX2, 3 ns without.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "assay/mechanisms/random/philox.hpp"
#include "assay/mechanisms/random/random_source.hpp"

namespace assay {
namespace detail {

// words[4 b + j] = number j of the block whose counter is `counter` advanced by b. words.size() is a
// multiple of 4.
void fill_philox_words(PhiloxCounter counter, PhiloxKey key, std::span<std::uint64_t> words);

// Eight blocks: 32 numbers, at a multiple of 32 bytes. Only where has_avx2() (numerics/internal/avx2.hpp).
inline constexpr std::size_t kPhiloxChunkBlocks = 8;
void philox_chunk_avx2(const PhiloxCounter& counter, PhiloxKey key, std::uint64_t* words);

}  // namespace detail

// words[i] = random.next() for each i in order.
template <RandomSource R>
void fill_words(R& random, std::span<std::uint64_t> words) {
  std::size_t i = 0;
  if constexpr (CounterSource<R>) {
    while (i < words.size() && random.buffered() > 0) words[i++] = random.next();
    if (const std::size_t whole = (words.size() - i) / 4; whole > 0) {
      const auto blocks = random.take_blocks(whole);
      detail::fill_philox_words(blocks.counter, blocks.key, words.subspan(i, 4 * whole));
      i += 4 * whole;
    }
  }
  for (; i < words.size(); ++i) words[i] = random.next();
}

}  // namespace assay
