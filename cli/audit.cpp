// assay audit: certifies how much a case or an external target leaks, and compares it with a claim.
#include "assay/cli/audit.hpp"

#include "assay/auditors/audit/audit_html.hpp"
#include "assay/auditors/audit/audit_json.hpp"
#include "assay/auditors/audit/audit_summary.hpp"
#include "assay/auditors/audit/audit_text.hpp"
#include "assay/auditors/registry/audit_cases.hpp"
#include "assay/cli/commands.hpp"
#include "assay/cli/exit_codes.hpp"
#include "assay/cli/terminal.hpp"

namespace assay::cli {
namespace {

// An error about a parameter, which has the JSON path "/horizon", in the words of the command line.
Error about_option(Error error, const AuditJob& job) {
  const auto audit_case = find_audit_case(job.case_id);
  if (!audit_case || error.path.empty()) return error;
  const std::string name = error.path.substr(1);
  std::string option;
  for (const auto& field : (*audit_case)->describe().parameters) {
    if (field.name == name) option = "-p " + name + ": ";
  }
  for (const auto& [key, value] : job.parameters) {
    if (key == name) option = "-p " + name + "=" + value + ": ";
  }
  if (option.empty()) return error;
  return {error.code, option + error.message, "", 0};
}

Result<int> run_audit(const App& app) {
  const auto job = ASSAY_TRY(read_job<AuditJob>(app));
  const auto prepared = prepare(job);
  if (!prepared) return tl::make_unexpected(about_option(prepared.error(), job));
  return report_audit(job, *prepared);
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
