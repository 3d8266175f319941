// assay audit: certify how much one case leaks and set it against a claim.
#include "assay/auditors/engine/audit_case.hpp"

#include <fmt/format.h>

#include <memory>

#include "assay/auditors/engine/reproduce.hpp"
#include "assay/auditors/mechanisms/row_pair.hpp"
#include "assay/cli/audit_options.hpp"
#include "assay/cli/audit_words.hpp"
#include "assay/cli/commands.hpp"
#include "assay/cli/exit_codes.hpp"
#include "assay/cli/output_files.hpp"
#include "assay/cli/terminal.hpp"
#include "assay/cli/words.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/policies/inputs/loss_sequence.hpp"
#include "assay/policies/inputs/reward_stream.hpp"

namespace assay::cli {
namespace {

struct AuditJob {
  const AuditCase* audit_case = nullptr;
  AuditRequest request;
  int threads = 1;
  ReportOutputs outputs;
};

// Both neighbours of a mechanism.
Status read_pair(const std::string& path, AuditInput& input) {
  auto pair = ASSAY_TRY(read_row_pair(path));
  std::vector<double> both = pair.old_row;
  both.insert(both.end(), pair.new_row.begin(), pair.new_row.end());
  input.source = {path, "", digest_of(both), 2};
  input.rewards = std::move(pair.old_row);
  input.neighbour = std::move(pair.new_row);
  return {};
}

Status read_rounds(const AuditWords& words, InputRows rows, AuditInput& input) {
  if (rows == InputRows::kLosses) {
    auto losses = ASSAY_TRY(read_losses(words.input));
    input.rewards = std::move(losses.values);
    input.columns = losses.actions;
  } else {
    auto rewards = ASSAY_TRY(read_rewards(words.input, words.column));
    input.rewards = std::move(rewards);
  }
  input.source = {words.input, words.column, digest_of(input.rewards),
                  static_cast<std::int64_t>(input.rewards.size()) / input.columns};
  return {};
}

Result<std::optional<AuditInput>> read_input(const AuditWords& words, InputRows rows) {
  if (words.input.empty()) return std::optional<AuditInput>{};
  AuditInput input;
  ASSAY_TRY(rows == InputRows::kPair ? read_pair(words.input, input)
                                     : read_rounds(words, rows, input));
  return std::optional<AuditInput>(std::move(input));
}

Status read_budget(const AuditWords& words, AuditJob& job) {
  auto& request = job.request;
  std::optional<std::int64_t> stop_after;
  if (auto s = read_optional<std::int64_t>("--samples", words.samples, parse_integer, 1,
                                           request.samples);
      !s) {
    return s;
  }
  if (auto s = read_seconds("--time", words.seconds, 0.1, request.seconds); !s) return s;
  if (auto s = read_optional<std::int64_t>("--stop-after", words.stop_after, parse_integer, 0,
                                           stop_after);
      !s) {
    return s;
  }
  if (request.samples && request.seconds) {
    return fail(ErrorCode::kInvalidArgument,
                "--samples and --time contradict each other: give one");
  }
  if (!words.seed.empty()) {
    const auto seed = ASSAY_TRY(read_seed(words.seed));
    request.seed = seed;
  }
  const auto threads = ASSAY_TRY(read_threads(words.threads));
  job.threads = threads;
  request.stop_after = stop_after;
  return read_optional<std::int64_t>("--search", words.search, parse_integer, 0, request.search);
}

Status refuse_unused_options(const App& app, const AuditWords& words, const AuditJob& job) {
  const auto resolved = ASSAY_TRY(job.audit_case->resolve(job.request));
  AuditTraits traits;
  traits.name = words.case_id;
  traits.rows = job.audit_case->describe().input_rows;
  traits.method = detail::value_text(resolved.method);
  traits.claims_mu = std::holds_alternative<GaussianDp>(resolved.claim);
  return refuse_unused(app, traits, words);
}

Result<AuditJob> read_job(const App& app, const AuditWords& words) {
  AuditJob job;
  const auto found = ASSAY_TRY(find_audit_case(words.case_id));
  job.audit_case = found;
  auto& request = job.request;
  auto parameters = ASSAY_TRY(split_parameters(words.parameters));
  request.parameters = std::move(parameters);
  request.claim = words.claim;
  const auto method = ASSAY_TRY(named("--method", detail::read_value<Method>(words.method)));
  request.method = method;
  const auto confidence = ASSAY_TRY(named("--confidence", parse_number(words.confidence)));
  request.confidence = confidence;
  const auto delta0 = ASSAY_TRY(named("--delta0", parse_number(words.delta0)));
  request.delta0 = delta0;
  request.stop_when_decided = words.stop_when_decided;
  ASSAY_TRY(read_budget(words, job));
  auto input = ASSAY_TRY(read_input(words, job.audit_case->describe().input_rows));
  request.input = std::move(input);
  ASSAY_TRY(refuse_unused_options(app, words, job));
  auto outputs = ASSAY_TRY(open_outputs(words));
  job.outputs = std::move(outputs);
  return job;
}

int run_audit(const App& app, const AuditWords& words) {
  if (words.target.given()) return run_target_audit(app, words);
  if (words.case_id.empty()) {
    print_error({ErrorCode::kInvalidArgument,
                 "audit needs a case (`assay list cases`), or a target: --exec, --plugin or "
                 "--transcripts",
                 "", 0});
    return kUsage;
  }
  const auto job = read_job(app, words);
  if (!job) {
    print_error(job.error());
    return exit_code(job.error().code);
  }
  const RunClock clock;
  Result<AuditReport> report = fail(ErrorCode::kInternal, {});
  {
    ProgressLine progress;
    RunControl control;
    control.threads = job->threads;
    control.cancel = &catch_interrupts();
    control.progress = [&](std::string_view stage, double fraction) {
      progress.update(stage, fraction);
    };
    report = job->audit_case->run(job->request, control);
  }
  if (!report) {
    print_error(report.error());
    return exit_code(report.error().code);
  }
  fill_meta(clock, job->threads, *report);
  return write_report(*report, job->outputs);
}

// A policy or mechanism that lives outside.
void add_target_options(App& app, TargetWords& words) {
  const std::string group = "Targets outside (docs/protocol.md)";
  const auto option = [&](const char* flag, std::string& word, const char* help, const char* type) {
    app.add_option(flag, word, help)->type_name(type)->group(group);
  };
  option("--exec", words.exec, "Audit the program of this command, started without a shell",
         "COMMAND");
  option("--plugin", words.plugin, "Audit this shared library (assay_policy_v1.h)", "FILE");
  app.add_option("--transcripts", words.transcripts,
                 "Audit plays recorded on two neighbouring inputs")
      ->type_name("OLD NEW")
      ->expected(2)
      ->group(group);
  option("--kind", words.kind,
         "bandit (default), best-arm, dueling, experts, contextual or mechanism", "KIND");
  option("--arms", words.arms, "Actions K of the target (default: 2)", "K");
  option("--horizon", words.horizon, "Rounds T of a play (default: 100)", "T");
  option("--dimension", words.dimension, "Entries of a context (contextual)", "D");
  option("--inputs", words.inputs, "Values of the input (mechanism)", "N");
  option("--outputs", words.outputs, "Numbers of the output (mechanism)", "N");
  option("--neighbour", words.neighbour,
         "The neighbour of --input, one row different (default: pairs are searched)", "FILE");
  option("--changed-row", words.changed_row,
         "Where the inputs of --transcripts differ (default: 1)", "ROW");
  app.add_option("--vary", words.vary,
                 "Search this free parameter too: {NAME} in --exec stands for its value, and the "
                 "claim may use NAME; repeatable")
      ->type_name("NAME=LOW:HIGH|A,B,C")
      ->allow_extra_args(false)
      ->group(group);
  option("--settings", words.settings, "Combinations of --vary, 1 to 16 (default: 8)", "N");
  option(
      "--margin", words.margin,
      "With --stop-when-decided: also end once the event shows no leak this far above the claimed "
      "eps, at power 0.9 (default: 0.1)",
      "EPS");
  option(
      "--round-outputs", words.round_outputs,
      "Look at a mechanism's outputs rounded to multiples of this alone; their low bits tell the "
      "input of most floating-point noise",
      "STEP");
  option("--canaries", words.canaries,
         "--method one-run: entries of the input to flip, the first N (default: all)", "N");
  option("--training", words.training,
         "--method one-run: transcripts to learn the guesses from (default: 400)", "N");
  app.add_flag("--deterministic", words.deterministic,
               "Plays of one input are meant to be alike; otherwise plays that are decide nothing")
      ->group(group);
  option("--answer-time", words.answer_time, "Longest wait for an answer (default: 60)", "SECONDS");
}

}  // namespace

Command add_audit(App& root) {
  auto words = std::make_shared<AuditWords>();
  App* app = root.add_subcommand(
      "audit", "Certify how much a policy or mechanism leaks, and set it against a claim");
  app->add_option("case", words->case_id, "What to audit; `assay list cases` names them")
      ->type_name("CASE");
  app->add_option("-p,--parameter", words->parameters,
                  "A parameter of the case, repeatable; `assay explain CASE` lists them")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  app->add_option("--claim", words->claim,
                  "\"eps=1\", \"eps=1,delta=1e-6\" or \"mu=sqrt(T/2)\": arithmetic over the case's "
                  "parameters (default: what the case itself guarantees)");
  app->add_option("--input", words->input,
                  "Private input: one round a line, as many as the horizon; of a mechanism both "
                  "neighbours, a row of numbers each; `assay explain CASE`")
      ->type_name("FILE");
  app->add_option("--column", words->column, "Read --input as CSV and take this column")
      ->type_name("NAME");
  app->add_option(
         "--method", words->method,
         "auto, exact or likelihood, of a mechanism also events; of a target outside: auto, "
         "events or one-run")
      ->capture_default_str();
  app->add_option("--confidence", words->confidence,
                  "Probability that every statement of the report holds, 0.5 to below 1")
      ->capture_default_str()
      ->envname("ASSAY_CONFIDENCE");
  app->add_option("--delta0", words->delta0, "mu is also reported over delta >= delta0")
      ->capture_default_str();
  app->add_option("--seed", words->seed,
                  "Random seed (default: a hash of case, parameters, input and method)")
      ->envname("ASSAY_SEED");
  app->add_option("--samples", words->samples,
                  "Transcripts to certify with, a side; of --method one-run: in all (default: 1)")
      ->type_name("N");
  app->add_option("--time", words->seconds,
                  "Time budget of the whole run in seconds; the report says what it made of it")
      ->type_name("SECONDS");
  app->add_flag("--stop-when-decided", words->stop_when_decided,
                "End as soon as an (eps, delta) claim is refuted; a target outside: or as little "
                "is left to see (--margin)");
  app->add_option("--stop-after", words->stop_after,
                  "End after this many of --samples, as an interrupted run did")
      ->type_name("N");
  app->add_option("--search", words->search,
                  "Pairs of inputs to score when looking for the worst (default: by size), as a "
                  "search did that --time ended")
      ->type_name("N");
  app->add_option("--threads", words->threads,
                  "Threads (default: all cores); never changes the result")
      ->envname("ASSAY_THREADS");
  app->add_option("--format", words->format, "Report on stdout: text, json or html")
      ->capture_default_str();
  app->add_option("-w,--write", words->write,
                  "Also write the report to this file, repeatable; .txt, .json or .html")
      ->type_name("FILE")
      ->allow_extra_args(false);
  add_target_options(*app, words->target);
  return {app, [app, words] { return run_audit(*app, *words); }};
}

}  // namespace assay::cli
