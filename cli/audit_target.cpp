// assay audit --exec, --plugin, --transcripts: what cannot be read is played.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "assay/auditors/engine/claimed_level.hpp"
#include "assay/auditors/engine/reproduce.hpp"
#include "assay/auditors/methods/black_box/black_box_audit.hpp"
#include "assay/auditors/methods/one_run/one_run_audit.hpp"
#include "assay/cli/audit_options.hpp"
#include "assay/cli/audit_words.hpp"
#include "assay/cli/exit_codes.hpp"
#include "assay/cli/target_settings.hpp"
#include "assay/cli/terminal.hpp"
#include "assay/cli/words.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/policies/external/input_file.hpp"
#include "assay/policies/external/plugin_target.hpp"
#include "assay/policies/external/process_target.hpp"
#include "assay/policies/external/recorded_plays.hpp"

namespace assay::cli {
namespace {

constexpr std::size_t kMostPairs = 24;  // searched

struct TargetJob {
  TargetShape shape;
  ChildLimits limits;
  std::vector<Setting> settings;                   // of --exec; otherwise one that is empty
  std::vector<std::vector<std::string>> commands;  // one for each setting
  std::vector<PrivacyLevel> claims;                // one for each setting
  BlackBoxPlan plan;
  OneRunPlan one_run;                  // of --method one-run, with
  std::optional<Canaries> canaries;    // these
  RecordedPlays old_plays, new_plays;  // of --transcripts
  int threads = 1;
  ReportOutputs outputs;
};

tl::unexpected<Error> usage(std::string message) {
  return fail(ErrorCode::kInvalidArgument, std::move(message));
}

bool is_one_run(const AuditWords& words) { return words.method == "one-run"; }

// One target, by a method that can audit it, with a claim.
Status check_subject(const AuditWords& words) {
  if (words.method != "auto" && words.method != "events" && !is_one_run(words)) {
    return usage("--method of a target outside is events or one-run, not '" + words.method + "'");
  }
  const auto& target = words.target;
  const int ways = (target.exec.empty() ? 0 : 1) + (target.plugin.empty() ? 0 : 1) +
                   (target.transcripts.empty() ? 0 : 1);
  if (ways != 1) return usage("give one of --exec, --plugin and --transcripts");
  if (is_one_run(words) && !target.transcripts.empty()) {
    return usage(
        "--method one-run tosses coins into the input, so it has to play the target: give --exec "
        "or --plugin, not --transcripts");
  }
  if (words.claim.empty()) return usage("a target outside needs --claim: it states none itself");
  return {};
}

Status refuse_unused_options(const App& app, const AuditWords& words, const TargetJob& job) {
  const auto& target = words.target;
  AuditTraits traits;
  traits.subject = !target.exec.empty()     ? SubjectKind::kProgram
                   : !target.plugin.empty() ? SubjectKind::kPlugin
                                            : SubjectKind::kRecorded;
  traits.kind = job.shape.kind;
  traits.method = is_one_run(words) ? "one-run" : "events";
  traits.claims_mu = std::holds_alternative<GaussianDp>(job.plan.claim);
  return refuse_unused(app, traits, words);
}

Result<TargetShape> read_shape_words(const TargetWords& words) {
  TargetShape shape;
  const std::pair<const char*, const std::string*> fields[] = {
      {"kind", &words.kind},           {"arms", &words.arms},     {"horizon", &words.horizon},
      {"dimension", &words.dimension}, {"inputs", &words.inputs}, {"outputs", &words.outputs}};
  for (const auto& [name, word] : fields) {
    if (word->empty()) continue;
    if (const auto status = set_field(shape, name, *word); !status) {
      return usage("--" + status.error().message);
    }
  }
  if (const auto status = validate(shape); !status) return usage("--" + status.error().message);
  return shape;
}

Result<std::vector<InputPair>> read_pairs(const AuditWords& words, const TargetShape& shape,
                                          std::string& text) {
  if (words.input.empty() && words.target.neighbour.empty()) {
    text = "structural pairs";
    return structural_pairs(shape, kMostPairs);
  }
  if (words.input.empty() || words.target.neighbour.empty()) {
    return usage("give both --input and --neighbour, or neither");
  }
  auto old_input = ASSAY_TRY(read_input_table(words.input, shape));
  auto new_input = ASSAY_TRY(read_input_table(words.target.neighbour, shape));
  auto pair = ASSAY_TRY(pair_of(std::move(old_input), std::move(new_input)));
  text = "given";
  return std::vector<InputPair>{std::move(pair)};
}

// The two values of every canary: those of the files, or the extremes.
Result<Canaries> read_canaries(const AuditWords& words, const TargetShape& shape,
                               std::string& text) {
  std::optional<std::int64_t> most;
  if (const auto status =
          read_optional<std::int64_t>("--canaries", words.target.canaries, parse_integer, 1, most);
      !status) {
    return tl::make_unexpected(status.error());
  }
  if (words.input.empty() != words.target.neighbour.empty()) {
    return usage("give both --input and --neighbour, or neither");
  }
  if (words.input.empty()) {
    text = "each entry at one extreme or the other";
    return named("--canaries:", Canaries::structural(shape, most.value_or(0)));
  }
  auto zero = ASSAY_TRY(read_input_table(words.input, shape));
  auto one = ASSAY_TRY(read_input_table(words.target.neighbour, shape));
  text = "each entry as in " + words.input + " or as in " + words.target.neighbour;
  return named("--canaries:",
               Canaries::between(shape, std::move(zero), std::move(one), most.value_or(0)));
}

Status read_one_run_words(const AuditWords& words, TargetJob& job) {
  auto& plan = job.one_run;
  plan.claim = job.plan.claim;
  plan.claim_text = job.plan.claim_text;
  plan.confidence = job.plan.confidence;
  plan.delta0 = job.plan.delta0;
  plan.seed = job.plan.seed;
  plan.runs = words.samples.empty() ? plan.runs : job.plan.samples;
  std::optional<std::int64_t> training;
  if (const auto status = read_optional<std::int64_t>("--training", words.target.training,
                                                      parse_integer, 20, training);
      !status) {
    return status;
  }
  plan.training = training.value_or(plan.training);
  auto canaries = ASSAY_TRY(read_canaries(words, job.shape, plan.canaries_text));
  job.canaries = std::move(canaries);
  return {};
}

Status read_claims(const AuditWords& words, TargetJob& job) {
  for (const auto& setting : job.settings) {
    auto variables = claim_variables(job.shape);
    variables.insert(variables.end(), setting.variables.begin(), setting.variables.end());
    const auto claim = ASSAY_TRY(parse_claim(words.claim, variables));
    job.claims.push_back(claim);
  }
  job.plan.claim = job.claims.front();
  job.plan.claim_text = words.claim;
  return {};
}

Status read_plan_words(const AuditWords& words, TargetJob& job) {
  auto& plan = job.plan;
  const auto confidence = ASSAY_TRY(named("--confidence", parse_number(words.confidence)));
  plan.confidence = confidence;
  const auto delta0 = ASSAY_TRY(named("--delta0", parse_number(words.delta0)));
  if (!(delta0 > 0.0 && delta0 < 1.0)) {
    return usage("--delta0 must lie strictly between 0 and 1, not " + words.delta0);
  }
  plan.delta0 = Delta{delta0};
  plan.seed = default_seed(is_one_run(words) ? "target, one run" : "target",
                           field_values(job.shape), {}, Method::kAuto);
  if (!words.seed.empty()) {
    const auto seed = ASSAY_TRY(read_seed(words.seed));
    plan.seed = seed;
  }
  std::optional<std::int64_t> samples;
  if (const auto status = read_optional<std::int64_t>("--samples", words.samples, parse_integer,
                                                      is_one_run(words) ? 1 : 100, samples);
      !status) {
    return status;
  }
  plan.samples = samples.value_or(plan.samples);
  plan.stop_when_decided = words.stop_when_decided;
  const auto margin =
      ASSAY_TRY(words.target.margin.empty() ? Result<double>(plan.margin)
                                            : named("--margin", parse_number(words.target.margin)));
  plan.margin = margin;
  if (!words.target.round_outputs.empty()) {
    const auto step = ASSAY_TRY(named("--round-outputs", parse_number(words.target.round_outputs)));
    if (!(step > 0.0 && step <= 1e300)) {
      return usage("--round-outputs must be positive, not " + words.target.round_outputs);
    }
    plan.output_grid = step;
  }
  return {};
}

// The commands to start; one setting without any for what is not a program.
Status read_settings(const TargetWords& words, TargetJob& job) {
  if (words.exec.empty()) {
    job.settings.resize(1);
    return {};
  }
  std::optional<std::int64_t> most;
  if (const auto status =
          read_optional<std::int64_t>("--settings", words.settings, parse_integer, 1, most);
      !status) {
    return status;
  }
  if (most.value_or(1) > kMostSettings) {
    return usage(fmt::format("--settings must be at most {}, not {}", kMostSettings, *most));
  }
  auto settings =
      ASSAY_TRY(target_settings(words.exec, words.vary, most.value_or(kDefaultSettings)));
  for (const auto& setting : settings) {
    auto command = ASSAY_TRY(named("--exec:", split_command(setting.command)));
    job.commands.push_back(std::move(command));
  }
  job.settings = std::move(settings);
  return {};
}

// The shape of recorded plays is what their files say.
Status read_recorded(const AuditWords& words, TargetJob& job) {
  const auto& files = words.target.transcripts;
  for (const auto& [file, side] :
       {std::pair(&files[0], &job.old_plays), std::pair(&files[1], &job.new_plays)}) {
    auto plays = ASSAY_TRY(read_recorded_plays(*file));
    *side = std::move(plays);
  }
  if (job.old_plays.shape != job.new_plays.shape) {
    return usage(files[1] + " has another shape than " + files[0]);
  }
  job.shape = job.old_plays.shape;
  return {};
}

Status read_subject(const AuditWords& words, TargetJob& job) {
  if (!words.target.transcripts.empty()) return read_recorded(words, job);
  const auto shape = ASSAY_TRY(read_shape_words(words.target));
  job.shape = shape;
  return {};
}

Result<TargetJob> read_job(const App& app, const AuditWords& words) {
  TargetJob job;
  ASSAY_TRY(check_subject(words));
  ASSAY_TRY(read_subject(words, job));
  ASSAY_TRY(read_settings(words.target, job));
  ASSAY_TRY(read_claims(words, job));
  ASSAY_TRY(refuse_unused_options(app, words, job));
  ASSAY_TRY(read_plan_words(words, job));
  std::optional<double> answer;
  if (const auto status = read_seconds("--answer-time", words.target.answer_time, 0.01, answer);
      !status) {
    return tl::make_unexpected(status.error());
  }
  if (answer) {
    job.limits.answer =
        std::chrono::milliseconds(static_cast<std::int64_t>(std::min(*answer, 1e6) * 1000.0));
  }
  const auto threads = ASSAY_TRY(read_threads(words.threads));
  job.threads = threads;
  if (is_one_run(words)) {
    ASSAY_TRY(read_one_run_words(words, job));
  } else if (words.target.transcripts.empty()) {
    auto pairs = ASSAY_TRY(read_pairs(words, job.shape, job.plan.pairs_text));
    job.plan.pairs = std::move(pairs);
  }
  auto outputs = ASSAY_TRY(open_outputs(words));
  job.outputs = std::move(outputs);
  return job;
}

std::string reproduce(const AuditWords& words, const AuditReport& report) {
  std::string command = "assay audit";
  const auto add = [&](const std::string& flag, const std::string& value) {
    if (!value.empty()) command += " " + flag + " " + shell_quoted(value);
  };
  const auto& target = words.target;
  add("--exec", target.exec);
  add("--plugin", target.plugin);
  if (!target.transcripts.empty()) {
    command += " --transcripts " + shell_quoted(target.transcripts[0]) + " " +
               shell_quoted(target.transcripts[1]);
    add("--changed-row", target.changed_row);
  } else {
    for (const auto& [key, value] : report.parameters) add("--" + key, value);
    add("--input", words.input);
    add("--neighbour", target.neighbour);
    if (report.canaries) {
      add("--method", report.method);
      add("--canaries", target.canaries);
      add("--training", std::to_string(report.canaries->training));
    }
    add("--samples", std::to_string(report.samples_planned));
    add("--seed", std::to_string(report.seed));
    for (const auto& vary : target.vary) add("--vary", vary);
    add("--settings", target.settings);
    if (words.stop_when_decided) command += " --stop-when-decided";
    add("--margin", target.margin);
    if (target.deterministic) command += " --deterministic";
  }
  add("--round-outputs", target.round_outputs);
  add("--claim", words.claim);
  add("--confidence", words.confidence);
  if (std::holds_alternative<GaussianDp>(report.claim)) add("--delta0", words.delta0);
  return command;
}

std::vector<KeyValue> shape_parameters(const TargetShape& shape) {
  std::vector<KeyValue> parameters{{"kind", detail::value_text(shape.kind)}};
  const auto add = [&](const char* name, std::int64_t value) {
    parameters.push_back({name, std::to_string(value)});
  };
  if (shape.kind == TargetKind::kMechanism) {
    add("inputs", shape.inputs);
    add("outputs", shape.outputs);
    return parameters;
  }
  add("arms", shape.arms);
  add("horizon", shape.horizon);
  if (shape.kind == TargetKind::kContextual) add("dimension", shape.dimension);
  return parameters;
}

void name_report(const AuditWords& words, const TargetShape& shape, const Setting& setting,
                 const std::string& title, AuditReport& report) {
  const auto& target = words.target;
  report.case_id = !target.exec.empty()     ? "exec"
                   : !target.plugin.empty() ? "plugin"
                                            : "transcripts";
  report.case_title = title;
  report.parameters = shape_parameters(shape);
  report.reproduce = reproduce(words, report);
  report.parameters.insert(report.parameters.end(), setting.parameters.begin(),
                           setting.parameters.end());
}

struct Started {
  std::unique_ptr<Target> target;
  bool promises_seeds = false;
  bool deterministic = false;
};

Result<Started> start(const AuditWords& words, const TargetJob& job, std::size_t setting) {
  if (!words.target.exec.empty()) {
    auto target = ASSAY_TRY(ProcessTarget::start({job.commands[setting], job.shape, job.limits}));
    const bool seeded = target->seeded();
    const bool deterministic = words.target.deterministic || target->deterministic();
    return Started{std::move(target), seeded, deterministic};
  }
  auto target = ASSAY_TRY(PluginTarget::load(words.target.plugin, job.shape, job.limits));
  const bool seeded = target->seeded();
  return Started{std::move(target), seeded, words.target.deterministic};
}

// Every setting's instances run until the audit ends: they wait while others are played.
struct Cast {
  std::vector<std::string> titles;
  std::vector<Players> players;
  std::vector<AuditSubject> subjects;
};

Result<Cast> start_all(const AuditWords& words, const TargetJob& job) {
  Cast cast;
  cast.players.reserve(job.settings.size());  // subjects point at them
  for (std::size_t i = 0; i < job.settings.size(); ++i) {
    auto started = ASSAY_TRY(start(words, job, i));
    cast.titles.push_back(started.target->name());
    auto players = ASSAY_TRY(Players::create(std::move(started.target), job.threads));
    cast.players.push_back(std::move(players));
    cast.subjects.push_back(
        {&cast.players.back(), started.promises_seeds, job.claims[i], started.deterministic});
  }
  return cast;
}

Result<BlackBoxOutcome> play_and_audit(const AuditWords& words, TargetJob& job) {
  // Before the first child: a signal in a greeting is an interruption like any other.
  const std::atomic<bool>& cancel = catch_interrupts();
  job.limits.cancel = &cancel;
  auto cast = ASSAY_TRY(start_all(words, job));
  ProgressLine progress;
  RunControl control;
  control.threads = job.threads;
  control.cancel = &cancel;
  control.progress = [&](std::string_view stage, double fraction) {
    progress.update(stage, fraction);
  };
  auto outcome = job.canaries
                     ? audit_one_run(cast.subjects.front(), *job.canaries, job.one_run, control)
                     : audit_black_box(cast.subjects, job.plan, control);
  if (outcome) {
    name_report(words, job.shape, job.settings[outcome->subject], cast.titles[outcome->subject],
                outcome->report);
  }
  return outcome;
}

Result<BlackBoxOutcome> audit_files(const AuditWords& words, TargetJob& job) {
  std::optional<std::int64_t> row;
  if (const auto status = read_optional<std::int64_t>("--changed-row", words.target.changed_row,
                                                      parse_integer, 1, row);
      !status) {
    return tl::make_unexpected(status.error());
  }
  if (row.value_or(1) > job.shape.rows()) {
    return usage(fmt::format("--changed-row must be at most {}, not {}", job.shape.rows(), *row));
  }
  auto report = ASSAY_TRY(audit_recorded(job.shape, job.old_plays.outputs, job.new_plays.outputs,
                                         row.value_or(1) - 1, job.plan));
  const auto& files = words.target.transcripts;
  name_report(words, job.shape, {}, files[0] + " against " + files[1], report);
  return BlackBoxOutcome{std::move(report), 0, {}};
}

}  // namespace

int run_target_audit(const App& app, const AuditWords& words) {
  auto job = read_job(app, words);
  if (!job) {
    print_error(job.error());
    return exit_code(job.error().code);
  }
  const RunClock clock;
  auto outcome =
      words.target.transcripts.empty() ? play_and_audit(words, *job) : audit_files(words, *job);
  if (!outcome) {
    print_error(outcome.error());
    return exit_code(outcome.error().code);
  }
  fill_meta(clock, job->threads, outcome->report);
  const int status = write_report(outcome->report, job->outputs);
  if (!outcome->target_error) return status;
  print_error(*outcome->target_error);
  return status == kUsage ? status : exit_code(outcome->target_error->code);
}

}  // namespace assay::cli
