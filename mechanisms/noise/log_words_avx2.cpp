#include "assay/mechanisms/core/internal/avx2.hpp"
#include "assay/mechanisms/noise/log_words.hpp"
#include "assay/mechanisms/numerics/internal/portable_log_constants.hpp"
#include "assay/mechanisms/numerics/internal/portable_math_tables.hpp"

namespace assay::detail {

#if defined(__x86_64__)

namespace {

ASSAY_AVX2 inline __m256d all(double x) { return _mm256_set1_pd(x); }
ASSAY_AVX2 inline __m256d add(__m256d a, __m256d b) { return _mm256_add_pd(a, b); }
ASSAY_AVX2 inline __m256d sub(__m256d a, __m256d b) { return _mm256_sub_pd(a, b); }
ASSAY_AVX2 inline __m256d mul(__m256d a, __m256d b) { return _mm256_mul_pd(a, b); }
ASSAY_AVX2 inline __m256d negated(__m256d a) { return _mm256_xor_pd(a, all(-0.0)); }

// Integers in [0, 2^52) as doubles, exactly.
ASSAY_AVX2 inline __m256d small_to_double(__m256i v) {
  return sub(_mm256_castsi256_pd(_mm256_or_si256(v, broadcast(0x4330000000000000u))), all(0x1p52));
}

struct Cells {
  __m256d inverse;
  __m256d log_high;
  __m256d log_low;
};

ASSAY_AVX2 inline Cells load_cells(__m256i index) {
  alignas(32) std::uint64_t at[4];
  _mm256_store_si256(reinterpret_cast<__m256i*>(at), index);
  const LogCell& a = kLogTable[at[0]];
  const LogCell& b = kLogTable[at[1]];
  const LogCell& c = kLogTable[at[2]];
  const LogCell& d = kLogTable[at[3]];
  const __m256d ac = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(&a.inverse)),
                                          _mm_loadu_pd(&c.inverse), 1);
  const __m256d bd = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(&b.inverse)),
                                          _mm_loadu_pd(&d.inverse), 1);
  return {_mm256_unpacklo_pd(ac, bd), _mm256_unpackhi_pd(ac, bd),
          _mm256_set_pd(d.log_low, c.log_low, b.log_low, a.log_low)};
}

// log_of_parts of portable_math.cpp, operation by operation.
template <bool kWithLow>
ASSAY_AVX2 inline __m256d log_of_parts(__m256d e, __m256i z_bits, __m256d z_low) {
  const __m256i index = _mm256_and_si256(
      _mm256_srli_epi64(_mm256_sub_epi64(z_bits, broadcast(kLogOffset)), 45), broadcast(127));
  const Cells cell = load_cells(index);
  const __m256d z = _mm256_castsi256_pd(z_bits);
  const __m256d z_head = _mm256_castsi256_pd(_mm256_and_si256(
      _mm256_add_epi64(z_bits, broadcast(0x80000000u)), broadcast(0xFFFFFFFF00000000u)));
  const __m256d r_head = sub(mul(z_head, cell.inverse), all(1.0));
  const __m256d r_tail = mul(sub(z, z_head), cell.inverse);
  __m256d r = add(r_head, r_tail);
  __m256d r_error = sub(r_tail, sub(r, r_head));
  if constexpr (kWithLow) {
    const __m256d rounded = r;
    r_error = add(r_error, mul(z_low, cell.inverse));
    r = add(r, r_error);
    r_error = sub(r_error, sub(r, rounded));
  }
  const __m256d whole = add(mul(e, all(kLog2High)), cell.log_high);
  const __m256d head = add(whole, r);
  const __m256d head_error = add(sub(whole, head), r);
  const __m256d r2 = mul(r, r);
  const __m256d s12 = add(all(-1.0 / 2), mul(r, all(1.0 / 3)));
  const __m256d s34 = add(all(-1.0 / 4), mul(r, all(1.0 / 5)));
  const __m256d s56 = sub(add(all(-1.0 / 6), mul(r, all(1.0 / 7))), mul(r2, all(1.0 / 8)));
  const __m256d series = add(s12, mul(r2, add(s34, mul(r2, s56))));
  const __m256d small = add(add(mul(e, all(kLog2Low)), cell.log_low), r_error);
  return add(head, add(head_error, add(small, mul(r2, series))));
}

