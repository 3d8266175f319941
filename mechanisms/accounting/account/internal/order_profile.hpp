// The privacy profile of a chain in one order of the neighbours, from compositions that are tight around several deltas, each a
// bound everywhere.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "assay/mechanisms/accounting/account/internal/composed_chain.hpp"
#include "assay/mechanisms/accounting/pld/composed_pld.hpp"
#include "assay/mechanisms/accounting/pld/pld_composition.hpp"
#include "assay/mechanisms/core/progress.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay::detail {

struct OrderProfile {
  std::vector<OutputEvent> events;
  std::vector<ComposedPld> parts;
  std::vector<double> ends;  // of each part, its eps at its delta

  double upper(double eps) const;
  double lower(double eps) const;
  // The eps at which the profile is certainly below the least delta that has a finite eps.
  double end() const;
};

// As close as a picture of the profile needs; between pairs that are far apart less is enough.
PldOptions profile_width(std::span<const ChainStep> chain, const RunControl& control);

// The record removed, and added if the terms of both orders differ. Deltas that cannot be composed are left out; the others
// bound every eps. Errors of both functions: kInterrupted alone.
Result<std::vector<OrderProfile>> order_profiles(const OrderedTerms& terms,
                                                 std::span<const double> deltas,
                                                 const PldOptions& options,
                                                 const RunControl& control);

// Of the pairs of a chain, as PairedChain has them.
struct PairedProfiles {
  std::vector<OrderProfile> dominating;
  std::optional<std::vector<OrderProfile>> attained;  // none: the same

  const std::vector<OrderProfile>& lower() const { return attained ? *attained : dominating; }
};
Result<PairedProfiles> paired_profiles(const PairedChain& chain, std::span<const double> deltas,
                                       const PldOptions& options, const RunControl& control);

}  // namespace assay::detail
