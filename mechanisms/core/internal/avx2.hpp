// Whether the processor has AVX2, and the helpers that the AVX2 kernels share.
//
// AVX2 without FMA: a fused operation would change the bits. All functions but the first are for callers
// with the same target, which run only where the processor has AVX2.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace assay::detail {

inline bool has_avx2() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2");
#else
  return false;
#endif
}

}  // namespace assay::detail

#if defined(__x86_64__)

#define ASSAY_AVX2 __attribute__((target("avx2")))

namespace assay::detail {

ASSAY_AVX2 inline __m256i broadcast(std::uint64_t value) {
  return _mm256_set1_epi64x(static_cast<long long>(value));
}

// To the nearest double, as the scalar conversion does; 0 <= v < 2^63.
ASSAY_AVX2 inline __m256d to_double(__m256i v) {
  const __m256i high = _mm256_or_si256(_mm256_srli_epi64(v, 32), broadcast(0x4530000000000000u));
  const __m256i low = _mm256_blend_epi32(v, broadcast(0x4330000000000000u), 0xAA);
  // (2^84 + 2^32 v_high) - (2^84 + 2^52), exact, then + (2^52 + v_low).
  return _mm256_add_pd(_mm256_sub_pd(_mm256_castsi256_pd(high), _mm256_set1_pd(0x1.00000001p84)),
                       _mm256_castsi256_pd(low));
}

}  // namespace assay::detail

#endif
