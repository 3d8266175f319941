// Runs an entry of a suite as a job of the command line, and turns the job's report into the entry's result.
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
  std::uint64_t seed = 1;         // used if the entry has no seed of its own
  std::optional<double> seconds;  // the time budget of the entry
};

// Adds the witness of a violation to a result. No decision depends on the witness, and finding it may take a while.
using EntryIllustration = std::function<void(EntryResult&)>;
// Runs the job and fills the result; the function that it returns may be empty. Errors: those of the job's prepare().
using EntryRun = std::function<EntryIllustration(const Session&, EntryResult&)>;
Result<EntryRun> prepare_entry(const SuiteEntry& entry, const EntryTerms& terms);

// The subject of the entry: its case, command, plug-in, claims or chain.
std::string subject_of(const SuiteEntry& entry);

// The first value of an option of the entry; empty if it does not have the option.
std::string word_of(const SuiteEntry& entry, const std::string& option);

// Whether the evidence of an entry's runs can add up (reuse.hpp): it can for an audit that runs one target and bets
// against its claim.
bool adds_up(const SuiteEntry& entry);

// The confidence 1 - alpha, as text and value, with alpha rounded down to three digits.
Number confidence_of(double alpha);

}  // namespace assay
