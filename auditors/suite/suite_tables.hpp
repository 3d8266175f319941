// The outputs of `assay suite list` and `assay suite compare`.
#pragma once

#include <string>

#include "assay/auditors/suite/suite_job.hpp"
#include "assay/auditors/text/text_layout.hpp"

namespace assay {

// A row for each entry, then those that are misconfigured.
std::string to_text(const SuiteListing& listing, TextStyle style = {});

// A line for each change, with those that fail marked, then notes on figures that could not be compared.
std::string to_text(const SuiteComparison& comparison, TextStyle style = {});
// Schema "assay.suite-comparison/1": base, new, changes as in a run's report, notes.
std::string to_json(const SuiteComparison& comparison);
std::string suite_comparison_schema();

}  // namespace assay
