// The reports of a suite's run, for people and for CI systems. docs/suite-reports.md describes the contents and
// limits of each.
//
// All reports say which guarantee fails, by how much and how to reproduce it, in the same words
// (suite_findings.hpp). Failures are those of findings_of. Any text of an entry, a target or a file is shown as
// text: it never becomes markup, a link, a mention, a command or an escape sequence. The writers are
// deterministic; only to_json, to_junit and to_html depend on `meta` and on an entry's seconds.
#pragma once

#include <string>

#include "assay/auditors/suite/history.hpp"
#include "assay/auditors/suite/suite_report.hpp"
#include "assay/auditors/text/text_layout.hpp"

namespace assay {

// A table of all entries, then each failure in full.
std::string to_text(const SuiteReport& report, TextStyle style = {});

// Schema "assay.suite-report/2" (schemas/suite-report.schema.json): the whole report.
std::string to_json(const SuiteReport& report);
std::string suite_report_schema();

// SARIF 2.1.0, with failures only, each at its place in the suite's file.
std::string to_sarif(const SuiteReport& report);

// JUnit: a test suite for each kind of entry, and one for the changes against a baseline. A test fails if its
// entry or change fails the run.
std::string to_junit(const SuiteReport& report);

// Workflow commands, one a line, which GitHub shows as annotations of the suite's file.
std::string to_github(const SuiteReport& report);

// GitHub's Markdown: the summary of a step, with all entries, and a comment on a pull request.
std::string to_github_summary(const SuiteReport& report);
std::string to_markdown(const SuiteReport& report);

// One self-contained page, with the trend of each figure of `history`.
std::string to_html(const SuiteReport& report, const SuiteHistory& history = {});

}  // namespace assay
