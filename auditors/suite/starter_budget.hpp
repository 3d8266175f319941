// The budget of the audit in a first suite: the runs that see the leak which the claim asks for, if they take ten
// minutes at most, or else the runs of ten minutes and the leak that these see.
//
// A dry run (auditors/audit/try_job.hpp) gives the time of a run. The number of runs follows from the claim, for an
// event that is neither rare nor frequent, and at the alpha of a late run of a history, which has less than the first.
// Cost: a dry run, about a second for a target that starts fast.
#pragma once

#include <string>

#include "assay/auditors/session/session.hpp"
#include "assay/auditors/suite/probe.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

// `claim` is empty if the owner has not stated one; the budget is then that for eps = 1. Cases and recorded runs have
// no budget. A failed dry run is no error, nor is a mistake that it finds: the terms have its message. Errors: a claim that cannot be read, or an
// interrupt.
Result<StarterTerms> starter_terms(const ProbeResult& probed, const std::string& claim,
                                   const Session& session);

}  // namespace assay
