// assay list: what there is to name.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <memory>
#include <string_view>

#include "assay/auditors/audit.hpp"
#include "assay/auditors/claims/registered_claim.hpp"
#include "assay/auditors/experiments/experiment.hpp"
#include "assay/cli/commands.hpp"
#include "assay/cli/exit_codes.hpp"
#include "assay/cli/methods.hpp"
#include "assay/cli/option_use.hpp"
#include "assay/cli/terminal.hpp"
#include "assay/mechanisms/faulty/detection_table.hpp"
#include "assay/mechanisms/release/mechanisms.hpp"
#include "assay/policies/faulty/sequence_table.hpp"

namespace assay::cli {
namespace {

void list_cases() {
  for (const auto& audit_case : audit_cases()) {
    const auto d = audit_case->describe();
    fmt::print("{:<34} {}\n", d.id, d.title);
  }
}

void list_claims() {
  for (const auto& claim : registered_claims()) {
    fmt::print("{:<24} {}, {}\n", claim.id, claim.theorem, detail::value_text(claim.kind));
  }
}

void list_experiments() {
  for (const auto& experiment : experiments()) {
    const auto d = experiment->describe();
    fmt::print("{:<24} {}\n", d.id, d.title);
  }
}

void list_detection() {
  for (const auto& row : faulty::detection_table()) {
    fmt::print("{:<24} truth {}\n", row.name, row.truth);
  }
}

void list_mechanisms() {
  for (const auto& mechanism : mechanism_descriptions()) {
    fmt::print("{:<34} {}\n", mechanism.name.id, mechanism.name.title);
  }
}

void list_sequences() {
  for (const auto& row : faulty::sequence_table()) {
    fmt::print("{:<24} {}\n", row.name, row.fault);
  }
}

void list_methods() {
  for (const auto& method : audit_methods()) fmt::print("{:<24} {}\n", method.id, method.line);
}

struct Listing {
  std::string_view kind;
  void (*print)();
};
constexpr std::array<Listing, 7> kListings{{{"cases", list_cases},
                                            {"claims", list_claims},
                                            {"experiments", list_experiments},
                                            {"mechanisms", list_mechanisms},
                                            {"detect", list_detection},
                                            {"sequences", list_sequences},
                                            {"methods", list_methods}}};

constexpr OptionUse<std::string> kListOptions[] = {{"kind"}};

int run_list(const CLI::App& app, const std::string& kind) {
  if (const auto status = refuse_unused(app, kListOptions, kind, "list"); !status) {
    print_error(status.error());
    return exit_code(status.error().code);
  }
  std::vector<std::string> known;
  for (const auto& listing : kListings) {
    if (listing.kind == kind) {
      listing.print();
      return kNothingViolated;
    }
    known.emplace_back(listing.kind);
  }
  if (!kind.empty()) {
    print_error(
        {ErrorCode::kUnknownKey, "cannot list '" + kind + "'" + nearest_hint(kind, known), "", 0});
    return kUsage;
  }
  for (const auto& listing : kListings) {
    fmt::print("{}{}\n", &listing == &kListings.front() ? "" : "\n", listing.kind);
    listing.print();
  }
  return kNothingViolated;
}

}  // namespace

Command add_list(CLI::App& root) {
  auto kind = std::make_shared<std::string>();
  CLI::App* app = root.add_subcommand(
      "list", "List cases, claims, experiments, mechanisms, what to detect, and methods");
  app->add_option(
         "kind", *kind,
         "cases, claims, experiments, mechanisms, detect, sequences or methods (default: all)")
      ->type_name("KIND");
  return {app, [app, kind] { return run_list(*app, *kind); }};
}

}  // namespace assay::cli
