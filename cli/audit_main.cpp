#include "assay/cli/audit_main.hpp"

#include <fmt/format.h>

#include <string>

#include "assay/cli/audit.hpp"
#include "assay/cli/exit_codes.hpp"
#include "assay/cli/options.hpp"
#include "assay/cli/terminal.hpp"

namespace assay {
namespace {

// Those that say what is audited, or are of targets outside, are not for a program that is of one class.
bool is_for_own(const OptionText& option) {
  return !option.is_positional && option.group.empty() && option.name != "features";
}

std::string about_text(const CaseDescription& own) {
  std::string text =
      fmt::format("{}\n\nParameters (-p name=value; a claim may use name or symbol):\n",
                  own.about.empty() ? "Input: " + own.input : own.about + "\nInput: " + own.input);
  for (const auto& field : own.parameters) {
    text += fmt::format("  {:<12} {:<4} {:<18} default {:<10} {}\n", field.name, field.symbol,
                        field.allowed, field.default_value, field.help);
  }
  return text +
         "\nExit status: 0 nothing violated, 1 violated, 2 usage or configuration, 3 inconclusive, 4 the "
         "class\nfailed, 5 internal error.";
}

int run_own(const AuditCase& own, int argc, char** argv) {
  const auto description = own.describe();
  cli::App app(fmt::format("{}: how much it leaks, set against a claim (Assay)", description.title),
               description.id);
  for (const auto& one : options_of<AuditJob>()) {
    if (is_for_own(one.text)) app.add_option(one.text);
  }
  app.footer(about_text(description));
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

int detail::audit_own_case(const AuditCase& own, int argc, char** argv) {
  return cli::guarded([&] { return run_own(own, argc, argv); });
}

}  // namespace assay
