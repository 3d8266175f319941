#include "assay/auditors/suite/suite_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>

#include "assay/auditors/audit/target_options.hpp"
#include "assay/auditors/statistics/alpha_ledger.hpp"
#include "assay/auditors/suite/baseline.hpp"
#include "assay/auditors/suite/python_imports.hpp"
#include "assay/auditors/suite/reuse.hpp"
#include "assay/auditors/suite/standing.hpp"
#include "assay/auditors/suite/starter_budget.hpp"
#include "assay/auditors/suite/suppressions.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/core/contains.hpp"
#include "assay/mechanisms/core/files.hpp"
#include "assay/mechanisms/core/map_chunks.hpp"
#include "assay/policies/external/child_process.hpp"
#include "assay/policies/external/containment.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;

// The default time of the smoke tier, which ends within 10 s.
constexpr double kSmokeSeconds = 8.0;
constexpr const char* kHistoryFile = ".assay/history.sqlite";
constexpr const char* kBaselineFile = "assay.baseline.toml";

// ---- options ------------------------------------------------------------------------------------

OptionText suite_option() {
  return {.name = "file",
          .type = "FILE",
          .help = "Read this suite.",
          .is_positional = true,
          .shows_default = true,
          .default_text = "assay.toml"};
}
OptionText run_seed_option() {
  return seed_option("that of the suite, or one drawn for this run and printed");
}
OptionText history_option() {
  return {.name = "history",
          .type = "FILE",
          .help =
              "Record all runs in this SQLite file, so that one confidence holds for all of them; "
              "`none` keeps no history.",
          .group = OptionGroup::kComparison,
          .environment = "ASSAY_HISTORY",
          .default_text = "that of the suite, or .assay/history.sqlite beside it"};
}
OptionText revision_option() {
  return {.name = "revision",
          .help = "Name the audited revision in reports and in the history, for example a commit.",
          .group = OptionGroup::kComparison,
          .environment = "ASSAY_REVISION"};
}

template <class Job>
void visit_selection(const VisitOption<Job>& visit) {
  const auto at = &Job::suite;
  visit(option(at, &SuiteOptions::file, suite_option()));
  visit(option(at, &SuiteOptions::tier,
               {.name = "tier",
                .type = "TIER",
                .help = "Take all entries (full), or only those of tier smoke, which run within 10 "
                        "seconds.",
                .shows_default = true}));
  visit(option(
      at, &SuiteOptions::entries,
      {.name = "entry", .type = "NAME", .help = "Take only these entries, by name or pattern."}));
  visit(option(at, &SuiteOptions::tags,
               {.name = "tag", .help = "Take only the entries with one of these tags."}));
}

template <class Job>
void visit_tolerances(const VisitOption<Job>& visit, OptionUse<typename Job::Facts> use = {}) {
  const auto add = [&](double Tolerances::*member, const char* name, const char* help) {
    visit(option(&Job::tolerances, member,
                 {.name = name,
                  .type = "SHARE",
                  .help = help,
                  .group = OptionGroup::kComparison,
                  .range = {0.0, 1e6},
                  .shows_default = true},
                 use));
  };
  add(&Tolerances::bound, "tolerance",
      "Allow a certified bound to be larger than in the baseline by this share.");
  add(&Tolerances::power, "power-tolerance",
      "Allow the smallest visible violation to be larger by this share.");
  add(&Tolerances::time, "time-tolerance",
      "Allow the median of a time to be longer by this share. Only a time that a rank test calls longer counts.");
}

// ---- files --------------------------------------------------------------------------------------

Result<SuiteFile> read(const std::string& file) {
  auto suite = read_suite(file);
  if (!suite && suite.error().code == ErrorCode::kIo) {
    suite.error().message += "; `assay suite init` writes one";
  }
  return suite;
}

// A file named in the suite is beside it; one of an option is in the folder of the command. Empty for none.
Result<std::string> file_of(const std::string& option, const std::string& of_suite,
                            const SuiteFile& suite) {
  if (option == "none") return "";
  if (!option.empty()) return absolute_path(option);
  if (of_suite.empty() || of_suite == "none") return "";
  return (fs::path(suite.folder) / of_suite).string();
}

