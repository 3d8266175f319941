// assay verify: put the claims of the papers to the test.
#include "assay/auditors/verify/verify_job.hpp"

#include <array>

#include "assay/auditors/verify/verification_report.hpp"
#include "assay/cli/commands.hpp"
#include "assay/cli/exit_codes.hpp"
#include "assay/cli/terminal.hpp"

namespace assay::cli {
namespace {

enum class VerifyFormat { kText, kJson, kMarkdown };
constexpr std::array<std::pair<VerifyFormat, std::string_view>, 3> enum_names(VerifyFormat) {
  return {{{VerifyFormat::kText, "text"},
           {VerifyFormat::kJson, "json"},
           {VerifyFormat::kMarkdown, "markdown"}}};
}

std::string render(const VerificationOutcome& outcome, VerifyFormat format) {
  if (format == VerifyFormat::kJson) return to_json(outcome.verification, outcome.meta);
  if (format == VerifyFormat::kMarkdown) return findings_markdown(outcome.verification);
  // The claims were printed one by one.
  return verification_summary(outcome.verification, stdout_style());
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
  const auto format = ASSAY_TRY(read_choice<VerifyFormat>("--format", job.run.format));
  ASSAY_TRY(check_quiet(job.run));
  const auto outcome = ASSAY_TRY(run_here(prepared, job.run, progress));
  printed = printed && print_report(render(outcome, format));
  if (!outcome.certificates) return tl::make_unexpected(outcome.certificates.error());
  if (!printed) return kUsage;
  if (!outcome.complete()) return kInconclusive;
  return outcome.as_expected(job.strict) ? kNothingViolated : kViolated;
}

}  // namespace

Command add_verify(App& root) {
  App* app = add_job<VerificationJob>(
      root, "verify", "Check what the papers claim; exit 0 when every verdict is the expected one");
  return {app, [app] { return run_verify(*app); }};
}

}  // namespace assay::cli
