// assay merge: prints the report of a command whose work was shared by shards.
#include <utility>

#include "assay/cli/commands.hpp"
#include "assay/cli/exit_codes.hpp"
#include "assay/cli/shards.hpp"
#include "assay/cli/terminal.hpp"

namespace assay::cli {
namespace {

struct MergeJob : JobOptions {
  std::vector<std::string> files;
  RunOptions run;

  static void fields(const VisitOption<MergeJob>& visit) {
    using J = MergeJob;
    visit(option(&J::files, {.name = "file",
                             .type = "FILE",
                             .help = "Take the items of these shards: all N of one command.",
                             .is_positional = true,
                             .is_required = true}));
    auto format = format_option({"text", "csv", "json", "html", "markdown"});
    format.shows_default = false;
    format.default_text = "that of the command";
    format.choices = {};
    visit(option(&J::run, &RunOptions::format, format));
    visit(option(&J::run, &RunOptions::write,
                 {.name = "write",
                  .type = "FILE",
                  .help = "Also write the report to this file, as the command does.",
                  .group = OptionGroup::kOutput,
                  .letter = 'w'}));
    visit(option(&J::run, &RunOptions::quiet, quiet_option()));
  }
};

Result<int> run_merge(const App& app, const RunCommand& run_command) {
  const auto job = ASSAY_TRY(read_job<MergeJob>(app));
  auto merged = ASSAY_TRY(merge_shards(job.files));
  std::vector<std::string> arguments = merged.arguments;
  for (const auto& one : job.written) {
    if (one.name == "format") arguments.insert(arguments.end(), {"--format", job.run.format});
  }
  for (const auto& file : job.run.write) arguments.insert(arguments.end(), {"--write", file});
  if (job.run.quiet) arguments.emplace_back("--quiet");
  return run_command(std::move(arguments), std::move(merged.items));
}

}  // namespace

Command add_merge(App& root, RunCommand run_command) {
  App* app = add_job<MergeJob>(
      root,
      {.name = "merge",
       .summary = "Print the report of a command from the files of its shards",
       .examples = {{"Share a figure among two machines",
                     "assay simulate ts-fig2 --shard 1/2   # and --shard 2/2 on the other"},
                    {"Print it, and write its page",
                     "assay merge shard-1-of-2.assay shard-2-of-2.assay -w ts-fig2.html"}},
       .notes = {
           "The report has the bytes that one process would have written. Shards that are "
           "missing, given twice, unfinished, or of another command, input or version of Assay "
           "are errors. The exit status is that of the command."}});
  return {app,
          [app, run_command = std::move(run_command)] { return run_merge(*app, run_command); }};
}

}  // namespace assay::cli
