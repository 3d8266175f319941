// assay try: runs a program or plug-in ten times, and shows its answers.
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
  const auto render = [&](Format format, const TextStyle& style) {
    return rendered(report, format, style);
  };
  const std::string headline =
      report.error                     ? "The target failed."
      : report.has(NoteKind::kMistake) ? "There is a mistake to correct first."
      : report.has(NoteKind::kWarning) ? "The target is ready for an audit, with a warning."
                                       : "The target is ready for an audit.";
  const bool written = deliver(outputs, render, {}, headline);
  if (report.error) print_error(*report.error);
  if (!written) return kUsage;
  if (report.error) return cli::exit_code(report.error->code);
  return report.has(NoteKind::kMistake) ? kInconclusive : kNothingViolated;
}

}  // namespace

Command add_try(App& root) {
  App* app = add_job<TryJob>(
      root,
      {.name = "try",
       .summary =
           "Run a program or plug-in ten times, and show its answers and the cost of an audit",
       .examples = {{"Run a bandit policy in Python",
                     "assay try --exec \"python3 policy.py\" --arms 2 --horizon 20"},
                    {"Run a mechanism", "assay try --exec ./mechanism --kind mechanism --inputs 3"},
                    {"Run a shared library", "assay try --plugin ./libpolicy.so --horizon 20"}},
       .notes =
           {"It takes the options of an audit of a program, so that one command line serves both. "
            "Those of the claim and the effort make no difference to the ten runs; the report "
            "ends with the command of the audit.",
            "An adapter takes a few lines. In Python it uses the module assay_target, which "
            "programs that Assay starts can import. In C and C++ it uses assay_target.h "
            "(docs/protocol.md, \"Adapters\"). `assay adapter` prints either file."},
       .exit = {{0, "the target is ready for an audit, perhaps with a warning"},
                {2, "the command is wrong, or a report could not be written"},
                {3, "there is a mistake to correct first"},
                {4, "the target failed"},
                {5, "an internal error"}}});
  return {app, [app] { return run_try(*app); }};
}

}  // namespace assay::cli
