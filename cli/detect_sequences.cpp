#include "assay/cli/detect_sequences.hpp"

#include <array>

#include "assay/auditors/writers/sequences_report.hpp"
#include "assay/cli/detection_run.hpp"
#include "assay/cli/exit_codes.hpp"
#include "assay/cli/output_files.hpp"
#include "assay/cli/terminal.hpp"
#include "assay/cli/words.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay::cli {
namespace {

constexpr std::array kSequenceFormats = {Format::kText, Format::kJson};

struct SequenceJob {
  std::vector<faulty::SequenceRow> table;
  std::vector<const faulty::SequenceRow*> rows;  // of the table
  SequencePlan plan;
  int threads = 1;
  Format format = Format::kText;
};

Status read_job(const SequenceWords& words, SequenceJob& job) {
  job.table = faulty::sequence_table();
  auto rows = ASSAY_TRY(select_rows(job.table, words.patterns));
  job.rows = std::move(rows);
  const auto seed = ASSAY_TRY(read_seed(words.seed));
  job.plan.seed = seed;
  if (!words.confidence.empty()) {
    const auto confidence = ASSAY_TRY(named("--confidence", parse_number(words.confidence)));
    job.plan.confidence = confidence;
  }
  const auto threads = ASSAY_TRY(read_threads(words.threads));
  job.threads = threads;
  const auto format = ASSAY_TRY(parse_format(words.format, kSequenceFormats));
  job.format = format;
  return {};
}

}  // namespace

int run_detect_sequences(const SequenceWords& words) {
  SequenceJob job;
  if (const auto status = read_job(words, job); !status) {
    print_error(status.error());
    return exit_code(status.error().code);
  }
  return run_detection(
      job.threads,
      [&](const RunControl& control) { return detect_sequences(job.rows, job.plan, control); },
      [&](const SequenceDetection& detection, const RunMeta& meta) {
        return job.format == Format::kJson ? to_json(detection, meta)
                                           : to_text(detection, meta, stdout_style());
      });
}

}  // namespace assay::cli
