// How a check turns what it computed into a finding; the wording is the same for all claims.
#pragma once

#include <string>
#include <string_view>

#include "assay/auditors/claims/certificates/certificate.hpp"
#include "assay/auditors/claims/claim_finding.hpp"
#include "assay/auditors/claims/registered_claim.hpp"
#include "assay/auditors/claims/search/violation_search.hpp"

namespace assay {

// A budget of the request's effort, at least 16.
std::int64_t scaled(std::int64_t budget, const ClaimRequest& request);

SearchPlan search_plan(const ClaimRequest& request, std::int64_t points, std::string_view purpose);

// Refuted, once the independent check of the certificate has agreed; else Inconclusive, with its objection.
ClaimFinding refuted(ClaimFinding finding, std::string_view claim, Counterexample counterexample);

// NotRefuted: `margin_name` says what the search maximised, and the finding how far from 0 it came.
ClaimFinding not_refuted(ClaimFinding finding, const SearchOutcome& outcome,
                         std::string_view margin_name);

// Holds. `summary` is the sentence that decides.
ClaimFinding holds(ClaimFinding finding, std::string summary);

// Inconclusive: the check was stopped or could not exhaust its domain.
ClaimFinding undecided(ClaimFinding finding, std::string why);

// Inconclusive: a search contradicts what the check proves. One of the two has a bug.
ClaimFinding contradiction(ClaimFinding finding, const std::string& where);

}  // namespace assay
