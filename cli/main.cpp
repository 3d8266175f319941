// The `assay` command.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/cli/commands.hpp"
#include "assay/cli/exit_codes.hpp"
#include "assay/cli/processes.hpp"
#include "assay/cli/shards.hpp"
#include "assay/cli/terminal.hpp"
#include "assay/mechanisms/core/version.hpp"

namespace {

using assay::cli::Command;

// Whether several processes can run the command together. The first of them runs all others by itself.
bool is_for_many(std::string_view command) {
  constexpr std::array kNames = {"audit",    "bench", "detect", "frontier",
                                 "simulate", "suite", "verify"};
  const auto name = command.substr(command.rfind(' ') + 1);
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

int run(std::vector<std::string> arguments, std::shared_ptr<assay::ItemStore> items) {
  assay::cli::App app(
      {.name = "assay",
       .summary = "Audit the differential privacy of sequential decisions, with certified bounds",
       .examples = {{"Compare a mechanism with a claim", "assay audit laplace --claim eps=1"},
                    {"See how your own program answers, before an audit",
                     "assay try --exec \"python3 policy.py\" --kind bandit"},
                    {"Bound what many releases cost together",
                     "assay account gaussian --sigma 2 --compose 1000 --delta 1e-6"}},
       .notes =
           {"`assay list` lists all cases, and `assay explain` explains a name or a word of the "
            "reports. `assay completion` completes commands in a shell."},
       .exit = {{0, "nothing is violated"},
                {1, "something is violated"},
                {2, "the command or its configuration is wrong, or a report could not be written"},
                {3, "the result is inconclusive"},
                {4, "the program under audit failed"},
                {5, "an internal error"}}});
  app.set_version_flag([] {
    const auto info = assay::build_info();
    return fmt::format("assay {}\n{}", info.version, to_string(info));
  });
  app.require_subcommand(1, 1);
  const Command commands[] = {assay::cli::add_audit(app),
                              assay::cli::add_try(app),
                              assay::cli::add_verify(app),
                              assay::cli::add_simulate(app),
                              assay::cli::add_detect(app),
                              assay::cli::add_account(app),
                              assay::cli::add_frontier(app),
                              assay::cli::add_bench(app),
                              assay::cli::add_sampler(app),
                              assay::cli::add_replay(app),
                              assay::cli::add_list(app),
                              assay::cli::add_explain(app),
                              assay::cli::add_check_certificate(app),
                              assay::cli::add_suite(app),
                              assay::cli::add_merge(app, run),
                              assay::cli::add_adapter(app),
                              assay::cli::add_schema(app),
                              assay::cli::add_completion(app),
                              assay::cli::add_man(app)};
  std::vector<std::string> words = {"assay"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  assay::cli::begin_command(std::move(arguments), std::move(items));
  if (const auto ended = app.parse(static_cast<int>(argv.size()), argv.data())) return *ended;
  for (const auto& command : commands) {
    if (!command.app->parsed()) continue;
    if (!is_for_many(command.app->text().name) && !assay::cli::continues_alone()) return 0;
    const auto status = command.run();
    if (status) return *status;
    auto error = status.error();
    if (error.code == assay::ErrorCode::kShard) {
      return assay::cli::print_report(error.message + "\n") ? assay::cli::kNothingViolated
                                                            : assay::cli::kUsage;
    }
    // An error about something missing says "needs", and gets an example.
    const auto& chosen = command.app->chosen();
    if (chosen.written().empty() || error.message.find(" needs ") != std::string::npos) {
      error.message += chosen.example_line();
    }
    assay::cli::print_error(error);
    return assay::cli::exit_code(status.error().code);
  }
  return assay::cli::kInternalError;
}

}  // namespace

int main(int argc, char** argv) {
  return assay::cli::guarded([&] { return run({argv + std::min(1, argc), argv + argc}, nullptr); });
}
