// assay bench: compares mechanisms, counters and policies at one certified privacy level.
#include "assay/auditors/bench/bench_job.hpp"

#include <array>

#include "assay/auditors/bench/bench_report.hpp"
#include "assay/cli/commands.hpp"
#include "assay/cli/exit_codes.hpp"
#include "assay/cli/terminal.hpp"

namespace assay::cli {
namespace {

constexpr std::array kBenchFormats = {Format::kText, Format::kCsv, Format::kJson, Format::kHtml};

Result<int> run_bench_command(const App& app) {
  const auto job = ASSAY_TRY(read_job<BenchJob>(app));
  const auto prepared = ASSAY_TRY(prepare(job));
  const auto outputs = ASSAY_TRY(Outputs::open(job.run, kBenchFormats));
  const auto report = ASSAY_TRY(run_here(prepared, job.run, outputs));
  const std::string headline = report.rows.empty()
                                   ? "Nothing can be compared."
                                   : report.rows.front().id + " has the least error of " +
                                         std::to_string(report.rows.size()) + ".";
  if (!deliver_report(outputs, report, headline)) return kUsage;
  if (report.rows.empty()) {
    print_note("nothing can be compared: no candidate is applicable");
    return kUsage;
  }
  return report.interrupted ? kInconclusive : kNothingViolated;
}

}  // namespace

Command add_bench(App& root) {
  App* app = add_job<BenchJob>(
      root, {.name = "bench",
             .summary =
                 "Compare error, speed and memory of mechanisms, counters or policies at one level",
             .examples = {
                 {"Compare integer noise for 100 answers",
                  "assay bench additive --epsilon 1 -p answers=100"},
                 {"Compare counters over 1000 rounds, and draw the curves",
                  "assay bench counters --epsilon 1 --delta 1e-6 -p horizon=1000 -w counters.html"},
                 {"Compare bandit policies for half a minute",
                  "assay bench bandits --epsilon 1 --time 30"}}});
  return {app, [app] { return run_bench_command(*app); }};
}

}  // namespace assay::cli
