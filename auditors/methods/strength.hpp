// How strong an audit was that did not refute its claim: the smallest leak that it would have seen on its pair.
//
// "Not refuted" is worth as much as the test that the claim passed. A test of few runs, or of a rare event, passes
// nearly every claim. So each such audit is compared with a level that it should see, and one that would not have seen a
// leak of that level is Weak: it decides nothing.
//
//     level   known in one of two ways, in the unit of the claim (eps at its delta, or mu):
//             - a certified upper bound on the pair's leak, if the method has one: a larger leak does not exist;
//             - an estimate, fixed before certification: a leak of this size is seen with probability `power`;
//             - for a claim in mu without either: the certified bound of mu over delta >= delta0, as a leak below
//               delta0 alone is not seen.
//     asked   the level to see: --see, or kSeenByDefault times the claim.
// An estimate certifies nothing. It speaks of the certified pair, not of pairs that the search has missed.
#pragma once

#include <optional>
#include <string>

#include "assay/auditors/methods/pair_evidence.hpp"

namespace assay {

inline constexpr double kSeenByDefault = 1.5;    // of the claim
inline constexpr double kSeenWithoutLoss = 0.1;  // for a claim of no loss at all

struct Strength {
  std::optional<double> level;  // none: not known, or no leak would have been seen
  bool is_bound = false;        // a certified bound, not an estimate
  double power = 1.0;           // of an estimate
  std::string assuming;         // of an estimate: "an event as frequent as the counted one"
  double asked = 0.0;
  std::int64_t samples_needed =
      0;  // certified runs on each input that would see `asked`; 0: not known

  bool is_enough() const { return level && *level <= asked; }
};

// The claim's eps, or its mu.
double claimed_level(const PrivacyLevel& claim);
// The quantity in the unit of the claim, eps at its delta or mu, with the bounds 0 and infinity.
ReportedQuantity quantity_of_claim(const PrivacyLevel& claim);
// A level in the unit of the claim, by the text of its number: "eps = 1.5", "eps >= 1.5 at delta = 1e-6", "mu = 1.5".
std::string level_text(const PrivacyLevel& claim, const std::string& number,
                       const char* relation = "=");

// --see, or its default for the claim.
double level_to_see(const PrivacyLevel& claim, std::optional<double> see);
// Errors: a level that is not above the claim.
Status check_level_to_see(double see, const PrivacyLevel& claim);

Strength strength_of(const AuditTerms& terms, const PairEvidence& evidence);

}  // namespace assay
