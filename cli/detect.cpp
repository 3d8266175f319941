// assay detect: runs the benchmark of faulty mechanisms, and the fault zoo for sequences.
#include "assay/auditors/detect/detect_job.hpp"

#include <array>

#include "assay/auditors/detect/detection_report.hpp"
#include "assay/auditors/detect/sequences_report.hpp"
#include "assay/cli/commands.hpp"
#include "assay/cli/exit_codes.hpp"
#include "assay/cli/terminal.hpp"

namespace assay::cli {
namespace {

constexpr std::array kDetectFormats = {Format::kText, Format::kCsv, Format::kJson, Format::kHtml};
constexpr std::array kSequenceFormats = {Format::kText, Format::kJson};

Result<int> run_detect(const App& app) {
  const auto job = ASSAY_TRY(read_job<DetectionJob>(app));
  const auto prepared = ASSAY_TRY(prepare(job));
  const auto outputs = ASSAY_TRY(job.sequences ? Outputs::open(job.run, kSequenceFormats)
                                               : Outputs::open(job.run, kDetectFormats));
  const auto outcome = ASSAY_TRY(run_here(prepared, job.run, outputs));
  const auto render = [&](Format format, const TextStyle& style) {
    return std::visit(
        [&](const auto& detection) { return rendered(detection, format, style, outcome.meta); },
        outcome.detection);
  };
  const std::string headline = !outcome.complete()     ? "The run was interrupted."
                               : outcome.as_expected() ? "Everything agrees with the truth."
                                                       : "Something disagrees with the truth.";
  if (!deliver(outputs, render, written_lines(outputs.files), headline)) return kUsage;
  if (!outcome.complete()) return kInconclusive;
  return outcome.as_expected() ? kNothingViolated : kViolated;
}

}  // namespace

Command add_detect(App& root) {
  App* app = add_job<DetectionJob>(
      root,
      {.name = "detect",
       .summary = "Run the benchmark of faulty mechanisms, and compare each bound with the truth",
       .examples = {{"Run the rows of one mechanism", "assay detect 'noisy-max-*'"},
                    {"Run all rows with a tenth of the samples",
                     "assay detect --sample-share 0.01"},
                    {"Run the fault zoo for sequences", "assay detect --sequences"}},
       .exit = {{0, "every bound agrees with the truth, and no correct counterpart is convicted"},
                {1, "a bound or a verdict disagrees with the truth"},
                {2, "the command is wrong, or a report could not be written"},
                {3, "the run was interrupted"},
                {5, "an internal error"}}});
  return {app, [app] { return run_detect(*app); }};
}

}  // namespace assay::cli
