#include "assay/auditors/audit/audit_json.hpp"

#include <utility>

#include "assay/auditors/audit/audit_summary.hpp"
#include "assay/auditors/audit/error_report.hpp"
#include "assay/auditors/audit/pair_table.hpp"
#include "assay/auditors/text/json.hpp"

namespace assay {
namespace {

struct LevelToJson {
  Json operator()(const PureDp& level) const {
    return {{"kind", "pure"}, {"epsilon", level.epsilon.value}};
  }
  Json operator()(const ApproximateDp& level) const {
    return {
        {"kind", "approximate"}, {"epsilon", level.epsilon.value}, {"delta", level.delta.value}};
  }
  Json operator()(const GaussianDp& level) const {
    return {{"kind", "gaussian"}, {"mu", level.mu.value}};
  }
};

Json case_json(const AuditReport& report) {
  Json out = {{"id", report.case_id},
              {"title", report.case_title},
              {"parameters", json_parameters(report.parameters)}};
  if (!report.notes.empty()) out["notes"] = report.notes;
  return out;
}

Json input_json(const std::optional<InputSource>& input) {
  if (!input) return nullptr;
  return {{"file", input->file},
          {"column", input->column.empty() ? Json(nullptr) : Json(input->column)},
          {"digest", input->digest},
          {"rows", input->rows}};
}

Json claim_json(const AuditReport& report) {
  Json out = {{"text", report.claim_text},
              {"level", std::visit(LevelToJson{}, report.claim)},
              {"relation", detail::value_text(report.relation)},
              {"view", detail::value_text(report.view)}};
  if (!report.neighbours.empty()) out["neighbours"] = report.neighbours;
  return out;
}

Json bound_json(const EvidencedBound& bound) {
  return {
      {"value", bound.value}, {"evidence", detail::value_text(bound.evidence)}, {"how", bound.how}};
}

Json quantity_json(const AuditReport& report, const ReportedQuantity& quantity) {
  Json out = {{"kind", detail::value_text(quantity.kind)}};
  if (quantity.kind != QuantityKind::kMu) out["at"] = quantity.at;
  const auto claimed = claimed_value(report.claim, quantity);
  out["lower"] = bound_json(quantity.lower);
  out["upper"] = bound_json(quantity.upper);
  out["claimed"] = claimed;
  return out;
}

Json canaries_json(const CanaryEvidence& canaries) {
  return {{"canaries", canaries.canaries},
          {"guesses", canaries.guesses},
          {"correct", canaries.correct},
          {"training", canaries.training},
          {"p_value", canaries.p_value}};
}

Json pair_json(const AuditReport& report) {
  if (!has_pair(report)) return nullptr;
  const WorstPair& pair = report.pair;
  Json out = {{"position", pair.position()},
              {"change", change_text(report)},
              {"old_value", pair.old_value()},
              {"new_value", pair.new_value()},
              {"found_by", pair.found_by}};
  if (pair.inputs.old_input().columns > 1) out["columns"] = pair.inputs.old_input().columns;
  out["stream"] = pair.inputs.old_input().values;  // millions, which a list of members would copy
  if (pair.shows_both) out["new_stream"] = pair.inputs.new_input().values;
  return out;
}

Json visible_json(const std::optional<SmallestVisible>& visible) {
  if (!visible) return nullptr;
  return {{"violation", visible->violation},
          {"power", visible->power},
          {"statement", visible->statement}};
}

Json profile_json(const ProfilePoint& point) {
  return {{"epsilon", point.epsilon},
          {"lower", point.lower},
          {"estimate", point.estimate},
          {"upper", point.upper}};
}

Json trade_off_json(const TradeOffPoint& point) {
  return {{"type_one", point.type_one},
          {"lower", point.lower},
          {"estimate", point.estimate},
          {"upper", point.upper}};
}

Json losses_json(const LossHistogram& losses) {
  return {{"edges", losses.edges}, {"side_old", losses.side_old}, {"side_new", losses.side_new}};
}

Json round_json(const InputPair& inputs, const RoundRow& row) {
  return {
      {"round", row.round},
      {"reward_old", inputs.old_input().row(row.round - 1)[0]},
      {"reward_new", inputs.new_row(row.round - 1)[0]},
      {"mean_loss_old", row.mean_loss_old},
      {"mean_loss_new", row.mean_loss_new},
      {"witness_arm", row.witness_action < 0 ? Json(nullptr) : Json(shown_arm(row.witness_action))},
      {"witness_loss", row.witness_loss}};
}

Json witness_json(const std::optional<WitnessPath>& witness) {
  if (!witness) return nullptr;
  return {
      {"log_probability_old", witness->log_probability_old},
      {"log_probability_new", witness->log_probability_new},
      {"mu", witness->mu},
      {"arms", json_list(witness->actions, [](int action) { return Json(shown_arm(action)); })}};
}

Json failures_json(const FailureEvidence& found) {
  return {{"old", {{"failed", found.old_failed}, {"runs", found.old_runs}}},
          {"new", {{"failed", found.new_failed}, {"runs", found.new_runs}}},
          {"said", found.said}};
}

Json event_json(const EventEvidence& event) {
  const auto counts = [](std::int64_t hits, std::int64_t plays) -> Json {
    return {{"hits", hits}, {"plays", plays}};
  };
  return {{"score", event.score},
          {"event", event.event},
          {"old", counts(event.old_hits, event.old_plays)},
          {"new", counts(event.new_hits, event.new_plays)},
          {"scores", losses_json(event.scores)}};
}

Json ledger_json(const LedgerEntry& entry) {
  return {{"purpose", entry.purpose}, {"alpha", entry.alpha}};
}

Json check_json(const CheckResult& check) {
  Json row{{"name", check.name},
           {"passed", check.checked ? Json(check.passed) : Json(nullptr)},
           {"meaning", check.meaning}};
  if (check.measure == CheckMeasure::kPValue) {
    row["p_value"] = check.value;
    row["level"] = check.limit;
  } else if (check.measure == CheckMeasure::kEValue) {
    row["e_value"] = check.value;
    row["threshold"] = check.limit;
  }
  return row;
}

Json plays_json(const PlaysSpent& plays) {
  return {{"probe", plays.probe},
          {"search", plays.search},
          {"learning", plays.learning},
          {"checks", plays.checks},
          {"certified", plays.certified},
          {"all", plays.all()},
          {"budget", plays.budget ? Json(*plays.budget) : Json(nullptr)},
          {"left_undone", plays.left_undone.empty() ? Json(nullptr) : Json(plays.left_undone)}};
}

Json meta_json(const RunMeta& meta) {
  return {{"version", meta.version}, {"build", meta.build},
          {"started", meta.started}, {"seconds", meta.seconds},
          {"threads", meta.threads}, {"transcripts_per_second", meta.transcripts_per_second}};
}

}  // namespace

std::string to_json(const AuditReport& report, const std::optional<Error>& error) {
  Json out;
  out["schema"] = kAuditReportSchema;
  if (error) out["error"] = detail::error_json(*error);
  out["headline"] = headline(report);
  out["verdict"] = detail::value_text(report.verdict);
  out["scope"] = detail::value_text(report.scope);
  out["reason"] = report.reason;
  out["smallest_visible"] = visible_json(report.evidence.smallest_visible);
  out["case"] = case_json(report);
  out["input"] = input_json(report.input);
  out["claim"] = claim_json(report);
  out["method"] = report.evidence.method;
  out["confidence"] = report.confidence;
  out["seed"] = std::to_string(report.seed);
  out["samples"] = report.evidence.samples;
  out["samples_planned"] = report.evidence.samples_planned;
  if (report.evidence.tilted_samples > 0) out["tilted_samples"] = report.evidence.tilted_samples;
  if (report.evidence.plays) out["plays"] = plays_json(*report.evidence.plays);
  out["reproduce"] = report.reproduce;
  out["delta0"] = report.delta0.value;
  out["quantities"] = json_list(report.evidence.quantities, [&](const auto& quantity) {
    return quantity_json(report, quantity);
  });
  out["worst_pair"] = pair_json(report);
  if (report.canaries) out["canaries"] = canaries_json(*report.canaries);
  out["witness"] = witness_json(report.evidence.witness);
  if (report.evidence.event) out["event"] = event_json(*report.evidence.event);
  if (report.evidence.failures) out["failures"] = failures_json(*report.evidence.failures);
  out["ledger"] = json_list(report.evidence.ledger, ledger_json);
  out["checks"] = json_list(report.evidence.checks, check_json);
  out["limits"] = report.evidence.limits;
  out["profile"] = json_list(report.evidence.profile, profile_json);
  out["trade_off"] = json_list(report.evidence.trade_off, trade_off_json);
  out["losses"] = losses_json(report.evidence.losses);
  out["rounds"] = json_list(report.evidence.rounds,
                            [&](const auto& row) { return round_json(report.pair.inputs, row); });
  out["meta"] = meta_json(report.meta);
  return json_text(out) + "\n";
}

}  // namespace assay
