// The results of a suite, in a file that is kept beside the code and read in reviews. It is sorted, with one
// line for an entry and for each of its figures, and has nothing of a machine (no date, no path) but times.
//
//     schema = "assay.suite-baseline/1"
//     suite = "my policies"
//     entries = [
//       {id = "laplace", kind = "audit", status = "held", claim = "eps = 1"},
//       {id = "laplace", figure = "eps at delta = 0", kind = "loss", lower = 0.9631, upper = 1, allowed = 1},
//     ]
//
// Bounds are rounded outward to kBaselineDigits digits, so that they stay certified. Repetitions of a time are
// rounded to nearest, and allowed values have two more digits. A violated entry is written as violated, and no
// comparison accepts it (auditors/suite/compare.hpp).
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
  Severity severity = Severity::kDeny;  // in the file only if it is another
  EntryStatus status = EntryStatus::kHeld;
  std::string claim;                              // in the file if there is one
  std::vector<EntryFigure> figures;               // by name
  std::optional<std::string> suppressed_by = {};  // of a report; never in a file
};

struct Baseline {
  std::string suite;
  std::vector<BaselineEntry> entries;  // by id
};

// The numbers are rounded as in its file.
Baseline baseline_of(const SuiteReport& report);

// The file's text.
std::string to_toml(const Baseline& baseline);

// Errors (kParse, with the path and the line): text that is not TOML; another schema (the message names a newer
// one); an unknown, missing or repeated key, entry or figure; a value that does not fit.
Result<Baseline> parse_baseline(std::string_view toml, const std::string& path);

Result<Baseline> read_baseline(const std::string& path);
Status write_baseline(const std::string& path, const Baseline& baseline);

}  // namespace assay
