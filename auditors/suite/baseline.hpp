// A baseline: the results of a suite, in a file that is kept with the code and read in reviews. It is sorted, and has
// one line for each entry and for each of its figures. Except for times it has nothing that depends on the machine (no
// date, no path).
//
//     schema = "assay.suite-baseline/1"
//     suite = "my policies"
//     entries = [
//       {id = "laplace", kind = "audit", status = "held", claim = "eps = 1"},
//       {id = "laplace", figure = "eps at delta = 0", kind = "loss", lower = 0.9631, upper = 1, allowed = 1},
//     ]
//
// Bounds are rounded outward to kBaselineDigits digits, so that they stay certified. Times are rounded to nearest, and
// allowed values have two more digits. A violated entry is written as violated, and no comparison accepts it
// (auditors/suite/compare.hpp).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/auditors/suite/suite_report.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

inline constexpr int kBaselineDigits = 4;
inline constexpr std::string_view kBaselineSchema = "assay.suite-baseline/1";

struct BaselineEntry {
  std::string id;
  EntryKind kind = EntryKind::kAudit;
  Severity severity = Severity::kDeny;  // the file has it only if it is not kDeny
  EntryStatus status = EntryStatus::kHeld;
  std::string claim;                              // empty if there is none
  std::vector<EntryFigure> figures;               // sorted by name
  std::optional<std::string> suppressed_by = {};  // of a report; a file never has it
};

struct Baseline {
  std::string suite;
  std::vector<BaselineEntry> entries;  // sorted by id
};

// The baseline of a report. Its numbers are rounded as in a file.
Baseline baseline_of(const SuiteReport& report);

// The text of the file.
std::string to_toml(const Baseline& baseline);

// Errors (kParse, with the path and the line): text that is not TOML; another schema (the message names a newer
// one); an unknown, missing or repeated key, entry or figure; a value that does not fit.
Result<Baseline> parse_baseline(std::string_view toml, const std::string& path);

Result<Baseline> read_baseline(const std::string& path);
Status write_baseline(const std::string& path, const Baseline& baseline);

}  // namespace assay
