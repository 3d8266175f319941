// assay check-certificate: recomputes refutations from their files alone.
#include "assay/auditors/verify/check_certificate_job.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "assay/cli/commands.hpp"
#include "assay/cli/exit_codes.hpp"
#include "assay/cli/terminal.hpp"

namespace assay::cli {
namespace {

constexpr std::array kCheckFormats = {Format::kText, Format::kJson};

Result<int> run_check(const App& app) {
  const auto job = ASSAY_TRY(read_job<CertificateCheckJob>(app));
  const auto prepared = ASSAY_TRY(prepare(job));
  const auto outputs = ASSAY_TRY(Outputs::open(job.run, kCheckFormats));
  // A signal ends it at once: there is nothing to keep.
  const auto report = ASSAY_TRY(prepared(Session{}));
  const auto refuting = std::count_if(report.checked.begin(), report.checked.end(),
                                      [](const auto& one) { return one.check.refutes; });
  const std::string headline = std::to_string(refuting) + " of " +
                               std::to_string(report.checked.size()) + " refute their claims.";
  const bool delivered =
      (report.checked.empty() && outputs.format == Format::kText && outputs.files.empty()) ||
      deliver_report(outputs, report, headline);
  for (const auto& error : report.errors) print_error(error);
  if (!report.errors.empty()) return exit_code(report.errors.back().code);
  if (!delivered) return kUsage;
  return report.all_refute() ? kNothingViolated : kViolated;
}

}  // namespace

Command add_check_certificate(App& root) {
  App* app = add_job<CertificateCheckJob>(
      root,
      {.name = "check-certificate",
       .summary = "Check certificates of refuted claims again, step by step with 50 digits",
       .examples = {{"Check one certificate",
                     "assay check-certificate docs/certificates/bai-budget.json"},
                    {"Check all of a folder", "assay check-certificate docs/certificates"},
                    {"Read the result as JSON",
                     "assay check-certificate certificates/bai-budget.json --format json"}},
       .exit = {{0, "every certificate refutes its claim"},
                {1, "a certificate does not refute its claim"},
                {2,
                 "a file is damaged, or its numbers do not follow from its inputs; the report has "
                 "the other files"}}});
  return {app, [app] { return run_check(*app); }};
}

}  // namespace assay::cli
