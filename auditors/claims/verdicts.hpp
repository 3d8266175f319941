// How a check turns what it computed into a finding; the wording is the same for all claims.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/auditors/claims/certificates/certificate.hpp"
#include "assay/auditors/claims/claim_finding.hpp"
#include "assay/auditors/claims/registered_claim.hpp"
#include "assay/auditors/claims/search/box_certifier.hpp"
#include "assay/auditors/claims/search/violation_search.hpp"

namespace assay {

// A budget of the request's effort, at least 16.
std::int64_t scaled(std::int64_t budget, const ClaimRequest& request);

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

// Holds over the whole box; Inconclusive where cells of it are left.
ClaimFinding certified(ClaimFinding finding, const BoxOutcome& box, std::string summary);

// ---- checks that search -------------------------------------------------------------------------

// What a check searches, and how: SearchPlan says what each number is.
struct ClaimSearch {
  std::string_view id;  // of the claim: names the random streams, as "claims/ID"
  SearchedClaim claim;
  std::int64_t points = 0;  // at effort 1
  double keep = SearchPlan{}.keep;
  int climbs = SearchPlan{}.climbs;
};

SearchOutcome search_claim(const ClaimSearch& search, const ClaimRequest& request,
                           const RunControl& control);

// A finding that rests on a search, for the check to describe:
//   auto finding = searched({"hardness", hardness_search(), 2'000}, request, control);
//   finding.domain = finding.points() + " instances of up to 40 arms";
//   return proved(finding, "two computations agree to 1e-12");
struct SearchedFinding : ClaimFinding {
  std::string id;
  std::vector<Parameter> space;
  SearchOutcome outcome;

  std::string points() const;   // "2,000": how many the search looked at
  std::string excess() const;   // of the largest margin over 0, rounded up
  std::string closest() const;  // "n = 3, delta = 0.01": where the margin is largest
};
SearchedFinding searched(const ClaimSearch& search, const ClaimRequest& request,
                         const RunControl& control);

// Of a claim that is proved: it holds, unless the search contradicts that (or the box has cells left).
ClaimFinding proved(SearchedFinding finding, std::string summary);
ClaimFinding proved(SearchedFinding finding, const BoxOutcome& box, std::string summary);

// Of a claim that may be false: refuted by the counterexample at the point found, which more lines of
// evidence explain, or not refuted.
ClaimFinding refuted_or_not(SearchedFinding finding, std::string_view margin_name,
                            const std::function<Counterexample(const Point&)>& counterexample_at,
                            const std::vector<std::string>& evidence = {});

}  // namespace assay
