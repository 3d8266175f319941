// The run that `assay detect` makes of either of its tables: progress, interruption, time, report and
// exit status.
#pragma once

#include <string>
#include <string_view>

#include "assay/auditors/writers/detection_report.hpp"
#include "assay/cli/exit_codes.hpp"
#include "assay/cli/output_files.hpp"
#include "assay/cli/terminal.hpp"
#include "assay/cli/words.hpp"
#include "assay/mechanisms/core/progress.hpp"

namespace assay::cli {

// detect(control): a Result of a detection; report(detection, meta): its text.
template <class Detect, class Report>
int run_detection(int threads, const Detect& detect, const Report& report) {
  const RunClock clock;
  const auto detection = [&] {
    ProgressLine progress;
    RunControl control;
    control.threads = threads;
    control.cancel = &catch_interrupts();
    control.progress = [&](std::string_view stage, double fraction) {
      progress.update(stage, fraction);
    };
    return detect(control);
  }();
  if (!detection) {
    print_error(detection.error());
    return exit_code(detection.error().code);
  }
  if (!print_report(report(*detection, clock.meta(threads)))) return kUsage;
  if (!detection->complete()) return kInconclusive;
  return detection->as_expected() ? kNothingViolated : kViolated;
}

}  // namespace assay::cli
