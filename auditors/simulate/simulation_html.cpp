#include <fmt/format.h>

#include <string>
#include <vector>

#include "assay/auditors/simulate/simulation_report.hpp"
#include "assay/auditors/text/html_elements.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/auditors/text/safe_text.hpp"
#include "assay/mechanisms/core/enum_table.hpp"
#include "assay/mechanisms/core/messages.hpp"

namespace assay {
namespace {

using detail::DescriptionList;
using detail::element;
using detail::figure_element;
using detail::Table;
using detail::typeset;

// The colours of verdicts: a statement that does not hold looks like a violation.
constexpr EnumTable<Outcome, std::string_view, 3> kClasses{
    {{Outcome::kHolds, "verdict verified"},
     {Outcome::kFails, "verdict violated"},
     {Outcome::kUndecided, "verdict inconclusive"}}};

std::string checks_markup(const ExperimentReport& experiment) {
  if (experiment.checks.empty()) return "";
  std::string rows;
  for (const auto& check : experiment.checks) {
    rows +=
        "<tr>" +
        element("td",
                element("span", to_string(check.outcome), entry_of(kClasses, check.outcome))) +
        element("td", element("strong", markup_text(typeset(check.name))) + "<br/>" +
                          markup_text(typeset(check.stated))) +
        element("td", markup_text(typeset(check.observed)) + "<br/>" +
                          element("span", "Read as: " + markup_text(typeset(check.rule)), "rule")) +
        "</tr>\n";
  }
  const std::string certainty =
      experiment.confidence < 1.0
          ? "Means are compared by betting confidence intervals; all comparisons hold with " +
                percent(experiment.confidence) + " confidence jointly."
          : "Computed, not sampled.";
  return detail::heading("h3", "What the paper states, and what was observed") +
         "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Stated outcomes\">"
         "<table class=\"outcomes\"><caption><span>" +
         markup_text(certainty) +
         "</span></caption>\n<thead><tr><th scope=\"col\">outcome</th><th scope=\"col\">stated</th>"
         "<th scope=\"col\">observed</th></tr></thead>\n<tbody>\n" +
         rows + "</tbody></table></div>\n";
}

std::string values_markup(const ValueTable& values) {
  if (values.rows.empty()) return "";
  std::vector<detail::TableColumn> columns;
  for (const auto& column : values.columns) columns.push_back({column.name, column.number});
  Table table(values.caption, columns);
  for (const auto& row : values.rows) table.add(row);
  return detail::heading("h3", "Values") + table.text();
}

std::string experiment_markup(const ExperimentReport& experiment, bool alone) {
  DescriptionList list;
  list.add("Reproduces", experiment.reproduces);
  list.add_markup("Experiment", element("code", markup_text(experiment.id)));
  list.add("Parameters", parameters_text(experiment.parameters, detail::kEquals));
  std::string notes;
  for (const auto& note : experiment.notes)
    notes += element("li", markup_text(typeset(note))) + "\n";
  return element(alone ? "h1" : "h2", markup_text(experiment.title)) + "\n" + list.text() +
         figure_element(experiment.figure, experiment.caption, true) +
         (alone ? detail::heading("h2", "Outcomes and values") : "") + checks_markup(experiment) +
         (notes.empty() ? "" : detail::heading("h3", "Notes") + element("ul", notes) + "\n") +
         values_markup(experiment.values) + detail::heading("h3", "Reproduce") +
         detail::command_element(experiment.reproduce);
}

}  // namespace

std::string to_html(const SimulationReport& report) {
  const bool alone = report.experiments.size() == 1;
  std::string body;
  if (!alone) body += detail::heading("h1", "Simulated experiments");
  for (const auto& experiment : report.experiments) {
    body += experiment_markup(experiment, alone);
  }
  if (!alone) {
    body +=
        detail::heading("h2", "Reproduce all of them") + detail::command_element(report.reproduce);
  }
  const RunMeta& meta = report.meta;
  body += detail::footer(
      fmt::format("Assay {} ({}). Started {}; {} s on {} {}; {} "
                  "rounds played.",
                  meta.version, meta.build, meta.started, rounded(meta.seconds, 3), meta.threads,
                  plural(meta.threads, "thread"), grouped(meta.rounds_played)));
  return detail::html_page(
      joined(report.experiments, &ExperimentReport::id) + " \xE2\x80\x93 Assay simulation", body);
}

}  // namespace assay
