// The jobs of `assay suite`: run a suite, list its entries, write a first suite or a baseline, compare two runs, and
// show how the figures changed from run to run. docs/suite.md explains suites. session.hpp shows how to run a job.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "assay/auditors/session/run_options.hpp"
#include "assay/auditors/session/session.hpp"
#include "assay/auditors/suite/compare.hpp"
#include "assay/auditors/suite/history.hpp"
#include "assay/auditors/suite/probe.hpp"
#include "assay/auditors/suite/suite_run.hpp"

namespace assay {

// The suite, and a selection of its entries.
struct SuiteOptions {
  std::string file = "assay.toml";
  Tier tier = Tier::kFull;           // kSmoke takes only the entries of that tier
  std::vector<std::string> entries;  // names or patterns; empty for all
  std::vector<std::string> tags;     // takes entries with one of these; empty for all
};

// Facts that decide which options have an effect on a run.
struct SuiteFacts {
  bool compares = false;    // the run has a baseline
  bool remembers = false;   // the run has a history
  bool suppresses = false;  // the suite has a [[suppress]]
};

// Runs a suite.
struct SuiteRunJob : JobOptions {
  using Facts = SuiteFacts;

  SuiteOptions suite;
  std::optional<double> seconds;      // time budget of the whole run; none for no limit
  std::optional<std::uint64_t> seed;  // none: the suite's, or one drawn for this run
  // A file or "none". Empty: the history that the suite names, or .assay/history.sqlite in the suite's folder.
  std::string history;
  bool no_reuse = false;  // runs unchanged entries as well
  // Repeats this run of a history, without it: with the share of alpha that the run had. Its report names the seed.
  std::optional<std::int64_t> as_run;
  std::string baseline;  // a file or "none"; empty: the one that the suite names, if any
  Tolerances tolerances;
  std::string today;     // "2026-11-23"; empty: today by the clock, in UTC
  std::string revision;  // of the audited code, for example a commit; may be empty
  bool fail_on_inconclusive = false;
  bool keep_shares = false;          // of alpha, as in a run of the whole suite
  std::vector<std::string> reports;  // further reports: "sarif=a.sarif", "github"
  RunOptions run;
  std::function<void(const EntryResult&)> on_result;  // called after each entry; may be empty

  static void fields(const VisitOption<SuiteRunJob>& visit);
};

struct SuiteOutcome {
  SuiteReport report;
  SuiteHistory history;  // of all entries of the report; this run comes last
  Status kept;           // an error if the history could not store the report
};

// Lists the entries of a suite, and runs nothing.
struct SuiteListJob : JobOptions {
  SuiteOptions suite;
  std::string history;
  bool names = false;  // lists names alone, and checks nothing else
  bool tags = false;   // the same, with the tier and the tags of each entry
  RunOptions run;

  static void fields(const VisitOption<SuiteListJob>& visit);
};

// The entries that a run would take, with their errors. The history gives an entry's seconds, and the earlier run
// whose result it would reuse.
struct SuiteListing {
  SuiteFile suite;
  std::string tier;
  double alpha = 0.001;
  std::vector<PreparedEntry> entries;
};

// Writes a first suite for a policy. Exactly one of `policy` and `exec` must be given.
struct SuiteInitJob : JobOptions {
  std::string policy;  // a case, a program, a shared library or recorded runs
  std::string exec;    // the command of a program, in place of `policy`
  std::string claim;   // "eps=1"; empty: the suite has a comment in its place
  InputShape shape;    // the fields among the written options are those of the target
  std::string domain;
  std::string file = "assay.toml";

  static void fields(const VisitOption<SuiteInitJob>& visit);
};

struct SuiteStart {
  ProbeResult probed;
  std::string file;                   // the suite that was written
  bool lacks_claim = false;           // which the owner has to state
  std::vector<std::string> mistakes;  // that the dry run found
  std::string failure;                // of the dry run
};

// Runs a suite and writes its baseline.
struct SuiteUpdateJob : JobOptions {
  std::string file = "assay.toml";
  std::string baseline;  // the file to write; empty: that of the suite, or assay.baseline.toml
  std::optional<std::uint64_t> seed;
  std::string history;
  std::string revision;
  RunOptions run;

  static void fields(const VisitOption<SuiteUpdateJob>& visit);
};

struct SuiteUpdate {
  SuiteReport report;
  std::string file;  // the baseline that was written
};

// Compares two runs of a suite.
struct SuiteCompareJob : JobOptions {
  std::string before, now;  // baselines, or JSON reports of a run
  Tolerances tolerances;
  RunOptions run;

  static void fields(const VisitOption<SuiteCompareJob>& visit);
};

struct SuiteComparison {
  std::string before, now;
  BaselineComparison comparison;

  bool regresses() const;
};

// Reads the figures of a suite's entries from its history.
struct SuiteHistoryJob : JobOptions {
  std::string entries = "*";  // a name or pattern
  std::string suite = "assay.toml";
  std::string history;
  RunOptions run;

  static void fields(const VisitOption<SuiteHistoryJob>& visit);
};

// These two read the suite. Errors: those of read_suite() and select_entries(), and a baseline or history that cannot
// be read.
Result<PreparedJob<SuiteOutcome>> prepare(const SuiteRunJob& job);
Result<PreparedJob<SuiteListing>> prepare(const SuiteListJob& job);
// Finds out the kind of the policy (auditors/suite/probe.hpp), measures a target (starter_budget.hpp), and writes a
// commented suite. Errors: those of
// probe.hpp, and a file that exists already.
Result<PreparedJob<SuiteStart>> prepare(const SuiteInitJob& job);
// Runs the whole suite and writes its baseline. Further errors, in which case it writes none: an entry that is
// misconfigured or could not run, and an interrupt.
Result<PreparedJob<SuiteUpdate>> prepare(const SuiteUpdateJob& job);
Result<PreparedJob<SuiteComparison>> prepare(const SuiteCompareJob& job);
Result<PreparedJob<SuiteHistory>> prepare(const SuiteHistoryJob& job);

}  // namespace assay
