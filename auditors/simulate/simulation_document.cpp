#include <string>
#include <vector>

#include "assay/auditors/simulate/simulation_report.hpp"
#include "assay/auditors/text/document.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/auditors/text/safe_text.hpp"
#include "assay/mechanisms/core/enum_table.hpp"
#include "assay/mechanisms/core/messages.hpp"

namespace assay {
namespace {

using detail::Paint;
using doc::Document;
using doc::kPage;
using doc::kTerminal;

// The colours are those of verdicts: a statement that does not hold looks like a violation.
constexpr EnumTable<Outcome, Paint, 3> kOutcomePaints{{{Outcome::kHolds, Paint::kGreen},
                                                       {Outcome::kFails, Paint::kRed},
                                                       {Outcome::kUndecided, Paint::kYellow}}};

Document checks_of(const ExperimentReport& experiment) {
  Document document;
  if (experiment.checks.empty()) return document;
  const bool sampled = experiment.confidence < 1.0;
  const std::string confidence = percent(experiment.confidence) + " confidence";
  document.heading("Stated outcomes", sampled ? "(" + confidence + ", jointly)" : "(computed)", 3);
  if (sampled) {
    document.paragraph(
        "Means are compared by confidence intervals from betting. All comparisons hold together "
        "with " +
            confidence + ".",
        kPage);
  }
  for (const auto& check : experiment.checks) {
    document.add_close(doc::Paragraph{
        doc::chip(to_string(check.outcome), entry_of(kOutcomePaints, check.outcome)) +
            doc::only_in(kTerminal, ":") + " " + doc::strong(check.name),
        Paint::kNone, "  "});
    doc::Facts facts{4, Paint::kDim, 10};
    facts.add("stated", check.stated);
    facts.add("read as", check.rule);
    facts.add("observed", check.observed);
    document.add_close(facts);
  }
  return document;
}

Document values_of(const ValueTable& values) {
  Document document;
  if (values.rows.empty()) return document;
  document.heading(values.caption, "", 3, kTerminal);
  document.heading("Values", "", 3, kPage);
  doc::Table table{values.caption, {}};
  table.indent = 2;
  for (const auto& column : values.columns) table.columns.push_back({column.name, column.number});
  for (const auto& row : values.rows) table.add({row.begin(), row.end()});
  document.add(table);
  return document;
}

void add_experiment(const ExperimentReport& experiment, bool alone, Document& document) {
  document.paragraph(doc::strong(experiment.id) + ": " + experiment.title, kTerminal);
  document.heading(doc::exact(experiment.title), "", alone ? 1 : 2, kPage);
  doc::Facts facts;
  facts.add("Reproduces", experiment.reproduces);
  facts.add("Experiment", only_in(kPage, doc::code(experiment.id)));
  facts.add("Parameters", parameters_text(experiment.parameters, doc::kEquals));
  for (const auto& note : experiment.notes) facts.add("Note", note);
  document.add(facts);
  document.add(doc::Drawn{experiment.figure, experiment.caption, true}, kPage);
  if (alone) document.heading("Outcomes and values", "", 2, kPage);
  const Document values = values_of(experiment.values);
  document.append(values, kTerminal);
  document.append(checks_of(experiment));
  document.append(values, kPage);
  document.heading("Reproduce", "", 3, kPage);
  document.add(doc::Command{experiment.reproduce}, kPage);
}

Document document_of(const SimulationReport& report) {
  const bool alone = report.experiments.size() == 1;
  Document document;
  document.title =
      joined(report.experiments, &ExperimentReport::id) + " \xE2\x80\x93 Assay simulation";
  const std::int64_t rounds = report.meta.rounds_played;  // none where shards are merged
  document.footer =
      doc::run_footer(report.meta, rounds > 0 ? "; " + grouped(rounds) + " simulated rounds" : "");
  if (!alone) document.heading("Simulated experiments", "", 1, kPage);
  for (const auto& experiment : report.experiments) add_experiment(experiment, alone, document);
  if (!alone) document.heading("Reproduce all of them", "", 2, kPage);
  document.add(doc::Command{report.reproduce}, alone ? kTerminal : kTerminal | kPage);
  return document;
}

}  // namespace

std::string to_text(const SimulationReport& report, TextStyle style) {
  return to_terminal(document_of(report), style);
}
std::string to_html(const SimulationReport& report) { return to_page(document_of(report)); }

}  // namespace assay
