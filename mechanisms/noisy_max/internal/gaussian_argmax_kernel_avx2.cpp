#include "assay/mechanisms/core/internal/avx2.hpp"
#include "assay/mechanisms/noisy_max/internal/gaussian_argmax_kernel.hpp"
#include "assay/mechanisms/noisy_max/internal/gaussian_argmax_tables.hpp"

#if defined(__x86_64__)

// AVX2 without FMA: contracted operations would change the bits.
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif
#include "assay/mechanisms/noisy_max/internal/gaussian_argmax_kernel_loops.hpp"
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif

namespace assay::detail {

const ArgmaxKernels* argmax_kernels_avx2() {
#if defined(__x86_64__)
  if (has_avx2()) return &kKernels;
#endif
  return nullptr;
}

const ArgmaxKernels& argmax_kernels() {
  static const ArgmaxKernels* const widest = argmax_kernels_avx2();
  return widest != nullptr ? *widest : argmax_kernels_baseline();
}

}  // namespace assay::detail
