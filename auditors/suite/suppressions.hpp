// Failures that an owner accepts until a day (struct Suppression, auditors/suite/suite_file.hpp).
//
// A suppression covers the failures of one status, "violated", "inconclusive" or "could-not-run", in the
// entries that its scope matches, until the end of the day on which it expires. The entry names the first one that
// covers it. One that has expired covers nothing. The report notes expired suppressions, and those that match no
// failure of the run. A misconfigured entry cannot be suppressed, since nobody knows what its result would be.
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
// cannot be suppressed; a date that is not a day.
Status check_suppressions(const std::vector<Suppression>& suppressions);

// Sets suppressed_by of every entry, and adds the notes. `today`: "2026-11-23". Errors: as above, and a
// `today` that is not a day.
Status apply_suppressions(SuiteReport& report, const std::vector<Suppression>& suppressions,
                          const std::string& today);

}  // namespace assay
