#include "assay/cli/audit_main.hpp"

#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "assay/cli/audit.hpp"
#include "assay/cli/exit_codes.hpp"
#include "assay/cli/options.hpp"
#include "assay/cli/terminal.hpp"
#include "assay/mechanisms/core/contains.hpp"

namespace assay {
namespace {

// Options that choose the subject, or that have an effect only on external targets, are not for such a program.
bool is_for_own(const OptionText& option) {
  constexpr std::array<std::string_view, 5> kOutside = {"features", "runs", "margin", "canaries",
                                                        "training"};
  return !option.is_positional && option.group != OptionGroup::kTarget &&
         !contains(kOutside, option.name);
}

std::vector<std::string> about_notes(const CaseDescription& own) {
  std::vector<std::string> notes;
  if (!own.about.empty()) notes.push_back(own.about);
  notes.push_back("Input: " + own.input);
  notes.emplace_back("Parameters (-p name=value; a claim may use name or symbol):");
  for (const auto& field : own.parameters) {
    notes.push_back(fmt::format("  {:<12}  {} [{}{}; default: {}]", field.name, field.help,
                                field.symbol.empty() ? "" : field.symbol + "; ", field.allowed,
                                field.default_value));
  }
  return notes;
}

int run_own(const AuditCase& own, int argc, char** argv) {
  const auto description = own.describe();
  cli::App app({.name = description.id,
                .summary = fmt::format("{}: certify how much it leaks, and compare it with a claim",
                                       description.title),
                .notes = about_notes(description),
                .exit = {{0, "nothing is violated"},
                         {1, "something is violated"},
                         {2, "the command is wrong, or a report could not be written"},
                         {3, "the result is inconclusive"},
                         {4, "the class failed"},
                         {5, "an internal error"}}});
  for (const auto& one : options_of<AuditJob>()) {
    if (is_for_own(one.text)) app.add_option(one.text);
  }
  if (const auto ended = app.parse(argc, argv)) return *ended;
  const auto status = [&]() -> Result<int> {
    const auto job = ASSAY_TRY(cli::read_job<AuditJob>(app));
    const auto prepared = ASSAY_TRY(prepare(job, own));
    return cli::report_audit(job, prepared);
  }();
  if (status) return *status;
  cli::print_error(status.error());
  return cli::exit_code(status.error().code);
}

}  // namespace

int detail::audit_custom_case(const AuditCase& own, int argc, char** argv) {
  return cli::guarded([&] { return run_own(own, argc, argv); });
}

}  // namespace assay
