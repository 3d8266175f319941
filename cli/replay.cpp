// assay replay: play two inputs with the same randomness, and say where the plays part.
#include "assay/auditors/suite/replay.hpp"

#include <array>

#include "assay/cli/commands.hpp"
#include "assay/cli/exit_codes.hpp"
#include "assay/cli/terminal.hpp"

namespace assay::cli {
namespace {

constexpr std::array kReplayFormats = {Format::kText, Format::kJson};

Result<int> run_replay(const App& app) {
  const auto job = ASSAY_TRY(read_job<ReplayJob>(app));
  const auto prepared = ASSAY_TRY(prepare(job));
  const auto format = ASSAY_TRY(parse_format(job.run.format, kReplayFormats));
  const auto witness = ASSAY_TRY(run_here(prepared, job.run, Outputs{format, false, {}}));
  const bool printed =
      print_report(format == Format::kJson ? to_json(witness) : to_text(witness, stdout_style()));
  return printed ? kNothingViolated : kUsage;
}

}  // namespace

Command add_replay(App& root) {
  App* app = add_job<ReplayJob>(
      root, "replay", "Play two neighbouring inputs with the same randomness: where do they part?");
  app->footer(
      "Exit status: 0 both were played, whether they part or not: a replay certifies nothing.");
  return {app, [app] { return run_replay(*app); }};
}

}  // namespace assay::cli
