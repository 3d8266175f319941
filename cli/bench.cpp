// assay bench: mechanisms, counters and policies at one certified privacy level.
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
  const auto render = [&](Format format, const TextStyle& style) {
    return rendered(report, format, style);
  };
  if (!deliver(outputs, render, written_lines(outputs.files))) return kUsage;
  if (report.rows.empty()) {
    print_note("nothing can be compared: every contender was refused");
    return kUsage;
  }
  return report.interrupted ? kInconclusive : kNothingViolated;
}

}  // namespace

Command add_bench(App& root) {
  App* app = add_job<BenchJob>(
      root, "bench",
      "Compare mechanisms, counters or policies at one certified level: error, speed, memory");
  return {app, [app] { return run_bench_command(*app); }};
}

}  // namespace assay::cli
