// assay suite: runs the entries of one TOML file, for continuous integration.
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

// The status of the worst failure. Errors outrank findings.
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
    } else if (status == EntryStatus::kInconclusive || status == EntryStatus::kWeak) {
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
  auto job = ASSAY_TRY(read_job<SuiteRunJob>(app));
  job.run.inputs = {job.suite.file};
  const auto prepared = ASSAY_TRY(prepare(job));
  const auto outputs = ASSAY_TRY(SuiteOutputs::open(job.run.format, job.reports, job.run.write));
  ASSAY_TRY(check_quiet(job.run));
  const auto [report, history, kept] = ASSAY_TRY(run_here(prepared, job.run));
  if (!kept) print_error(kept.error());
  const auto written = outputs.write(report, history);
  if (!written) print_error(written.error());
  TextStyle style = stdout_style();
  style.full = job.run.full;
  const std::string text = job.run.quiet ? plain_text(suite_headline(report)) + "\n"
                                         : rendered(report, outputs.format, history, style);
  const bool printed =
      print_report(text) && (!outputs.annotates || print_unchanged(to_github(report)));
  if (!printed || !written || !kept) return kUsage;
  return exit_code(report);
}

Result<int> list_suite(const App& app) {
  const auto job = ASSAY_TRY(read_job<SuiteListJob>(app));
  const auto prepared = ASSAY_TRY(prepare(job));
  const auto listing = ASSAY_TRY(run_here(prepared, job.run));
  std::string names;
  for (const auto& entry : listing.entries) {
    const SuiteEntry& written = listing.suite.entries[entry.index];
    names += written.id;
    if (job.tags) {
      names += "\t" + detail::value_text(written.tier);
      for (const std::string& tag : written.tags) names += "\t" + tag;
    }
    names += "\n";
  }
  const bool plain = job.names || job.tags;
  if (!print_report(plain ? names : to_text(listing, stdout_style()))) return kUsage;
  const bool fits = std::all_of(listing.entries.begin(), listing.entries.end(),
                                [](const auto& entry) { return !entry.result.error; });
  return fits ? kNothingViolated : kUsage;
}

Result<int> begin_suite(const App& app) {
  const auto job = ASSAY_TRY(read_job<SuiteInitJob>(app));
  const auto prepared = ASSAY_TRY(prepare(job));
  const auto start = ASSAY_TRY(run_here(prepared, RunOptions{}));
  const auto kind = enum_names(ProbedKind{})[static_cast<std::size_t>(start.probed.kind)].second;
  std::string text =
      "written: " + start.file + ", for " + start.probed.word + " (" + std::string(kind) + ")\n";
  for (const std::string& mistake : start.mistakes) text += "mistake: " + mistake + "\n";
  if (!start.failure.empty()) text += "the dry run failed: " + start.failure + "\n";
  std::string first;
  if (!start.mistakes.empty()) first = "correct the target (`assay try` shows its runs), then ";
  if (!start.failure.empty()) first = "make the target work (`assay try` shows more), then ";
  if (start.lacks_claim) first += "state the claim in " + start.file + ", then ";
  text += "next: " + first + "assay suite run " + start.file +
          "; add .assay/, the history of its runs, to .gitignore\n";
  if (!print_report(text)) return kUsage;
  if (!start.failure.empty()) return kTargetFailed;
  return start.mistakes.empty() ? kNothingViolated : kInconclusive;
}

Result<int> update_baseline(const App& app) {
  const auto job = ASSAY_TRY(read_job<SuiteUpdateJob>(app));
  const auto prepared = ASSAY_TRY(prepare(job));
  const auto update = ASSAY_TRY(run_here(prepared, job.run));
  TextStyle style = stdout_style();
  style.full = false;
  const auto text = job.run.quiet ? plain_text(suite_headline(update.report)) + "\n"
                                  : to_text(update.report, style);
  if (!print_report(text)) return kUsage;
  print_note("written: " + update.file);
  return exit_code(update.report);
}

Result<int> compare_runs(const App& app) {
  constexpr std::array kFormats = {Format::kText, Format::kJson};
  const auto job = ASSAY_TRY(read_job<SuiteCompareJob>(app));
  const auto outputs = ASSAY_TRY(Outputs::open(job.run, kFormats));
  const auto prepared = ASSAY_TRY(prepare(job));
  const auto comparison = ASSAY_TRY(run_here(prepared, job.run));
  const std::string headline =
      comparison.regresses() ? "A guarantee got weaker." : "No guarantee got weaker.";
  if (!deliver_report(outputs, comparison, headline)) return kUsage;
  return comparison.regresses() ? kViolated : kNothingViolated;
}

