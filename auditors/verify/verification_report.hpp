// Writes the report of `assay verify` as text, JSON and Markdown, and the page of findings.
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

// The last lines: the number of claims for each verdict, the verdicts that were not expected, the command that makes the
// report again, and the build that made it. `meta` of a build without a version leaves the build out.
std::string verification_summary(const Verification& verification, const RunMeta& meta = {},
                                 TextStyle style = {});
// In one line, for --quiet: the number of claims for each verdict, and the names of those that do not hold.
std::string verification_headline(const Verification& verification);

std::string to_text(const Verification& verification, const RunMeta& meta = {},
                    TextStyle style = {});

// The same for a page in Markdown, grouped by paper.
std::string to_markdown(const Verification& verification, const RunMeta& meta = {});

// JSON by schemas/verification-report.schema.json. It ends with a newline.
std::string to_json(const Verification& verification, const RunMeta& meta);
std::string verification_report_schema();

// The page docs/findings.md: every refuted claim with its certificate, and the true claims whose printed proof relies
// on a refuted one. The page does not depend on times. It ends with a newline. It links the certificates in the folder
// "certificates" beside it; `folder` is the folder of the page, which commands to check them begin with.
std::string findings_markdown(const Verification& verification, const std::string& folder);

}  // namespace assay