Result<std::string> history_of(const std::string& option, const SuiteFile& suite) {
  return file_of(option, suite.history.empty() ? kHistoryFile : suite.history, suite);
}

// ---- a run --------------------------------------------------------------------------------------

// All data of a run except the session.
struct PlannedRun {
  SuiteRunJob job;
  SuiteFile suite;
  SuiteRequest request;
  std::string history, baseline;  // files; empty for none
  std::optional<Baseline> before;
};

SuiteSelection selection_of(const SuiteOptions& options) {
  return {options.tier, options.entries, options.tags};
}

Result<PlannedRun> plan(const SuiteRunJob& job) {
  PlannedRun run;
  run.job = job;
  run.suite = ASSAY_TRY(read(job.suite.file));
  ASSAY_TRY(check_suppressions(run.suite.suppressions));
  if (!job.today.empty()) {
    SuiteReport none;
    ASSAY_TRY(apply_suppressions(none, run.suite.suppressions, job.today));
    ASSAY_TRY(check_clears(run.suite.clears, job.today));
  }
  ASSAY_TRY(check_tolerances(job.tolerances));
  run.request.selection = selection_of(job.suite);
  ASSAY_TRY(select_entries(run.suite, run.request.selection));
  run.request.seconds = job.seconds;
  if (!job.seconds && job.suite.tier == Tier::kSmoke) run.request.seconds = kSmokeSeconds;
  run.history = ASSAY_TRY(history_of(job.history, run.suite));
  run.baseline = ASSAY_TRY(file_of(job.baseline, run.suite.baseline, run.suite));
  if (!run.baseline.empty()) run.before = ASSAY_TRY(read_compared(run.baseline));
  return run;
}

// It is known only in the run; the report names it.
std::uint64_t drawn_seed() {
  std::random_device device;
  return ((std::uint64_t{device()} << 32) | device()) >> 16;
}

// Leaves out entries that the run was not asked for: they have not vanished.
Baseline of_selection(Baseline baseline, const SuiteFile& suite, const SuiteReport& report) {
  const auto is_left_out = [&](const BaselineEntry& one) {
    const auto is_it = [&](const auto& entry) { return entry.id == one.id; };
    return std::any_of(suite.entries.begin(), suite.entries.end(), is_it) &&
           std::none_of(report.entries.begin(), report.entries.end(), is_it);
  };
  auto& entries = baseline.entries;
  entries.erase(std::remove_if(entries.begin(), entries.end(), is_left_out), entries.end());
  return baseline;
}

// A history goes on from run to run, so a run is repeated without it.
std::string reproduce(const PlannedRun& run, std::uint64_t seed, std::int64_t number) {
  SuiteRunJob spelled = run.job;
  spelled.written.clear();
  spelled.seed = seed;
  if (!run.history.empty()) spelled.as_run = number;
  spelled.history = "none";
  return command_line("assay suite run", spelled,
                      {"file", "tier", "entry", "tag", "keep-shares", "time", "seed", "history",
                       "as-run", "baseline"});
}

// Why an entry may be weak that held in an earlier run.
void explain_weakness(std::int64_t number, double alpha, SuiteReport& report) {
  const bool is_any_weak =
      std::any_of(report.entries.begin(), report.entries.end(),
                  [](const EntryResult& entry) { return entry.status == EntryStatus::kWeak; });
  if (number == 1 || !is_any_weak) return;
  report.notes.push_back(fmt::format(
      "run {} of a history has {} of the error probability of run 1, so its tests are stricter and an "
      "entry that held may be weak; an audit with see, and without runs, makes as many runs as it needs",
      number, rounded(report.alpha / alpha_of_run(alpha, 1), 2)));
}

StandingTerms standing_terms(const SuiteFile& suite) {
  StandingTerms terms;
  terms.suite = suite.name;
  for (const auto& entry : suite.entries) terms.ids.push_back(entry.id);
  return terms;
}

// Judges an entry by the present history.
Result<Standing> standing_in(const History& history, const PreparedEntry& entry,
                             const StandingTerms& terms) {
  const auto recorded = ASSAY_TRY(history.violations(entry.result.id, entry.identity.target));
  return standing_of(entry.result, entry.identity, recorded, terms);
}

