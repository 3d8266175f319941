// Writes the report of `assay verify` as text, JSON and Markdown.
//
// Two verifications of the same request differ only in their times. JSON has the times in `meta`.
#pragma once

#include <string>

#include "assay/auditors/claims/verification.hpp"
#include "assay/auditors/text/text_layout.hpp"
#include "assay/mechanisms/core/run_meta.hpp"

namespace assay {

// One claim: its statement and source, the verdict, its reason and the time of the check.
std::string claim_text(const ClaimResult& result, TextStyle style = {});

// The last lines: the number of claims for each verdict, and the verdicts that were not expected.
std::string verification_summary(const Verification& verification, TextStyle style = {});

std::string to_text(const Verification& verification, TextStyle style = {});

// JSON by schemas/verification-report.schema.json. It ends with a newline.
std::string to_json(const Verification& verification, const RunMeta& meta);
std::string verification_report_schema();

// The page docs/findings.md: every refuted claim with its certificate, and the true claims whose printed proof relies
// on a refuted one. The page does not depend on times. It ends with a newline.
std::string findings_markdown(const Verification& verification);

}  // namespace assay
