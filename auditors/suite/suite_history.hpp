// The output of `assay suite history`: each figure of a suite, run by run.
#pragma once

#include <string>

#include "assay/auditors/suite/history.hpp"
#include "assay/auditors/text/text_layout.hpp"

namespace assay {

// A table for each figure. Consecutive runs with the same result share a line. A long table shows its last lines.
std::string to_text(const SuiteHistory& history, TextStyle style = {});

// Schema "assay.suite-history/1": entries, their figures, and every run of each figure.
std::string to_json(const SuiteHistory& history);
std::string suite_history_schema();

// entry,figure,kind,run,started,revision,lower,upper
std::string to_csv(const SuiteHistory& history);

}  // namespace assay
