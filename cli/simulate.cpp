// assay simulate: reproduces figures of papers, and checks what the papers say about them.
#include "assay/auditors/simulate/simulate_job.hpp"

#include <array>
#include <filesystem>

#include "assay/cli/commands.hpp"
#include "assay/cli/exit_codes.hpp"
#include "assay/cli/terminal.hpp"
#include "assay/mechanisms/core/enum_table.hpp"

namespace assay::cli {
namespace {

constexpr ExitCode outcome_code(Outcome outcome) {
  constexpr EnumTable<Outcome, ExitCode, 3> kCodes{{{Outcome::kHolds, kNothingViolated},
                                                    {Outcome::kFails, kViolated},
                                                    {Outcome::kUndecided, kInconclusive}}};
  return entry_of(kCodes, outcome, kInternalError);
}

namespace fs = std::filesystem;

constexpr std::array kSimulateFormats = {Format::kText, Format::kCsv, Format::kJson, Format::kHtml};
constexpr std::array kFigureFormats = {Format::kCsv, Format::kJson, Format::kHtml};

// One file of each of kFigureFormats for each experiment, in order.
Result<std::vector<OutputFile>> open_own_files(const std::string& folder,
                                               const std::vector<std::string>& experiments) {
  std::vector<OutputFile> files;
  if (folder.empty()) return files;
  ASSAY_TRY(make_folder(folder));
  for (const auto& id : experiments) {
    for (const Format format : kFigureFormats) {
      const auto path = fs::path(folder) / (id + std::string(ending_of(format)));
      auto file = ASSAY_TRY(OutputFile::open(path.string(), kFigureFormats));
      files.push_back(std::move(file));
    }
  }
  return files;
}

// The report of one experiment, as if nothing else had been asked for.
SimulationReport alone(const SimulationReport& report, std::size_t index) {
  SimulationReport one;
  one.experiments.push_back(report.experiments[index]);
  one.reproduce = report.experiments[index].reproduce;
  one.meta = report.meta;
  return one;
}

Result<int> run_simulate(const App& app) {
  const auto job = ASSAY_TRY(read_job<SimulationJob>(app));
  const auto prepared = ASSAY_TRY(prepare(job));
  const auto outputs = ASSAY_TRY(Outputs::open(job.run, kSimulateFormats));
  const auto own_files = ASSAY_TRY(open_own_files(job.output, prepared.experiments));
  const auto report = run_here(prepared.run, job.run, outputs);
  if (!report && !job.run.shard.empty()) return tl::make_unexpected(report.error());
  if (!report) {
    print_error(report.error());
    if (report.error().code == ErrorCode::kInterrupted) {
      print_note(job.checkpoint.empty()
                     ? "nothing was saved; with --checkpoint FILE a run can be resumed"
                     : "resume with: " + resume_command(job));
    }
    return exit_code(report.error().code);
  }
  bool written = true;
  for (std::size_t i = 0; i < own_files.size(); ++i) {
    const auto one = alone(*report, i / kFigureFormats.size());
    written = write_file(own_files[i],
                         [&](Format format, const TextStyle& style) {
                           return rendered(one, format, style);
                         }) &&
              written;
  }
  const auto render_all = [&](Format format, const TextStyle& style) {
    return rendered(*report, format, style);
  };
  const std::string below = written_lines(outputs.files) + written_lines(own_files);
  const Outcome outcome = overall_outcome(*report);
  const std::string headline = outcome == Outcome::kHolds   ? "Every stated outcome holds."
                               : outcome == Outcome::kFails ? "A stated outcome does not hold."
                                                            : "A stated outcome is undecided.";
  if (!deliver(outputs, render_all, below, headline) || !written) return kUsage;
  return job.check ? outcome_code(outcome) : kNothingViolated;
}

}  // namespace

Command add_simulate(App& root) {
  App* app = add_job<SimulationJob>(
      root,
      {.name = "simulate",
       .summary = "Reproduce published figures, and check what their papers say about them",
       .examples = {{"Reproduce a figure, and draw it", "assay simulate ts-fig1 -w ts-fig1.html"},
                    {"Check the outcomes that a paper states", "assay simulate ts-fig2 --check"},
                    {"Write every figure of a paper to a folder",
                     "assay simulate 'ts-*' --output figures"}}});
  const Command frontier = add_frontier(*app);
  return {app,
          [app, frontier] { return frontier.app->parsed() ? frontier.run() : run_simulate(*app); }};
}

}  // namespace assay::cli
