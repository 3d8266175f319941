// Entries that bound the expected regret of a policy ([[regret]]).
#pragma once

#include "assay/auditors/suite/entry_jobs.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

Result<EntryRun> prepare_regret_entry(const SuiteEntry& entry, const EntryTerms& terms);

}  // namespace assay
