// assay simulate frontier, also assay frontier: searches the conjecture of Remark 4 of the experts paper.
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
  const auto outputs = ASSAY_TRY(Outputs::open(job.run, kFrontierFormats));
  const auto report = run_here(prepared, job.run, outputs);
  if (!report) {
    print_error(report.error());
    if (report.error().code == ErrorCode::kInterrupted) {
      print_note(job.checkpoint.empty()
                     ? "nothing was saved; with --checkpoint FILE a search can be resumed"
                     : "the same command resumes it");
    }
    return exit_code(report.error().code);
  }
  return deliver_report(outputs, *report) ? kNothingViolated : kUsage;
}

}  // namespace

Command add_frontier(App& root) {
  App* app = add_job<FrontierJob>(
      root,
      {.name = "frontier",
       .summary = "Search for the smallest c1 with which the experts paper's conjecture survives "
                  "at each c2",
       .examples = {{"Search at one c2, for one noise", "assay frontier --c2 8 --noise laplace"},
                    {"Search for longer, and keep what is finished",
                     "assay frontier --budget 100 --checkpoint frontier.kept"},
                    {"Write the result as JSON", "assay frontier -w frontier.json"}}});
  return {app, [app] { return run_frontier(*app); }};
}

}  // namespace assay::cli
