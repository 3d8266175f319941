// assay verify: tests the claims of the papers.
#include "assay/auditors/verify/verify_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "assay/auditors/text/safe_text.hpp"
#include "assay/auditors/verify/verification_report.hpp"
#include "assay/cli/commands.hpp"
#include "assay/cli/exit_codes.hpp"
#include "assay/cli/terminal.hpp"

namespace assay::cli {
namespace {

constexpr std::array kVerifyFormats = {Format::kText, Format::kJson, Format::kMarkdown};

std::string render(const VerificationOutcome& outcome, Format format, const TextStyle& style) {
  if (format == Format::kJson) return to_json(outcome.verification, outcome.meta);
  if (format == Format::kMarkdown) return to_markdown(outcome.verification, outcome.meta);
  return to_text(outcome.verification, outcome.meta, style);
}

// The files beside those of --write.
std::string written_by(const VerificationJob& job, const VerificationOutcome& outcome) {
  std::string text;
  if (!job.certificates.empty()) {
    const auto& results = outcome.verification.results;
    const auto count = std::count_if(results.begin(), results.end(), [](const ClaimResult& result) {
      return result.finding.certificate != nullptr;
    });
    text += fmt::format("Written     {} {} to {}\n", count,
                        count == 1 ? "certificate" : "certificates", plain_text(job.certificates));
  }
  if (!job.findings.empty()) text += "Written     " + plain_text(job.findings) + "\n";
  return text;
}

Result<int> run_verify(const App& app) {
  auto job = ASSAY_TRY(read_job<VerificationJob>(app));
  ProgressLine progress;
  bool printed = true;
  if (job.run.format == "text" && !job.run.quiet) {
    job.on_result = [&](const ClaimResult& result) {
      progress.clear();
      printed = printed && print_report(claim_text(result, stdout_style()) + "\n");
    };
  }
  const auto prepared = ASSAY_TRY(prepare(job));
  const auto outputs = ASSAY_TRY(Outputs::open(job.run, kVerifyFormats));
  const auto outcome = ASSAY_TRY(run_here(prepared, job.run, progress));
  bool written = true;
  for (const auto& file : outputs.files) {
    written = write_file(file, [&](auto... how) { return render(outcome, how...); }) && written;
  }
  // A text report printed the claims one by one. If that failed, an error was printed.
  std::string report;
  if (outputs.format != Format::kText) {
    report = render(outcome, outputs.format, {});
  } else if (outputs.quiet) {
    report = verification_headline(outcome.verification) + "\n";
  } else {
    report = verification_summary(outcome.verification, outcome.meta, stdout_style()) +
             written_by(job, outcome);
  }
  printed = printed && print_report(report);
  if (!outcome.certificates) return tl::make_unexpected(outcome.certificates.error());
  if (!printed || !written) return kUsage;
  if (!outcome.complete()) return kInconclusive;
  return outcome.as_expected(job.strict) ? kNothingViolated : kViolated;
}

}  // namespace

Command add_verify(App& root) {
  App* app = add_job<VerificationJob>(
      root,
      {.name = "verify",
       .summary = "Check what the papers claim",
       .examples = {{"Check the claims of one paper", "assay verify 'ts-*'"},
                    {"Check everything with a tenth of the effort", "assay verify --effort 0.1"},
                    {"Write the certificates of the claims that are refuted",
                     "assay verify --certificates certificates"}},
       .exit = {{0, "every verdict is the expected one"},
                {1, "a verdict is not the expected one; with --strict, a claim is refuted"},
                {2, "the command is wrong, or a report could not be written"},
                {3, "the run was interrupted"},
                {5, "an internal error"}}});
  return {app, [app] { return run_verify(*app); }};
}

}  // namespace assay::cli
