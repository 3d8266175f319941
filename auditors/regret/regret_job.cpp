#include "assay/auditors/regret/regret_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <string_view>
#include <utility>
#include <variant>

#include "assay/auditors/audit/target_options.hpp"
#include "assay/auditors/methods/black_box/players.hpp"
#include "assay/auditors/regret/program_regret.hpp"
#include "assay/auditors/session/run_options.hpp"
#include "assay/auditors/statistics/alpha_ledger.hpp"
#include "assay/auditors/statistics/betting.hpp"
#include "assay/auditors/text/rounded_count.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/core/map_chunks.hpp"
#include "assay/mechanisms/core/messages.hpp"
#include "assay/mechanisms/numerics/enclosure.hpp"
#include "assay/policies/external/child_environment.hpp"
#include "assay/policies/simulation/simulation.hpp"

namespace assay {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
// A block of runs is so short that a time budget ends soon after its end.
constexpr std::int64_t kBlocksOfChunk = 16;
constexpr double kMostSize = 1e6;  // of a part of a shape, which validate() limits further

// A policy that comes with Assay, or a program.
using RegretSubject = std::variant<SimulatedPolicy, RegretProgram>;

double most_regret_of(const RegretSubject& subject) {
  if (const auto* program = std::get_if<RegretProgram>(&subject)) return program->table.most_regret;
  return std::get<SimulatedPolicy>(subject).most_regret;
}

// What the entry asks for, read and checked.
struct RegretPlan {
  std::vector<RegretSubject> subjects;  // the baseline is the second
  std::string baseline;                 // its name
  std::int64_t horizon = 1;
  std::int64_t runs = 1;
  double limit = 0.0;
  std::uint64_t seed = 1;
  double alpha = 0.001;
};

tl::unexpected<Error> usage(std::string_view message) {
  return fail(ErrorCode::kInvalidArgument, message);
}

tl::unexpected<Error> missing(const std::string& option, const std::string& meaning) {
  return usage("a regret needs " + option + ", " + meaning);
}

Status check_subject(const RegretJob& job) {
  const int given =
      (job.policy.empty() ? 0 : 1) + (job.exec.empty() ? 0 : 1) + (job.plugin.empty() ? 0 : 1);
  if (given == 1) return {};
  if (given > 1) return usage("policy, exec and plugin contradict each other: give one of them");
  return missing("policy", "one of " + joined(simulated_policy_names()) +
                               ", or exec or plugin for a program of your own");
}

Status check_limit(const RegretJob& job) {
  if (!job.baseline.empty() && !job.baseline_exec.empty()) {
    return usage("baseline and baseline-exec contradict each other: give one of them");
  }
  const bool is_compared = !job.baseline.empty() || !job.baseline_exec.empty();
  if (job.at_most && is_compared) {
    return usage(fmt::format("at-most and {} contradict each other: give one of them",
                             job.baseline.empty() ? "baseline-exec" : "baseline"));
  }
  if (job.at_most) return {};
  if (!is_compared) {
    return missing("a limit",
                   "at-most = NUMBER, or baseline = \"POLICY\" with at-most-times = NUMBER");
  }
  if (job.at_most_times) return {};
  return missing("at-most-times", "the multiple of the baseline's regret that is allowed");
}

Result<RegretSetting> setting_of(const RegretJob& job) {
  if (!job.environment) {
    return missing("environment", either(enum_names(RegretEnvironment{}),
                                         [](const auto& one) { return std::string(one.second); }));
  }
  const bool has_rates = *job.environment == RegretEnvironment::kTruncatedExponentialArms;
  const auto& values = has_rates ? job.rates : job.means;
  if (values.empty()) {
    return missing(values_option(*job.environment), "a number for each arm or expert");
  }
  if (!job.horizon) return missing("horizon", "the number of rounds of a run");
  return RegretSetting{*job.environment, values, *job.horizon};
}

Result<RegretProgram> program_of(const RegretJob& job, const std::string& option,
                                 const std::string& word, const RegretSetting& setting) {
  const auto count = static_cast<std::int64_t>(setting.values.size());
  if (job.arms && *job.arms != count) {
    return usage(
        fmt::format("arms must be {}, as many as the environment has, not {}", count, *job.arms));
  }
  InputShape shape;
  shape.numbers = job.numbers.value_or(0);
  shape.estimates = job.estimates.value_or(0);
  if (!job.domain.empty()) shape.domain = ASSAY_TRY(parse_domain(job.domain));
  auto table = ASSAY_TRY(regret_table(shape, job.kind, setting));
  RegretProgram program{option, word, {}, {}, std::move(table)};
  if (option != "plugin") {
    auto words = split_command(word);
    if (!words) return detail::error_of(option, words.error());
    program.command = std::move(*words);
  }
  if (const auto status = check_environment(job.env); !status) {
    return usage(std::string(kEnvironmentOption) + " " + status.error().message);
  }
  program.limits.environment = job.env;
  if (job.answer_time) {
    program.limits.answer =
        std::chrono::milliseconds(static_cast<std::int64_t>(*job.answer_time * 1e3));
  }
  return program;
}

Result<RegretSubject> subject_of(const RegretJob& job, const RegretSetting& setting) {
  if (!job.policy.empty()) {
    return RegretSubject(ASSAY_TRY(simulated_policy({job.policy, job.parameters}, setting)));
  }
  const bool is_plugin = job.exec.empty();
  return RegretSubject(ASSAY_TRY(
      program_of(job, is_plugin ? "plugin" : "exec", is_plugin ? job.plugin : job.exec, setting)));
}

bool is_simple(const RegretSubject& subject) {
  if (const auto* program = std::get_if<RegretProgram>(&subject)) return program->table.is_simple();
  return std::get<SimulatedPolicy>(subject).is_simple;
}

Result<RegretSubject> baseline_of(const RegretJob& job, const RegretSetting& setting) {
  if (!job.baseline_exec.empty()) {
    return RegretSubject(ASSAY_TRY(program_of(job, "baseline-exec", job.baseline_exec, setting)));
  }
  return RegretSubject(ASSAY_TRY(simulated_policy(
      {job.baseline, job.baseline_parameters, "baseline", "baseline-parameters"}, setting)));
}

Result<RegretPlan> plan_of(const RegretJob& job) {
  RegretFacts facts;
  facts.environment = job.environment.value_or(facts.environment);
  facts.has_policy = !job.policy.empty();
  facts.has_baseline = !job.baseline.empty();
  facts.has_program = job.has_program();
  facts.is_compared = facts.has_baseline || !job.baseline_exec.empty();
  ASSAY_TRY(check_options(job, facts, "this entry"));
  ASSAY_TRY(check_subject(job));
  const auto setting = ASSAY_TRY(setting_of(job));
  if (!job.runs) return missing("runs", "the number of independent runs of the policy");
  ASSAY_TRY(check_limit(job));
  RegretPlan plan;
  plan.subjects.push_back(ASSAY_TRY(subject_of(job, setting)));
  const double most = most_regret_of(plan.subjects.front());
  if (!(most > 0.0)) {
    return usage(std::string(values_option(setting.environment)) +
                 " must differ: if all actions are equally good, every policy has regret 0");
  }
  if (job.at_most && *job.at_most >= most) {
    return usage(fmt::format(
        "at-most must be below {}, the regret of the worst action{}, not {}", rounded(most, 6),
        is_simple(plan.subjects.front()) ? "" : " in every round", number_text(*job.at_most)));
  }
  if (facts.is_compared) {
    plan.subjects.push_back(ASSAY_TRY(baseline_of(job, setting)));
    plan.baseline = facts.has_baseline ? job.baseline : job.baseline_exec;
    if (is_simple(plan.subjects[0]) != is_simple(plan.subjects[1])) {
      return usage(
          "baseline: a simple regret has no multiple that is the regret of another kind: compare "
          "best-arm policies and programs with one another");
    }
  }
  plan.horizon = setting.horizon;
  plan.runs = *job.runs;
  plan.limit = job.at_most ? *job.at_most : *job.at_most_times;
  plan.seed = job.seed;
  plan.alpha = job.alpha;
  return plan;
}

// The regrets of the runs of one subject, in their order.
struct MadeRuns {
  const RegretSubject* subject;
  std::string purpose;             // of their seeds
  std::optional<Players> players;  // of a program
  std::vector<double> regrets = {};
  std::int64_t executions = 0;  // of a bandit program
};

// Makes the runs [first, end) of a policy, all or none.
void simulate(const RegretPlan& plan, MadeRuns& made, std::int64_t first, std::int64_t end,
              const RunControl& control) {
  const std::int64_t size =
      std::max<std::int64_t>(1, chunk_repetitions(plan.horizon) / kBlocksOfChunk);
  const auto chunks = static_cast<std::size_t>((end - first + size - 1) / size);
  const std::int64_t rounds[] = {plan.horizon};
  const auto play = [&](std::size_t i) -> std::optional<std::vector<double>> {
    // The first runs are made in any case, so that a small budget still gives a result.
    if (first == 0 ? control.interrupted() : control.stopped()) return std::nullopt;
    ChunkPlan chunk;
    chunk.rounds = rounds;
    chunk.seed = plan.seed;
    chunk.policy_purpose = hash_purpose(made.purpose);
    chunk.environment_purpose = hash_purpose(kEnvironmentPurpose);
    chunk.first = first + static_cast<std::int64_t>(i) * size;
    chunk.end = std::min(chunk.first + size, end);
    chunk.cancel = control.cancel;
    auto played = std::get<SimulatedPolicy>(*made.subject).series.play(chunk);
    if (!played) return std::nullopt;
    return std::move(played->final_pseudo);
  };
  const auto results = map_chunks(control, chunks, play);
  if (std::any_of(results.begin(), results.end(), [](const auto& one) { return !one; })) return;
  for (const auto& one : results) {
    made.regrets.insert(made.regrets.end(), one->begin(), one->end());
  }
}

// The same for any subject; a program may end in between if it is stopped. Errors: what the program did.
Status add_runs(const RegretPlan& plan, MadeRuns& made, std::int64_t first, std::int64_t end,
                const RunControl& control) {
  const auto* program = std::get_if<RegretProgram>(made.subject);
  if (program == nullptr) {
    simulate(plan, made, first, end, control);
    return {};
  }
  const auto played =
      play_regrets(*made.players, program->table, plan.seed, made.purpose, first, end, control);
  if (played.error && played.error->code != ErrorCode::kInterrupted) {
    return detail::error_of(program->option, *played.error);
  }
  made.regrets.insert(made.regrets.end(), played.regrets.begin(), played.regrets.end());
  if (program->table.shape.traits().is_stream()) made.executions += played.executions;
  return {};
}

// If the clock ended a program before its first run, that is an error of the target, not an interruption.
Error stopped_early(const RegretProgram& program, const RunControl& control) {
  if (control.interrupted()) return {ErrorCode::kInterrupted, "interrupted", "", 0};
  return {ErrorCode::kTarget,
          program.option +
              ": the time ended before its first run. Allow more time, or measure how long a run "
              "takes with assay try",
          "", 0};
}

Status start_players(MadeRuns& made, const RunControl& control) {
  const auto* program = std::get_if<RegretProgram>(made.subject);
  if (program == nullptr) return {};
  auto target = start(*program, control);
  if (!target && target.error().code == ErrorCode::kInterrupted) {
    return tl::make_unexpected(stopped_early(*program, control));
  }
  if (!target) return detail::error_of(program->option, target.error());
  made.players = ASSAY_TRY(Players::create(std::move(*target), control.threads));
  return {};
}

// Makes the runs of all subjects, as many of each. Errors: no run at all, or what a program did.
Result<std::vector<MadeRuns>> make_runs(const RegretPlan& plan, const RunControl& control) {
  std::vector<MadeRuns> all;
  for (const RegretSubject& subject : plan.subjects) {
    all.push_back({&subject, all.empty() ? "regret/policy" : "regret/baseline", {}});
    ASSAY_TRY(start_players(all.back(), control));
  }
  const auto share = [&](std::int64_t runs) {
    return static_cast<double>(runs) / static_cast<double>(plan.runs);
  };
  std::int64_t done = 0;
  std::int64_t block = 16;  // each is twice as long as the last, so that the first ends soon
  while (done < plan.runs) {
    const std::int64_t wanted = std::min(done + block, plan.runs);
    std::int64_t end = wanted;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const double from = share(done),
                   step = (share(wanted) - from) / static_cast<double>(all.size());
      const auto part = control.stage(from + step * static_cast<double>(i),
                                      from + step * static_cast<double>(i + 1));
      ASSAY_TRY(add_runs(plan, all[i], done, end, part));
      end = std::min(end, static_cast<std::int64_t>(all[i].regrets.size()));
      part.report("runs", 1.0);
    }
    done = end;
    block *= 2;
    if (end < wanted) break;
  }
  for (MadeRuns& one : all) {
    one.regrets.resize(static_cast<std::size_t>(done));
    const auto* program = std::get_if<RegretProgram>(one.subject);
    if (done == 0 && program != nullptr) {
      return tl::make_unexpected(stopped_early(*program, control));
    }
  }
  if (done == 0) return fail(ErrorCode::kInterrupted, "interrupted");
  return all;
}

