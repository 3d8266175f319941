// Failures that someone answers for until a day (struct Suppression, auditors/suite/suite_file.hpp).
//
// A suppression covers the failures of one status, "violated", "inconclusive" or "could-not-run", in the
// entries that its scope matches, until the end of the day it expires. The first one that covers an entry is
// named there. One that has expired covers nothing; it is noted in the report, and so is one that no entry
// of the run has a use for. What is misconfigured cannot be suppressed: nobody knows what it would have been.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "assay/auditors/suite/suite_file.hpp"
#include "assay/auditors/suite/suite_report.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

// "2026-11-23". Days compare as their texts do.
bool is_day(std::string_view text);

// Errors, with file and line: an empty or repeated id; an empty scope, reason or owner; a status that
// cannot be suppressed; a day that is none.
Status check_suppressions(const std::vector<Suppression>& suppressions);

// Sets suppressed_by of every entry anew, and adds the notes. `today`: "2026-11-23". Errors: as above;
// a today that is no day.
Status apply_suppressions(SuiteReport& report, const std::vector<Suppression>& suppressions,
                          const std::string& today);

}  // namespace assay
