// The report of a suite's run, for people and for the systems that run it. docs/suite-reports.md says what
// each holds, its limits, and what a limit leaves out.
//
// All say which guarantee fails, by how much and how to find it again, in the same words
// (suite_findings.hpp); a failure is something of findings_of. Whatever an entry, a target or a
// file says is shown as text: nothing of it becomes markup, a link, a mention, a command or an escape
// sequence. Deterministic; only to_json, to_junit and to_html depend on `meta` and on an entry's seconds.
#pragma once

#include <string>

#include "assay/auditors/suite/history.hpp"
#include "assay/auditors/suite/suite_report.hpp"
#include "assay/auditors/text/text_layout.hpp"

namespace assay {

// A table of all entries, then each failure in full.
std::string to_text(const SuiteReport& report, TextStyle style = {});

// Schema "assay.suite-report/2" (schemas/suite-report.schema.json): all there is.
std::string to_json(const SuiteReport& report);
std::string suite_report_schema();

// SARIF 2.1.0, failures alone, each at its place in the suite's file.
std::string to_sarif(const SuiteReport& report);

// A test suite of each kind of entry, one of the changes against a baseline; a test fails where it fails
// the run.
std::string to_junit(const SuiteReport& report);

// Workflow commands, a line each, that GitHub shows as annotations of the suite's file.
std::string to_github(const SuiteReport& report);

// GitHub's Markdown: the summary of a step with all entries, and a comment on a pull request.
std::string to_github_summary(const SuiteReport& report);
std::string to_markdown(const SuiteReport& report);

// One page that stands alone, with the trend of each figure of `history`.
std::string to_html(const SuiteReport& report, const SuiteHistory& history = {});

}  // namespace assay