RegretBounds bounds_of(const MadeRuns& made, std::int64_t planned, double alpha) {
  const auto interval = mean_interval_between(made.regrets, 0.0, most_regret_of(*made.subject),
                                              {.alpha = alpha, .horizon = planned});  // (1)
  const double sum = std::accumulate(made.regrets.begin(), made.regrets.end(), 0.0);
  return {sum / static_cast<double>(made.regrets.size()), interval.lower.value.value,
          interval.upper.value.value};
}

// (2), rounded outward.
RegretBounds ratio_of(const RegretBounds& regret, const RegretBounds& baseline) {
  const auto quotient = [](double a, double b) {
    return detail::Enclosure(a) / detail::Enclosure(b);
  };
  return {baseline.value > 0.0 ? regret.value / baseline.value : kInfinite,
          std::max(0.0, quotient(regret.lower, baseline.upper).low),
          baseline.lower > 0.0 ? quotient(regret.upper, baseline.lower).high : kInfinite};
}

Result<RegretReport> measure(const RegretPlan& plan, const RunControl& control) {
  const auto made = ASSAY_TRY(make_runs(plan, control));
  RegretReport report;
  report.horizon = plan.horizon;
  report.planned = plan.runs;
  report.runs = static_cast<std::int64_t>(made.front().regrets.size());
  report.most_regret = most_regret_of(plan.subjects.front());
  report.is_simple = is_simple(plan.subjects.front());
  for (const MadeRuns& one : made) report.executions += one.executions;
  report.limit = plan.limit;
  report.alpha = plan.alpha;
  report.interrupted = control.interrupted();
  auto ledger = ASSAY_TRY(AlphaLedger::create(plan.alpha));
  const double share = 1.0 / static_cast<double>(made.size());
  report.regret =
      bounds_of(made[0], plan.runs, ASSAY_TRY(ledger.spend("regret of the policy", share)));
  if (made.size() == 1) return report;
  report.baseline = plan.baseline;
  report.baseline_regret =
      bounds_of(made[1], plan.runs, ASSAY_TRY(ledger.spend("regret of the baseline", share)));
  report.ratio = ratio_of(report.regret, *report.baseline_regret);
  return report;
}

}  // namespace

