#include "assay/auditors/audit/try_report.hpp"
#include "assay/auditors/text/json.hpp"
#include "assay/auditors/text/safe_text.hpp"

namespace assay {
namespace {

Json input_json(const InputTable& input) {
  return {{"rows", input.rows}, {"columns", input.columns}, {"values", input.values}};
}

Json play_json(const TriedPlay& play) {
  return {{"input", play.side == Side::kOld ? "old" : "new"},
          {"seed", std::to_string(play.seed)},
          {"output", play.output}};
}

}  // namespace

std::string to_json(const TryReport& report) {
  Json out;
  out["assay_try"] = 1;
  out[report.is_plugin ? "plugin" : "exec"] = plain_text(report.command);
  out["target"] = {{"name", plain_text(report.name)},
                   {"seeded", report.seeded},
                   {"deterministic", report.deterministic}};
  if (!report.greeting.empty()) {
    out["greeting"] = plain_text(report.greeting);
    out["greeting_answer"] = plain_text(report.greeting_answer);
  }
  out["shape"] = json_parameters(field_values(report.shape));
  out["old_input"] = input_json(report.pair.old_input());
  out["new_input"] = input_json(report.pair.new_input());
  out["neighbours"] = report.neighbours;
  if (!report.other_neighbours.empty()) out["other_neighbours"] = report.other_neighbours;
  out["plays"] = json_list(report.plays, play_json);
  out["notes"] = json_list(report.notes, [](const TryNote& note) -> Json {
    return {{"mistake", note.is_mistake}, {"text", note.text}};
  });
  if (report.cost) {
    out["audit"] = {{"learning_plays", report.cost->learning},
                    {"certified_plays", report.cost->certified}};
  }
  if (report.error) {
    out["error"] = {{"message", plain_text(report.error->message)}};
  }
  Json meta{{"version", report.meta.version},      {"build", report.meta.build},
            {"started", report.meta.started},      {"seconds", report.meta.seconds},
            {"threads", report.meta.threads},      {"start_seconds", report.start_seconds},
            {"play_seconds", report.play_seconds}, {"batch_seconds", report.batch_seconds}};
  if (report.cost) meta["audit_seconds"] = report.cost->seconds;
  meta["standard_error"] = plain_text(report.standard_error);
  out["meta"] = std::move(meta);
  return json_text(out) + "\n";
}

}  // namespace assay
