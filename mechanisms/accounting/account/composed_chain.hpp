// A chain whose steps all have dominating pairs, composed in both orders of the neighbours.
// Shared by answers and curves; see account.hpp, (1).
#pragma once

#include <span>
#include <vector>

#include "assay/mechanisms/accounting/account/account.hpp"
#include "assay/mechanisms/accounting/pld/pld_composition.hpp"

namespace assay::detail {

struct PairedChain {
  std::vector<PldTerm> remove;
  std::vector<PldTerm> add;  // empty where the orders are the same
};
// Unknown where a step has no pair.
Result<Known<PairedChain>> paired_chain(std::span<const ChainStep> chain);

// The least of (2): eps at a delta in (0, 1), or delta at an eps.
struct OneSided {
  double upper = 0.0;
  std::string route;
};
Result<OneSided> one_sided(std::span<const ChainStep> chain, const AccountTarget& target);

Status check_chain(std::span<const ChainStep> chain);

}  // namespace assay::detail