Result<int> show_history(const App& app) {
  constexpr std::array kFormats = {Format::kText, Format::kCsv, Format::kJson};
  const auto job = ASSAY_TRY(read_job<SuiteHistoryJob>(app));
  const auto outputs = ASSAY_TRY(Outputs::open(job.run, kFormats));
  const auto prepared = ASSAY_TRY(prepare(job));
  const auto history = ASSAY_TRY(run_here(prepared, job.run));
  return deliver_report(outputs, history) ? kNothingViolated : kUsage;
}

}  // namespace

Command add_suite(App& root) {
  App* app = root.add_subcommand(
      {.name = "suite",
       .summary =
           "Run the audits, claims and accounts of one TOML file, for continuous integration",
       .examples = {{"Write a suite for a policy", "assay suite init --exec \"python3 policy.py\""},
                    {"Run it", "assay suite run"},
                    {"Write its results as the baseline of later runs", "assay suite update"}},
       .notes =
           {"assay.toml(5) describes the file. If several statuses apply, the first of 2, 4, 1, 3 "
            "counts. Entries with severity warn or allow, and suppressed ones, can only cause status 2."},
       .exit = {{0, "nothing failed"},
                {1, "a guarantee is violated, or got weaker than in the baseline"},
                {2, "the suite is misconfigured, or a report could not be written"},
                {3,
                 "an entry that requires power is inconclusive; with --fail-on-inconclusive, any "
                 "entry is"},
                {4, "an entry could not run"},
                {5, "an internal error"}}});
  app->require_subcommand(1, 1);
  const App* run = add_job<SuiteRunJob>(
      *app, {.name = "run",
             .summary = "Run the entries of a suite, and fail if a guarantee got weaker",
             .examples = {
                 {"Run the quick entries", "assay suite run --tier smoke"},
                 {"Write reports for a build server",
                  "assay suite run -w suite.html -w suite.xml -w suite.sarif"},
                 {"Compare with a baseline", "assay suite run --baseline assay.baseline.toml"}}});
  const App* list = add_job<SuiteListJob>(
      *app,
      {.name = "list",
       .summary =
           "List the entries that a run would check, each with its share of the error probability",
       .examples = {
           {"List all entries", "assay suite list"},
           {"List the quick entries of another file", "assay suite list other.toml --tier smoke"},
           {"Print their names, for scripts", "assay suite list --names"}}});
  const App* init = add_job<SuiteInitJob>(
      *app,
      {.name = "init",
       .summary = "Detect the kind of a policy, and write a commented suite for it",
       .examples = {{"Write a suite for a program",
                     "assay suite init --exec \"python3 policy.py\""},
                    {"Write one for a shared library, to another file",
                     "assay suite init ./libpolicy.so -w privacy.toml"},
                    {"Write one for a case", "assay suite init thompson-sampling"}},
       .exit = {{0, "the suite is written"},
                {2, "the command is wrong, or the file cannot be written"},
                {3, "the suite is written, but a dry run found a mistake to correct first"},
                {4, "the target cannot be started, or its dry run failed, which the suite says"},
                {5, "an internal error"}}});
  const App* update = add_job<SuiteUpdateJob>(
      *app,
      {.name = "update",
       .summary = "Run the whole suite, and write its results as the baseline",
       .examples = {{"Write the baseline of the suite", "assay suite update"},
                    {"Write it to another file", "assay suite update --baseline main.toml"}}});
  const App* compare = add_job<SuiteCompareJob>(
      *app,
      {.name = "compare",
       .summary = "Show how a run differs from a baseline or another run, and fail if it is worse",
       .examples = {
           {"Compare a run with a baseline", "assay suite compare assay.baseline.toml run.json"},
           {"Compare two runs, and write the result",
            "assay suite compare before.json now.json -w changes.json"}}});
  const App* history = add_job<SuiteHistoryJob>(
      *app,
      {.name = "history",
       .summary = "Show how each certified bound, and each running time, changed from run to run",
       .examples = {{"Show all entries", "assay suite history"},
                    {"Show some of them as CSV, for other programs",
                     "assay suite history 'counter-*' --format csv"}}});
  const App* schema = app->add_subcommand(
      {.name = "schema",
       .summary = "Print the JSON schema of suites, for editors",
       .examples = {{"Write the schema to a file", "assay suite schema > suite.schema.json"}}});
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
