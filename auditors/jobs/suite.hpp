// The jobs of a suite: run it, list what it would run.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "assay/auditors/engine/run_options.hpp"
#include "assay/auditors/jobs/session.hpp"
#include "assay/auditors/suite/suite_run.hpp"

namespace assay {

// What both have.
struct SuiteOptions {
  std::string file = "assay.toml";
  Tier tier = Tier::kFull;
  std::vector<std::string> entries;
  std::vector<std::string> tags;
};

struct SuiteRunJob : JobOptions {
  SuiteOptions suite;
  std::optional<double> seconds;
  std::optional<std::uint64_t> seed;
  std::string revision;
  bool fail_on_inconclusive = false;
  std::vector<std::string> reports;  // "sarif=a.sarif", "github"
  RunOptions run;
  std::function<void(const EntryResult&)> on_result;  // as soon as it is there; may be empty

  static void fields(const VisitOption<SuiteRunJob>& visit);
};

struct SuiteListJob : JobOptions {
  SuiteOptions suite;
  RunOptions run;

  static void fields(const VisitOption<SuiteListJob>& visit);
};

// What a run would do, an entry a row, and what does not fit.
struct SuiteListing {
  SuiteFile suite;
  std::string tier;
  double alpha = 0.001;
  std::vector<PreparedEntry> entries;
};

// Reads the suite. Errors: those of read_suite() and select_entries().
Result<PreparedJob<SuiteReport>> prepare(const SuiteRunJob& job);
Result<PreparedJob<SuiteListing>> prepare(const SuiteListJob& job);

}  // namespace assay
