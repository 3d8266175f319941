// How the source file of a paper writes its table of claims. Each claim is a row; details that are not the
// default are given by name.
//
//   const ClaimsOf claim{papers::kThompsonSampling};
//   return {claim("ts-gdp", ClaimKind::kPrivacy, "Lemma 4", "T rounds ...", checks::run_gdp),
//           claim("ts-eq27", ..., {.expected = ClaimVerdict::kRefuted, .comment = "..."})};
#pragma once

#include <string_view>
#include <utility>

#include "assay/auditors/claims/paper.hpp"
#include "assay/auditors/claims/registered_claim.hpp"

namespace assay {

struct ClaimsOf {
  const Paper& paper;

  RegisteredClaim operator()(std::string_view id, ClaimKind kind, std::string_view theorem,
                             std::string_view statement, ClaimCheck* check,
                             ClaimDetails details = {}) const {
    return {std::move(details), id, kind, theorem, statement, check, &paper};
  }
};

}  // namespace assay
