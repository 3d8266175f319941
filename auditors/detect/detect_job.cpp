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
  visit(option(
      &J::rows,
      {.name = "mechanisms",
       .type = "ROW",
       .help = "Run these rows, by name or pattern ('sparse-*'). `assay list detect` lists them.",
       .is_positional = true,
       .default_text = "all"}));
  visit(option(
      &J::sequences,
      {.name = "sequences",
       .help = "Run the fault zoo for sequences instead, at confidence 0.999: small policies with "
               "one planted bug, each beside its correct counterpart. `assay list sequences` lists "
               "its rows."}));
  auto confidence = confidence_option("Each row's lower bound holds");
  confidence.default_text = "0.9";
  visit(option(&J::confidence, confidence));
  visit(option(&J::sample_share,
               {.name = "sample-share",
                .type = "SHARE",
                .help = "Draw this share of DP-Sniper's samples, 0.001 to 0.1.",
                .group = OptionGroup::kEffort,
                .shows_default = true},
               {"the benchmark of mechanisms",
                [](const DetectionFacts& facts) { return !facts.sequences; }}));
  visit(option(&J::run, &RunOptions::threads, threads_option()));
  visit_shard<J>(visit);
  visit(option(&J::seed, seed_option()));
  visit_output(visit, {"text", "csv", "json", "html"});
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
