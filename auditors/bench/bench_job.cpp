#include "assay/auditors/bench/bench_job.hpp"

#include <algorithm>

#include "assay/auditors/bench/groups.hpp"
#include "assay/mechanisms/core/glob.hpp"
#include "assay/mechanisms/core/messages.hpp"

namespace assay {
namespace {

constexpr std::int64_t kMostBenchSamples = 1'000'000;

struct ChosenCandidates {
  const BenchGroup* group = nullptr;
  bool whole = false;              // the group itself was named
  std::vector<std::string> words;  // names and patterns of candidates
};

std::string groups_text() { return joined(bench_groups(), &BenchGroup::id); }

bool is_word_of(const BenchGroup& group, const std::string& word) {
  return group.id == word ||
         std::any_of(group.candidates.begin(), group.candidates.end(),
                     [&](const std::string& id) { return glob_match(word, id); });
}

Result<std::vector<const BenchGroup*>> groups_of_word(const std::string& word) {
  std::vector<const BenchGroup*> groups;
  std::vector<std::string> known;
  for (const auto& group : bench_groups()) {
    if (is_word_of(group, word)) groups.push_back(&group);
    known.push_back(group.id);
    known.insert(known.end(), group.candidates.begin(), group.candidates.end());
  }
  if (!groups.empty()) return groups;
  return fail(ErrorCode::kUnknownKey,
              (is_glob(word) ? "no candidate matches '" + word + "'"
                             : "unknown candidate '" + word + "'" + nearest_hint(word, known)) +
                  "; groups: " + groups_text());
}

// A pattern may match candidates of several groups. The user means the group that all names share.
Result<ChosenCandidates> choose_candidates(const BenchJob& job) {
  if (job.candidates.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "name what to compare: a group (" + groups_text() + ") or candidates of one");
  }
  std::vector<const BenchGroup*> left;
  for (const auto& word : job.candidates) {
    const auto of_word = ASSAY_TRY(groups_of_word(word));
    if (left.empty()) {
      left = of_word;
      continue;
    }
    const auto before = left;
    std::erase_if(left, [&](const BenchGroup* group) { return !is_word_of(*group, word); });
    if (!left.empty()) continue;
    return fail(ErrorCode::kInvalidArgument, "'" + job.candidates.front() + "' is of the group " +
                                                 before.front()->id + ", '" + word + "' of " +
                                                 of_word.front()->id +
                                                 ": only candidates of one group can be compared");
  }
  if (left.size() > 1) {
    return fail(ErrorCode::kInvalidArgument,
                "'" + job.candidates.front() + "' matches candidates of several groups (" +
                    joined(left, [](const BenchGroup* group) { return group->id; }) +
                    "): also name a candidate of one group");
  }
  ChosenCandidates chosen{left.front(), false, {}};
  for (const auto& word : job.candidates) {
    if (word == chosen.group->id) {
      chosen.whole = true;
    } else {
      chosen.words.push_back(word);
    }
  }
  return chosen;
}

bool is_chosen(const ChosenCandidates& chosen, const BenchCandidate& candidate) {
  return (chosen.whole && candidate.in_group) ||
         std::any_of(chosen.words.begin(), chosen.words.end(),
                     [&](const std::string& word) { return glob_match(word, candidate.id); });
}

Result<BenchComparison> comparison_of(const BenchJob& job) {
  const auto chosen = ASSAY_TRY(choose_candidates(job));
  const ApproximateDp target{Epsilon{*job.epsilon}, Delta{job.delta}};
  auto parameters = job.parameters;
  if (job.compose) {
    const auto is_it = [](const auto& one) { return one.name == detail::kComposeField; };
    const auto& fields = chosen.group->parameters;
    if (std::none_of(fields.begin(), fields.end(), is_it)) {
      return fail(
          ErrorCode::kInvalidArgument,
          "--compose is for the groups additive and selection, not for " + chosen.group->id);
    }
    parameters.push_back({detail::kComposeField, std::to_string(*job.compose)});
  }
  auto comparison = chosen.group->compare(parameters, target, job.seed);
  if (!comparison) {
    Error error = comparison.error();
    error.message = "-p " + error.message + " (of the group " + chosen.group->id + ")";
    error.path.clear();
    return tl::make_unexpected(std::move(error));
  }
  std::erase_if(comparison->candidates,
                [&](const BenchCandidate& one) { return !is_chosen(chosen, one); });
  return comparison;
}

Result<BenchPlan> plan_of(const BenchJob& job) {
  if (job.samples && job.seconds) {
    return fail(ErrorCode::kInvalidArgument,
                "--samples and --time contradict each other: give one");
  }
  if (job.timings != 0 && job.timings < 9) {
    return fail(ErrorCode::kInvalidArgument,
                "--timings must be 0 or 9 to 1000, not " + std::to_string(job.timings));
  }
  if (job.seconds && !job.run.shard.empty()) {
    return fail(
        ErrorCode::kInvalidArgument,
        "--shard needs --samples in place of --time, so that shards stop at the same place");
  }
  ASSAY_TRY(detail::named("--confidence", check_confidence(job.confidence)));
  BenchPlan plan;
  plan.seed = job.seed;
  plan.confidence = job.confidence;
  plan.samples = job.samples.value_or(job.seconds ? kMostBenchSamples : plan.samples);
  plan.sizes = static_cast<int>(job.sizes);
  plan.timings = job.timings;
  return plan;
}

std::string reproduce_bench(BenchJob job, const BenchReport& report) {
  job.samples.reset();
  if (report.samples > 0) job.samples = report.samples;
  return command_line("assay bench", job,
                      {"candidates", "parameter", "compose", "epsilon", "delta", "samples", "seed",
                       "confidence", "sizes", "timings"});
}

}  // namespace

