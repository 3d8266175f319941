// Entries that test the claims of papers ([[verify]]) and the detection of planted faults ([[detect]]). In a build
// without the papers (-DASSAY_PAPERS=OFF) such an entry is an error.
#pragma once

#include <vector>

#include "assay/auditors/suite/entry_jobs.hpp"
#include "assay/auditors/suite/entry_options.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

// Errors: a build without the papers.
Status check_papers(EntryKind kind);

std::vector<EntryOption> paper_entry_options(EntryKind kind);
Result<EntryRun> prepare_paper_entry(const SuiteEntry& entry, const EntryTerms& terms);

}  // namespace assay
