// assay check-certificate: recompute refutations from their files alone.
#include "assay/auditors/verify/check_certificate_job.hpp"

#include <array>

#include "assay/cli/commands.hpp"
#include "assay/cli/exit_codes.hpp"
#include "assay/cli/terminal.hpp"

namespace assay::cli {
namespace {

constexpr std::array kCheckFormats = {Format::kText, Format::kJson};

Result<int> run_check(const App& app) {
  const auto job = ASSAY_TRY(read_job<CertificateCheckJob>(app));
  const auto prepared = ASSAY_TRY(prepare(job));
  const auto format = ASSAY_TRY(parse_format(job.run.format, kCheckFormats));
  // A signal ends it at once: there is nothing to keep.
  const auto report = ASSAY_TRY(prepared(Session{}));
  for (const auto& error : report.errors) print_error(error);
  if (!report.errors.empty()) return exit_code(report.errors.back().code);
  const std::string text = format == Format::kJson ? to_json(report) : to_text(report);
  if (!print_report(text)) return kUsage;
  return report.all_refute() ? kNothingViolated : kViolated;
}

}  // namespace

Command add_check_certificate(App& root) {
  App* app = add_job<CertificateCheckJob>(
      root, "check-certificate",
      "Recompute certificates that refute claims, in 50 digits, step by step");
  app->footer(
      "Exit status: 0 every certificate refutes its claim, 1 one of them does not, 2 a file is\n"
      "damaged or states numbers that its inputs do not give; then nothing is written to stdout.");
  return {app, [app] { return run_check(*app); }};
}

}  // namespace assay::cli
