#include "assay/auditors/suite/suite_outputs.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "assay/auditors/suite/suite_report_writers.hpp"
#include "assay/mechanisms/core/files.hpp"
#include "assay/mechanisms/core/option_values.hpp"

namespace assay {
namespace {

constexpr std::size_t kMostSummary = std::size_t{4} << 20;

Result<SuiteReportKind> kind_of(const std::string& option, const std::string& word) {
  SuiteReportKind kind{};
  if (auto status = detail::read_word({}, word, kind); !status) {
    return fail(status.error().code, option + " " + status.error().message);
  }
  return kind;
}

// The kind of report that --write writes to a file, by its ending.
Result<SuiteReportKind> kind_of_ending(const std::string& path) {
  using Kind = SuiteReportKind;
  const std::string ending = std::filesystem::path(path).extension().string();
  for (const auto& [known, kind] :
       {std::pair{".txt", Kind::kText}, std::pair{".json", Kind::kJson},
        std::pair{".sarif", Kind::kSarif}, std::pair{".xml", Kind::kJunit},
        std::pair{".html", Kind::kHtml}, std::pair{".md", Kind::kMarkdown}}) {
    if (ending == known) return kind;
  }
  return fail(ErrorCode::kInvalidArgument,
              "--write takes a file that ends in .txt, .json, .sarif, .xml, .html or .md; --report "
              "KIND=FILE takes any",
              path);
}

Status add_file(SuiteReportKind kind, const std::string& name,
                std::vector<SuiteOutputs::File>& files) {
  const std::string path = ASSAY_TRY(absolute_path(name));
  ASSAY_TRY(check_replaceable(path));
  const auto behind = canonical_path(path);
  const bool taken = std::any_of(files.begin(), files.end(), [&](const auto& file) {
    const auto other = canonical_path(file.path);
    return behind && other && *other == *behind;
  });
  if (taken) return fail(ErrorCode::kInvalidArgument, "two reports name this file", path);
  files.push_back({kind, path});
  return {};
}

// GitHub's summary is a file that every step adds to.
Status add_to(const std::string& path, const std::string& text) {
  std::string before;
  if (path_exists(path)) before = ASSAY_TRY(read_whole_file(path, kMostSummary));
  return replace_file(path, before + text);
}

}  // namespace

Result<SuiteOutputs> SuiteOutputs::open(const std::string& format,
                                        const std::vector<std::string>& reports,
                                        const std::vector<std::string>& files) {
  SuiteOutputs out;
  out.format = ASSAY_TRY(kind_of("--format", format));
  if (out.format == SuiteReportKind::kGithub) {
    return fail(ErrorCode::kInvalidArgument,
                "github is not a --format; --report github adds annotations to the text report");
  }
  for (const auto& word : reports) {
    const auto equals = word.find('=');
    const auto kind = ASSAY_TRY(kind_of("--report", word.substr(0, equals)));
    std::string path = equals == std::string::npos ? "" : word.substr(equals + 1);
    if (kind == SuiteReportKind::kGithub && path.empty()) {
      if (out.format != SuiteReportKind::kText) {
        return fail(ErrorCode::kInvalidArgument, "--report github needs --format text");
      }
      out.annotates = true;
      continue;
    }
    if (kind == SuiteReportKind::kGithubSummary && path.empty()) {
      const char* named = std::getenv("GITHUB_STEP_SUMMARY");
      path = named == nullptr ? "" : named;
    }
    if (path.empty()) {
      return fail(ErrorCode::kInvalidArgument,
                  "--report takes KIND=FILE, as in sarif=assay.sarif, not '" + word + "'");
    }
    ASSAY_TRY(add_file(kind, path, out.files));
  }
  for (const auto& path : files) {
    const auto kind = ASSAY_TRY(kind_of_ending(path));
    ASSAY_TRY(add_file(kind, path, out.files));
  }
  return out;
}

Status SuiteOutputs::write(const SuiteReport& report, const SuiteHistory& history) const {
  Status first;
  for (const auto& [kind, path] : files) {
    const std::string text = rendered(report, kind, history);
    const auto status =
        kind == SuiteReportKind::kGithubSummary ? add_to(path, text) : replace_file(path, text);
    if (!status && first) first = status;
  }
  return first;
}

std::string rendered(const SuiteReport& report, SuiteReportKind kind, const SuiteHistory& history,
                     const TextStyle& style) {
  switch (kind) {
    case SuiteReportKind::kText:
      return to_text(report, style);
    case SuiteReportKind::kJson:
      return to_json(report);
    case SuiteReportKind::kSarif:
      return to_sarif(report);
    case SuiteReportKind::kJunit:
      return to_junit(report);
    case SuiteReportKind::kCodeQuality:
      return to_code_quality(report);
    case SuiteReportKind::kHtml:
      return to_html(report, history);
    case SuiteReportKind::kMarkdown:
      return to_markdown(report);
    case SuiteReportKind::kGithub:
      return to_github(report);
    case SuiteReportKind::kGithubSummary:
      return to_github_summary(report);
  }
  return {};
}

}  // namespace assay
