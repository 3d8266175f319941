// Replaces paper_entries.cpp if ASSAY_PAPERS is OFF.
#include "assay/auditors/suite/paper_entries.hpp"

#include <string>

namespace assay {

Status check_papers(EntryKind kind) {
  if (kind != EntryKind::kVerify && kind != EntryKind::kDetect) return {};
  return fail(ErrorCode::kInvalidArgument, "[[" + std::string(detail::value_text(kind)) +
                                               "]] needs the papers' claims and faults, which this "
                                               "build of assay lacks (ASSAY_PAPERS=OFF)");
}

std::vector<EntryOption> paper_entry_options(EntryKind) { return {}; }

Result<EntryRun> prepare_paper_entry(const SuiteEntry& entry, const EntryTerms&) {
  return tl::make_unexpected(check_papers(entry.kind).error());
}

}  // namespace assay
