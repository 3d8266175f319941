// The `assay` command.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <sstream>

#include "assay/cli/commands.hpp"
#include "assay/cli/exit_codes.hpp"
#include "assay/cli/terminal.hpp"
#include "assay/mechanisms/core/version.hpp"

namespace {

using assay::cli::Command;
using assay::cli::print_note;
using assay::cli::print_report;

int run(int argc, char** argv) {
  CLI::App app("Assay: certified privacy audits of sequential decisions", "assay");
  app.set_version_flag("--version", [] {
    const auto info = assay::build_info();
    return fmt::format("assay {}\n{}", info.version, to_string(info));
  });
  app.require_subcommand(1);
  app.footer(
      "Exit status: 0 nothing violated, 1 violated, 2 usage or configuration, or a report that "
      "could\n"
      "not be written, 3 inconclusive, 4 the audited program failed, 5 internal error.");
  const Command commands[] = {assay::cli::add_audit(app),
                              assay::cli::add_verify(app),
                              assay::cli::add_simulate(app),
                              assay::cli::add_detect(app),
                              assay::cli::add_account(app),
                              assay::cli::add_frontier(app),
                              assay::cli::add_list(app),
                              assay::cli::add_explain(app),
                              assay::cli::add_check_certificate(app)};
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // Help and version are reports (status 0); everything else is an error.
    std::ostringstream report;
    std::ostringstream message;
    if (app.exit(error, report, message) == 0) {
      return print_report(report.str()) ? assay::cli::kNothingViolated : assay::cli::kUsage;
    }
    print_note(message.str());
    return assay::cli::kUsage;
  }
  for (const auto& command : commands) {
    if (command.app->parsed()) return command.run();
  }
  return assay::cli::kInternalError;
}

}  // namespace

int main(int argc, char** argv) {
  assay::cli::keep_standard_descriptors();
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    print_note(fmt::format("internal error: {}", error.what()));
  } catch (...) {
    print_note("internal error: an exception of no known type");
  }
  return assay::cli::kInternalError;
}
