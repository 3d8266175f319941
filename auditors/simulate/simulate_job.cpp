#include "assay/auditors/simulate/simulate_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "assay/auditors/figures/experiment.hpp"
#include "assay/auditors/registry/experiments.hpp"
#include "assay/mechanisms/core/item_store.hpp"
#include "assay/mechanisms/core/messages.hpp"
#include "assay/mechanisms/core/version.hpp"

namespace assay {
namespace {

// One experiment with those of the given parameters that it has.
struct Selected {
  const Experiment* experiment = nullptr;
  std::string id;
  std::vector<KeyValue> given;
  std::vector<KeyValue> parameters;  // all of them
};

// The seed of ASSAY_SEED is for the experiments that have one. -p seed overrides it.
bool is_seed_of_environment(const SimulationJob& job, std::string_view key) {
  return key == "seed" && std::any_of(job.written.begin(), job.written.end(), [](const auto& one) {
           return one.name == "seed" && one.from_environment;
         });
}

Result<std::vector<KeyValue>> given_parameters(const SimulationJob& job) {
  std::vector<KeyValue> given;
  const std::pair<const char*, const std::string*> flags[] = {{"repetitions", &job.repetitions},
                                                              {"horizon", &job.horizon},
                                                              {"seed", &job.seed},
                                                              {"regret", &job.regret}};
  for (const auto& [key, word] : flags) {
    if (!word->empty()) given.push_back({key, *word});
  }
  for (const auto& parameter : job.parameters) {
    if (is_seed_of_environment(job, parameter.key)) {
      std::erase_if(given, [](const KeyValue& one) { return one.key == "seed"; });
    }
    for (const auto& [key, value] : given) {
      if (key != parameter.key) continue;
      return fail(ErrorCode::kInvalidArgument,
                  "-p " + key + " and " + parameter_name(key) + " are the same parameter");
    }
    given.push_back(parameter);
  }
  return given;
}

// The error of a parameter begins with its name.
tl::unexpected<Error> as_given(Error error) {
  const auto end = std::min(error.message.find(' '), error.message.size());
  error.message = parameter_name(error.message.substr(0, end)) + error.message.substr(end);
  error.path.clear();
  return tl::make_unexpected(std::move(error));
}

Result<std::vector<Selected>> select(const SimulationJob& job, const std::vector<KeyValue>& given) {
  const auto found = ASSAY_TRY(select_experiments(job.experiments));
  std::vector<Selected> selected;
  for (const Experiment* experiment : found) {
    Selected one{experiment, experiment->describe().id, {}, {}};
    for (const auto& parameter : given) {
      if (experiment->has_parameter(parameter.key)) one.given.push_back(parameter);
    }
    auto parameters = experiment->parameters(one.given);
    if (!parameters) return as_given(parameters.error());
    one.parameters = std::move(*parameters);
    selected.push_back(std::move(one));
  }
  for (const auto& [key, value] : given) {
    const bool used = std::any_of(selected.begin(), selected.end(), [&key = key](const auto& one) {
      return one.experiment->has_parameter(key);
    });
    if (!used && !is_seed_of_environment(job, key)) {
      return fail(ErrorCode::kInvalidArgument,
                  parameter_name(key) + " is not a parameter of any selected experiment");
    }
  }
  return selected;
}

// Everything that decides the results of the chunks, so not how the figures are drawn.
CheckpointFile checkpoint_of(const SimulationJob& job, const std::vector<Selected>& selected) {
  CheckpointFile file;
  file.path = job.checkpoint;
  file.identity.push_back(
      {"program", fmt::format("assay {}, commit {}", build_info().version, build_info().commit)});
  for (const auto& one : selected) {
    std::string parameters;
    for (const auto& [key, value] : one.parameters) {
      if (key == "regret") continue;
      parameters += (parameters.empty() ? "" : ", ") + key + " " + value;
    }
    file.identity.push_back({one.id, parameters});
  }
  return file;
}

}  // namespace

void SimulationJob::fields(const VisitOption<SimulationJob>& visit) {
  using J = SimulationJob;
  visit(option(
      &J::experiments,
      {.name = "experiment",
       .type = "EXPERIMENT",
       .help = "Simulate these experiments: names from `assay list experiments`, or patterns "
               "with * and ?.",
       .is_positional = true}));
  visit(
      option(&J::parameters,
             parameter_option("Set a parameter of the experiment. `assay explain EXPERIMENT` lists "
                              "the parameters.")));
  visit(option(&J::regret,
               {.name = "regret",
                .type = "REGRET",
                .help = "Measure the regret from pulls (pseudo) or from rewards (realised, "
                        "as in the paper).",
                .default_text = "pseudo",
                .choices = {"pseudo", "realised"}}));
  // prepare() checks which parameters the experiments have.
  visit(option(&J::repetitions,
               {"repetitions", "N", "Make this many independent runs of every series.",
                OptionGroup::kEffort}));
  visit(option(&J::horizon, {"horizon", "T", "A run has this many rounds.", OptionGroup::kEffort}));
  visit(option(&J::run, &RunOptions::threads, threads_option()));
  visit_shard<J>(visit);
  visit(option(&J::seed, seed_option("fixed for each experiment")));
  visit(option(
      &J::checkpoint,
      {"checkpoint", "FILE",
       "Save finished work in this file every 2 seconds, and start from it if it exists.",
       OptionGroup::kSeed},
      {"experiments that run a policy", [](const SimulationFacts& facts) { return facts.runs; }}));
  visit_output(visit, {"text", "csv", "json", "html"});
  visit(option(&J::output,
               {"output", "FOLDER",
                "Also write ID.csv, ID.json and ID.html of every experiment to this folder.",
                OptionGroup::kOutput}));
  visit(option(&J::check,
               {.name = "check",
                .help = "Exit with 1 if a stated outcome does not hold, and with 3 if one is "
                        "undecided.",
                .group = OptionGroup::kOutput}));
}

Result<PreparedSimulation> prepare(const SimulationJob& job) {
  const auto given = ASSAY_TRY(given_parameters(job));
  const auto selected = ASSAY_TRY(select(job, given));
  PreparedSimulation prepared;
  SimulationFacts facts;
  for (const auto& one : selected) {
    prepared.experiments.push_back(one.id);
    facts.runs = facts.runs || one.experiment->has_parameter("repetitions");
  }
  ASSAY_TRY(check_options(job, facts, joined(selected, &Selected::id)));
  prepared.run = [job, given, selected](const Session& session) -> Result<SimulationReport> {
    SimulationReport report;
    auto runner =
        ASSAY_TRY(SimulationRunner::create(checkpoint_of(job, selected), session.control));
    std::vector<std::string> ids;
    for (const auto& one : selected) {
      auto experiment = one.experiment->run(one.given, runner);
      if (!experiment && experiment.error().code == ErrorCode::kShard) continue;
      if (!experiment) return tl::make_unexpected(experiment.error());
      report.experiments.push_back(std::move(*experiment));
      ids.push_back(one.id);
    }
    ASSAY_TRY(end_of_shared_loop(session.control));
    report.reproduce =
        selected.size() == 1 ? report.experiments.front().reproduce : reproduce_command(ids, given);
    report.meta = session.meta();
    report.meta.rounds_played = runner.rounds_played();
    return report;
  };
  return prepared;
}

std::string resume_command(const SimulationJob& job) {
  SimulationJob shown = job;
  if (shown.run.format == RunOptions{}.format) shown.run.format.clear();
  return command_line("assay simulate", shown,
                      {"experiment", "repetitions", "horizon", "seed", "regret", "parameter",
                       "threads", "check", "format", "write", "output", "checkpoint"});
}

}  // namespace assay
