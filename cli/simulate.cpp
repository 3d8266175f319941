// assay simulate: draw figures of papers again, and check what the papers say about them.
#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <memory>
#include <optional>

#include "assay/auditors/engine/reproduce.hpp"
#include "assay/auditors/figures/experiment.hpp"
#include "assay/auditors/writers/safe_text.hpp"
#include "assay/auditors/writers/simulation_report.hpp"
#include "assay/cli/commands.hpp"
#include "assay/cli/exit_codes.hpp"
#include "assay/cli/option_use.hpp"
#include "assay/cli/output_files.hpp"
#include "assay/cli/terminal.hpp"
#include "assay/cli/words.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/core/version.hpp"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::array kSimulateFormats = {Format::kText, Format::kCsv, Format::kJson, Format::kHtml};
constexpr std::array kFigureFormats = {Format::kCsv, Format::kJson, Format::kHtml};

// The words of the command line, before they mean anything.
struct SimulateWords {
  std::vector<std::string> experiments;
  std::string repetitions;
  std::string horizon;
  std::string seed;
  std::string regret;
  std::vector<std::string> parameters;  // key=value
  std::string threads;
  std::string checkpoint;
  bool check = false;
  std::string format = "text";
  std::vector<std::string> write;
  std::string output;
};

// One experiment with the parameters that are given and that it has.
struct Selected {
  const Experiment* experiment = nullptr;
  std::string id;
  std::vector<KeyValue> given;
  std::vector<KeyValue> parameters;  // all of them
};

struct SimulateJob {
  std::vector<Selected> selected;
  std::vector<KeyValue> given;
  int threads = 1;
  Format format = Format::kText;
  std::vector<OutputFile> files;      // of the whole report
  std::vector<OutputFile> own_files;  // kFigureFormats of each experiment, in order
};

// A parameter's error begins with its name.
tl::unexpected<Error> as_given(Error error) {
  const auto end = std::min(error.message.find(' '), error.message.size());
  error.message = parameter_name(error.message.substr(0, end)) + error.message.substr(end);
  error.path.clear();
  return tl::make_unexpected(std::move(error));
}

Result<std::vector<Selected>> select(const SimulateWords& words,
                                     const std::vector<KeyValue>& given) {
  const auto found = ASSAY_TRY(select_experiments(words.experiments));
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
    if (!used) {
      return fail(ErrorCode::kInvalidArgument,
                  parameter_name(key) + " is a parameter of none of the selected experiments");
    }
  }
  return selected;
}

Status open_own_files(const std::string& folder, SimulateJob& job) {
  if (folder.empty()) return {};
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return fail(ErrorCode::kIo, "--output cannot be made: " + error.message(), folder);
  for (const auto& one : job.selected) {
    for (const Format format : kFigureFormats) {
      const auto path = fs::path(folder) / (one.id + std::string(ending_of(format)));
      auto file = ASSAY_TRY(OutputFile::open(path.string(), kFigureFormats));
      job.own_files.push_back(std::move(file));
    }
  }
  return {};
}

// Some figures are drawn from closed forms, without a run.
bool any_plays(const SimulateJob& job) {
  return std::any_of(job.selected.begin(), job.selected.end(), [](const Selected& one) {
    return one.experiment->has_parameter("repetitions");
  });
}

// Which parameters the experiments have is for select() to say.
constexpr OptionUse<SimulateJob> kSimulateOptions[] = {
    {"experiment"}, {"--repetitions"},
    {"--horizon"},  {"--seed"},
    {"--regret"},   {"--parameter"},
    {"--threads"},  {"--checkpoint", "experiments that play", any_plays},
    {"--check"},    {"--format"},
    {"--write"},    {"--output"},
};

std::string job_text(const SimulateJob& job) {
  std::string ids;
  for (const auto& one : job.selected) ids += (ids.empty() ? "" : ", ") + one.id;
  return ids;
}

