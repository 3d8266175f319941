// What a suite came to, in a file that is kept beside the code and read in reviews: sorted, one line for
// an entry and each of its figures, without dates, paths or anything else of a machine but its times.
//
//     schema = "assay.suite-baseline/1"
//     suite = "my policies"
//     entries = [
//       {id = "laplace", kind = "audit", status = "held", claim = "eps = 1"},
//       {id = "laplace", figure = "eps at delta = 0", kind = "loss", lower = 0.9631, upper = 1, allowed = 1},
//     ]
//
// Bounds are rounded outward and repetitions of a time to nearest, to kBaselineDigits: what was certified
// stays certified. A violated entry is written as violated: no comparison accepts it
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
  Severity severity = Severity::kDeny;  // in the file where it is another
  EntryStatus status = EntryStatus::kHeld;
  std::string claim;                              // in the file where there is one
  std::vector<EntryFigure> figures;               // by name
  std::optional<std::string> suppressed_by = {};  // of a report; never in a file
};

struct Baseline {
  std::string suite;
  std::vector<BaselineEntry> entries;  // by id
};

// Numbers as its file has them.
Baseline baseline_of(const SuiteReport& report);

// The file's text.
std::string to_toml(const Baseline& baseline);

// Errors (kParse, with the path and the line): no TOML; another schema, a newer one by name; an unknown,
// missing or repeated key, entry or figure; a value that does not fit.
Result<Baseline> parse_baseline(std::string_view toml, const std::string& path);

Result<Baseline> read_baseline(const std::string& path);
Status write_baseline(const std::string& path, const Baseline& baseline);

}  // namespace assay
