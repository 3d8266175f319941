// An entry of a suite as the job of the command line that it is, and what its report comes to.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "assay/auditors/session/session.hpp"
#include "assay/auditors/suite/suite_file.hpp"
#include "assay/auditors/suite/suite_report.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

struct EntryTerms {
  double alpha = 0.001;
  std::uint64_t seed = 1;         // where the entry gives none
  std::optional<double> seconds;  // of the entry
};

// Adds to a result what nothing depends on, and what may take a while: the witness of a violation.
using EntryIllustration = std::function<void(EntryResult&)>;
// What runs the job and fills the result; what it gives may be empty. Errors: those of the job's prepare().
using EntryRun = std::function<EntryIllustration(const Session&, EntryResult&)>;
Result<EntryRun> prepare_entry(const SuiteEntry& entry, const EntryTerms& terms);

// What the entry is about: its case, command, plug-in, claims, chain.
std::string subject_of(const SuiteEntry& entry);

// The first word that an option of the entry has; empty without it.
std::string word_of(const SuiteEntry& entry, const std::string& option);

// Whether its runs can add to one another (reuse.hpp): an audit that plays one target, and bets on its claim.
bool adds_up(const SuiteEntry& entry);

// The confidence that leaves `alpha`, as text and value: 1 - alpha with alpha rounded down to three digits.
Number confidence_of(double alpha);

}  // namespace assay
