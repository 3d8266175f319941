#include "assay/mechanisms/numerics/internal/gaussian_argmax_kernel.hpp"
#include "assay/mechanisms/numerics/internal/gaussian_argmax_kernel_loops.hpp"

namespace assay::detail {

const ArgmaxKernels& argmax_kernels_baseline() { return kKernels; }

}  // namespace assay::detail
