// Audits of external targets, which can only be run, and of recorded runs.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "assay/auditors/audit/audit_parts.hpp"
#include "assay/auditors/audit/audit_summary.hpp"
#include "assay/auditors/audit/next_steps.hpp"
#include "assay/auditors/audit/pair_table.hpp"
#include "assay/auditors/audit/reported_bounds.hpp"
#include "assay/auditors/audit/target_settings.hpp"
#include "assay/auditors/engine/claimed_level.hpp"
#include "assay/auditors/engine/reproduce.hpp"
#include "assay/auditors/methods/black_box/black_box_audit.hpp"
#include "assay/auditors/methods/black_box/run_budget.hpp"
#include "assay/auditors/methods/one_run/one_run_audit.hpp"
#include "assay/auditors/methods/one_run/probed_audit.hpp"
#include "assay/auditors/statistics/alpha_ledger.hpp"
#include "assay/auditors/statistics/median.hpp"
#include "assay/auditors/text/rounded_count.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/core/command_line.hpp"
#include "assay/mechanisms/core/contains.hpp"
#include "assay/mechanisms/core/map_chunks.hpp"
#include "assay/policies/external/child_environment.hpp"
#include "assay/policies/external/containment.hpp"
#include "assay/policies/external/input_file.hpp"
#include "assay/policies/external/plugin_target.hpp"
#include "assay/policies/external/process_target.hpp"
#include "assay/policies/external/recorded_runs.hpp"

