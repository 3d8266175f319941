// assay detect: the benchmark of faulty mechanisms, and the fault zoo for sequences.
#include "assay/auditors/jobs/detection.hpp"

#include <array>

#include "assay/auditors/writers/detection_report.hpp"
#include "assay/auditors/writers/sequences_report.hpp"
#include "assay/cli/commands.hpp"
#include "assay/cli/exit_codes.hpp"
#include "assay/cli/terminal.hpp"

namespace assay::cli {
namespace {

constexpr std::array kDetectFormats = {Format::kText, Format::kCsv, Format::kJson, Format::kHtml};
constexpr std::array kSequenceFormats = {Format::kText, Format::kJson};

std::string render(const Detection& detection, const RunMeta& meta, Format format) {
  switch (format) {
    case Format::kJson:
      return to_json(detection, meta);
    case Format::kCsv:
      return to_csv(detection);
    case Format::kHtml:
      return to_html(detection, meta);
    case Format::kText:
      break;
  }
  return to_text(detection, meta, stdout_style());
}

std::string render(const SequenceDetection& detection, const RunMeta& meta, Format format) {
  return format == Format::kJson ? to_json(detection, meta)
                                 : to_text(detection, meta, stdout_style());
}

Result<int> run_detect(const App& app) {
  const auto job = ASSAY_TRY(read_job<DetectionJob>(app));
  const auto prepared = ASSAY_TRY(prepare(job));
  const auto format = ASSAY_TRY(job.sequences ? parse_format(job.run.format, kSequenceFormats)
                                              : parse_format(job.run.format, kDetectFormats));
  const auto outcome = ASSAY_TRY(run_here(prepared, job.run));
  const auto text =
      std::visit([&](const auto& detection) { return render(detection, outcome.meta, format); },
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
