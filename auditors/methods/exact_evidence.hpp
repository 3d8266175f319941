// Makes the evidence of an exact enumeration. Every number is an interval that covers numerical error alone, so it
// spends no alpha. `outcome` is one word for the enumerated things. If its control stops it, it leaves out the slowest
// parts and says so.
#pragma once

#include <string_view>

#include "assay/auditors/methods/exact.hpp"
#include "assay/auditors/methods/pair_evidence.hpp"
#include "assay/auditors/methods/paths.hpp"

namespace assay {

PairEvidence exact_evidence(const ExactLoss& exact, const PrivacyLevel& claim, Delta delta0,
                            std::string_view outcome = "transcript",
                            const RunControl& control = {});
// A lower bound of the claimed quantity: eps at delta = 0, delta at its eps, or mu. 0 for distributions that
// cannot be certified.
double lower_bound_of(const ExactLoss& exact, const ClaimedQuantity& claimed);
double lower_bound_of(EnumeratedDistributions distributions, const ClaimedQuantity& claimed);
// The evidence for a pair whose transcripts were not all enumerated: the events that the search found.
PairEvidence stopped_evidence(const PathSearchResult& paths, const PrivacyLevel& claim,
                              Delta delta0, UpperBound<Mu> augmented_mu);

}  // namespace assay
