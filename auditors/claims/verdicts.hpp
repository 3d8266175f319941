// Turns the results of a check into a finding. The wording is the same for all claims.
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

// A budget scaled by the request's effort, at least 16.
std::int64_t scaled(std::int64_t budget, const ClaimRequest& request);

// The verdict is Refuted if the independent check of the certificate agrees; otherwise it is Inconclusive, with the
// objection of the check.
ClaimFinding refuted(ClaimFinding finding, std::string_view claim, Counterexample counterexample);

// The verdict is NotRefuted. `margin_name` names the margin that the search maximised; the finding states
// its largest value.
ClaimFinding not_refuted(ClaimFinding finding, const SearchOutcome& outcome,
                         std::string_view margin_name);

// The verdict is Holds. `summary` states the reason in one sentence; the finding's own begins with what the
// proof covers: "for every K >= 2: the reason".
ClaimFinding holds(ClaimFinding finding, std::string summary);

// The verdict is Inconclusive, because the check was stopped or could not exhaust its domain.
ClaimFinding undecided(ClaimFinding finding, std::string why);

// The verdict is Inconclusive, because a search contradicts the proof. One of the two has a bug.
ClaimFinding contradiction(ClaimFinding finding, const std::string& where);

// The verdict is Holds over the whole box, or Inconclusive if cells of the box are left.
ClaimFinding certified(ClaimFinding finding, const BoxOutcome& box, std::string summary);

// ---- checks that search -------------------------------------------------------------------------

// The space that a check searches, and its effort. SearchPlan explains the numbers.
struct ClaimSearch {
  std::string_view id;  // of the claim; the random streams have the purpose "claims/ID"
  SearchedClaim claim;
  std::int64_t points = 0;  // at effort 1
  double keep = SearchPlan{}.keep;
  int climbs = SearchPlan{}.climbs;
};

SearchOutcome search_claim(const ClaimSearch& search, const ClaimRequest& request,
                           const RunControl& control);

// A finding that depends on a search. The check describes it:
//   auto finding = searched({"hardness", hardness_search(), 2'000}, request, control);
//   finding.domain = finding.points() + " instances of up to 40 arms";
//   return proved(finding, "two computations agree to 1e-12");
struct SearchedFinding : ClaimFinding {
  std::string id;
  std::vector<Parameter> space;
  SearchOutcome outcome;

  std::string points() const;   // "2,000", the number that the search examined
  std::string excess() const;   // the largest margin, if above 0, rounded up
  std::string closest() const;  // "n = 3, delta = 0.01", the point of largest margin, or "no point"
};
SearchedFinding searched(const ClaimSearch& search, const ClaimRequest& request,
                         const RunControl& control);

// For a claim that is proved. The verdict is Holds, unless the search contradicts the proof (or the box has cells
// left).
ClaimFinding proved(SearchedFinding finding, std::string summary);
ClaimFinding proved(SearchedFinding finding, const BoxOutcome& box, std::string summary);

// For a claim that may be false. The verdict is Refuted by the counterexample at the point that the search found, which
// further lines of evidence explain, or NotRefuted.
ClaimFinding refuted_or_not(SearchedFinding finding, std::string_view margin_name,
                            const std::function<Counterexample(const Point&)>& counterexample_at,
                            const std::vector<std::string>& evidence = {});

}  // namespace assay
