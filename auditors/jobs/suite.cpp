#include "assay/auditors/jobs/suite.hpp"

#include <filesystem>
#include <random>

#include "assay/auditors/statistics/alpha_ledger.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;

template <class Job>
void visit_suite(const VisitOption<Job>& visit) {
  const auto at = &Job::suite;
  visit(option(at, &SuiteOptions::file,
               {.name = "file",
                .type = "FILE",
                .help = "The suite",
                .is_positional = true,
                .shows_default = true}));
  visit(option(at, &SuiteOptions::tier,
               {.name = "tier",
                .type = "smoke|full",
                .help = "Entries to run: those of tier smoke, within 10 seconds, or all",
                .shows_default = true}));
  visit(option(at, &SuiteOptions::entries,
               {.name = "entry",
                .type = "NAME",
                .help = "Only these entries, by name or pattern; repeatable"}));
  visit(option(at, &SuiteOptions::tags,
               {.name = "tag", .help = "Only entries with one of these tags; repeatable"}));
}

Result<SuiteFile> read(const SuiteOptions& options) {
  auto suite = read_suite(options.file);
  if (!suite && suite.error().code == ErrorCode::kIo) {
    suite.error().message += "; `assay suite init` writes one";
  }
  return suite;
}

std::string folder_of(const std::string& file) { return fs::path(file).parent_path().string(); }

SuiteSelection selection_of(const SuiteOptions& options) {
  return {options.tier, options.entries, options.tags};
}

// Nobody can know it before the run; the report names it.
std::uint64_t drawn_seed() {
  std::random_device device;
  return ((std::uint64_t{device()} << 32) | device()) >> 16;
}

// What the smoke tier may take where nothing else is said: it ends within 10 s.
constexpr double kSmokeSeconds = 8.0;

std::string reproduce(const SuiteRunJob& job, std::uint64_t seed) {
  SuiteRunJob spelled = job;
  spelled.written.clear();
  spelled.seed = seed;
  return command_line("assay suite run", spelled,
                      {"file", "tier", "entry", "tag", "time-budget", "seed"});
}

}  // namespace

void SuiteRunJob::fields(const VisitOption<SuiteRunJob>& visit) {
  using J = SuiteRunJob;
  visit_suite<J>(visit);
  visit(
      option(&J::seconds,
             {.name = "time-budget",
              .type = "SECONDS",
              .help = "Time for the whole run, divided by the entries' values (default: no limit; "
                      "8 for --tier smoke)",
              .range = {0.5, 1e9, "seconds"}}));
  visit(
      option(&J::seed, {.name = "seed",
                        .help = "Seed of the run (default: the suite's, or one drawn for this run "
                                "and printed)",
                        .range = at_least(0),
                        .environment = "ASSAY_SEED"}));
  visit(option(&J::revision, {.name = "revision",
                              .help = "What is under audit, for reports and history: a commit",
                              .environment = "ASSAY_REVISION"}));
  visit(option(
      &J::fail_on_inconclusive,
      {.name = "fail-on-inconclusive",
       .help = "Exit 3 on an inconclusive entry too, not only where it lacks required power"}));
  visit(option(
      &J::reports,
      {.name = "report",
       .type = "KIND=FILE",
       .help = "Also write a report, repeatable: text, json, sarif, junit, html, markdown or "
               "github-summary; github (no file) prints annotations"}));
  visit(option(&J::run, &RunOptions::threads, threads_option("a result")));
  visit(option(&J::run, &RunOptions::format, format_option("text or json")));
}

void SuiteListJob::fields(const VisitOption<SuiteListJob>& visit) {
  visit_suite<SuiteListJob>(visit);
}

Result<PreparedJob<SuiteReport>> prepare(const SuiteRunJob& job) {
  ASSAY_TRY(check_options(job, {}, "a run of a suite"));
  const auto suite = ASSAY_TRY(read(job.suite));
  SuiteRequest request;
  request.selection = selection_of(job.suite);
  ASSAY_TRY(select_entries(suite, request.selection));
  request.seconds = job.seconds;
  if (!job.seconds && job.suite.tier == Tier::kSmoke) request.seconds = kSmokeSeconds;
  request.alpha = alpha_of(suite.confidence);
  return [job, suite, request](const Session& session) -> Result<SuiteReport> {
    auto asked = request;
    asked.seed = job.seed ? *job.seed : suite.seed ? *suite.seed : drawn_seed();
    const auto inside = ASSAY_TRY(WorkingFolder::enter(folder_of(job.suite.file)));
    SuiteHooks hooks;
    hooks.on_result = job.on_result;
    auto report = ASSAY_TRY(run_suite(suite, asked, session, hooks));
    report.revision = job.revision;
    report.fails_on_inconclusive = job.fail_on_inconclusive;
    report.reproduce = reproduce(job, asked.seed);
    return report;
  };
}

Result<PreparedJob<SuiteListing>> prepare(const SuiteListJob& job) {
  ASSAY_TRY(check_options(job, {}, "a list of a suite"));
  const auto suite = ASSAY_TRY(read(job.suite));
  return [job, suite](const Session&) -> Result<SuiteListing> {
    SuiteRequest request;
    request.selection = selection_of(job.suite);
    request.alpha = alpha_of(suite.confidence);
    const auto inside = ASSAY_TRY(WorkingFolder::enter(folder_of(job.suite.file)));
    auto entries = ASSAY_TRY(prepare_entries(suite, request));
    return SuiteListing{suite, detail::value_text(job.suite.tier), request.alpha,
                        std::move(entries)};
  };
}

}  // namespace assay
