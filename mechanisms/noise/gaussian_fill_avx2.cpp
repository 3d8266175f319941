#include <array>
#include <cstddef>

#include "assay/mechanisms/noise/gaussian_fill.hpp"
#include "assay/mechanisms/noise/gaussian_word.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace assay::detail {

#if defined(__x86_64__)

// AVX2 alone, without FMA: a fused operation would change the bits.
#define ASSAY_AVX2 __attribute__((target("avx2")))

namespace {

constexpr std::size_t kBlocks = 8;  // two groups of four lanes hide the latency of the products
constexpr std::size_t kChunkWords = 4 * kBlocks;

ASSAY_AVX2 inline __m256i broadcast(std::uint64_t value) {
  return _mm256_set1_epi64x(static_cast<long long>(value));
}

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

// Four counters side by side: lane b of word[j] is word j of block b.
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

ASSAY_AVX2 inline void philox_chunk(const PhiloxCounter& counter, PhiloxKey key,
                                    std::uint64_t* words) {
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

// To the nearest double, as the scalar conversion does; 0 <= v < 2^63.
ASSAY_AVX2 inline __m256d to_double(__m256i v) {
  const __m256i high = _mm256_or_si256(_mm256_srli_epi64(v, 32), broadcast(0x4530000000000000u));
  const __m256i low = _mm256_blend_epi32(v, broadcast(0x4330000000000000u), 0xAA);
  // (2^84 + 2^32 v_high) - (2^84 + 2^52), exact, then + (2^52 + v_low).
  return _mm256_add_pd(_mm256_sub_pd(_mm256_castsi256_pd(high), _mm256_set1_pd(0x1.00000001p84)),
                       _mm256_castsi256_pd(low));
}

// Columns 2 pair and 2 pair + 1 of four table rows.
struct ColumnPair {
  __m256d even;
  __m256d odd;
};

ASSAY_AVX2 inline ColumnPair load_columns(const std::array<const double*, 4>& row, int pair) {
  const __m256d rows02 = _mm256_insertf128_pd(
      _mm256_castpd128_pd256(_mm_load_pd(row[0] + 2 * pair)), _mm_load_pd(row[2] + 2 * pair), 1);
  const __m256d rows13 = _mm256_insertf128_pd(
      _mm256_castpd128_pd256(_mm_load_pd(row[1] + 2 * pair)), _mm_load_pd(row[3] + 2 * pair), 1);
  return {_mm256_unpacklo_pd(rows02, rows13), _mm256_unpackhi_pd(rows02, rows13)};
}

ASSAY_AVX2 inline std::array<const double*, 4> table_rows(__m256i cell) {
  static_assert(sizeof(GaussianCell) == 64);
  const auto* table = reinterpret_cast<const double*>(kGaussianTable);
  const __m128i low = _mm256_castsi256_si128(cell);
  const __m128i high = _mm256_extracti128_si256(cell, 1);
  return {table + 8 * _mm_cvtsi128_si64(low), table + 8 * _mm_extract_epi64(low, 1),
          table + 8 * _mm_cvtsi128_si64(high), table + 8 * _mm_extract_epi64(high, 1)};
}

// gaussian_from_word of four words, none of them in the far tail.
ASSAY_AVX2 inline __m256d map_words(__m256i upper, __m256i k) {
  const __m256i rounded = _mm256_castpd_si256(to_double(k));
  const auto row =
      table_rows(_mm256_sub_epi64(_mm256_srli_epi64(rounded, 47), broadcast(kGaussianFirstCell)));
  const ColumnPair c01 = load_columns(row, 0);
  const ColumnPair c23 = load_columns(row, 1);
  const ColumnPair c45 = load_columns(row, 2);
  const ColumnPair c6_end = load_columns(row, 3);
  // end - (2 k + 1) = end + ~(2 k)
  const __m256i not_2k = _mm256_xor_si256(_mm256_add_epi64(k, k), _mm256_set1_epi64x(-1));
  const __m256d t = to_double(_mm256_add_epi64(_mm256_castpd_si256(c6_end.odd), not_2k));
  const __m256d t2 = _mm256_mul_pd(t, t);
  __m256d even = _mm256_add_pd(c45.even, _mm256_mul_pd(t2, c6_end.even));
  __m256d odd = _mm256_add_pd(c23.odd, _mm256_mul_pd(t2, c45.odd));
  even = _mm256_add_pd(c23.even, _mm256_mul_pd(t2, even));
  odd = _mm256_add_pd(c01.odd, _mm256_mul_pd(t2, odd));
  even = _mm256_add_pd(c01.even, _mm256_mul_pd(t2, even));
  const __m256d magnitude = _mm256_add_pd(even, _mm256_mul_pd(t, odd));
  const __m256d sign = _mm256_andnot_pd(_mm256_castsi256_pd(upper), _mm256_set1_pd(-0.0));
  return _mm256_or_pd(magnitude, sign);
}

ASSAY_AVX2 inline void map_chunk(const std::uint64_t* words, double location, double scale,
                                 double* out) {
  const __m256d shift = _mm256_set1_pd(location);
  const __m256d factor = _mm256_set1_pd(scale);
  for (std::size_t i = 0; i < kChunkWords; i += 4) {
    const __m256i word = _mm256_load_si256(reinterpret_cast<const __m256i*>(words + i));
    const __m256i upper = _mm256_cmpgt_epi64(_mm256_setzero_si256(), word);
    const __m256i k = _mm256_xor_si256(word, upper);
    const __m256i tail = _mm256_cmpgt_epi64(broadcast(kGaussianTailWords), k);
    if (!_mm256_testz_si256(tail, tail)) [[unlikely]] {
      for (std::size_t j = i; j < i + 4; ++j) {
        out[j] = location + scale * gaussian_from_word(words[j]);
      }
      continue;
    }
    const __m256d x = map_words(upper, k);
    _mm256_storeu_pd(out + i, _mm256_add_pd(shift, _mm256_mul_pd(factor, x)));
  }
}

}  // namespace

bool has_avx2() { return __builtin_cpu_supports("avx2"); }

ASSAY_AVX2 void fill_gaussian_blocks_avx2(PhiloxCounter counter, PhiloxKey key, double location,
                                          double scale, std::span<double> out) {
  alignas(32) std::uint64_t words[kChunkWords];
  while (out.size() >= kChunkWords) {
    philox_chunk(counter, key, words);
    counter[0] += kBlocks;
    map_chunk(words, location, scale, out.data());
    out = out.subspan(kChunkWords);
  }
  fill_gaussian_blocks_baseline(counter, key, location, scale, out);
}

#else

bool has_avx2() { return false; }

void fill_gaussian_blocks_avx2(PhiloxCounter counter, PhiloxKey key, double location, double scale,
                               std::span<double> out) {
  fill_gaussian_blocks_baseline(counter, key, location, scale, out);
}

#endif

}  // namespace assay::detail