namespace assay {
namespace {

constexpr std::size_t kMostPairs = 24;  // searched

struct ProgramAudit {
  AuditJob job;
  InputShape shape;
  ChildLimits limits;
  std::vector<Setting> settings;                   // of a program; for others a single empty one
  std::vector<std::vector<std::string>> commands;  // one for each setting
  std::vector<PrivacyLevel> claims;                // one for each setting
  BlackBoxPlan plan;
  OneRunPlan one_run;                      // of --method one-run
  std::optional<Canaries> canaries;        // of one_run, or of the pre-screen of the events method
  RecordedRuns base_runs, neighbour_runs;  // of transcripts
};

tl::unexpected<Error> usage(std::string_view message) {
  return fail(ErrorCode::kInvalidArgument, message);
}

template <class T>
Result<T> named(const std::string& option, Result<T> value) {
  if (!value) value.error().message = option + " " + value.error().message;
  return value;
}

bool is_one_run(const AuditJob& job) { return job.method == "one-run"; }
// Whether the job asks for upper bounds by the target's own probabilities.
bool is_reported(const AuditJob& job) {
  return job.method == "likelihood" || job.method == "exact";
}

// One target, by a method that can audit it, with a claim.
Status check_subject(const AuditJob& job) {
  if (job.method != "auto" && job.method != "events" && !is_one_run(job) && !is_reported(job)) {
    return usage(
        "--method of an external target is events or one-run, or likelihood or exact if it reports "
        "probabilities, not '" +
        job.method + "'");
  }
  const int ways =
      (job.exec.empty() ? 0 : 1) + (job.plugin.empty() ? 0 : 1) + (job.transcripts.empty() ? 0 : 1);
  if (ways != 1) return usage("give one of --exec, --plugin and --transcripts");
  if (is_one_run(job) && !job.transcripts.empty()) {
    return usage(
        "--method one-run sets entries of the input by coins, so it must run the target: give --exec "
        "or --plugin, not --transcripts");
  }
  if (is_reported(job) && !job.transcripts.empty()) {
    return usage("--method " + job.method +
                 " asks the target for probabilities: give --exec or --plugin, not --transcripts");
  }
  if (job.claim.empty())
    return usage("an external target needs --claim, because it states no guarantee itself");
  return {};
}

// The files of recorded runs state their shape.
Status read_recorded(ProgramAudit& audit) {
  const auto& files = audit.job.transcripts;
  if (files.size() != 2)
    return usage("--transcripts takes two files of recorded runs, one for each input");
  audit.base_runs = ASSAY_TRY(read_recorded_runs(files[0]));
  audit.neighbour_runs = ASSAY_TRY(read_recorded_runs(files[1]));
  if (audit.base_runs.shape != audit.neighbour_runs.shape) {
    return usage(files[1] + " has a different shape from " + files[0]);
  }
  audit.shape = audit.base_runs.shape;
  return {};
}

Status read_subject(ProgramAudit& audit) {
  if (!audit.job.transcripts.empty()) return read_recorded(audit);
  audit.shape = audit.job.shape;
  const auto told = [&]() -> Status {
    const AuditJob& job = audit.job;
    if (!job.domain.empty()) audit.shape.domain = ASSAY_TRY(parse_domain(job.domain));
    if (!job.neighbours.empty()) {
      audit.shape.neighbours = ASSAY_TRY(parse_neighbours(job.neighbours));
    }
    return {};  // options come before shapes: an option that has no effect is the first error
  };
  if (const auto status = told(); !status) return usage("--" + status.error().message);
  return {};
}

Status read_environment(ProgramAudit& audit) {
  if (const auto status = check_environment(audit.job.env); !status) {
    return usage("--env " + status.error().message);
  }
  audit.limits.environment = audit.job.env;
  return {};
}

Status read_containment(ProgramAudit& audit) {
  audit.limits.sandbox = audit.job.sandbox;
  if (audit.job.memory.empty()) return {};
  const auto bytes = ASSAY_TRY(named("--memory", parse_memory(audit.job.memory)));
  audit.limits.memory_bytes = audit.limits.data_bytes = bytes;
  return {};
}

Status check_shape(const ProgramAudit& audit) {
  const auto status = validate(audit.shape);
  return status ? status : usage("--" + status.error().message);
}

// The commands to start. A target that is no program has one setting without a command.
Status read_settings(ProgramAudit& audit) {
  const auto& job = audit.job;
  if (job.exec.empty()) {
    audit.settings.resize(1);
    return {};
  }
  const std::int64_t most = job.settings.value_or(kDefaultSettings);
  if (most > kMostSettings) {
    return usage(fmt::format("--settings must be at most {}, not {}", kMostSettings, most));
  }
  audit.settings = ASSAY_TRY(target_settings(job.exec, job.vary, most));
  for (const auto& setting : audit.settings) {
    auto command = ASSAY_TRY(named("--exec:", split_command(setting.command)));
    audit.commands.push_back(std::move(command));
  }
  return {};
}

Status read_claims(ProgramAudit& audit) {
  for (const auto& setting : audit.settings) {
    auto variables = claim_variables(audit.shape);
    variables.insert(variables.end(), setting.variables.begin(), setting.variables.end());
    const auto claim = ASSAY_TRY(parse_claim(audit.job.claim, variables));
    audit.claims.push_back(claim);
  }
  audit.plan.claim = audit.claims.front();
  audit.plan.claim_text = audit.job.claim;
  return {};
}

// The sizes that every kind has, and later fields if they are not at their defaults: default seeds stay as
// they were.
std::vector<KeyValue> seed_values(const InputShape& shape) {
  auto values = field_values(shape);
  const auto used = shape.used_fields();
  std::erase_if(values, [&](const KeyValue& one) {
    const bool came_later = one.key == "stops" || one.key == "numbers" || one.key == "estimates";
    return came_later && !contains(used, one.key);
  });
  return values;
}

// Of the whole: what the certification of an event gets.
constexpr double kOfAlpha = 0.4, kCertified = 0.42;

Status follow_level_to_see(ProgramAudit& audit) {
  const AuditJob& job = audit.job;
  BlackBoxPlan& plan = audit.plan;
  plan.see = job.see->value;
  for (const PrivacyLevel& claim : audit.claims) ASSAY_TRY(check_level_to_see(*plan.see, claim));
  if (is_one_run(job) || !job.transcripts.empty()) return {};
  if (job.samples || job.runs || job.seconds) return {};
  plan.stop_when_decided = true;
  plan.runs_follow = true;
  for (const PrivacyLevel& claim : audit.claims) {
    // The audit learns the event later, and then certifies more runs if it is rarer.
    const auto runs = detail::runs_to_see(claim, plan.delta0, *plan.see, alpha_of(plan.confidence));
    plan.runs = std::max(*plan.runs, std::clamp(runs, kDefaultBudget, kMostInAll));
  }
  return {};
}

Status read_plan(ProgramAudit& audit) {
  const auto& job = audit.job;
  auto& plan = audit.plan;
  plan.confidence = job.confidence.value;
  if (!(job.delta0.value > 0.0 && job.delta0.value < 1.0)) {
    return usage("--delta0 must lie strictly between 0 and 1, not " + job.delta0.text());
  }
  plan.delta0 = Delta{job.delta0.value};
  if (is_reported(job)) {
    plan.shares_spent = {{std::string(detail::kReportedPurpose), detail::kReportedShare}};
  }
  plan.seed = job.seed.value_or(default_seed(is_one_run(job) ? "target, one run" : "target",
                                             seed_values(audit.shape), {}, Method::kAuto));
  if (!is_one_run(job) && job.samples && *job.samples < 100) {
    return usage(fmt::format("--samples must be at least 100, not {}", *job.samples));
  }
  if (job.seconds && (job.samples || job.runs)) {
    return usage(fmt::format("{} and --time contradict each other: give one",
                             job.samples ? "--samples" : "--runs"));
  }
  if (!is_one_run(job) && job.transcripts.empty()) {
    plan.samples = job.samples.value_or(0);
    plan.runs = job.samples ? job.runs : job.runs.value_or(kDefaultBudget);
  }
  plan.stop_when_decided = job.stop_when_decided;
  if (job.see) ASSAY_TRY(follow_level_to_see(audit));
  if (job.round_outputs) {
    plan.output_grid = job.round_outputs->value;
    if (!(plan.output_grid > 0.0 && plan.output_grid <= 1e300)) {
      return usage("--round-outputs must be positive, not " + job.round_outputs->text());
    }
  }
  for (std::string_view rest = job.failures; !rest.empty();) {
    const std::string_view one = rest.substr(0, rest.find(','));
    if (one == "time-out") {
      audit.limits.late_fails = true;
    } else if (one == "memory") {
      audit.limits.memory_fails = true;
    } else {
      return usage("--failures must be time-out, memory or time-out,memory, not " + job.failures);
    }
    rest.remove_prefix(std::min(rest.size(), one.size() + 1));
  }
  if (job.answer_time) {
    audit.limits.answer =
        std::chrono::milliseconds(static_cast<std::int64_t>(std::min(*job.answer_time, 1e6) * 1e3));
  }
  return {};
}

Status read_pairs(ProgramAudit& audit) {
  const auto& job = audit.job;
  if (job.input.empty()) {
    audit.plan.pairs_text = "a search of structural pairs and of steps at which outputs change";
    audit.plan.boundaries = true;
    audit.plan.pairs = structural_pairs(audit.shape, kMostPairs);
    audit.plan.refine = [shape = audit.shape](const InputPair& best, std::size_t most) {
      return refined_pairs(shape, best, most);
    };
    // There is no pre-screen if entries make no canaries: for contextual targets, and for --neighbours add-remove.
    if (auto canaries = Canaries::structural(audit.shape, 0); job.method == "auto" && canaries) {
      audit.canaries = std::move(*canaries);
    }
    return {};
  }
  auto base_input = ASSAY_TRY(read_input_table(job.input, audit.shape));
  if (job.neighbour.empty()) {
    audit.plan.pairs_text = "a search of the neighbours of " + job.input;
    audit.plan.pairs = pairs_beside(
        audit.shape, std::make_shared<const InputTable>(std::move(base_input)), kMostPairs);
    if (!audit.plan.pairs.empty()) return {};
    return usage("--input " + job.input + " has no neighbour within --domain to search");
  }
  auto neighbour_input = ASSAY_TRY(read_input_table(job.neighbour, audit.shape));
  auto pair = ASSAY_TRY(pair_of(std::move(base_input), std::move(neighbour_input)));
  ASSAY_TRY(named("--neighbour:", check_neighbours(audit.shape, pair)));
  audit.plan.pairs.push_back(std::move(pair));
  audit.plan.pairs_text = "given";
  return {};
}

// The two values of every canary are those of the files, or the extremes.
Result<Canaries> read_canaries(const ProgramAudit& audit, std::string& text) {
  const auto& job = audit.job;
  const std::int64_t most = job.canaries.value_or(0);
  if (job.input.empty()) {
    text = "each entry at one extreme or the other";
    return named("--canaries:", Canaries::structural(audit.shape, most));
  }
  auto zero = ASSAY_TRY(read_input_table(job.input, audit.shape));
  auto one = ASSAY_TRY(read_input_table(job.neighbour, audit.shape));
  text = "each entry as in " + job.input + " or as in " + job.neighbour;
  return named("--canaries:",
               Canaries::between(audit.shape, std::move(zero), std::move(one), most));
}

Status read_one_run(ProgramAudit& audit) {
  auto& plan = audit.one_run;
  const auto& neighbours = audit.shape.neighbours;
  if (neighbours && neighbours->kind != NeighbourKind::kOne) {
    return usage(
        "--method one-run flips entries of the input one by one: --neighbours must be one, not " +
        neighbours->text());
  }
  plan = OneRunPlan{audit.plan.terms()};
  plan.runs = audit.job.samples.value_or(plan.runs);
  plan.training = audit.job.training.value_or(plan.training);
  audit.canaries = ASSAY_TRY(read_canaries(audit, plan.canaries_text));
  return {};
}

Status read_inputs(ProgramAudit& audit) {
  const auto& job = audit.job;
  if (!job.transcripts.empty()) {
    const std::int64_t row = job.changed_row.value_or(1);
    if (row <= audit.shape.rows()) return {};
    return usage(fmt::format("--changed-row must be at most {}, not {}", audit.shape.rows(), row));
  }
  if (job.input.empty() && !job.neighbour.empty()) {
    return usage("give both --input and --neighbour: one is the neighbour of the other");
  }
  if (is_one_run(job) && job.input.empty() != job.neighbour.empty()) {
    return usage("--method one-run: give both --input and --neighbour, or neither");
  }
  return is_one_run(job) ? read_one_run(audit) : read_pairs(audit);
}

std::string job_text(const AuditFacts& facts) {
  return fmt::format("an audit of {} {} by {}", facts.is_recorded() ? "a recorded" : "an external",
                     detail::value_text(facts.kind), facts.method);
}

Result<ProgramAudit> read_audit(const AuditJob& job) {
  ProgramAudit audit;
  audit.job = job;
  ASSAY_TRY(check_subject(job));
  ASSAY_TRY(read_subject(audit));
  ASSAY_TRY(read_settings(audit));
  ASSAY_TRY(read_claims(audit));
  auto facts = detail::facts_of(job, is_one_run(job) || is_reported(job) ? job.method : "events",
                                audit.plan.claim);
  facts.kind = audit.shape.kind;
  facts.tells_numbers = OutputLayout(audit.shape).tells_numbers();
  ASSAY_TRY(check_options(job, facts, job_text(facts)));
  ASSAY_TRY(check_shape(audit));
  ASSAY_TRY(read_environment(audit));
  ASSAY_TRY(read_containment(audit));
  ASSAY_TRY(read_plan(audit));
  ASSAY_TRY(read_inputs(audit));
  return audit;
}

// The command of the job, with all values that it left open.
std::string reproduce(const ProgramAudit& audit, const AuditReport& report) {
  const AuditJob& asked = audit.job;
  AuditJob job = asked;
  if (is_one_run(job)) job.samples = report.evidence.samples_planned;
  if (report.evidence.runs && !audit.plan.runs_follow) job.runs = report.evidence.runs->budget;
  job.seed = report.seed;
  std::vector<std::string_view> names = {"exec", "plugin", "transcripts", "changed-row"};
  if (job.transcripts.empty()) {
    const auto shape = job.shape.used_fields();
    names.insert(names.end(), shape.begin(), shape.end());
    names.insert(names.end(), {"domain", "neighbours", "input", "neighbour"});
    if (is_one_run(job)) {
      job.training = report.canaries->training;
      names.insert(names.end(), {"method", "canaries", "training"});
    }
    if (asked.method == "events" || is_reported(asked)) names.push_back("method");
    names.insert(names.end(), {"runs", "samples", "seed", "vary", "settings", "stop-when-decided",
                               "deterministic", "failures", "memory", "sandbox", "env"});
  }
  names.insert(names.end(), {"round-outputs", "claim", "see", "confidence"});
  if (std::holds_alternative<GaussianDp>(report.claim) || is_reported(asked)) {
    names.push_back("delta0");
  }
  return command_line("assay audit", job, names);
}

// Of a violation, where runs on the two inputs diverge.
std::string replay(const ProgramAudit& audit, const AuditReport& report) {
  constexpr std::size_t kMost = 2'000;  // numbers: a command line must stay short
  const InputPair& inputs = report.pair.inputs;
  const AuditJob& job = audit.job;
  if (report.verdict != Verdict::kViolated || !is_of_pair(report)) return "";
  if (!job.transcripts.empty() || !job.neighbours.empty() || !job.vary.empty()) return "";
  if (inputs.base_input().values.size() > kMost) return "";
  std::vector<std::string_view> names = {"exec", "plugin"};
  const auto used = job.shape.used_fields();
  names.insert(names.end(), used.begin(), used.end());
  names.insert(names.end(), {"domain", "round-outputs", "memory", "sandbox", "env"});
  CommandLine command(command_line("assay replay", job, names));
  command.add("--old", rows_text(inputs.base_input()));
  command.add("--new", rows_text(inputs.neighbour_input()));
  return command.text();
}

AuditOutcome report_on(const ProgramAudit& audit, const Setting& setting, const std::string& title,
                       BlackBoxOutcome outcome) {
  const auto& job = audit.job;
  AuditTerms terms = audit.plan.terms();
  terms.claim = audit.claims[outcome.subject];
  auto report = make_report(terms, Gathered{outcome});
  report.relation = outcome.relation;
  report.view = outcome.view;
  report.neighbours = neighbours_text(audit.shape, outcome.relation);
  report.case_id = !job.exec.empty() ? "exec" : !job.plugin.empty() ? "plugin" : "transcripts";
  report.case_title = title;
  const auto names = audit.shape.used_fields();
  for (auto& field : field_values(audit.shape)) {
    if (contains(names, field.key)) {
      report.parameters.push_back(std::move(field));
    }
  }
  if (audit.shape.domain) report.parameters.push_back({"domain", audit.shape.domain->text()});
  if (audit.shape.neighbours) {
    report.parameters.push_back({"neighbours", audit.shape.neighbours->text()});
  }
  report.reproduce = reproduce(audit, report);
  report.replay = replay(audit, report);
  report.parameters.insert(report.parameters.end(), setting.parameters.begin(),
                           setting.parameters.end());
  return {std::move(report), std::move(outcome.target_error)};
}

using detail::StartedTarget;

detail::ReportedPlan reported_plan(const AuditJob& job) {
  return {job.method == "exact" ? Method::kExact : Method::kLikelihood,
          job.samples.value_or(detail::kDefaultReported)};
}

Result<StartedTarget> start(const ProgramAudit& audit, const ChildLimits& limits,
                            std::size_t setting) {
  const auto& job = audit.job;
  if (!job.exec.empty()) {
    auto target = ASSAY_TRY(ProcessTarget::start({audit.commands[setting], audit.shape, limits}));
    if (is_reported(job)) ASSAY_TRY(detail::check_reports(*target, reported_plan(job)));
    const bool seeded = target->seeded();
    const bool deterministic = job.deterministic || target->deterministic();
    const std::string greeting = target->greeting();
    const std::string answer = target->greeting_answer();
    return StartedTarget{std::move(target), seeded, deterministic, greeting, answer};
  }
  auto target = ASSAY_TRY(PluginTarget::load(job.plugin, audit.shape, limits));
  if (is_reported(job)) ASSAY_TRY(detail::check_reports(*target, reported_plan(job)));
  const bool seeded = target->seeded();
  return StartedTarget{std::move(target), seeded, job.deterministic, "", ""};
}

// Only the instances of one setting run at a time.
struct StartedSettings {
  std::vector<std::string> titles;
  std::vector<Players> players;
  std::vector<PlayedSubject> subjects;
};

Result<StartedSettings> start_all(const ProgramAudit& audit, const RunControl& control) {
  ChildLimits limits = audit.limits;
  limits.cancel = control.cancel;
  if (audit.job.seconds) limits.deadline = control.deadline_here();
  StartedSettings all;
  all.players.reserve(audit.settings.size());  // subjects point at them
  for (std::size_t i = 0; i < audit.settings.size(); ++i) {
    auto started = ASSAY_TRY(start(audit, limits, i));
    all.titles.push_back(started.target->name());
    auto players = ASSAY_TRY(Players::create(std::move(started.target), control.threads));
    all.players.push_back(std::move(players));
    if (audit.settings.size() > 1) all.players.back().rest();
    all.subjects.push_back(
        {&all.players.back(), started.promises_seeds, audit.claims[i], started.deterministic});
  }
  return all;
}

// A power of ten that is a millionth of the typical distance of outputs from their median; 0 if all are alike. Low
// bits of doubles lie far below it, and the noise far above.
double rounding_grid(const ProgramAudit& audit, const PlayedSubject& subject, const InputPair& pair,
                     const RunControl& control) {
  constexpr double kOfTheSpread = 1e-6;
  constexpr std::int64_t kRuns = 64;
  const auto runs = subject.players->play_each(
      kRuns, [&](std::int64_t) { return pair.base_input(); },
      {audit.plan.seed, "rounding", 0, Phase::kCheck}, control);
  double spread = 0.0;
  for (const std::size_t entry : OutputLayout(audit.shape).number_entries()) {
    std::vector<double> values;
    for (std::int64_t i = 0; i < runs.outputs.count; ++i) {
      if (!is_failed(runs.outputs.play(i))) values.push_back(runs.outputs.play(i)[entry]);
    }
    if (values.empty()) return 0.0;
    const double middle = median_of(values);
    for (double& value : values) value = std::abs(value - middle);
    spread = std::max(spread, median_of(std::move(values)));
  }
  const bool is_scale = std::isnormal(spread) && spread < 1e100;
  return is_scale ? std::pow(10.0, std::floor(std::log10(kOfTheSpread * spread))) : 0.0;
}

// Audits the target once more, with its outputs rounded. Nothing if that fails, is interrupted, or is not asked for:
// a time budget is for one audit.
std::optional<RoundedVerdict> audit_rounded(const ProgramAudit& audit,
                                            const std::vector<PlayedSubject>& subjects,
                                            const AuditReport& report, const RunControl& control) {
  if (audit.job.seconds || !is_by_low_bits(report)) return {};
  BlackBoxPlan plan = audit.plan;
  plan.output_grid = rounding_grid(audit, subjects.front(), report.pair.inputs, control);
  if (plan.output_grid == 0.0) return {};
  auto outcome = audit_probed(subjects, plan, audit.canaries, control);
  if (!outcome || outcome->target_error) return {};
  AuditTerms terms = plan.terms();
  terms.claim = audit.claims[outcome->subject];
  const double grid = plan.output_grid;
  const AuditReport rounded = make_report(terms, Gathered{std::move(*outcome)});
  return RoundedVerdict{grid, rounded.verdict, headline(rounded)};
}

// Adds upper bounds to a report on runs that came to their end. Returns why there are none if the target failed, or
// was interrupted, while it was asked for its probabilities.
std::optional<Error> bound_by_reported(const ProgramAudit& audit, Players& players,
                                       AuditReport& report, const RunControl& control) {
  if (report.evidence.interrupted || report.evidence.dependent || !is_of_pair(report)) return {};
  players.rest();  // so that no more processes run than before
  auto bounds = detail::reported_bounds(players.first(), report.pair.inputs, report.terms(),
                                        reported_plan(audit.job), control);
  if (!bounds) return bounds.error();
  detail::add_reported(report, std::move(*bounds));
  return {};
}

// What an audit that follows --see will cost.
std::string cost_of_seeing(const ProgramAudit& audit, double seconds_a_run) {
  const BlackBoxPlan& plan = audit.plan;
  std::string text = fmt::format(
      "to see {} = {} takes about {} runs here, {}; fewer if the audit convicts before, and more "
      "if only a rare event gives the inputs away",
      std::holds_alternative<GaussianDp>(plan.claim) ? "mu" : "eps", rounded(*plan.see, 6),
      grouped(static_cast<std::int64_t>(rounded_count(static_cast<double>(*plan.runs)))),
      duration_text(seconds_a_run * static_cast<double>(*plan.runs)));
  if (static_cast<double>(*plan.runs) > kManyRuns) text += ". " + std::string(kStrongerTests);
  return text;
}

Result<AuditOutcome> play(const ProgramAudit& audit, const Session& session) {
  RunControl control = session.control;
  if (audit.job.seconds) control.give_seconds(*audit.job.seconds);
  // If the audit's own clock ends it before the first run, that is an error of the target, not an interruption.
  const auto in_time = [&]<class T>(Result<T> result, const char* what) {
    if (!result && result.error().code == ErrorCode::kInterrupted && control.out_of_time() &&
        !control.interrupted()) {
      result.error() = {
          ErrorCode::kTarget,
          fmt::format("--time {} ended before the target {}. Allow more time, or measure "
                      "how long a run takes with assay try",
                      number_text(*audit.job.seconds), what),
          "", 0};
    }
    return result;
  };
  const auto before = RunControl::Clock::now();
  BlackBoxPlan plan = audit.plan;
  const auto ended_before = [&](const std::string& title,
                                const Error& why) -> Result<AuditOutcome> {
    if (is_one_run(audit.job)) plan.pairs = {audit.canaries->farthest()};
    auto outcome = ASSAY_TRY(undecided_outcome(audit.shape, plan, plan.played, why));
    if (is_one_run(audit.job)) {
      outcome = without_guesses(std::move(outcome), *audit.canaries, audit.one_run);
    }
    return report_on(audit, audit.settings.front(), title, std::move(outcome));
  };
  auto started = in_time(start_all(audit, control), "answered the greeting");
  if (!started && started.error().code == ErrorCode::kInterrupted) {
    return ended_before(audit.job.exec + audit.job.plugin, started.error());
  }
  auto all = ASSAY_TRY(std::move(started));
  if (audit.job.seconds || plan.runs_follow) {
    const double start = found_by_first(control, [&] {
      return std::chrono::duration<double>(RunControl::Clock::now() - before).count() /
             static_cast<double>(audit.settings.size());
    });
    const auto pace = [&](const InputPair& pair) {
      return runs_for_time(*all.subjects.front().players, pair.base_input(), plan.seed, start,
                           control);
    };
    auto found = pace(plan.pairs.front());
    for (std::size_t i = 1; i < plan.pairs.size(); ++i) {  // skips inputs that the target refuses
      if (found || found.error().code != ErrorCode::kRefusedInput) break;
      found = pace(plan.pairs[i]);
    }
    const auto paced = in_time(std::move(found), "answered its first runs");
    if (!paced) return ended_before(all.titles.front(), paced.error());
    plan.played.learning = paced->played;
    if (audit.job.seconds) {
      plan.runs = paced->runs;
      plan.seconds_a_run = paced->seconds;
    } else {
      control.say(cost_of_seeing(audit, paced->seconds / control.workers()));
    }
  }
  auto outcome =
      ASSAY_TRY(is_one_run(audit.job)
                    ? audit_one_run(all.subjects.front(), *audit.canaries, audit.one_run, control)
                    : audit_probed(all.subjects, plan, audit.canaries, control));
  const std::size_t subject = outcome.subject;
  auto made = report_on(audit, audit.settings[subject], all.titles[subject], std::move(outcome));
  if (is_reported(audit.job) && !made.target_error) {
    made.target_error = bound_by_reported(audit, all.players[subject], made.report, control);
  }
  made.report.if_rounded = audit_rounded(audit, all.subjects, made.report, control);
  made.report.containment = containment_text(audit.limits);
  return made;
}

Result<AuditOutcome> count_recorded(const ProgramAudit& audit) {
  auto outcome =
      ASSAY_TRY(audit_recorded(audit.shape, audit.base_runs.outputs, audit.neighbour_runs.outputs,
                               audit.job.changed_row.value_or(1) - 1, audit.plan));
  const auto& files = audit.job.transcripts;
  return report_on(audit, {}, files[0] + " against " + files[1], std::move(outcome));
}

}  // namespace

std::int64_t detail::runs_to_see(const PrivacyLevel& claim, Delta delta0, double see,
                                 double alpha) {
  const auto samples =
      samples_to_see(asked_of(claim, delta0), see, kUsualFrequency, kOfAlpha * alpha, true);
  return static_cast<std::int64_t>(2.0 * static_cast<double>(samples) / kCertified);
}

double detail::level_seen_by(const PrivacyLevel& claim, Delta delta0, std::int64_t runs,
                             double alpha) {
  const auto samples = static_cast<std::int64_t>(0.5 * kCertified * static_cast<double>(runs));
  return level_seen(asked_of(claim, delta0), kUsualFrequency, kOfAlpha * alpha, true,
                    std::max<std::int64_t>(1, samples));
}

Result<detail::PlayedTarget> detail::read_played_target(AuditJob job) {
  if (job.claim.empty()) job.claim = "eps=1";  // nothing is compared with it
  auto read = ASSAY_TRY(read_audit(job));
  if (is_one_run(job)) {  // runs the pair with which another audit would begin
    job.method = "auto";
    job.samples.reset();
    job.training.reset();
    job.canaries.reset();
    read = ASSAY_TRY(read_audit(job));
  }
  const auto audit = std::make_shared<const ProgramAudit>(std::move(read));
  return PlayedTarget{audit->settings.front().command,
                      audit->settings.size(),
                      audit->shape,
                      audit->limits,
                      audit->plan,
                      [audit](const ChildLimits& limits) { return start(*audit, limits, 0); }};
}

Result<PreparedJob<AuditOutcome>> detail::prepare_program(const AuditJob& job) {
  auto read = ASSAY_TRY(read_audit(job));
  const auto audit = std::make_shared<const ProgramAudit>(std::move(read));
  return [audit](const Session& session) -> Result<AuditOutcome> {
    auto outcome =
        ASSAY_TRY(audit->job.transcripts.empty() ? play(*audit, session) : count_recorded(*audit));
    fill_meta(session, outcome.report);
    return outcome;
  };
}

}  // namespace assay
