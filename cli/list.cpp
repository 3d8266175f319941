// assay list: what there is to name.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "assay/auditors/audit.hpp"
#include "assay/auditors/experiments/experiment.hpp"
#include "assay/cli/commands.hpp"
#include "assay/cli/exit_codes.hpp"
#include "assay/cli/terminal.hpp"

namespace assay::cli {
namespace {

void list_cases() {
  for (const auto& audit_case : audit_cases()) {
    const auto d = audit_case->describe();
    fmt::print("{:<24} {}\n", d.id, d.title);
  }
}

void list_experiments() {
  for (const auto& experiment : experiments()) {
    const auto d = experiment->describe();
    fmt::print("{:<24} {}\n", d.id, d.title);
  }
}

void list_methods() {
  fmt::print(
      "exact                    every transcript with both probabilities; actions^horizon <= 2^24\n"
      "likelihood               sampled transcripts with exact losses, certified by betting\n"
      "auto                     exact up to 2^20 transcripts, else likelihood\n");
}

int run_list(const std::string& kind) {
  if (kind == "cases") {
    list_cases();
  } else if (kind == "methods") {
    list_methods();
  } else if (kind == "experiments") {
    list_experiments();
  } else if (kind.empty()) {
    fmt::print("cases\n");
    list_cases();
    fmt::print("\nexperiments\n");
    list_experiments();
    fmt::print("\nmethods\n");
    list_methods();
  } else {
    print_error(
        {ErrorCode::kUnknownKey,
         "cannot list '" + kind + "'" + nearest_hint(kind, {"cases", "experiments", "methods"}), "",
         0});
    return kUsage;
  }
  return kNothingViolated;
}

}  // namespace

Command add_list(CLI::App& root) {
  auto kind = std::make_shared<std::string>();
  CLI::App* app = root.add_subcommand("list", "List cases, experiments and methods");
  app->add_option("kind", *kind, "cases, experiments or methods (default: all)")->type_name("KIND");
  return {app, [kind] { return run_list(*kind); }};
}

}  // namespace assay::cli
