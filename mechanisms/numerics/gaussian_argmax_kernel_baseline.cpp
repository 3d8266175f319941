#include "assay/mechanisms/numerics/gaussian_argmax_kernel.hpp"
#include "assay/mechanisms/numerics/gaussian_argmax_tables.hpp"

namespace assay::detail {

namespace {
#include "assay/mechanisms/numerics/gaussian_argmax_kernel_loops.inc"
}  // namespace

const ArgmaxKernels& argmax_kernels_baseline() { return kKernels; }

}  // namespace assay::detail