Result<SimulateJob> read_job(const App& app, const SimulateWords& words) {
  SimulateJob job;
  const std::pair<const char*, const std::string*> flags[] = {{"repetitions", &words.repetitions},
                                                              {"horizon", &words.horizon},
                                                              {"seed", &words.seed},
                                                              {"regret", &words.regret}};
  for (const auto& [key, word] : flags) {
    if (!word->empty()) job.given.push_back({key, *word});
  }
  const auto parameters = ASSAY_TRY(split_parameters(words.parameters));
  for (const auto& parameter : parameters) {
    for (const auto& [key, value] : job.given) {
      if (key != parameter.key) continue;
      return fail(ErrorCode::kInvalidArgument,
                  "-p " + key + " and " + parameter_name(key) + " are the same parameter");
    }
    job.given.push_back(parameter);
  }
  auto selected = ASSAY_TRY(select(words, job.given));
  job.selected = std::move(selected);
  ASSAY_TRY(refuse_unused(app, kSimulateOptions, job, job_text(job)));
  const auto threads = ASSAY_TRY(read_threads(words.threads));
  job.threads = threads;
  const auto format = ASSAY_TRY(parse_format(words.format, kSimulateFormats));
  job.format = format;
  for (const auto& path : words.write) {
    auto file = ASSAY_TRY(OutputFile::open(path, kSimulateFormats));
    job.files.push_back(std::move(file));
  }
  ASSAY_TRY(open_own_files(words.output, job));
  return job;
}

// Everything that decides the chunks: not how they are drawn.
CheckpointFile checkpoint_of(const SimulateWords& words, const SimulateJob& job) {
  CheckpointFile file;
  file.path = words.checkpoint;
  file.identity.push_back(
      {"program", fmt::format("assay {}, commit {}", build_info().version, build_info().commit)});
  for (const auto& one : job.selected) {
    std::string parameters;
    for (const auto& [key, value] : one.parameters) {
      if (key == "regret") continue;
      parameters += (parameters.empty() ? "" : ", ") + key + " " + value;
    }
    file.identity.push_back({one.id, parameters});
  }
  return file;
}

// The command of this run, for a person to paste.
std::string resume_command(const SimulateWords& words, const SimulateJob& job) {
  std::string command = "assay simulate";
  const auto add = [&](const std::string& word) { command += " " + shell_quoted(word); };
  for (const auto& word : words.experiments) add(word);
  for (const auto& parameter : job.given) command += " " + parameter_words(parameter);
  if (!words.threads.empty()) command += " --threads " + words.threads;
  if (words.check) command += " --check";
  if (words.format != "text") command += " --format " + words.format;
  for (const auto& path : words.write) {
    add("--write");
    add(path);
  }
  if (!words.output.empty()) {
    add("--output");
    add(words.output);
  }
  add("--checkpoint");
  add(words.checkpoint);
  return command;
}

Result<SimulationReport> run_experiments(const SimulateWords& words, const SimulateJob& job) {
  const RunClock clock;
  SimulationReport report;
  ProgressLine progress;
  RunControl control;
  control.threads = job.threads;
  control.cancel = &catch_interrupts();
  control.progress = [&](std::string_view stage, double fraction) {
    progress.update(stage, fraction);
  };
  auto runner = ASSAY_TRY(SimulationRunner::create(checkpoint_of(words, job), control));
  std::vector<std::string> ids;
  for (const auto& one : job.selected) {
    auto experiment = ASSAY_TRY(one.experiment->run(one.given, runner));
    report.experiments.push_back(std::move(experiment));
    ids.push_back(one.id);
  }
  report.reproduce = job.selected.size() == 1 ? report.experiments.front().reproduce
                                              : reproduce_command(ids, job.given);
  report.meta = clock.meta(job.threads);
  report.meta.rounds_played = runner.rounds_played();
  return report;
}

std::string render(const SimulationReport& report, Format format, const TextStyle& style) {
  switch (format) {
    case Format::kCsv:
      return to_csv(report);
    case Format::kJson:
      return to_json(report);
    case Format::kHtml:
      return to_html(report);
    case Format::kText:
      break;
  }
  return to_text(report, style);
}

