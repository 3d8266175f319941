// One run of a suite: its entries are prepared and then run one after another, each with its share of one alpha.
//
// By the union bound everything that the run certifies holds at once with probability at least 1 - alpha. An
// entry gets alpha times its value over the values of all entries that the run was asked for, or of all entries of the
// suite (keeps_shares), so that runs which take each entry once spend no more than one run of all. It hands its share
// to its job, and the job's ledger splits it further. Exact results spend nothing. Shares are fixed before
// anything runs. They depend neither on the findings nor on which results are taken from a history.
//
// Seeds: an entry without its own seed runs with a hash of the run's seed and its id, so the same seed gives the
// same bytes, in any selection of entries. A time budget is divided in proportion to the values. An entry that
// ends early leaves the rest of its time to those after it. If the time ends before an entry has decided anything, its
// status is "could not run". How far an audit gets within its time depends on the machine; the command that reproduces
// it states how far it got.
//
// Threads: each entry runs on all of them. A run makes the suite's folder the working folder of the whole process
// until it ends, so only one run at a time is possible.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "assay/auditors/session/session.hpp"
#include "assay/auditors/suite/entry_content.hpp"
#include "assay/auditors/suite/entry_jobs.hpp"
#include "assay/auditors/suite/reuse.hpp"
#include "assay/auditors/suite/suite_file.hpp"
#include "assay/auditors/suite/suite_report.hpp"

namespace assay {

// Selects entries by tier, name and tag.
struct SuiteSelection {
  Tier tier = Tier::kFull;
  std::vector<std::string> entries;  // names or patterns; empty for all
  std::vector<std::string> tags;     // any of them; empty for all
};

// Indices into the suite's entries. Errors: a name or tag that selects nothing.
Result<std::vector<std::size_t>> select_entries(const SuiteFile& suite,
                                                const SuiteSelection& selection);

struct SuiteRequest {
  SuiteSelection selection;
  std::optional<double> seconds;  // of the whole run
  std::uint64_t seed = 1;
  double alpha = 0.001;  // of the whole run
  // Whether each entry has the share of alpha that it has in a run of the whole suite, whatever is selected.
  bool keeps_shares = false;
  // Whether the run has a history, and adds its evidence to that of other runs.
  bool adds_up = false;
};

// An entry that is ready to run: everything that it names is read and checked.
struct PreparedEntry {
  std::size_t index = 0;  // in the suite
  double alpha = 0.0;
  // Whether its evidence is added to that of other runs. Its job then does not get the share of alpha for that.
  bool adds_up = false;
  EntryIdentity identity;
  EntryResult result;  // what is known before it runs; with an error if it cannot run
  EntryRun run;        // fills the result
};

// Prepares the entries, and starts nothing. Errors: those of select_entries(); more entries than alpha can be divided
// among. A misconfigured entry is not an error: it is among the prepared entries.
Result<std::vector<PreparedEntry>> prepare_entries(const SuiteFile& suite,
                                                   const SuiteRequest& request);

struct SuiteHooks {
  // The evidence of earlier runs on this entry's content, if any.
  std::function<Result<std::optional<EntryResult>>(const PreparedEntry&)> known;
  // A violation that stands (standing.hpp), asked for before the entry runs, after it and at the end.
  std::function<Result<std::optional<EntryResult>>(const PreparedEntry&)> standing;
  // The evidence of a content that adds up. It is lost unless it is given back.
  std::function<Result<ContentEvidence>(const PreparedEntry&)> take;
  std::function<void(const PreparedEntry&, const ContentEvidence&)> give_back;
  // Whether a decided result is used in place of a run; undecided ones are merged.
  bool reuses = true;
  // Called as soon as a violation is seen, before it is reported.
  std::function<void(const PreparedEntry&)> on_violation;
  std::function<void(const EntryResult&)> on_result;  // called after each entry
};

// Runs the entries and makes the report, except for the comparison with other runs. After an interrupt the remaining
// entries are inconclusive.
Result<SuiteReport> run_suite(const SuiteFile& suite, const SuiteRequest& request,
                              const Session& session, const SuiteHooks& hooks = {});

// Makes the suite's folder the working folder until it is destroyed.
class WorkingFolder {
 public:
  // Errors: a folder that cannot be entered.
  static Result<WorkingFolder> enter(const std::string& folder);
  WorkingFolder(WorkingFolder&& other) noexcept : back_(std::move(other.back_)) {
    other.back_.clear();
  }
  WorkingFolder& operator=(WorkingFolder&&) = delete;
  ~WorkingFolder();

 private:
  explicit WorkingFolder(std::string back) : back_(std::move(back)) {}
  std::string back_;
};

}  // namespace assay
