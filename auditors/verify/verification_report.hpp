// A verification of claims as text, JSON and Markdown.
//
// Text and JSON differ between runs of one request only in the seconds, which JSON keeps in `meta`.
#pragma once

#include <string>

#include "assay/auditors/claims/verification.hpp"
#include "assay/auditors/text/text_layout.hpp"
#include "assay/mechanisms/core/run_meta.hpp"

namespace assay {

// One claim: what it states, where, the verdict, what decided it and how long that took.
std::string claim_text(const ClaimResult& result, TextStyle style = {});

// The closing lines: how many claims got which verdict, and which were not expected.
std::string verification_summary(const Verification& verification, TextStyle style = {});

std::string to_text(const Verification& verification, TextStyle style = {});

// schemas/verification-report.schema.json. Ends with a newline.
std::string to_json(const Verification& verification, const RunMeta& meta);
std::string verification_report_schema();

// docs/findings.md: every refuted claim with its certificate, and the true claims whose printed
// proof rests on a refuted one. Independent of times; ends with a newline.
std::string findings_markdown(const Verification& verification);

}  // namespace assay
