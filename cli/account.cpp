// assay account: certified bounds on the cost of a chain of releases; conversions; calibration.
#include "assay/auditors/account/account_job.hpp"
#include "assay/auditors/account/odometer.hpp"

#include <fmt/format.h>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include <algorithm>
#include <array>
#include <cmath>

#include "assay/cli/commands.hpp"
#include "assay/cli/exit_codes.hpp"
#include "assay/cli/terminal.hpp"
#include "assay/mechanisms/core/messages.hpp"

namespace assay::cli {
namespace {

constexpr std::array kChainFormats = {Format::kText, Format::kCsv, Format::kJson, Format::kHtml};
constexpr std::array kTableFormats = {Format::kText, Format::kJson};
constexpr std::array kStepFormats = {Format::kText, Format::kCsv, Format::kJson};

bool has_curves(const Outputs& outputs) {
  return outputs.format != Format::kText ||
         std::any_of(outputs.files.begin(), outputs.files.end(),
                     [](const auto& file) { return file.format() != Format::kText; });
}

std::string headline(const AccountReport& report) {
  return joined(report.answers, [](const AccountAnswer& answer) {
    if (!std::isfinite(answer.upper)) return target_text(answer.target) + " has no upper bound";
    const auto text = interval_text(answer.lower.value_or(0.0), answer.upper);
    return target_text(answer.target) + " is " +
           (answer.lower ? "at least " + text.lower + " and " : "") + "at most " + text.upper;
  });
}
std::string headline(const ConversionReport& /*report*/) { return {}; }  // a table has no --quiet
std::string headline(const CalibrationReport& report) {
  if (report.solution) {
    return report.solution->parameter + " " + number_text(report.solution->solved.value) +
           " is enough";
  }
  return "The scale of the noise is " + number_text(report.calibration.scale);
}

std::string headline(const OdometerReport& report) { return headline_of(report); }

int status_of(const OdometerReport& report) {
  return report.is_exceeded() ? kViolated : kNothingViolated;
}
template <class Report>
int status_of(const Report& /*report*/) {
  return kNothingViolated;
}

// Compositions take and free long arrays again and again: to get zeroed pages for each took a third of the time.
void keep_freed_memory() {
#if defined(__GLIBC__)
  static_cast<void>(mallopt(M_MMAP_THRESHOLD, 1 << 30));
  static_cast<void>(mallopt(M_TRIM_THRESHOLD, -1));
#endif
}

template <class Job>
Result<int> run_account(const App& app, std::span<const Format> formats) {
  keep_freed_memory();
  auto job = ASSAY_TRY(read_job<Job>(app));
  const auto outputs = ASSAY_TRY(Outputs::open(job.run, formats));
  if constexpr (std::is_same_v<Job, AccountJob>) job.with_curves = has_curves(outputs);
  const auto prepared = ASSAY_TRY(prepare(job));
  const auto report = ASSAY_TRY(run_here(prepared, job.run, outputs));
  return deliver_report(outputs, report, headline(report)) ? status_of(report) : kUsage;
}

std::vector<std::string> mechanisms_notes() {
  std::vector<std::string> notes = {"These mechanisms and levels can be accounted for:"};
  for (const auto& step : step_descriptions()) {
    notes.push_back(fmt::format("  {:<19}  {}", step.name, step.title));
  }
  notes.emplace_back("subsampled-gaussian is short for gaussian with the sampler poisson.");
  notes.emplace_back(
      "All of them but zcdp have a certified interval. No single pair dominates zcdp.");
  notes.emplace_back("These samplers can be named, with their parameters, beside a mechanism:");
  for (const auto& sampler : sampler_descriptions()) {
    std::string parameters;
    for (const auto& one : sampler.parameters) parameters += " --" + one.name;
    notes.push_back(fmt::format("  {:<19}  {}:{}", sampler.name, sampler.title, parameters));
  }
  return notes;
}

}  // namespace

Command add_account(App& root) {
  App* app = add_job<AccountJob>(
      root, {.name = "account",
             .summary = "Certify the eps and delta that releases cost together",
             .examples = {{"Compose 1000 releases of Gaussian noise",
                           "assay account gaussian --sigma 2 --compose 1000 --delta 1e-6"},
                          {"Compose the releases of a file, and draw the curves",
                           "assay account examples/chain.toml -w account.html"},
                          {"Account for training on random batches of 100 of 10000 records",
                           "assay account gaussian --sigma 2 --sampler fixed-size --records 10000 "
                           "--batch 100 --compose 1000"},
                          {"Ask for delta at an eps",
                           "assay account laplace --scale 10 --compose 20 --at-epsilon 1"}},
             .notes = mechanisms_notes()});
  app->require_subcommand(0, 1);
  const App* convert = add_job<ConversionJob>(
      *app,
      {.name = "convert",
       .summary = "Show what a privacy level implies in every other notion, and by which theorem",
       .examples = {{"Convert a level of Gaussian DP", "assay account convert gdp --mu 1"},
                    {"Convert an (eps, delta) for a group of three records",
                     "assay account convert approximate --epsilon 1 --own-delta 1e-6 --group 3"},
                    {"Convert one order of Renyi DP",
                     "assay account convert rdp --order 8 --epsilon 0.5"}}});
  const App* calibrate = add_job<CalibrationJob>(
      *app,
      {.name = "calibrate",
       .summary = "Find the smallest noise, or another parameter, for a target (eps, delta)",
       .examples = {{"Calibrate one release of Gaussian noise",
                     "assay account calibrate gaussian --epsilon 1 --delta 1e-6"},
                    {"Calibrate a hundred answers with Laplace noise",
                     "assay account calibrate laplace --epsilon 1 --answers 100"},
                    {"Calibrate a counter over 1000 rounds",
                     "assay account calibrate tree --epsilon 1 --delta 1e-6 --horizon 1000"},
                    {"Find the noise of training on random batches",
                     "assay account calibrate subsampled-gaussian --sampling 0.01 --compose 10000 "
                     "--epsilon 2 --delta 1e-6"},
                    {"Find how many steps of such training fit",
                     "assay account calibrate subsampled-gaussian --sampling 0.01 --sigma 1 "
                     "--solve compose --epsilon 2 --delta 1e-6"}}});
  const App* odometer = add_job<OdometerJob>(
      *app,
      {.name = "odometer",
       .summary = "Spend a budget step by step, for steps that may depend on earlier outputs",
       .examples = {{"Spend the steps of a file",
                     "assay account odometer examples/steps.txt --epsilon 1 --delta 1e-6"},
                    {"Spend Gaussian noise by the sum of mu^2",
                     "echo gaussian sigma=20 compose=3 | assay account odometer - --epsilon 1 "
                     "--delta 1e-6 --level gdp"}},
       .notes = {"A line of the file is a mechanism of `assay account --help` with its parameters:",
                 "  gaussian sigma=20 compose=3 moves=2 label=counts",
                 "The first step that does not fit ends the run, and is not spent."},
       .exit = {{kNothingViolated, "all steps fit"},
                {kViolated, "a step did not fit"},
                {kUsage, "a wrong option, or a line that is not a step"}}});
  return {app, [app, convert, calibrate, odometer] {
            if (odometer->parsed()) return run_account<OdometerJob>(*odometer, kStepFormats);
            if (convert->parsed()) return run_account<ConversionJob>(*convert, kTableFormats);
            if (calibrate->parsed()) {
              return run_account<CalibrationJob>(*calibrate, kTableFormats);
            }
            return run_account<AccountJob>(*app, kChainFormats);
          }};
}

}  // namespace assay::cli
