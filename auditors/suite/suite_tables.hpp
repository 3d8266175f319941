// What the jobs beside a suite's run say: what it would do, and how two runs differ.
#pragma once

#include <string>

#include "assay/auditors/suite/suite_job.hpp"
#include "assay/auditors/text/text_layout.hpp"

namespace assay {

// A row an entry, then what does not fit.
std::string to_text(const SuiteListing& listing, TextStyle style = {});

// A line a change, those that fail marked, then what could not be compared.
std::string to_text(const SuiteComparison& comparison, TextStyle style = {});
// Schema "assay.suite-comparison/1": base, new, changes as in a run's report, notes.
std::string to_json(const SuiteComparison& comparison);
std::string suite_comparison_schema();

}  // namespace assay
