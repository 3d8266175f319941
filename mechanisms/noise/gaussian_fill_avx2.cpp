#include <array>
#include <cstddef>

#include "assay/mechanisms/core/internal/avx2.hpp"
#include "assay/mechanisms/noise/gaussian_fill.hpp"
#include "assay/mechanisms/noise/gaussian_word.hpp"

namespace assay::detail {

#if defined(__x86_64__)

namespace {

constexpr std::size_t kChunkWords = 4 * kPhiloxChunkBlocks;

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

// gaussian_from_word of four numbers, none of them in the far tail.
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

ASSAY_AVX2 void fill_gaussian_blocks_avx2(PhiloxCounter counter, PhiloxKey key, double location,
                                          double scale, std::span<double> out) {
  alignas(32) std::uint64_t words[kChunkWords];
  while (out.size() >= kChunkWords) {
    philox_chunk_avx2(counter, key, words);
    counter[0] += kPhiloxChunkBlocks;
    map_chunk(words, location, scale, out.data());
    out = out.subspan(kChunkWords);
  }
  fill_gaussian_blocks_baseline(counter, key, location, scale, out);
}

#else

void fill_gaussian_blocks_avx2(PhiloxCounter counter, PhiloxKey key, double location, double scale,
                               std::span<double> out) {
  fill_gaussian_blocks_baseline(counter, key, location, scale, out);
}

#endif

}  // namespace assay::detail
