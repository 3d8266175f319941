// Writes the report of a suite's run, for people and for CI systems. docs/suite-reports.md describes the contents and
// limits of each format.
//
// All formats say in the same words which guarantee fails, by how much, and how to reproduce it. They show the
// failures that findings_of() lists (suite_findings.hpp). Text that comes from an entry, a target or a file stays
// text: it never becomes markup, a link, a mention, a command or an escape sequence. The writers are deterministic.
// Only to_json, to_junit and to_html depend on `meta` and on the seconds that an entry took.
#pragma once

#include <string>

#include "assay/auditors/suite/history.hpp"
#include "assay/auditors/suite/suite_report.hpp"
#include "assay/auditors/text/text_layout.hpp"

namespace assay {

// A summary, a table of all entries, then a block for each entry that fails; a full style has all of its facts.
std::string to_text(const SuiteReport& report, TextStyle style = {});

// Schema "assay.suite-report/2" (schemas/suite-report.schema.json): the whole report.
std::string to_json(const SuiteReport& report);
std::string suite_report_schema();

// SARIF 2.1.0: the failures only, each at its line of the suite's file; one result for each entry and rule.
std::string to_sarif(const SuiteReport& report);

// JUnit XML: a test for each entry, in a test suite for each kind, and one for each entry that has vanished since the
// baseline. A test fails if its entry makes the run fail.
std::string to_junit(const SuiteReport& report);

// GitLab's code quality: a JSON array with an issue for each entry and rule. The fingerprint of an issue depends on
// these two alone.
std::string to_code_quality(const SuiteReport& report);

// Workflow commands, one per line. GitHub shows them as annotations of the suite's file.
std::string to_github(const SuiteReport& report);

// Markdown for GitHub. The first is the summary of a step, with all entries; the second a comment on a pull request.
std::string to_github_summary(const SuiteReport& report);
std::string to_markdown(const SuiteReport& report);

// One self-contained HTML page. It plots each figure over the runs of `history`.
std::string to_html(const SuiteReport& report, const SuiteHistory& history = {});

}  // namespace assay