Result<RegretReport> measure_regret(SimulatedPolicy policy, const RegretTerms& terms,
                                    const RunControl& control) {
  RegretPlan plan;
  plan.subjects.emplace_back(std::move(policy));
  plan.horizon = terms.horizon;
  plan.runs = terms.runs;
  plan.limit = terms.limit;
  plan.seed = terms.seed;
  plan.alpha = terms.alpha;
  return measure(plan, control);
}

void RegretJob::fields(const VisitOption<RegretJob>& visit) {
  using J = RegretJob;
  constexpr OptionUse<RegretFacts> kPrograms = {
      "entries with a program", [](const RegretFacts& facts) { return facts.has_program; }};
  constexpr auto kHasPolicy = [](const RegretFacts& facts) { return facts.has_policy; };
  constexpr auto kHasBaseline = [](const RegretFacts& facts) { return facts.has_baseline; };
  constexpr auto kIsCompared = [](const RegretFacts& facts) { return facts.is_compared; };
  constexpr auto kHasRates = [](const RegretFacts& facts) {
    return facts.environment == RegretEnvironment::kTruncatedExponentialArms;
  };
  constexpr auto kHasMeans = [](const RegretFacts& facts) {
    return facts.environment != RegretEnvironment::kTruncatedExponentialArms;
  };
  visit(option(&J::policy, {.name = "policy",
                            .type = "POLICY",
                            .help = "Run this policy: " + either(simulated_policy_names()) + "."}));
  visit(option(&J::parameters,
               parameter_option("Set parameters of the policy, as for its audit. The arms and the "
                                "horizon follow from the entry."),
               {"entries with a policy", kHasPolicy}));
  visit(option(&J::exec, exec_option()));
  visit(option(&J::plugin, plugin_option()));
  std::vector<std::string> environments;
  for (const auto& [value, name] : enum_names(RegretEnvironment{})) environments.emplace_back(name);
  visit(option(&J::environment, {.name = "environment",
                                 .type = "ENVIRONMENT",
                                 .help = "Draw the feedback of the policy's actions from these "
                                         "distributions.",
                                 .choices = environments}));
  visit(option(&J::means,
               {.name = "means",
                .type = "NUMBER",
                .help = "Give each arm this mean reward (for bernoulli-losses each expert this "
                        "mean loss, for scored-duels each arm this score).",
                .takes_many = true},
               {"the other environments", kHasMeans}));
  visit(option(&J::rates,
               {.name = "rates",
                .type = "NUMBER",
                .help = "Give the reward of each arm this rate.",
                .takes_many = true},
               {"environment truncated-exponential-arms", kHasRates}));
  visit(option(&J::horizon, {.name = "horizon",
                             .type = "T",
                             .help = "Measure the regret after this many rounds.",
                             .group = OptionGroup::kEffort,
                             .range = {1, 1e7}}));
  visit(option(&J::runs, {.name = "runs",
                          .type = "N",
                          .help = "Make this many independent runs of each policy.",
                          .group = OptionGroup::kEffort,
                          .range = {1, static_cast<double>(kMostRegretRuns)}}));
  visit(option(
      &J::at_most,
      {.name = "at-most",
       .type = "NUMBER",
       .help = "Require that the expected cumulative pseudo-regret is at most this; of a best-arm "
               "policy or program, the expected simple regret.",
       .group = OptionGroup::kClaim,
       .range = at_least(0)}));
  visit(
      option(&J::baseline, {.name = "baseline",
                            .type = "POLICY",
                            .help = "Compare with the regret of this policy, in place of at-most.",
                            .group = OptionGroup::kClaim}));
  visit(option(&J::baseline_parameters,
               {.name = "baseline-parameter",
                .type = "KEY=VALUE",
                .help = "Set parameters of the baseline.",
                .group = OptionGroup::kClaim},
               {"entries with a baseline", kHasBaseline}));
  visit(option(&J::baseline_exec,
               {.name = "baseline-exec",
                .type = "COMMAND",
                .help = "Compare with the regret of this program, in place of at-most.",
                .group = OptionGroup::kClaim}));
  visit(option(&J::at_most_times,
               {.name = "at-most-times",
                .type = "FACTOR",
                .help = "Require that the expected regret is at most this multiple of the "
                        "baseline's.",
                .group = OptionGroup::kClaim,
                .range = {1e-6, 1e6}},
               {"entries with a baseline", kIsCompared}));
  visit(
      option(&J::kind,
             target_option("kind", "KIND",
                           "The program makes decisions of this kind: bandit, best-arm, experts or "
                           "dueling. It follows from the environment if it is not best-arm."),
             kPrograms));
  const auto size = [&](auto member, std::string name, std::string help, double least) {
    OptionText text = target_option(std::move(name), "N", std::move(help));
    text.range = {least, kMostSize};
    visit(option(member, std::move(text), kPrograms));
  };
  size(&J::arms, "arms", "The program chooses among this many actions, as many as there are means.",
       2);
  size(&J::numbers, "numbers", "The program reports this many numbers in each round.", 0);
  size(&J::estimates, "estimates", "The program reports this many numbers at the end of a run.", 0);
  visit(option(&J::domain, domain_option(), kPrograms));
  visit(option(&J::answer_time, answer_time_option(1e6), kPrograms));
  visit(option(&J::env, environment_option(), kPrograms));
}

