// The destinations of a suite's reports: stdout in one format, and files of several kinds.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/auditors/suite/history.hpp"
#include "assay/auditors/suite/suite_report.hpp"
#include "assay/auditors/text/text_layout.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

enum class SuiteReportKind {
  kText,
  kJson,
  kSarif,
  kJunit,
  kCodeQuality,
  kHtml,
  kMarkdown,
  kGithub,
  kGithubSummary
};
constexpr std::array<std::pair<SuiteReportKind, std::string_view>, 9> enum_names(SuiteReportKind) {
  return {{{SuiteReportKind::kText, "text"},
           {SuiteReportKind::kJson, "json"},
           {SuiteReportKind::kSarif, "sarif"},
           {SuiteReportKind::kJunit, "junit"},
           {SuiteReportKind::kCodeQuality, "codequality"},
           {SuiteReportKind::kHtml, "html"},
           {SuiteReportKind::kMarkdown, "markdown"},
           {SuiteReportKind::kGithub, "github"},
           {SuiteReportKind::kGithubSummary, "github-summary"}}};
}

struct SuiteOutputs {
  struct File {
    SuiteReportKind kind = SuiteReportKind::kText;
    std::string path;  // absolute, since a run enters the suite's folder
  };
  SuiteReportKind format = SuiteReportKind::kText;  // on stdout
  bool annotates = false;  // GitHub's annotations follow the report on stdout
  std::vector<File> files;

  // Reads --format, --report ("sarif=a.sarif", "github") and --write ("a.sarif"). github-summary without a file
  // adds to the file that GITHUB_STEP_SUMMARY names. Changes nothing. Errors: an unknown kind; a file
  // that cannot be written; one file for two reports; an ending that belongs to no kind.
  static Result<SuiteOutputs> open(const std::string& format,
                                   const std::vector<std::string>& reports,
                                   const std::vector<std::string>& files = {});

  // Errors: the first file that could not be written; all others are written.
  Status write(const SuiteReport& report, const SuiteHistory& history) const;
};

std::string rendered(const SuiteReport& report, SuiteReportKind kind, const SuiteHistory& history,
                     const TextStyle& style = {});

}  // namespace assay
