// Searched claims as properties: RapidCheck draws from their spaces.
#pragma once

#include <rapidcheck.h>

#include <cmath>

#include "assay/auditors/claims/search/violation_search.hpp"
#include "assay/tests/support/rc_points.hpp"

namespace assay {

inline void expect_no_violation(const SearchedClaim& claim) {
  const Point point = *points_of(claim.space);
  const double margin = claim.margin(point);
  RC_PRE(!std::isnan(margin));
  RC_ASSERT(margin <= claim.tolerance);
}

// Whether RapidCheck finds a counterexample in so many draws.
inline bool convicted(const SearchedClaim& claim, int draws) {
  rc::detail::TestParams params;
  params.seed = 1;
  params.maxSuccess = draws;
  const auto result = rc::detail::checkProperty(
      rc::detail::toProperty([&] { expect_no_violation(claim); }), {}, params);
  rc::detail::FailureResult failure;
  return result.match(failure);
}

}  // namespace assay