RegretVerdict RegretReport::verdict() const {
  const RegretBounds& bounds = limited();
  if (bounds.upper <= limit) return RegretVerdict::kWithin;
  return bounds.lower > limit ? RegretVerdict::kAbove : RegretVerdict::kUndecided;
}

std::optional<std::int64_t> runs_to_decide(const RegretReport& report) {
  const RegretBounds& bounds = report.limited();
  const auto runs = static_cast<double>(report.runs);
  constexpr double kReserve = 1.25;  // the runs so far do not show the mean exactly
  const double distance = std::abs(report.limit - bounds.value);
  const double width =
      bounds.value <= report.limit ? bounds.upper - bounds.value : bounds.value - bounds.lower;
  // Without an upper bound, the width says nothing yet.
  double needed = 10.0 * runs;
  if (std::isfinite(width) && std::isfinite(distance)) {
    needed = kReserve * runs * (width / distance) * (width / distance);
  }
  if (!(needed <= static_cast<double>(kMostRegretRuns))) return std::nullopt;
  return static_cast<std::int64_t>(rounded_count(needed));
}

Result<PreparedJob<RegretReport>> prepare(const RegretJob& job) {
  const auto plan = ASSAY_TRY(plan_of(job));
  return [plan](const Session& session) { return measure(plan, session.control); };
}

}  // namespace assay
