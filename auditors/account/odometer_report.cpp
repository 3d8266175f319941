#include <fmt/format.h>

#include "assay/auditors/account/account_report.hpp"
#include "assay/auditors/account/odometer.hpp"
#include "assay/auditors/text/csv_text.hpp"
#include "assay/auditors/text/document.hpp"
#include "assay/auditors/text/record.hpp"
#include "assay/auditors/text/report.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/core/messages.hpp"

namespace assay {

void fields(const ChainStep& step, Fields visit);  // account_json.cpp

namespace {

std::string symbol_of(FilterLevel level) {
  switch (level) {
    case FilterLevel::kPure:
      return "eps";
    case FilterLevel::kZcdp:
      return "rho";
    case FilterLevel::kGdp:
      break;
  }
  return "mu";
}

std::string theorem_of(FilterLevel level) {
  switch (level) {
    case FilterLevel::kPure:
      return "the sum of all eps stays within the budget (Rogers, Roth, Ullman, Vadhan 2016)";
    case FilterLevel::kZcdp:
      return "the sum of all rho stays within that of the budget (Feldman, Zrnic 2021)";
    case FilterLevel::kGdp:
      break;
  }
  return "the sum of all mu^2 stays within that of the budget (Smith, Thakurta 2022; Koskela, "
         "Tobaben, Honkela 2023)";
}

std::string budget_of(const OdometerReport& report) {
  return "eps = " + number_text(report.budget.epsilon.value) +
         ", delta = " + number_text(report.budget.delta.value);
}

constexpr const char* kChosenOnTheWay =
    "each step may depend on the outputs before it. If the steps are fixed in advance, assay "
    "account composes them for less; no theorem allows that for steps chosen on the way";

doc::Document odometer_document(const OdometerReport& report) {
  constexpr std::size_t kMostRows = 40;
  doc::Document document;
  const std::string symbol = symbol_of(report.level);
  doc::Facts facts;
  facts.add("Budget",
            budget_of(report) + ": " + symbol + " at most " + rounded_down(report.limit, 6));
  facts.add("Theorem", theorem_of(report.level));
  facts.add("Steps", kChosenOnTheWay);
  document.add(facts);
  doc::Table table{"The steps, in order",
                   {{"line"}, {symbol}, {"spent"}, {"left"}, {"eps so far"}, {"step", false}}};
  const std::size_t all = report.lines.size();
  for (std::size_t i = 0; i < all; ++i) {
    if (all > kMostRows && i == kMostRows / 2) {
      const std::size_t hidden = all - kMostRows;
      table.add(
          {"...", "", "", "", "",
           grouped(static_cast<std::int64_t>(hidden)) + " more steps, which CSV and JSON have"});
      i += hidden;
    }
    const OdometerLine& line = report.lines[i];
    table.add({std::to_string(line.line), rounded_up(line.cost, 5), rounded_up(line.spent, 5),
               rounded_down(line.left, 5), rounded_up(line.loss_so_far, 5),
               chain_text(line.step) + (line.admitted ? "" : ": does not fit")});
  }
  document.add(table);
  doc::Facts result;
  result.add("Result", headline_of(report));
  document.add(result);
  document.reproduce(report.reproduce);
  return document;
}

}  // namespace

void fields(const OdometerLine& line, Fields visit) {
  visit("line", line.line, from(1.0), "The line of the file.");
  visit("step", line.step);
  visit("cost", line.cost, "The level of the step: eps, rho or mu.");
  visit("admitted", line.admitted, "Whether it fits; if not, nothing of it is spent.");
  visit("spent", line.spent,
        "After it, rounded up: the sum of the costs; for mu the root of the sum of squares.");
  visit("left", line.left, "The largest cost that still fits, rounded down.");
  visit("loss_so_far", line.loss_so_far,
        "An eps. Pure: the sum. Otherwise, with probability 1 - delta, it bounds the loss at all "
        "times at once.");
}

void fields(const OdometerReport& report, Fields visit) {
  report_head(visit, kOdometerReportSchema,
              "The result of `assay account odometer`. The request determines everything outside "
              "`meta`. Within one version, no key changes its meaning or goes away.");
  visit("source", report.source, "The file of steps; \"-\" is the standard input.");
  visit("level", report.level, "What is added up.");
  visit("epsilon", report.budget.epsilon.value);
  visit("delta", report.budget.delta.value);
  visit("limit", report.limit, "The budget as eps, rho or mu.");
  visit("theorem", [&] { return theorem_of(report.level); });
  visit(
      "steps_may_depend_on_outputs", [] { return true; },
      "The theorem holds for steps chosen from earlier outputs.");
  visit("lines", report.lines, "The steps, in order. If one does not fit, it is the last.");
  visit(
      "exceeded", [&] { return report.is_exceeded(); }, "Whether a step did not fit.");
  report_reproduce(visit, report.reproduce);
  report_meta(visit, report.meta);
}

std::string headline_of(const OdometerReport& report) {
  const std::string symbol = symbol_of(report.level);
  if (report.lines.empty()) return "nothing is spent of " + budget_of(report);
  const OdometerLine& last = report.lines.back();
  const std::string spent = "spent " + symbol + " = " + rounded_up(last.spent, 5) + " of " +
                            rounded_down(report.limit, 5) + ", left " + rounded_down(last.left, 5);
  if (!report.is_exceeded()) return spent;
  return "line " + std::to_string(last.line) + " does not fit: it costs " + symbol + " = " +
         rounded_up(last.cost, 5) + "; " + spent;
}

std::string to_text(const OdometerReport& report, TextStyle style) {
  return to_terminal(odometer_document(report), style);
}

std::string to_json(const OdometerReport& report) { return json_text_of(report); }
std::string odometer_report_schema() { return schema_of<OdometerReport>(); }

std::string to_csv(const OdometerReport& report) {
  std::string out = detail::csv_comment(report.reproduce) +
                    "line,mechanism,cost,admitted,spent,left,loss_so_far\n";
  for (const OdometerLine& line : report.lines) {
    out += std::to_string(line.line) + "," + detail::csv_cell(chain_text(line.step)) + "," +
           number_text(line.cost) + "," + (line.admitted ? "true" : "false") + "," +
           number_text(line.spent) + "," + number_text(line.left) + "," +
           number_text(line.loss_so_far) + "\n";
  }
  return out;
}

}  // namespace assay