// The evidence of earlier runs on its content, without the runs that a clear of a later violation sets aside.
Result<std::optional<EntryResult>> known_in(const History& history, const PreparedEntry& entry,
                                            const StandingTerms& terms, double alpha) {
  const auto standing = ASSAY_TRY(standing_in(history, entry, terms));
  return history.find(entry.result.content, alpha, standing.cleared_until);
}

// Notes on violations beside those that stand: how to end those of this run, and what clears did.
Status add_standing(const History& history, const StandingTerms& terms,
                    const std::vector<IdentifiedEntry>& entries, SuiteReport& report) {
  for (auto& result : report.entries) {
    if (result.status != EntryStatus::kViolated || result.reused_from) continue;
    for (const auto& [id, identity] : entries) {
      if (id == result.id) {
        result.details.insert(result.details.begin(), how_it_ends(id, identity));
      }
    }
  }
  const auto notes = standing_notes(ASSAY_TRY(history.violations()), terms, entries);
  report.notes.insert(report.notes.end(), notes.begin(), notes.end());
  return {};
}

// Files by which later runs judge: a program of the suite may only read them. The history's folder has a journal, too,
// unless programs may want to write there.
std::vector<std::string> files_to_keep(const PlannedRun& run) {
  std::vector<std::string> files;
  std::error_code none;
  const auto suite = absolute_path(run.suite.path);
  if (suite && fs::is_regular_file(*suite, none)) files.push_back(*suite);  // not /dev/stdin
  if (!run.baseline.empty()) files.push_back(run.baseline);
  if (run.history.empty()) return files;
  const fs::path folder = fs::path(run.history).parent_path();
  const bool is_its_own = folder.filename() == fs::path(kHistoryFile).parent_path();
  files.push_back((is_its_own ? folder : fs::path(run.history)).string());
  return files;
}

// The history of the first process; the others work on a copy, which they throw away.
class SharedHistory {
 public:
  static Result<SharedHistory> open(const std::string& path, const RunControl& control) {
    SharedHistory shared;
    const auto open_here = [&](const std::string& file) -> Status {
      shared.history_ = ASSAY_TRY(
          History::open(file, History::IfMissing::kMake, History::kPatience, control.cancel));
      return {};
    };
    if (!is_shared(control)) {
      ASSAY_TRY(open_here(path));
      return shared;
    }
    const auto bytes = ASSAY_TRY(found_by_first(control, [&]() -> Result<std::string> {
      ASSAY_TRY(open_here(path));
      return read_whole_file(path, kMostHistory, FileKind::kRegular);
    }));
    if (control.engine->is_first()) return shared;
    const detail::InPlace inside(detail::Place::kChunk);
    shared.folder_ = std::make_unique<TemporaryFolder>();
    if (shared.folder_->path.empty()) {
      return fail(ErrorCode::kIo, "cannot make a folder for a copy of the history",
                  fs::temp_directory_path().string());
    }
    const std::string copy = (shared.folder_->path / "history.sqlite").string();
    ASSAY_TRY(replace_file(copy, bytes));
    ASSAY_TRY(open_here(copy));
    return shared;
  }
  History& get() { return *history_; }

