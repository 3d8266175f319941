// assay detect: the benchmark of faulty mechanisms.
#include <fmt/format.h>

#include <array>
#include <memory>

#include "assay/auditors/writers/detection_report.hpp"
#include "assay/cli/commands.hpp"
#include "assay/cli/detect_sequences.hpp"
#include "assay/cli/detection_run.hpp"
#include "assay/cli/exit_codes.hpp"
#include "assay/cli/option_use.hpp"
#include "assay/cli/output_files.hpp"
#include "assay/cli/terminal.hpp"
#include "assay/cli/words.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay::cli {
namespace {

struct DetectWords {
  std::vector<std::string> patterns;
  std::string seed = "1";
  std::string confidence = "0.9";
  std::string sample_share = "0.1";
  std::string threads;
  std::string format = "text";
};

constexpr std::array kDetectFormats = {Format::kText, Format::kCsv, Format::kJson, Format::kHtml};

struct DetectJob {
  std::vector<faulty::DetectionRow> table;
  std::vector<const faulty::DetectionRow*> rows;  // of the table
  DetectionPlan plan;
  int threads = 1;
  Format format = Format::kText;
};

Status read_job(const DetectWords& words, DetectJob& job) {
  job.table = faulty::detection_table();
  auto rows = ASSAY_TRY(select_rows(job.table, words.patterns));
  job.rows = std::move(rows);
  const auto seed = ASSAY_TRY(read_seed(words.seed));
  job.plan.seed = seed;
  const auto confidence = ASSAY_TRY(named("--confidence", parse_number(words.confidence)));
  job.plan.confidence = confidence;
  const auto share = ASSAY_TRY(named("--sample-share", parse_number(words.sample_share)));
  job.plan.sample_share = share;
  if (const auto status = check_plan(job.plan); !status) return status;
  const auto threads = ASSAY_TRY(read_threads(words.threads));
  job.threads = threads;
  const auto format = ASSAY_TRY(parse_format(words.format, kDetectFormats));
  job.format = format;
  return {};
}

std::string report_text(Format format, const Detection& detection, const RunMeta& meta) {
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

struct DetectTable {
  bool sequences = false;
};

constexpr OptionUse<DetectTable> kDetectOptions[] = {
    {"mechanisms"},
    {"--seed"},
    {"--confidence"},
    {"--sample-share", "the benchmark of mechanisms",
     [](const DetectTable& table) { return !table.sequences; }},
    {"--threads"},
    {"--format"},
    {"--sequences"},
};

int run_mechanisms(const DetectWords& words) {
  DetectJob job;
  if (const auto status = read_job(words, job); !status) {
    print_error(status.error());
    return exit_code(status.error().code);
  }
  return run_detection(
      job.threads, [&](const RunControl& control) { return detect(job.rows, job.plan, control); },
      [&](const Detection& detection, const RunMeta& meta) {
        return report_text(job.format, detection, meta);
      });
}

int run_detect(const App& app, const DetectWords& words, bool sequences) {
  if (const auto status = refuse_unused(app, kDetectOptions, DetectTable{sequences},
                                        sequences ? "--sequences" : "the benchmark of mechanisms");
      !status) {
    print_error(status.error());
    return exit_code(status.error().code);
  }
  if (!sequences) return run_mechanisms(words);
  const bool asked = app.count("--confidence") > 0;
  return run_detect_sequences({words.patterns, words.seed, asked ? words.confidence : std::string(),
                               words.threads, words.format});
}

}  // namespace

Command add_detect(App& root) {
  auto words = std::make_shared<DetectWords>();
  App* app = root.add_subcommand(
      "detect",
      "The benchmark of faulty mechanisms; exit 0 when every bound is what the truth implies");
  app->add_option("mechanisms", words->patterns,
                  "Rows by name or pattern ('sparse-*'); `assay list detect` names them "
                  "(default: all)")
      ->type_name("MECHANISM");
  app->add_option("--seed", words->seed, "Random seed of all samples")
      ->capture_default_str()
      ->envname("ASSAY_SEED");
  app->add_option("--confidence", words->confidence, "Of each row's lower bound, 0.5 to below 1")
      ->capture_default_str();
  app->add_option("--sample-share", words->sample_share,
                  "Samples as a share of DP-Sniper's, 0.001 to 0.1")
      ->capture_default_str();
  app->add_option("--threads", words->threads,
                  "Threads (default: all cores); never changes a bound")
      ->envname("ASSAY_THREADS");
  app->add_option("--format", words->format, "Report on stdout: text, csv, json or html")
      ->capture_default_str();
  auto sequences = std::make_shared<bool>(false);
  app->add_flag(
      "--sequences", *sequences,
      "The fault zoo for sequences instead: small policies with one planted bug beside "
      "their correct twins, at confidence 0.999; exit 0 when every fault is convicted and "
      "no twin is. Rows: `assay list sequences`");
  return {app, [words, sequences, app] { return run_detect(*app, *words, *sequences); }};
}

}  // namespace assay::cli
