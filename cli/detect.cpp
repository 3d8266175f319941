// assay detect: the benchmark of faulty mechanisms, and the fault zoo for sequences.
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
  const auto format = ASSAY_TRY(job.sequences ? parse_format(job.run.format, kSequenceFormats)
                                              : parse_format(job.run.format, kDetectFormats));
  const auto outcome = ASSAY_TRY(run_here(prepared, job.run, Outputs{format, false, {}}));
  const auto text = std::visit(
      [&](const auto& detection) {
        return rendered(detection, format, stdout_style(), outcome.meta);
      },
      outcome.detection);
  if (!print_report(text)) return kUsage;
  if (!outcome.complete()) return kInconclusive;
  return outcome.as_expected() ? kNothingViolated : kViolated;
}

}  // namespace

Command add_detect(App& root) {
  App* app = add_job<DetectionJob>(
      root, "detect",
      "The benchmark of faulty mechanisms; exit 0 when every bound is what the truth implies");
  return {app, [app] { return run_detect(*app); }};
}

}  // namespace assay::cli
