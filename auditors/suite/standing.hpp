// Standing violations. A violation that a run finds remains in all later runs of the history, whatever they see.
//
// A violation belongs to an entry of the same id. If that id is gone from the suite (a renamed entry), it belongs to
// an entry that audits the same target. It also belongs to every entry whose content is known to be the same, if that
// entry's claim is known to be exceeded. It stands until one of these holds:
//
//   * the content is known to have changed: both digests of the audited content are known, and differ
//     (EntryIdentity, auditors/suite/entry_content.hpp). Content that is not declared counts as unchanged. So
//     does that of an entry that looks harder, less hard or at another pair;
//   * the claim allows the certified bound, in the same figure. A claim in other figures ends nothing;
//   * a [[clear]] of the suite's file names the entry. It covers violations that were found until its day and
//     recorded before the first run that saw it. One that stays in the file covers nothing that is found later.
//
// Neither the confidence, the seed, nor the version of Assay that runs a target ends one: a later run would
// have to show that the earlier was wrong, and no run can. docs/decisions/suite.md lists the rejected designs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "assay/auditors/suite/entry_content.hpp"
#include "assay/auditors/suite/suite_file.hpp"
#include "assay/auditors/suite/suite_report.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

// A violation as a history keeps it.
struct RecordedViolation {
  std::int64_t number = 0;  // counts violations in the order of recording
  std::int64_t run = 0;
  std::string suite;  // the name of the run's suite
  std::string day;
  EntryIdentity identity;
  EntryResult result;
};

// A [[clear]], and the last violation that was recorded when a run first saw it.
struct SeenClear {
  Clear clear;
  std::int64_t last = 0;
};

// Errors, with file and line: an empty text; a date that is not a day, or is after `today`.
Status check_clears(const std::vector<Clear>& clears, const std::string& today);

struct StandingTerms {
  std::string suite;             // its name
  std::vector<std::string> ids;  // of all its entries
  std::vector<SeenClear> clears;
  std::int64_t run = 0;  // the present one; its own violations need not stand
};

struct Standing {
  std::optional<EntryResult> violated;  // the first that stands, with a note on how to end it
  std::int64_t cleared_until = 0;       // the last run of which a violation was cleared; results
                                        // up to that run do not count any more
};

// Judges an entry by its present result. Its figures, once it ran, say what its claim allows.
Standing standing_of(const EntryResult& now, const EntryIdentity& identity,
                     const std::vector<RecordedViolation>& recorded, const StandingTerms& terms);

// A detail of an entry, for people: how to end its violation. It begins with "next: ".
std::string how_it_ends(const std::string& id, const EntryIdentity& identity);

struct IdentifiedEntry {
  std::string id;
  EntryIdentity identity;
};

// Notes on what each clear covers, on clears that cover nothing, and on violations of entries that are gone.
// `recorded` has all violations, `entries` those entries that the run was asked for.
std::vector<std::string> standing_notes(const std::vector<RecordedViolation>& recorded,
                                        const StandingTerms& terms,
                                        const std::vector<IdentifiedEntry>& entries);

}  // namespace assay
