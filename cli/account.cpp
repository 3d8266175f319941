// assay account: what a chain of releases costs, between certified bounds; conversions; calibration.
#include "assay/auditors/account/account_job.hpp"

#include <algorithm>
#include <array>

#include "assay/cli/commands.hpp"
#include "assay/cli/exit_codes.hpp"
#include "assay/cli/terminal.hpp"

namespace assay::cli {
namespace {

constexpr std::array kChainFormats = {Format::kText, Format::kCsv, Format::kJson, Format::kHtml};
constexpr std::array kTableFormats = {Format::kText, Format::kJson};

bool has_curves(const Outputs& outputs) {
  return outputs.format != Format::kText ||
         std::any_of(outputs.files.begin(), outputs.files.end(),
                     [](const auto& file) { return file.format() != Format::kText; });
}

template <class Job>
Result<int> run_account(const App& app, std::span<const Format> formats) {
  auto job = ASSAY_TRY(read_job<Job>(app));
  const auto outputs = ASSAY_TRY(Outputs::open(job.run, formats));
  if constexpr (std::is_same_v<Job, AccountJob>) job.with_curves = has_curves(outputs);
  const auto prepared = ASSAY_TRY(prepare(job));
  const auto report = ASSAY_TRY(run_here(prepared, job.run, outputs));
  const auto render = [&](Format format, const TextStyle& style) {
    return rendered(report, format, style);
  };
  return deliver(outputs, render, written_lines(outputs.files)) ? kNothingViolated : kUsage;
}

std::string mechanisms_text() {
  std::string text = "Mechanisms and levels:\n";
  for (const auto& step : step_descriptions()) {
    text += "  " + step.name + std::string(20 - std::min<std::size_t>(19, step.name.size()), ' ') +
            step.title + "\n";
  }
  return text +
         "With a certified interval: all but zcdp, which no single pair dominates.\n"
         "Examples:\n"
         "  assay account gaussian --sigma 2 --compose 1000 --delta 1e-6\n"
         "  assay account examples/chain.toml -w account.html\n"
         "  assay account convert gdp --mu 1\n"
         "  assay account calibrate gaussian --epsilon 1 --delta 1e-6";
}

}  // namespace

Command add_account(App& root) {
  App* app = add_job<AccountJob>(
      root, "account",
      "What releases cost together: certified eps and delta, conversions, calibration");
  app->require_subcommand(0, 1);
  app->footer(mechanisms_text());
  const App* convert = add_job<ConversionJob>(
      *app, "convert",
      "What a privacy level implies at every other one, with the theorem of each line");
  const App* calibrate = add_job<CalibrationJob>(
      *app, "calibrate", "The smallest noise for a target (eps, delta), with its certificate");
  return {app, [app, convert, calibrate] {
            if (convert->parsed()) return run_account<ConversionJob>(*convert, kTableFormats);
            if (calibrate->parsed()) {
              return run_account<CalibrationJob>(*calibrate, kTableFormats);
            }
            return run_account<AccountJob>(*app, kChainFormats);
          }};
}

}  // namespace assay::cli
