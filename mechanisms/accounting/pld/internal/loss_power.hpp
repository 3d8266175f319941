// Several releases of a term with few outputs, as one release of a term with many.
#pragma once

#include <span>
#include <vector>

#include "assay/mechanisms/accounting/pld/pld_composition.hpp"

namespace assay::detail {

// A few outputs whose losses lie on no common lattice would be rounded to a grid apart, each with an error of the order
// of the step. So terms of many releases start from a power, whose outputs are dense.
std::vector<PldTerm> with_powers(std::span<const PldTerm> terms);

}  // namespace assay::detail
