#include "assay/mechanisms/random/philox_words.hpp"

#include <algorithm>

#include "assay/mechanisms/core/internal/avx2.hpp"

namespace assay::detail {

#if defined(__x86_64__)

namespace {

struct Lanes {
  __m256i high;
  __m256i low;
};

// 64 x 64 -> 128 bits in each lane, from four products of 32-bit halves.
ASSAY_AVX2 inline Lanes multiply_lanes(__m256i a, std::uint64_t multiplier) {
  const __m256i m_low = broadcast(multiplier & 0xFFFFFFFFu);
  const __m256i m_high = broadcast(multiplier >> 32);
  const __m256i a_high = _mm256_srli_epi64(a, 32);
  const __m256i low_low = _mm256_mul_epu32(a, m_low);
  const __m256i high_low = _mm256_mul_epu32(a_high, m_low);
  const __m256i low_high = _mm256_mul_epu32(a, m_high);
  const __m256i high_high = _mm256_mul_epu32(a_high, m_high);
  const __m256i first = _mm256_add_epi64(high_low, _mm256_srli_epi64(low_low, 32));
  const __m256i first_low = _mm256_blend_epi32(first, _mm256_setzero_si256(), 0xAA);
  const __m256i second = _mm256_add_epi64(low_high, first_low);
  const __m256i carries =
      _mm256_add_epi64(_mm256_srli_epi64(first, 32), _mm256_srli_epi64(second, 32));
  return {_mm256_add_epi64(high_high, carries),
          _mm256_blend_epi32(low_low, _mm256_slli_epi64(second, 32), 0xAA)};
}

// Four counters side by side: lane b of word[j] is number j of block b.
struct BlockGroup {
  __m256i word[4];
};

ASSAY_AVX2 inline BlockGroup first_counters(const PhiloxCounter& counter, std::uint64_t offset) {
  const __m256i start = broadcast(counter[0] + offset);
  return {{_mm256_add_epi64(start, _mm256_set_epi64x(3, 2, 1, 0)), broadcast(counter[1]),
           broadcast(counter[2]), broadcast(counter[3])}};
}

ASSAY_AVX2 inline void philox_round(BlockGroup& g, __m256i key0, __m256i key1) {
  const Lanes p0 = multiply_lanes(g.word[0], kPhiloxMultiplier0);
  const Lanes p1 = multiply_lanes(g.word[2], kPhiloxMultiplier1);
  g = {{_mm256_xor_si256(_mm256_xor_si256(p1.high, g.word[1]), key0), p1.low,
        _mm256_xor_si256(_mm256_xor_si256(p0.high, g.word[3]), key1), p0.low}};
}

// Lanes to memory order: words[4 b + j].
ASSAY_AVX2 inline void store_blocks(const BlockGroup& g, std::uint64_t* words) {
  const __m256i low01 = _mm256_unpacklo_epi64(g.word[0], g.word[1]);
  const __m256i high01 = _mm256_unpackhi_epi64(g.word[0], g.word[1]);
  const __m256i low23 = _mm256_unpacklo_epi64(g.word[2], g.word[3]);
  const __m256i high23 = _mm256_unpackhi_epi64(g.word[2], g.word[3]);
  auto* out = reinterpret_cast<__m256i*>(words);
  _mm256_store_si256(out + 0, _mm256_permute2x128_si256(low01, low23, 0x20));
  _mm256_store_si256(out + 1, _mm256_permute2x128_si256(high01, high23, 0x20));
  _mm256_store_si256(out + 2, _mm256_permute2x128_si256(low01, low23, 0x31));
  _mm256_store_si256(out + 3, _mm256_permute2x128_si256(high01, high23, 0x31));
}

}  // namespace

ASSAY_AVX2 void philox_chunk_avx2(const PhiloxCounter& counter, PhiloxKey key,
                                  std::uint64_t* words) {
  // Two groups of four lanes hide the latency of the products.
  BlockGroup a = first_counters(counter, 0);
  BlockGroup b = first_counters(counter, 4);
  for (int round = 0; round < kPhiloxRounds; ++round) {
    const __m256i key0 = broadcast(key[0]);
    const __m256i key1 = broadcast(key[1]);
    philox_round(a, key0, key1);
    philox_round(b, key0, key1);
    key[0] += kPhiloxWeyl0;
    key[1] += kPhiloxWeyl1;
  }
  store_blocks(a, words);
  store_blocks(b, words + 16);
}

#else

void philox_chunk_avx2(const PhiloxCounter&, PhiloxKey, std::uint64_t*) {}

#endif

void fill_philox_words(PhiloxCounter counter, PhiloxKey key, std::span<std::uint64_t> words) {
  static const bool wide = has_avx2();
  constexpr std::size_t kChunk = 4 * kPhiloxChunkBlocks;
  while (wide && words.size() >= kChunk) {
    alignas(32) std::uint64_t chunk[kChunk];
    philox_chunk_avx2(counter, key, chunk);
    std::copy_n(chunk, kChunk, words.begin());
    counter[0] += kPhiloxChunkBlocks;
    words = words.subspan(kChunk);
  }
  for (std::size_t i = 0; i < words.size(); i += 4) {
    const auto block = philox4x64(counter, key);
    ++counter[0];
    std::copy(block.begin(), block.end(), words.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

}  // namespace assay::detail
