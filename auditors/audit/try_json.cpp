#include "assay/auditors/audit/try_report.hpp"
#include "assay/auditors/text/record.hpp"
#include "assay/auditors/text/report.hpp"
#include "assay/auditors/text/safe_text.hpp"
#include "assay/policies/external/containment.hpp"

namespace assay {

constexpr std::array<std::pair<Side, std::string_view>, 2> enum_names(Side) {
  return {{{Side::kBase, "base"}, {Side::kNeighbour, "neighbour"}}};
}

void fields(const InputTable& input, Fields visit) {
  visit.about("input", "");
  visit("rows", input.rows, from(1.0));
  visit("columns", input.columns, from(1.0));
  visit("values", input.values, kFinite, "Row by row.");
}

void fields(const TriedPlay& run, Fields visit) {
  visit("input", run.side);
  visit.seed(run.seed);
  visit("output", run.output, "Actions count from 0.");
}

void fields(const TryNote& note, Fields visit) {
  visit(
      "mistake", [&] { return note.kind == NoteKind::kMistake; },
      "Whether it must be corrected before an audit.");
  visit(
      "warning", [&] { return note.kind == NoteKind::kWarning; },
      "Whether it may be a mistake: correct it, or be sure that it is meant.");
  visit("text", note.text);
}

void fields(const AuditCost& cost, Fields visit) {
  visit("learning_runs", cost.learning, kCount,
        "The largest number of runs that an audit with these options needs to search, learn and "
        "check.");
  visit("certified_runs", cost.certified, kCount,
        "The largest number of certified runs, on both inputs together.");
}

void fields(const TryReport& report, Fields visit) {
  const auto plain = [](const std::string& text) { return [&] { return plain_text(text); }; };
  const auto command = [&](bool plugin) {
    return
        [&report, plugin] { return report.is_plugin == plugin ? plain_text(report.command) : ""; };
  };
  report_head(
      visit, "assay.try-report/2",
      "The result of `assay try`. `standard_error` and all times are in `meta`, which alone may differ "
      "between two runs of one request.");
  visit.if_any("exec", command(false), "The command of the target.");
  visit.if_any("plugin", command(true), "The file of the target.");
  visit.group("target", "The target's own description.", [&] {
    visit("name", plain(report.name));
    visit("seeded", report.seeded, "Whether it promises that seeds determine its runs.");
    visit("deterministic", report.deterministic, "Whether it is declared deterministic.");
  });
  visit.if_any("greeting", plain(report.greeting), "The line that was sent to a program.");
  visit.if_any("greeting_answer", plain(report.greeting_answer), "The line that came back.");
  visit(
      "shape", [&] { return field_values(report.shape); }, "The shape of the inputs.");
  visit("base_input", [&] { return report.pair.base_input(); });
  visit("neighbour_input", [&] { return report.pair.neighbour_input(); });
  visit("neighbours", report.neighbours, "The relation in words.");
  visit.if_any("other_neighbours", report.other_neighbours, "How --neighbours would change it.");
  visit("runs", report.runs, "The ten runs, or those before an error.");
  visit("notes", report.notes);
  visit.if_any(
      "audit", report.cost,
      "The cost of an audit with these options; absent if the time bounds it, or its method "
      "is one-run.");
  visit.if_any(
      "next", report.next,
      "The command of the audit, with the claim eps=1 if none was given; absent if there is "
      "something to correct first.");
  visit.if_any("error", [&] { return report.error; });
  report_meta(visit, report.meta, [&] {
    visit.if_any("containment", report.containment, kContainmentMeaning);
    visit("start_seconds", report.start_seconds, kCount, "The time until the target was ready.");
    visit("run_seconds", report.play_seconds, kCount,
          "The median time of a run in a message of its own.");
    visit("batch_seconds", report.batch_seconds, kCount,
          "The time of a run in a message that asks for many.");
    visit.if_any(
        "audit_seconds",
        [&] { return report.cost ? std::optional(report.cost->seconds) : std::nullopt; },
        "The time of the audit, estimated from these times.", kCount);
    visit.if_any(
        "slow_start", [&] { return report.slow_start(); }, "What a slow start costs an audit.");
    visit("standard_error", plain(report.standard_error),
          "The standard error of the process that made the ten runs.");
  });
}

std::string to_json(const TryReport& report) { return json_text_of(report); }
std::string try_report_schema() { return schema_of<TryReport>(); }

}  // namespace assay
