// Claims that state more than what holds.
#pragma once

#include "assay/auditors/claims/search/violation_search.hpp"

namespace assay {

// The claim with its margin raised: what it states is stronger by that much than what holds.
inline SearchedClaim stronger_by(SearchedClaim claim, double amount) {
  claim.margin = [margin = claim.margin, amount](const Point& point) {
    return margin(point) + amount;
  };
  return claim;
}

}  // namespace assay