// The report of one experiment alone, as if it had been asked for alone.
SimulationReport alone(const SimulationReport& report, std::size_t index) {
  SimulationReport one;
  one.experiments.push_back(report.experiments[index]);
  one.reproduce = report.experiments[index].reproduce;
  one.meta = report.meta;
  return one;
}

bool write_files(const SimulationReport& report, const SimulateJob& job) {
  bool written = true;
  const auto write = [&](const OutputFile& file, const SimulationReport& content) {
    const auto status = file.write(render(content, file.format(), TextStyle{}));
    if (!status) print_error(status.error());
    written = written && status;
  };
  for (const auto& file : job.files) write(file, report);
  for (std::size_t i = 0; i < job.own_files.size(); ++i) {
    write(job.own_files[i], alone(report, i / kFigureFormats.size()));
  }
  return written;
}

int exit_code_of_checks(const SimulationReport& report) {
  switch (overall_outcome(report)) {
    case Outcome::kHolds:
      return kNothingViolated;
    case Outcome::kFails:
      return kViolated;
    case Outcome::kUndecided:
      return kInconclusive;
  }
  return kInternalError;
}

int run_simulate(const App& app, const SimulateWords& words) {
  const auto job = read_job(app, words);
  if (!job) {
    print_error(job.error());
    return exit_code(job.error().code);
  }
  const auto report = run_experiments(words, *job);
  if (!report) {
    print_error(report.error());
    if (report.error().code == ErrorCode::kInterrupted) {
      print_note(words.checkpoint.empty()
                     ? "nothing was kept; with --checkpoint FILE a run can be resumed"
                     : "resume with: " + resume_command(words, *job));
    }
    return exit_code(report.error().code);
  }
  const bool files_written = write_files(*report, *job);
  std::string text = render(*report, job->format, stdout_style());
  if (job->format == Format::kText) {
    for (const auto* files : {&job->files, &job->own_files}) {
      for (const auto& file : *files)
        text += "Written     " + plain_text(file.path().string()) + "\n";
    }
  }
  if (!print_report(text) || !files_written) return kUsage;
  return words.check ? exit_code_of_checks(*report) : kNothingViolated;
}

}  // namespace

Command add_simulate(App& root) {
  auto words = std::make_shared<SimulateWords>();
  App* app = root.add_subcommand(
      "simulate", "Draw figures of papers again, and check what the papers say about them");
  app->add_option("experiment", words->experiments,
                  "What to simulate: names from `assay list experiments`, or patterns with * and ?")
      ->required()
      ->type_name("EXPERIMENT");
  app->add_option("--repetitions", words->repetitions, "Independent runs of every series")
      ->type_name("N");
  app->add_option("--horizon", words->horizon, "Rounds of a run")->type_name("T");
  app->add_option("--seed", words->seed, "Names the random streams (default: fixed)");
  app->add_option("--regret", words->regret,
                  "pseudo (from pulls, the default) or realised (from rewards, as the paper's)");
  app->add_option(
         "-p,--parameter", words->parameters,
         "A parameter of the experiment, repeatable; `assay explain EXPERIMENT` lists them")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  app->add_option("--threads", words->threads,
                  "Threads (default: all cores); never changes the result")
      ->envname("ASSAY_THREADS");
  app->add_option("--checkpoint", words->checkpoint,
                  "Keep finished work in this file, every 2 seconds, and start from it if it is "
                  "there")
      ->type_name("FILE");
  app->add_flag("--check", words->check,
                "Exit status 1 if a stated outcome does not hold, 3 if one is undecided");
  app->add_option("--format", words->format, "Report on stdout: text, csv, json or html")
      ->capture_default_str();
  app->add_option("-w,--write", words->write,
                  "Also write the report to this file, repeatable; .txt, .csv, .json or .html")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app->add_option("--output", words->output,
                  "Also write ID.csv, ID.json and ID.html of every experiment to this folder")
      ->type_name("DIR");
  return {app, [app, words] { return run_simulate(*app, *words); }};
}

}  // namespace assay::cli
