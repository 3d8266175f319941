#include "assay/mechanisms/numerics/gaussian_argmax_kernel.hpp"
#include "assay/mechanisms/numerics/gaussian_argmax_tables.hpp"

namespace assay::detail {

#if defined(__x86_64__)

// AVX2 without FMA: contracted operations would change the bits.
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif
namespace {
#include "assay/mechanisms/numerics/gaussian_argmax_kernel_loops.inc"
}  // namespace
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

const ArgmaxKernels* argmax_kernels_avx2() {
  static const bool supported = __builtin_cpu_supports("avx2");
  return supported ? &kKernels : nullptr;
}

#else

const ArgmaxKernels* argmax_kernels_avx2() { return nullptr; }

#endif

const ArgmaxKernels& argmax_kernels() {
  static const ArgmaxKernels* const widest = argmax_kernels_avx2();
  return widest != nullptr ? *widest : argmax_kernels_baseline();
}

}  // namespace assay::detail
