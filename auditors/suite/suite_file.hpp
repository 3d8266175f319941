// A suite as its author writes it: `assay.toml` and the files that it includes.
//
//     schema = "assay.suite/1"
//     name = "my policies"
//     confidence = 0.999
//
//     [[audit]]
//     id = "thompson"
//     case = "thompson-sampling"
//     parameters = {arms = 2, horizon = 50}
//     claim = "mu=sqrt(T/2)"
//     tags = ["smoke"]
//
// An entry is a job of the command line, or a [[regret]]. Its keys are the names of the job's options (`assay audit
// --help`) with the same meaning, and those that every entry has (id, severity, tags, tier, time).
// File names are relative to the folder of the suite that was named, in included files too.
// ${NAME} in a text is an environment variable, ${NAME:-text} has a default if it is not set, and $$ is a dollar.
// A [[clear]] is not expanded: it says only what was committed.
// Errors name the file, the line and the field.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/auditors/suite/suite_report.hpp"
#include "assay/mechanisms/core/options.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

// When an entry runs: smoke in every tier, full in the full tier only.
enum class Tier { kSmoke, kFull };
constexpr std::array<std::pair<Tier, std::string_view>, 2> enum_names(Tier) {
  return {{{Tier::kSmoke, "smoke"}, {Tier::kFull, "full"}}};
}

struct SuiteEntry {
  std::string id;
  EntryKind kind = EntryKind::kAudit;
  Severity severity = Severity::kDeny;
  Tier tier = Tier::kFull;
  std::vector<std::string> tags;  // sorted
  SourcePlace place;
  double value = 1.0;  // a time budget and alpha are divided in proportion to it

  std::vector<WrittenOption> options;         // of the job
  std::map<std::string, std::int64_t> lines;  // of each option, by its name
  // kAudit of a program or plug-in: the further files that determine its behaviour, by name or pattern. The result
  // of an unchanged target is taken from the history only if they are declared.
  std::optional<std::vector<std::string>> depends;
  // kAccount: the level that the chain has to stay within, as "eps=3,delta=1e-6".
  std::optional<std::string> below;
};

// A failure that an owner accepts until a day.
struct Suppression {
  std::string id;
  std::string scope;  // glob of entries
  // The status of the failures that it covers: "violated", "inconclusive" or "could-not-run".
  std::string status;
  std::string reason;
  std::string owner;
  std::string expires;  // "2027-01-31", the last day on which it counts
  SourcePlace place;
};

// A [[clear]]: it states that the violations of an entry that were found until a day have been dealt with
// (auditors/suite/standing.hpp).
struct Clear {
  std::string entry;  // the id of the entry
  std::string reason;
  std::string date;  // "2026-11-25"
  SourcePlace place;
};

struct SuiteFile {
  std::string path;
  std::string folder;  // its absolute path; the file names of all entries are relative to it
  std::string name;
  double confidence = 0.999;
  std::optional<std::uint64_t> seed;
  std::string baseline;             // file; empty for none
  std::string history;              // file, "none"; empty for .assay/history.sqlite
  std::vector<SuiteEntry> entries;  // in order; those of included files come first
  std::vector<Suppression> suppressions;
  std::vector<Clear> clears;
};

class Fields;
void fields(const Suppression& suppression, Fields visit);
void fields(const Clear& clear, Fields visit);

// Errors: a file that cannot be read or is not TOML; an unknown key; a value that does not fit; an id that appears
// twice; a file that includes itself; an environment variable that is not set.
Result<SuiteFile> read_suite(const std::string& path);

}  // namespace assay
