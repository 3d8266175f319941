// assay replay: runs two inputs with the same randomness, and shows where the runs diverge.
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
  const auto outputs = ASSAY_TRY(Outputs::open(job.run, kReplayFormats));
  const auto witness = ASSAY_TRY(run_here(prepared, job.run, outputs));
  const std::string headline = witness.round == 0 ? "The runs are alike." : witness_text(witness);
  return deliver_report(outputs, witness, headline) ? kNothingViolated : kUsage;
}

}  // namespace

Command add_replay(App& root) {
  App* app = add_job<ReplayJob>(
      root,
      {.name = "replay",
       .summary =
           "Run two neighbouring inputs with the same randomness, and show where they diverge",
       .examples = {{"Run a mechanism on two inputs", "assay replay laplace --old 0 --new 1"},
                    {"Run a bandit policy on rewards that differ in one round",
                     "assay replay thompson-sampling -p horizon=3 --old \"0;1;1\" --new \"0;0;1\""},
                    {"Run a program of your own",
                     "assay replay --exec \"python3 policy.py\" --horizon 3 --old \"0,1;1,0;1,1\" "
                     "--new \"0,1;0,0;1,1\""}},
       .notes = {"A replay certifies nothing: runs of a private policy diverge as well."},
       .exit = {{0, "both inputs were run, whether the runs diverge or not"},
                {2, "the command is wrong, or a report could not be written"},
                {3, "the run was interrupted"},
                {4, "the program failed"},
                {5, "an internal error"}}});
  return {app, [app] { return run_replay(*app); }};
}

}  // namespace assay::cli
