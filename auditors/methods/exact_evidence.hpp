// The report of an exact enumeration: every number an interval of numerical error only, no alpha
// spent. `outcome` is what the laws are over, in a word. Stopped by its control, it leaves out what
// takes longest and says so.
#pragma once

#include <string_view>

#include "assay/auditors/methods/exact.hpp"
#include "assay/auditors/methods/pair_evidence.hpp"
#include "assay/auditors/methods/paths.hpp"

namespace assay {

PairEvidence exact_evidence(const ExactLoss& exact, const PrivacyLevel& claim, Delta delta0,
                            std::string_view outcome = "transcript",
                            const RunControl& control = {});
// What a claim bounds, from below: eps at delta = 0, delta at its eps, or mu. Of laws that cannot be
// certified, 0.
double lower_bound_of(const ExactLoss& exact, const ClaimedQuantity& claimed);
double lower_bound_of(EnumeratedLaws laws, const ClaimedQuantity& claimed);
// What is known of a pair whose transcripts were not all listed: the events that were found.
PairEvidence stopped_evidence(const PathSearchResult& paths, const PrivacyLevel& claim,
                              Delta delta0, UpperBound<Mu> augmented_mu);

}  // namespace assay