// log_midpoint of four numbers k >= 2^52.
ASSAY_AVX2 inline __m256d log_midpoint_lanes(__m256i k, double bits) {
  const __m256i low = _mm256_and_si256(k, broadcast(0xFFF));
  const __m256d u = to_double(_mm256_xor_si256(k, low));
  const __m256d v = add(small_to_double(low), all(0.5));
  const __m256i u_bits = _mm256_castpd_si256(u);
  const __m256i above = _mm256_sub_epi64(u_bits, broadcast(kLogOffset));
  const __m256i exponent = _mm256_srli_epi64(above, 52);  // 52 to 64
  const __m256i shift = _mm256_slli_epi64(exponent, 52);
  const __m256d power =
      _mm256_castsi256_pd(_mm256_sub_epi64(broadcast(0x3FF0000000000000u), shift));
  return log_of_parts<true>(sub(small_to_double(exponent), all(bits)),
                            _mm256_sub_epi64(u_bits, shift), mul(power, v));
}

// portable_log of four positive normal doubles.
ASSAY_AVX2 inline __m256d log_lanes(__m256d x) {
  const __m256i bits = _mm256_castpd_si256(x);
  const __m256i above = _mm256_sub_epi64(bits, broadcast(kLogOffset));
  const __m256i shift = _mm256_and_si256(above, broadcast(0xFFF0000000000000u));
  const __m256i biased =
      _mm256_srli_epi64(_mm256_add_epi64(above, broadcast(0x3FF0000000000000u)), 52);
  return log_of_parts<false>(sub(small_to_double(biased), all(1023.0)),
                             _mm256_sub_epi64(bits, shift), _mm256_setzero_pd());
}

ASSAY_AVX2 inline bool any_below_2_52(__m256i k) {
  const __m256i top = _mm256_srli_epi64(k, 52);
  const __m256i zero = _mm256_cmpeq_epi64(top, _mm256_setzero_si256());
  return _mm256_testz_si256(zero, zero) == 0;
}

// The numbers of which log_midpoint is taken.
template <LogDistribution kDistribution>
ASSAY_AVX2 inline __m256i argument(__m256i word) {
  if constexpr (kDistribution == LogDistribution::kGumbel) {
    return word;
  } else if constexpr (kDistribution == LogDistribution::kExponential) {
    return _mm256_xor_si256(word, _mm256_set1_epi64x(-1));
  } else {
    return _mm256_xor_si256(word, _mm256_cmpgt_epi64(_mm256_setzero_si256(), word));
  }
}

template <LogDistribution kDistribution>
ASSAY_AVX2 inline __m256d draw(__m256i word, __m256i k, __m256d location, __m256d scale) {
  if constexpr (kDistribution == LogDistribution::kGumbel) {
    return sub(location, mul(scale, log_lanes(negated(log_midpoint_lanes(k, 64.0)))));
  } else if constexpr (kDistribution == LogDistribution::kExponential) {
    return mul(negated(scale), log_midpoint_lanes(k, 64.0));
  } else {
    // -size below the middle, size above, size = -log >= 0: flip the sign if the number is in the upper half.
    const __m256d sign = _mm256_and_pd(_mm256_castsi256_pd(word), all(-0.0));
    return add(location, mul(scale, _mm256_xor_pd(log_midpoint_lanes(k, 63.0), sign)));
  }
}

template <LogDistribution kDistribution>
ASSAY_AVX2 void map_lanes(std::span<const std::uint64_t> words, double location, double scale,
                          double* out) {
  const __m256d shift = all(location);
  const __m256d factor = all(scale);
  std::size_t i = 0;
  for (; i + 4 <= words.size(); i += 4) {
    const __m256i word = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(words.data() + i));
    const __m256i k = argument<kDistribution>(word);
    if (any_below_2_52(k)) [[unlikely]] {
      map_log_words_baseline(kDistribution, words.subspan(i, 4), location, scale, out + i);
      continue;
    }
    _mm256_storeu_pd(out + i, draw<kDistribution>(word, k, shift, factor));
  }
  map_log_words_baseline(kDistribution, words.subspan(i), location, scale, out + i);
}

}  // namespace

void map_log_words_avx2(LogDistribution distribution, std::span<const std::uint64_t> words,
                        double location, double scale, double* out) {
  if (distribution == LogDistribution::kLaplace) {
    map_lanes<LogDistribution::kLaplace>(words, location, scale, out);
  } else if (distribution == LogDistribution::kExponential) {
    map_lanes<LogDistribution::kExponential>(words, location, scale, out);
  } else {
    map_lanes<LogDistribution::kGumbel>(words, location, scale, out);
  }
}

#else

void map_log_words_avx2(LogDistribution distribution, std::span<const std::uint64_t> words,
                        double location, double scale, double* out) {
  map_log_words_baseline(distribution, words, location, scale, out);
}

#endif

}  // namespace assay::detail
