// A step of a chain with its group of records as a part of its mechanism (group_step.hpp).
#pragma once

#include "assay/mechanisms/accounting/account/account.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay::detail {

// The step with group 1 that costs what `step` costs. Errors: those of group_step.hpp.
Result<ChainStep> with_group(ChainStep step);

}  // namespace assay::detail
