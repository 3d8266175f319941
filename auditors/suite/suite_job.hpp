// The jobs of a suite: run it, list its entries, write its baseline, compare two runs, show how its figures
// changed.
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

struct SuiteOptions {
  std::string file = "assay.toml";
  Tier tier = Tier::kFull;
  std::vector<std::string> entries;
  std::vector<std::string> tags;
};

// Facts that decide which options have an effect on a run.
struct SuiteFacts {
  bool compares = false;    // with a baseline
  bool remembers = false;   // a history
  bool suppresses = false;  // the suite has a [[suppress]]
};

struct SuiteRunJob : JobOptions {
  using Facts = SuiteFacts;

  SuiteOptions suite;
  std::optional<double> seconds;
  std::optional<std::uint64_t> seed;
  std::string history;  // file, "none"; empty: the suite's, or .assay/history.sqlite beside it
  bool no_reuse = false;
  std::string baseline;  // file, "none"; empty: the suite's, if it names one
  Tolerances tolerances;
  std::string today;  // "2026-11-23"; empty: that of the clock, in UTC
  std::string revision;
  bool fail_on_inconclusive = false;
  std::vector<std::string> reports;  // "sarif=a.sarif", "github"
  RunOptions run;
  std::function<void(const EntryResult&)> on_result;  // called after each entry; may be empty

  static void fields(const VisitOption<SuiteRunJob>& visit);
};

struct SuiteOutcome {
  SuiteReport report;
  SuiteHistory history;  // of all its entries; this run is the last
  Status kept;           // an error if the history could not store the report
};

struct SuiteListJob : JobOptions {
  SuiteOptions suite;
  std::string history;
  RunOptions run;

  static void fields(const VisitOption<SuiteListJob>& visit);
};

// The entries that a run would take, with their errors. An entry's seconds, and the run that it would reuse the
// result of, are those of the history.
struct SuiteListing {
  SuiteFile suite;
  std::string tier;
  double alpha = 0.001;
  std::vector<PreparedEntry> entries;
};

struct SuiteInitJob : JobOptions {
  std::string policy;  // a case, a program, a shared library or recorded runs
  std::string exec;    // or a program
  std::string file = "assay.toml";

  static void fields(const VisitOption<SuiteInitJob>& visit);
};

struct SuiteStart {
  ProbeResult probed;
  std::string file;  // that was written
};

struct SuiteUpdateJob : JobOptions {
  std::string file = "assay.toml";
  std::string baseline;
  std::optional<std::uint64_t> seed;
  std::string history;
  std::string revision;
  RunOptions run;

  static void fields(const VisitOption<SuiteUpdateJob>& visit);
};

struct SuiteUpdate {
  SuiteReport report;
  std::string file;  // that was written
};

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

struct SuiteHistoryJob : JobOptions {
  std::string entries = "*";
  std::string suite = "assay.toml";
  std::string history;
  RunOptions run;

  static void fields(const VisitOption<SuiteHistoryJob>& visit);
};

// Reads the suite. Errors: those of read_suite(), select_entries(), of a baseline or a history.
Result<PreparedJob<SuiteOutcome>> prepare(const SuiteRunJob& job);
Result<PreparedJob<SuiteListing>> prepare(const SuiteListJob& job);
// Finds out the kind of the policy (auditors/suite/probe.hpp) and writes a commented suite for it. Errors: also
// a file that exists already.
Result<PreparedJob<SuiteStart>> prepare(const SuiteInitJob& job);
// Runs the whole suite and writes its baseline. Errors: also an entry that could not run or is misconfigured,
// and an interrupt: no baseline is made of them.
Result<PreparedJob<SuiteUpdate>> prepare(const SuiteUpdateJob& job);
Result<PreparedJob<SuiteComparison>> prepare(const SuiteCompareJob& job);
Result<PreparedJob<SuiteHistory>> prepare(const SuiteHistoryJob& job);

}  // namespace assay
