#include "assay/mechanisms/noisy_max/internal/gaussian_argmax_kernel.hpp"
#include "assay/mechanisms/noisy_max/internal/gaussian_argmax_kernel_loops.hpp"

namespace assay::detail {

const ArgmaxKernels& argmax_kernels_baseline() { return kKernels; }

}  // namespace assay::detail
