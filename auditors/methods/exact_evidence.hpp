// The report of an exact enumeration: every number an interval of numerical error only, no alpha
// spent.
#pragma once

#include "assay/auditors/methods/exact.hpp"
#include "assay/auditors/methods/pair_evidence.hpp"

namespace assay {

PairEvidence exact_evidence(const ExactLoss& exact, const PrivacyLevel& claim, Delta delta0);

}  // namespace assay