void BenchJob::fields(const VisitOption<BenchJob>& visit) {
  using J = BenchJob;
  visit(option(
      &J::candidates,
      {.name = "candidates",
       .type = "GROUP|CANDIDATE",
       .help = "Compare this group (additive, selection, counters, bandits, experts, best-arm "
               "or duels), or candidates of one group by name or pattern.",
       .formerly = "contenders",
       .is_positional = true}));
  visit(
      option(&J::parameters,
             parameter_option("Set a parameter of the group: answers, query, candidates, horizon, "
                              "arms and so on.")));
  visit(option(&J::sizes,
               {.name = "sizes",
                .type = "N",
                .help = "Plot this many sizes: the requested one, a quarter of it, and so on.",
                .range = {1, 8},
                .shows_default = true}));
  visit(option(&J::epsilon, {.name = "epsilon",
                             .type = "EPS",
                             .help = "Calibrate all candidates to this eps.",
                             .group = OptionGroup::kClaim,
                             .range = {1e-6, 500}}));
  visit(option(&J::compose, {.name = "compose",
                             .type = "K",
                             .help = "Calibrate K releases to the level together. For the groups "
                                     "additive and selection.",
                             .group = OptionGroup::kClaim,
                             .range = {1, 100'000},
                             .default_text = "1"}));
  visit(option(&J::delta, {.name = "delta",
                           .type = "D",
                           .help = "Calibrate all candidates to this delta.",
                           .group = OptionGroup::kClaim,
                           .range = {0.0, 0.5},
                           .shows_default = true}));
  visit(option(&J::confidence, confidence_option("All intervals hold together")));
  visit(option(&J::samples, {.name = "samples",
                             .type = "N",
                             .help = "Run each candidate this often at each size.",
                             .group = OptionGroup::kEffort,
                             .range = {1, static_cast<double>(kMostBenchSamples)},
                             .default_text = "1000"}));
  auto time = time_option({0.001, 1e9, "seconds"});
  time.help += " It replaces --samples.";
  visit(option(&J::seconds, time));
  visit(
      option(&J::timings,
             {.name = "timings",
              .type = "N",
              .help = "Repeat every measurement of speed this often, at least 9 times; 0 measures "
                      "none.",
              .group = OptionGroup::kEffort,
              .range = {0, 1000},
              .shows_default = true}));
  visit(option(&J::run, &RunOptions::threads, threads_option()));
  visit_shard<J>(visit);
  visit(option(&J::seed, seed_option()));
  visit_output(visit, {"text", "csv", "json", "html"});
}

Result<PreparedJob<BenchReport>> prepare(const BenchJob& job) {
  ASSAY_TRY(check_options(job, {}, "a benchmark"));
  if (!job.epsilon) {
    return fail(ErrorCode::kInvalidArgument,
                "bench needs --epsilon, the level that all candidates are calibrated to");
  }
  const auto comparison = ASSAY_TRY(comparison_of(job));
  const auto plan = ASSAY_TRY(plan_of(job));
  return [job, comparison, plan](const Session& session) -> Result<BenchReport> {
    RunControl control = session.control;
    // The caller's time or that of the job, whichever ends first.
    if (job.seconds && *job.seconds < control.seconds_left()) control.give_seconds(*job.seconds);
    auto report = ASSAY_TRY(run_bench(comparison, plan, control));
    report.reproduce = reproduce_bench(job, report);
    report.meta = session.meta();
    return report;
  };
}

}  // namespace assay
