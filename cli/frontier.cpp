// assay simulate frontier, also as assay frontier: what a search leaves of the conjecture of Remark 4 of the experts paper.
#include "assay/auditors/simulate/frontier_job.hpp"

#include <array>

#include "assay/cli/commands.hpp"
#include "assay/cli/exit_codes.hpp"
#include "assay/cli/terminal.hpp"

namespace assay::cli {
namespace {

constexpr std::array kFrontierFormats = {Format::kText, Format::kJson};

Result<int> run_frontier(const App& app) {
  const auto job = ASSAY_TRY(read_job<FrontierJob>(app));
  const auto prepared = ASSAY_TRY(prepare(job));
  const auto format = ASSAY_TRY(parse_format(job.run.format, kFrontierFormats));
  const auto report = run_here(prepared, job.run, Outputs{format, false, {}});
  if (!report) {
    print_error(report.error());
    if (report.error().code == ErrorCode::kInterrupted) {
      print_note(job.checkpoint.empty()
                     ? "nothing was kept; with --checkpoint FILE a search can be resumed"
                     : "the same command resumes it");
    }
    return exit_code(report.error().code);
  }
  const std::string text = format == Format::kJson ? to_json(*report) : to_text(*report);
  return print_report(text) ? kNothingViolated : kUsage;
}

}  // namespace

Command add_frontier(App& root) {
  App* app = add_job<FrontierJob>(
      root, "frontier",
      "Search the conjecture of the experts paper: the c1 that survives at each c2");
  return {app, [app] { return run_frontier(*app); }};
}

}  // namespace assay::cli
