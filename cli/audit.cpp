// assay audit: certifies how much a case or an external target leaks, and compares it with a claim.
#include "assay/cli/audit.hpp"

#include "assay/auditors/audit/audit_html.hpp"
#include "assay/auditors/audit/audit_json.hpp"
#include "assay/auditors/audit/audit_summary.hpp"
#include "assay/auditors/audit/audit_text.hpp"
#include "assay/cli/commands.hpp"
#include "assay/cli/exit_codes.hpp"
#include "assay/cli/terminal.hpp"

namespace assay::cli {
namespace {

Result<int> run_audit(const App& app) {
  const auto job = ASSAY_TRY(read_job<AuditJob>(app));
  const auto prepared = ASSAY_TRY(prepare(job));
  return report_audit(job, prepared);
}

}  // namespace

Result<int> report_audit(const AuditJob& job, const PreparedJob<AuditOutcome>& prepared) {
  auto outputs = ASSAY_TRY(Outputs::open(job.run));
  outputs.full = job.run.full;
  const auto outcome = ASSAY_TRY(run_here(prepared, job.run, outputs));
  const auto render = [&](Format format, const TextStyle& style) {
    if (format == Format::kJson) return to_json(outcome.report, outcome.target_error);
    if (format == Format::kHtml) return to_html(outcome.report, outcome.target_error);
    return to_text(outcome.report, style);
  };
  const bool written = deliver(outputs, render, {}, headline(outcome.report));
  if (outcome.target_error) print_error(*outcome.target_error);
  if (!written) return kUsage;
  return outcome.target_error ? exit_code(outcome.target_error->code)
                              : exit_code(outcome.report.verdict);
}

Command add_audit(App& root) {
  App* app = add_job<AuditJob>(
      root,
      {.name = "audit",
       .summary = "Certify how much a policy or mechanism leaks, and compare it with a claim",
       .examples = {
           {"Compare a mechanism with a claim", "assay audit laplace -p epsilon=2 --claim eps=1"},
           {"Audit a bandit policy on rewards from a file",
            "assay audit thompson-sampling -p horizon=50 --input rewards.csv"},
           {"Audit a program of your own, and write a page",
            "assay audit --exec \"python3 policy.py\" --arms 2 --horizon 20 --claim eps=1 "
            "-w report.html"}}});
  return {app, [app] { return run_audit(*app); }};
}

}  // namespace assay::cli
