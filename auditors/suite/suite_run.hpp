// One run of a suite: its entries prepared, one after another run, each with its share of one alpha.
//
// By the union bound everything that the run certifies holds at once with probability at least 1 - alpha:
// an entry gets alpha times its value over the values of all entries that the run was asked for, and hands
// that on to its job, whose ledger splits it further. What is exact spends nothing. Shares are fixed before
// anything runs and do not depend on what is found, nor on which results are taken from a history.
//
// Seeds: an entry without its own is run with a hash of the run's seed and its id, so the same seed gives the
// same bytes, in any selection of entries. A time budget is divided in proportion to the values: an entry
// that ends early leaves its rest to those after it, and one that time leaves undecided could not run. How far an audit comes within its time depends on the
// machine; its command to reproduce says how far that was.
//
// Threads: each entry runs on all of them. A run enters the suite's folder, which is the working folder of
// the whole process, and leaves it when it ends: one run at a time.
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

// Which entries, by what is known of them before they run.
struct SuiteSelection {
  Tier tier = Tier::kFull;
  std::vector<std::string> entries;  // names or patterns; none for all
  std::vector<std::string> tags;     // any of them; none for all
};

// Indices into the suite's entries. Errors: a name or tag that selects nothing.
Result<std::vector<std::size_t>> select_entries(const SuiteFile& suite,
                                                const SuiteSelection& selection);

struct SuiteRequest {
  SuiteSelection selection;
  std::optional<double> seconds;  // of the whole run
  std::uint64_t seed = 1;
  double alpha = 0.001;  // of the whole run
  bool adds_up = false;  // what it finds to what other runs did: it has a history
};

// An entry that is ready to run: everything that it names is read, and fits.
struct PreparedEntry {
  std::size_t index = 0;  // in the suite
  double alpha = 0.0;
  bool adds_up = false;  // the share of evidence in alpha is not its job's
  EntryIdentity identity;
  EntryResult result;  // what is known before it runs; with an error where it cannot
  EntryRun run;        // fills the result
};

// Starts nothing. Errors: those of select_entries; more entries than alpha can be split over. An entry that
// does not fit is among the prepared ones, misconfigured.
Result<std::vector<PreparedEntry>> prepare_entries(const SuiteFile& suite,
                                                   const SuiteRequest& request);

struct SuiteHooks {
  // What earlier runs found of the content of this result; or nothing.
  std::function<Result<std::optional<EntryResult>>(const PreparedEntry&)> known;
  // A violation that stands (standing.hpp), asked for before the entry runs, after it and at the end.
  std::function<Result<std::optional<EntryResult>>(const PreparedEntry&)> standing;
  // The evidence of a content that adds up, which is lost unless it is given back.
  std::function<Result<ContentEvidence>(const PreparedEntry&)> take;
  std::function<void(const PreparedEntry&, const ContentEvidence&)> give_back;
  bool reuses = true;  // a decided one stands for another run; an undecided one is added to
  // Once it is seen, and before anybody is told.
  std::function<void(const PreparedEntry&)> on_violation;
  std::function<void(const EntryResult&)> on_result;  // as soon as it is there
};

// The report, without what ties it to other runs. Interrupted, the entries left are inconclusive.
Result<SuiteReport> run_suite(const SuiteFile& suite, const SuiteRequest& request,
                              const Session& session, const SuiteHooks& hooks = {});

// The suite's folder as the working folder, until it is destroyed.
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
