// The report of an exact enumeration: every number an interval of numerical error only, no alpha
// spent. `outcome` is what the laws are over, in a word.
#pragma once

#include <string_view>

#include "assay/auditors/methods/exact.hpp"
#include "assay/auditors/methods/pair_evidence.hpp"

namespace assay {

PairEvidence exact_evidence(const ExactLoss& exact, const PrivacyLevel& claim, Delta delta0,
                            std::string_view outcome = "transcript");

}  // namespace assay
