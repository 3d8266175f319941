// assay suite: the check of a continuous integration, from one TOML file.
#include <algorithm>
#include <array>

#include "assay/auditors/suite/entry_options.hpp"
#include "assay/auditors/suite/suite_findings.hpp"
#include "assay/auditors/suite/suite_history.hpp"
#include "assay/auditors/suite/suite_job.hpp"
#include "assay/auditors/suite/suite_outputs.hpp"
#include "assay/auditors/suite/suite_report_writers.hpp"
#include "assay/auditors/suite/suite_tables.hpp"
#include "assay/auditors/text/safe_text.hpp"
#include "assay/cli/commands.hpp"
#include "assay/cli/exit_codes.hpp"
#include "assay/cli/terminal.hpp"

namespace assay::cli {
namespace {

// The worst of what fails: errors outrank findings.
int exit_code(const SuiteReport& report) {
  constexpr std::array kWorstFirst = {kUsage, kTargetFailed, kViolated, kInconclusive};
  std::array<bool, kWorstFirst.size()> found{};
  for (const auto& entry : report.entries) {
    if (entry.status == EntryStatus::kMisconfigured) found[0] = true;
  }
  for (const auto& finding : findings_of(report)) {
    if (!finding.fails) continue;
    const bool is_change = finding.change != nullptr;
    const auto status = finding.entry != nullptr ? finding.entry->status : EntryStatus::kViolated;
    if (is_change || status == EntryStatus::kViolated) {
      found[2] = true;
    } else if (status == EntryStatus::kCouldNotRun) {
      found[1] = true;
    } else if (status == EntryStatus::kInconclusive) {
      found[3] = true;
    }
  }
  if (report.interrupted) found[3] = true;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i]) return kWorstFirst[i];
  }
  return kNothingViolated;
}

Result<int> run_suite_here(const App& app) {
  const auto job = ASSAY_TRY(read_job<SuiteRunJob>(app));
  const auto prepared = ASSAY_TRY(prepare(job));
  const auto outputs = ASSAY_TRY(SuiteOutputs::open(job.run.format, job.reports));
  ASSAY_TRY(check_quiet(job.run));
  const auto [report, history, kept] = ASSAY_TRY(run_here(prepared, job.run));
  if (!kept) print_error(kept.error());
  const auto written = outputs.write(report, history);
  if (!written) print_error(written.error());
  std::string text = job.run.quiet ? plain_text(suite_headline(report)) + "\n"
                                   : rendered(report, outputs.format, history, stdout_style());
  if (outputs.annotates) text += to_github(report);
  if (!print_report(text) || !written || !kept) return kUsage;
  return exit_code(report);
}

Result<int> list_suite(const App& app) {
  const auto job = ASSAY_TRY(read_job<SuiteListJob>(app));
  const auto prepared = ASSAY_TRY(prepare(job));
  const auto listing = ASSAY_TRY(run_here(prepared, job.run));
  if (!print_report(to_text(listing, stdout_style()))) return kUsage;
  const bool fits = std::all_of(listing.entries.begin(), listing.entries.end(),
                                [](const auto& entry) { return !entry.result.error; });
  return fits ? kNothingViolated : kUsage;
}

Result<int> begin_suite(const App& app) {
  const auto job = ASSAY_TRY(read_job<SuiteInitJob>(app));
  const auto prepared = ASSAY_TRY(prepare(job));
  const auto start = ASSAY_TRY(run_here(prepared, RunOptions{}));
  const auto kind = enum_names(ProbedKind{})[static_cast<std::size_t>(start.probed.kind)].second;
  return print_report("written: " + start.file + ", for " + job.policy + " (" + std::string(kind) +
                      ")\nnext: assay suite list " + start.file + "\n")
             ? kNothingViolated
             : kUsage;
}

Result<int> update_baseline(const App& app) {
  const auto job = ASSAY_TRY(read_job<SuiteUpdateJob>(app));
  const auto prepared = ASSAY_TRY(prepare(job));
  const auto update = ASSAY_TRY(run_here(prepared, job.run));
  if (!print_report(to_text(update.report, stdout_style()))) return kUsage;
  print_note("written: " + update.file);
  return exit_code(update.report);
}

Result<int> compare_runs(const App& app) {
  constexpr std::array kFormats = {Format::kText, Format::kJson};
  const auto job = ASSAY_TRY(read_job<SuiteCompareJob>(app));
  const auto format = ASSAY_TRY(parse_format(job.run.format, kFormats));
  const auto prepared = ASSAY_TRY(prepare(job));
  const auto comparison = ASSAY_TRY(run_here(prepared, job.run));
  if (!print_report(rendered(comparison, format, stdout_style()))) return kUsage;
  return comparison.regresses() ? kViolated : kNothingViolated;
}

Result<int> show_history(const App& app) {
  constexpr std::array kFormats = {Format::kText, Format::kCsv, Format::kJson};
  const auto job = ASSAY_TRY(read_job<SuiteHistoryJob>(app));
  const auto format = ASSAY_TRY(parse_format(job.run.format, kFormats));
  const auto prepared = ASSAY_TRY(prepare(job));
  const auto history = ASSAY_TRY(run_here(prepared, job.run));
  const std::string text = format == Format::kJson  ? to_json(history)
                           : format == Format::kCsv ? to_csv(history)
                                                    : to_text(history, stdout_style());
  return print_report(text) ? kNothingViolated : kUsage;
}

}  // namespace

Command add_suite(App& root) {
  App* app = root.add_subcommand(
      "suite",
      "The check of a continuous integration: audits, claims and accounts of one TOML file");
  app->require_subcommand(1);
  app->footer(
      "Exit status: 0 nothing failed, 1 violated or regressed, 2 misconfigured, or a report that\n"
      "could not be written, 3 inconclusive where power was required or with\n"
      "--fail-on-inconclusive, 4 an entry could not run, 5 internal error.\n"
      "Of several the first of 2, 4, 1, 3. Entries with severity warn or allow, and suppressed\n"
      "ones, change it by 2 alone.");
  const App* run = add_job<SuiteRunJob>(
      *app, "run", "Run the entries of a suite; a guarantee that got weaker fails it");
  const App* list = add_job<SuiteListJob>(
      *app, "list", "What a run would do, with each entry's share of the error probability");
  const App* init = add_job<SuiteInitJob>(
      *app, "init", "Ask a policy what it is, and write a commented suite for it");
  const App* update = add_job<SuiteUpdateJob>(
      *app, "update", "Run the whole suite and write what it came to as its baseline");
  const App* compare = add_job<SuiteCompareJob>(
      *app, "compare", "How a run differs from a baseline or another run; exit 1 if for the worse");
  const App* history = add_job<SuiteHistoryJob>(
      *app, "history", "How each certified bound and time moved from run to run");
  const App* schema = app->add_subcommand("schema", "JSON schema of a suite, for editors");
  return {app, [=]() -> Result<int> {
            if (run->parsed()) return run_suite_here(*run);
            if (list->parsed()) return list_suite(*list);
            if (init->parsed()) return begin_suite(*init);
            if (update->parsed()) return update_baseline(*update);
            if (compare->parsed()) return compare_runs(*compare);
            if (history->parsed()) return show_history(*history);
            if (schema->parsed()) return print_report(suite_schema()) ? kNothingViolated : kUsage;
            return fail(ErrorCode::kInternal, "a subcommand without its job");
          }};
}

}  // namespace assay::cli
