#include "assay/auditors/detect/detect_job.hpp"

#include <memory>

namespace assay {
namespace {

Result<PreparedJob<DetectionOutcome>> prepare_mechanisms(const DetectionJob& job) {
  const auto table =
      std::make_shared<const std::vector<faulty::DetectionRow>>(faulty::detection_table());
  const auto rows = ASSAY_TRY(select_rows(*table, job.rows));
  DetectionPlan plan;
  plan.seed = job.seed;
  plan.confidence = job.confidence.value_or(plan.confidence);
  plan.sample_share = job.sample_share;
  ASSAY_TRY(check_plan(plan));
  return [table, rows, plan](const Session& session) -> Result<DetectionOutcome> {
    auto detection = ASSAY_TRY(detect(rows, plan, session.control));
    return DetectionOutcome{std::move(detection), session.meta()};
  };
}

Result<PreparedJob<DetectionOutcome>> prepare_sequences(const DetectionJob& job) {
  const auto table =
      std::make_shared<const std::vector<faulty::SequenceRow>>(faulty::sequence_table());
  const auto rows = ASSAY_TRY(select_rows(*table, job.rows));
  SequencePlan plan;
  plan.seed = job.seed;
  plan.confidence = job.confidence.value_or(plan.confidence);
  return [table, rows, plan](const Session& session) -> Result<DetectionOutcome> {
    auto detection = ASSAY_TRY(detect_sequences(rows, plan, session.control));
    return DetectionOutcome{std::move(detection), session.meta()};
  };
}

}  // namespace

void DetectionJob::fields(const VisitOption<DetectionJob>& visit) {
  using J = DetectionJob;
  visit(option(&J::rows,
               {.name = "mechanisms",
                .type = "MECHANISM",
                .help = "Rows by name or pattern ('sparse-*'); `assay list detect` names them "
                        "(default: all)",
                .is_positional = true}));
  visit(option(&J::seed, {.name = "seed",
                          .help = "Random seed of all samples",
                          .range = at_least(0),
                          .environment = "ASSAY_SEED",
                          .shows_default = true}));
  visit(option(&J::confidence, {.name = "confidence",
                                .help = "Confidence of each row's lower bound, 0.5 to below 1",
                                .shows_default = true,
                                .default_text = "0.9"}));
  visit(option(&J::sample_share,
               {.name = "sample-share",
                .help = "Samples as a share of DP-Sniper's, 0.001 to 0.1",
                .shows_default = true},
               {"the benchmark of mechanisms",
                [](const DetectionFacts& facts) { return !facts.sequences; }}));
  visit(option(&J::run, &RunOptions::threads, threads_option("a bound")));
  visit(option(&J::run, &RunOptions::format, format_option("text, csv, json or html")));
  visit(option(&J::sequences,
               {.name = "sequences",
                .help = "The fault zoo for sequences instead: small policies with one planted bug "
                        "beside their correct twins, at confidence 0.999; exit 0 when every fault "
                        "is convicted and no twin is. Rows: `assay list sequences`"}));
}

bool DetectionOutcome::complete() const {
  return std::visit([](const auto& one) { return one.complete(); }, detection);
}

bool DetectionOutcome::as_expected() const {
  return std::visit([](const auto& one) { return one.as_expected(); }, detection);
}

Result<PreparedJob<DetectionOutcome>> prepare(const DetectionJob& job) {
  ASSAY_TRY(check_options(job, {job.sequences},
                          job.sequences ? "--sequences" : "the benchmark of mechanisms"));
  return job.sequences ? prepare_sequences(job) : prepare_mechanisms(job);
}

}  // namespace assay