 private:
  static constexpr std::size_t kMostHistory = std::size_t{1} << 31;
  struct TemporaryFolder {
    TemporaryFolder() {
      std::string name = (fs::temp_directory_path() / "assay-XXXXXX").string();
      if (mkdtemp(name.data()) != nullptr) path = name;
    }
    ~TemporaryFolder() {
      std::error_code ignored;
      if (!path.empty()) fs::remove_all(path, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    fs::path path;
  };
  std::unique_ptr<TemporaryFolder> folder_;
  std::optional<History> history_;
};

Result<SuiteOutcome> perform(const PlannedRun& run, const Session& session) {
  const SuiteRunJob& job = run.job;
  const std::string started =
      found_by_first(session.control, [&] { return session.meta().started; });
  const std::string today = job.today.empty() ? started.substr(0, 10) : job.today;
  ASSAY_TRY(check_clears(run.suite.clears, today));
  SuiteRequest asked = run.request;
  asked.seed = job.seed         ? *job.seed
               : run.suite.seed ? *run.suite.seed
                                : found_by_first(session.control, drawn_seed);
  const double whole = alpha_of(run.suite.confidence);
  asked.alpha = whole;
  asked.keeps_shares = job.keep_shares;
  SuiteHooks hooks;
  hooks.on_result = job.on_result;
  hooks.reuses = !job.no_reuse;
  SuiteOutcome outcome;
  StandingTerms terms = standing_terms(run.suite);
  std::vector<IdentifiedEntry> entries;
  const ReadOnlyForChildren read_only(files_to_keep(run));
  std::optional<SharedHistory> shared;
  History* history = nullptr;
  std::int64_t number = 1;
  if (job.as_run) {
    number = *job.as_run;
    asked.alpha = alpha_of_run(asked.alpha, number);
    asked.adds_up = true;  // which takes a share of alpha
  } else if (!run.history.empty()) {
    shared = ASSAY_TRY(SharedHistory::open(run.history, session.control));
    history = &shared->get();
    number = ASSAY_TRY(history->begin_run(run.suite.name, job.revision, started));
    if (found_by_first(session.control, [&] { return number; }) != number) {
      return fail(ErrorCode::kIo, "another run began meanwhile; start again", run.history);
    }
    asked.alpha = alpha_of_run(asked.alpha, number);
    asked.adds_up = true;
    // No run repeats the random numbers of another, even if the seed is fixed.
    if (job.seed || run.suite.seed) asked.seed = seed_of_run(asked.seed, number);
    terms.run = number;
    terms.clears = ASSAY_TRY(history->see(run.suite.clears, true));
    ASSAY_TRY(history->guard(number));
    hooks.known = [&](const PreparedEntry& entry) {
      entries.push_back({entry.result.id, entry.identity});
      return known_in(*history, entry, terms, whole);
    };
    hooks.standing = [&](const PreparedEntry& entry) -> Result<std::optional<EntryResult>> {
      return ASSAY_TRY(standing_in(*history, entry, terms)).violated;
    };
    hooks.take = [&](const PreparedEntry& entry) -> Result<ContentEvidence> {
      const auto standing = ASSAY_TRY(standing_in(*history, entry, terms));
      return history->take(entry.result.content, number, kShareOfEvidence * entry.alpha, whole,
                           standing.cleared_until);
    };
    hooks.give_back = [&](const PreparedEntry& entry, const ContentEvidence& evidence) {
      const auto kept = history->give_back(entry.result.content, number, evidence);
      if (!kept) outcome.kept = kept;
    };
    hooks.on_violation = [&](const PreparedEntry& entry) {
      const auto kept = history->record({0, number, "", today, entry.identity, entry.result});
      if (!kept) outcome.kept = kept;
    };
  }
  SuiteReport& report = outcome.report;
  report = ASSAY_TRY(run_suite(run.suite, asked, session, hooks));
  if (history) ASSAY_TRY(add_standing(*history, terms, entries, report));
  report.run = number;
  report.revision = job.revision;
  report.fails_on_inconclusive = job.fail_on_inconclusive;
  report.reproduce = reproduce(run, asked.seed, number);
  explain_weakness(number, whole, report);
  ASSAY_TRY(apply_suppressions(report, run.suite.suppressions, today));
  if (run.before && report.interrupted) {
    report.notes.emplace_back("interrupted: not compared with the baseline");
  } else if (run.before) {
    report.baseline = fs::path(run.baseline).filename().string();
    const auto comparison =
        compare(of_selection(*run.before, run.suite, report), baseline_of(report), job.tolerances);
    report.changes = comparison.changes;
    report.notes.insert(report.notes.end(), comparison.notes.begin(), comparison.notes.end());
  }
  if (!history) {
    report.notes.emplace_back(
        "without a history the confidence is that of this run alone, and violations of earlier runs are "
        "not known");
    return outcome;
  }
  // The findings are reported even if the file cannot be written.
  if (const auto kept = history->store(report); !kept) outcome.kept = kept;
  auto series = history->series("*");
  if (series) {
    outcome.history = *std::move(series);
  } else if (outcome.kept) {
    outcome.kept = tl::make_unexpected(series.error());
  }
  if (!outcome.kept) {
    report.notes.push_back("not recorded in the history: " + outcome.kept.error().to_string());
  }
  return outcome;
}

// What would make shards of one run differ.
Status check_shard(const SuiteRunJob& job, const PlannedRun& run) {
  const auto refuse = [](const std::string& why) {
    return fail(ErrorCode::kInvalidArgument, "--shard " + why);
  };
  if (!job.seed && !run.suite.seed) return refuse("needs --seed, which all shards then share");
  if (job.seconds || job.suite.tier == Tier::kSmoke) {
    return refuse("takes no time budget: shards would stop at different places");
  }
  return {};
}

}  // namespace

void SuiteRunJob::fields(const VisitOption<SuiteRunJob>& visit) {
  using J = SuiteRunJob;
  using F = const SuiteFacts&;
  visit_selection<J>(visit);
  visit(
      option(&J::keep_shares,
             {.name = "keep-shares",
              .help = "Give each entry the share of the error probability that it has in a run of "
                      "the whole suite. Runs that take each entry once then hold together with the "
                      "confidence of the suite."}));
  auto time = time_option({0.5, 1e9, "seconds"});
  time.help += " Entries share it in proportion to their values.";
  time.formerly = "time-budget";
  time.default_text = "no limit; 8 for --tier smoke";
  visit(option(&J::seconds, time));
  visit(option(&J::run, &RunOptions::threads, threads_option()));
  visit_shard<J>(visit, {"a run without a history", [](F f) { return !f.remembers; }});
  visit(option(&J::seed, run_seed_option()));
  visit(option(&J::history, history_option()));
  visit(option(&J::no_reuse,
               {.name = "no-reuse",
                .help = "Run unchanged entries too. Their results add to what is known.",
                .group = OptionGroup::kComparison},
               {"a run that has a history", [](F f) { return f.remembers; }}));
  visit(option(&J::as_run,
               {.name = "as-run",
                .type = "NUMBER",
                .help = "Give the entries the shares of the error probability that they have in "
                        "this run of a history, to repeat it with its seed.",
                .group = OptionGroup::kComparison,
                .range = {1, 1e9, "runs"}},
               {"a run without a history", [](F f) { return !f.remembers; }}));
  visit(
      option(&J::baseline,
             {.name = "baseline",
              .type = "FILE",
              .help = "Compare with this file, which `assay suite update` wrote, or with the JSON "
                      "report of a run; `none` compares with nothing.",
              .group = OptionGroup::kComparison,
              .default_text = "that of the suite"}));
  visit_tolerances<J>(visit, {"a run that has a baseline", [](F f) { return f.compares; }});
  visit(option(
      &J::today,
      {.name = "today",
       .type = "DAY",
       .help =
           "Take this as the day of the run, for example 2026-11-23. It decides which suppressions "
           "have expired and is recorded with violations. No clear may have a later date.",
       .group = OptionGroup::kComparison,
       .default_text = "today in UTC"},
      {"a run that has a history, or a suite with [[suppress]]",
       [](F f) { return f.remembers || f.suppresses; }}));
  visit(option(&J::revision, revision_option()));
  visit(option(&J::run, &RunOptions::format,
               format_option({"text", "json", "sarif", "junit", "codequality", "html", "markdown",
                              "github-summary"})));
  visit(option(&J::run, &RunOptions::quiet, quiet_option()));
  auto full = full_option();
  full.help =
      "Print the whole report: of each failure also all bounds, notes and inputs. Files and pages "
      "always have all of it.";
  visit(option(&J::run, &RunOptions::full, full));
  visit(option(&J::run, &RunOptions::write,
               write_option(".txt, .json, .sarif, .xml (JUnit), .html or .md")));
  visit(option(
      &J::reports,
      {.name = "report",
       .type = "KIND=FILE",
       .help = "Also write a report of this kind, whatever the ending of its file: text, "
               "json, sarif, junit, codequality (GitLab), html, markdown or github-summary. "
               "`github` without a file prints annotations, and `github-summary` without one "
               "adds to the summary of the step.",
       .group = OptionGroup::kOutput}));
  visit(option(
      &J::fail_on_inconclusive,
      {.name = "fail-on-inconclusive",
       .help = "Exit with 3 on any inconclusive entry, not only on an account that misses its "
               "bound.",
       .group = OptionGroup::kOutput}));
}

void SuiteListJob::fields(const VisitOption<SuiteListJob>& visit) {
  visit_selection<SuiteListJob>(visit);
  visit(
      option(&SuiteListJob::names,
             {.name = "names",
              .help = "Print only the names of the entries, one per line, for scripts. Nothing of "
                      "an entry is checked."}));
  visit(option(
      &SuiteListJob::tags,
      {.name = "tags",
       .help = "As --names; the tier and the tags of an entry follow its name, after tabs."}));
  visit(option(&SuiteListJob::history, history_option()));
}

void SuiteInitJob::fields(const VisitOption<SuiteInitJob>& visit) {
  using J = SuiteInitJob;
  visit(option(
      &J::policy,
      {.name = "policy",
       .type = "POLICY",
       .help = "Write a suite for this policy: a case, the command of a program, a shared library, "
               "or recorded runs.",
       .is_positional = true}));
  visit(option(&J::exec, exec_option()));
  visit(option(&J::claim,
               {.name = "claim",
                .type = "LEVEL",
                .help = "Write this claim into the suite, and for a program or shared library the "
                        "runs that see a leak of 1.5 times the claim. A dry run tells how long "
                        "these take; ten minutes are the most.",
                .group = OptionGroup::kClaim,
                .default_text = "left for you to state"}));
  visit_shape<J>(
      [&](Option<J> one) {
        one.text.shows_default = false;  // what is not given is found out
        visit(std::move(one));
      },
      {});
  visit(option(&J::domain, domain_option()));
  visit(option(&J::file, {.name = "write",
                          .type = "FILE",
                          .help = "Write the suite to this file, which must not exist.",
                          .group = OptionGroup::kOutput,
                          .formerly = "output",
                          .letter = 'w',
                          .shows_default = true}));
}

void SuiteUpdateJob::fields(const VisitOption<SuiteUpdateJob>& visit) {
  using J = SuiteUpdateJob;
  visit(option(&J::file, suite_option()));
  visit(option(&J::run, &RunOptions::threads, threads_option()));
  visit(option(&J::seed, run_seed_option()));
  visit(option(&J::baseline,
               {.name = "baseline",
                .type = "FILE",
                .help = "Write the baseline to this file.",
                .group = OptionGroup::kComparison,
                .default_text = "that of the suite, or assay.baseline.toml beside it"}));
  visit(option(&J::history, history_option()));
  visit(option(&J::revision, revision_option()));
  visit(option(&J::run, &RunOptions::quiet, quiet_option()));
}

void SuiteCompareJob::fields(const VisitOption<SuiteCompareJob>& visit) {
  using J = SuiteCompareJob;
  visit(option(&J::before, {.name = "base",
                            .type = "BASE",
                            .help = "Compare with this baseline, or JSON report of a run.",
                            .is_positional = true,
                            .is_required = true}));
  visit(option(&J::now, {.name = "new",
                         .type = "NEW",
                         .help = "Compare this baseline, or JSON report of a run.",
                         .is_positional = true,
                         .is_required = true}));
  visit_tolerances<J>(visit);
  visit_output(visit, {"text", "json"});
}

void SuiteHistoryJob::fields(const VisitOption<SuiteHistoryJob>& visit) {
  using J = SuiteHistoryJob;
  visit(option(&J::entries, {.name = "entry",
                             .type = "NAME",
                             .help = "Show these entries, by name or pattern.",
                             .is_positional = true,
                             .shows_default = true}));
  visit(option(&J::suite, {.name = "suite",
                           .type = "FILE",
                           .help = "Show the history of this suite.",
                           .shows_default = true}));
  visit(option(&J::history, history_option()));
  visit_output(visit, {"text", "csv", "json"}, false);
}

Result<PreparedJob<SuiteOutcome>> prepare(const SuiteRunJob& job) {
  const auto run = ASSAY_TRY(plan(job));
  const SuiteFacts facts = {run.before.has_value(), !run.history.empty(),
                            !run.suite.suppressions.empty()};
  ASSAY_TRY(check_options(job, facts, "this run"));
  if (!job.run.shard.empty()) ASSAY_TRY(check_shard(job, run));
  return [run](const Session& session) { return perform(run, session); };
}

Result<PreparedJob<SuiteListing>> prepare(const SuiteListJob& job) {
  ASSAY_TRY(check_options(job, {}, "a list of a suite"));
  const auto suite = ASSAY_TRY(read(job.suite.file));
  return [job, suite](const Session& session) -> Result<SuiteListing> {
    SuiteRequest request;
    request.selection = selection_of(job.suite);
    request.alpha = alpha_of(suite.confidence);
    const std::string history = ASSAY_TRY(history_of(job.history, suite));
    StandingTerms terms = standing_terms(suite);
    SuiteListing listing{suite, detail::value_text(job.suite.tier), request.alpha, {}};
    if (job.names || job.tags) {
      for (const std::size_t index : ASSAY_TRY(select_entries(suite, request.selection))) {
        PreparedEntry entry;
        entry.index = index;
        entry.result.id = suite.entries[index].id;
        listing.entries.push_back(std::move(entry));
      }
      return listing;
    }
    listing.entries = ASSAY_TRY(prepare_entries(suite, request));
    if (history.empty() || !path_exists(history)) return listing;
    auto known = ASSAY_TRY(History::open(history, History::IfMissing::kRefuse, History::kPatience,
                                         session.control.cancel));
    terms.clears = ASSAY_TRY(known.see(suite.clears, false));
    for (auto& entry : listing.entries) {
      auto before = ASSAY_TRY(standing_in(known, entry, terms)).violated;
      if (!before) before = ASSAY_TRY(known_in(known, entry, terms, request.alpha));
      if (!before) continue;
      entry.result.seconds = before->seconds;
      if (is_decided(*before)) entry.result.reused_from = before->reused_from;
    }
    return listing;
  };
}

namespace {

Result<ProbeLimits> stated_shape(const SuiteInitJob& job) {
  ProbeLimits stated;
  stated.stated = job.shape;
  const auto fields = field_values(job.shape);
  for (const auto& written : written_options(job)) {
    const bool is_field = std::any_of(fields.begin(), fields.end(), [&](const KeyValue& field) {
      return field.key == written.name;
    });
    if (is_field) stated.stated_fields.push_back(written.name);
  }
  if (job.domain.empty()) return stated;
  auto domain = parse_domain(job.domain);
  if (!domain) return fail(ErrorCode::kInvalidArgument, "--" + domain.error().message);
  stated.stated.domain = *domain;
  return stated;
}

// The arguments of a command that are files, also from the folder of the suite, where its names begin, with the modules
// that Python scripts among them import; the program itself if there is none, unless PATH finds it.
std::vector<std::string> files_named(const std::string& command, const std::string& suite) {
  std::vector<std::string> files;
  const auto words = split_command(command);
  if (!words) return files;
  const fs::path folder = fs::path(suite).parent_path();
  const auto is_file = [&](const std::string& word) {
    std::error_code ignored;
    return fs::is_regular_file(word, ignored) && fs::is_regular_file(folder / word, ignored);
  };
  std::copy_if(words->begin() + 1, words->end(), std::back_inserter(files), is_file);
  const std::string& program = words->front();
  if (files.empty() && program.find('/') != std::string::npos && is_file(program)) {
    files.push_back(program);
  }
  std::vector<std::string> imported;
  for (const std::string& file : files) {
    if (!file.ends_with(".py")) continue;
    for (const std::string& module : python_imports(file)) {
      const bool is_new = !contains(files, module) && !contains(imported, module);
      if (is_new && is_file(module)) imported.push_back(module);
    }
  }
  files.insert(files.end(), imported.begin(), imported.end());
  return files;
}

}  // namespace

Result<PreparedJob<SuiteStart>> prepare(const SuiteInitJob& job) {
  ASSAY_TRY(check_options(job, {}, "the start of a suite"));
  if (job.policy.empty() == job.exec.empty()) {
    return fail(ErrorCode::kInvalidArgument, "suite init needs either a POLICY or --exec COMMAND");
  }
  if (path_exists(job.file)) {
    return fail(ErrorCode::kInvalidArgument, "exists already; name another file with --write",
                job.file);
  }
  ASSAY_TRY(check_replaceable(job.file));
  const auto stated = ASSAY_TRY(stated_shape(job));
  return [job, stated](const Session& session) -> Result<SuiteStart> {
    ProbeLimits limits = stated;
    limits.cancel = session.control.cancel;
    auto probed =
        ASSAY_TRY(job.exec.empty() ? probe(job.policy, limits) : probe_program(job.exec, limits));
    auto terms = ASSAY_TRY(starter_terms(probed, job.claim, session));
    if (probed.kind == ProbedKind::kProgram) terms.depends = files_named(probed.word, job.file);
    ASSAY_TRY(replace_file(job.file, starter_suite(probed, terms)));
    const bool lacks_claim = job.claim.empty() && probed.kind != ProbedKind::kCase;
    return SuiteStart{std::move(probed), job.file, lacks_claim, std::move(terms.mistakes),
                      std::move(terms.failure)};
  };
}

Result<PreparedJob<SuiteUpdate>> prepare(const SuiteUpdateJob& job) {
  ASSAY_TRY(check_options(job, {}, "an update of a baseline"));
  SuiteRunJob all;
  all.suite.file = job.file;
  all.seed = job.seed;
  all.history = job.history;
  all.revision = job.revision;
  all.run = job.run;
  all.baseline = "none";
  const auto run = ASSAY_TRY(plan(all));
  const std::string of_suite = run.suite.baseline.empty() ? kBaselineFile : run.suite.baseline;
  const std::string file = ASSAY_TRY(file_of(job.baseline, of_suite, run.suite));
  if (file.empty())
    return fail(ErrorCode::kInvalidArgument, "--baseline must name the file to write");
  ASSAY_TRY(check_replaceable(file));
  return [run, file](const Session& session) -> Result<SuiteUpdate> {
    auto outcome = ASSAY_TRY(perform(run, session));
    for (const auto& entry : outcome.report.entries) {
      if (!entry.error) continue;
      Error error = *entry.error;
      error.message = "no baseline is written: entry '" + entry.id + "': " + error.message;
      return tl::make_unexpected(error);
    }
    ASSAY_TRY(outcome.kept);
    if (outcome.report.interrupted) {
      return fail(ErrorCode::kInterrupted, "interrupted: no baseline is written");
    }
    ASSAY_TRY(write_baseline(file, baseline_of(outcome.report)));
    return SuiteUpdate{std::move(outcome.report), file};
  };
}

bool SuiteComparison::regresses() const {
  return std::any_of(comparison.changes.begin(), comparison.changes.end(),
                     [](const EntryChange& change) { return change.regresses; });
}

Result<PreparedJob<SuiteComparison>> prepare(const SuiteCompareJob& job) {
  ASSAY_TRY(check_options(job, {}, "a comparison"));
  ASSAY_TRY(check_tolerances(job.tolerances));
  const auto before = ASSAY_TRY(read_compared(job.before));
  const auto now = ASSAY_TRY(read_compared(job.now));
  if (before.entries.empty() && now.entries.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "there is nothing to compare: neither file has an entry", job.now);
  }
  return [job, before, now](const Session&) -> Result<SuiteComparison> {
    return SuiteComparison{job.before, job.now, compare(before, now, job.tolerances)};
  };
}

Result<PreparedJob<SuiteHistory>> prepare(const SuiteHistoryJob& job) {
  ASSAY_TRY(check_options(job, {}, "a history"));
  std::string file = job.history;
  if (file.empty()) {
    const auto suite = ASSAY_TRY(read(job.suite));
    file = ASSAY_TRY(history_of({}, suite));
  }
  if (file.empty() || file == "none") {
    return fail(ErrorCode::kInvalidArgument, "there is no history to show: it is \"none\"");
  }
  return [file, entries = job.entries](const Session& session) -> Result<SuiteHistory> {
    const auto history = ASSAY_TRY(History::open(file, History::IfMissing::kRefuse,
                                                 History::kPatience, session.control.cancel));
    return history.series(entries);
  };
}

}  // namespace assay
