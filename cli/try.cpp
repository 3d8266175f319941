// assay try: play a program or plug-in ten times, and show what it said.
#include "assay/auditors/audit/try_job.hpp"

#include <array>

#include "assay/cli/commands.hpp"
#include "assay/cli/exit_codes.hpp"
#include "assay/cli/terminal.hpp"

namespace assay::cli {
namespace {

constexpr std::array kTryFormats = {Format::kText, Format::kJson};

Result<int> run_try(const App& app) {
  const auto job = ASSAY_TRY(read_job<TryJob>(app));
  const auto prepared = ASSAY_TRY(prepare(job));
  const auto outputs = ASSAY_TRY(Outputs::open(job.audit.run, kTryFormats));
  const auto report = ASSAY_TRY(run_here(prepared, job.audit.run));
  const bool written = deliver(outputs, [&](Format format, const TextStyle& style) {
    return rendered(report, format, style);
  });
  if (report.error) print_error(*report.error);
  if (!written) return kUsage;
  if (report.error) return cli::exit_code(report.error->code);
  return report.has_mistake() ? kInconclusive : kNothingViolated;
}

}  // namespace

Command add_try(App& root) {
  App* app = add_job<TryJob>(
      root, "try",
      "Play a program or plug-in ten times: what it answers, and what an audit would cost");
  app->footer(
      "An adapter in Python is a few lines with the module assay_target, which programs that Assay\n"
      "starts can import; in C and C++ with assay_target.h (docs/protocol.md, \"Adapters\"). `assay adapter`\n"
      "prints either.\n"
      "Exit status: 0 ready for an audit, 2 usage, 3 a mistake to put right first, 4 the target failed.");
  return {app, [app] { return run_try(*app); }};
}

}  // namespace assay::cli
