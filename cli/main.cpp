// The `assay` command.
#include <fmt/format.h>

#include "assay/cli/commands.hpp"
#include "assay/cli/exit_codes.hpp"
#include "assay/cli/terminal.hpp"
#include "assay/mechanisms/core/version.hpp"

namespace {

using assay::cli::Command;

int run(int argc, char** argv) {
  assay::cli::App app("Assay: certified privacy audits of sequential decisions", "assay");
  app.set_version_flag("--version", [] {
    const auto info = assay::build_info();
    return fmt::format("assay {}\n{}", info.version, to_string(info));
  });
  app.require_subcommand(1);
  app.footer(
      "Exit status: 0 nothing violated, 1 violated, 2 usage or configuration, or a report that "
      "could\n"
      "not be written, 3 inconclusive, 4 the audited program failed, 5 internal error.");
  const Command commands[] = {assay::cli::add_audit(app),    assay::cli::add_try(app),
                              assay::cli::add_verify(app),   assay::cli::add_simulate(app),
                              assay::cli::add_detect(app),   assay::cli::add_account(app),
                              assay::cli::add_frontier(app), assay::cli::add_bench(app),
                              assay::cli::add_replay(app),   assay::cli::add_list(app),
                              assay::cli::add_explain(app),  assay::cli::add_check_certificate(app),
                              assay::cli::add_suite(app),    assay::cli::add_adapter(app),
                              assay::cli::add_schema(app)};
  if (const auto ended = app.parse(argc, argv)) return *ended;
  for (const auto& command : commands) {
    if (!command.app->parsed()) continue;
    const auto status = command.run();
    if (status) return *status;
    assay::cli::print_error(status.error());
    return assay::cli::exit_code(status.error().code);
  }
  return assay::cli::kInternalError;
}

}  // namespace

int main(int argc, char** argv) {
  return assay::cli::guarded([&] { return run(argc, argv); });
}
