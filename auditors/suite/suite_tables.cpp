#include "assay/auditors/suite/suite_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "assay/auditors/suite/suite_findings.hpp"
#include "assay/auditors/suite/suite_json.hpp"
#include "assay/auditors/text/document.hpp"
#include "assay/auditors/text/record.hpp"
#include "assay/auditors/text/report.hpp"
#include "assay/auditors/text/rounding.hpp"

namespace assay {
namespace {

// "2.1 s", the time of its last run, or its present cost if that is known to be nothing.
std::string cost_text(const EntryResult& entry) {
  if (entry.reused_from) return "reused";
  return entry.seconds > 0.0 ? seconds_text(entry.seconds) : "unknown";
}

}  // namespace

std::string to_text(const SuiteListing& listing, TextStyle style) {
  doc::Document document;
  document.paragraph(fmt::format(
      "{}: {} of {} entries, tier {}; {} is the error probability of a first run, shared as below",
      listing.suite.name, listing.entries.size(), listing.suite.entries.size(), listing.tier,
      rounded(listing.alpha, 3)));
  std::vector<std::vector<std::string>> rows;
  doc::List unfit{{}, "  "};
  for (const auto& entry : listing.entries) {
    const auto& written = listing.suite.entries[entry.index];
    const EntryResult& result = entry.result;
    rows.push_back({result.id, detail::value_text(result.kind), detail::value_text(written.tier),
                    detail::value_text(written.severity), rounded(entry.alpha, 2),
                    cost_text(result), shortened(result.subject, 60)});
    if (result.error) {
      unfit.items.push_back(
          doc::chip(result.id + ": " + result.error->to_string(), detail::Paint::kRed));
    }
  }
  document.table("", {"entry", "kind", "tier", "severity", "alpha", "last", "subject"}, rows);
  if (!unfit.items.empty()) document.heading("Does not fit");
  document.add(unfit);
  return to_terminal(document, style);
}

std::string to_text(const SuiteComparison& comparison, TextStyle style) {
  using detail::Paint;
  const auto& [changes, notes] = comparison.comparison;
  const auto worse = std::count_if(changes.begin(), changes.end(),
                                   [](const auto& change) { return change.regresses; });
  doc::Document document(doc::Paragraph{
      fmt::format("{} against {}: {} change{}, {} of them for the worse", comparison.now,
                  comparison.before, changes.size(), changes.size() == 1 ? "" : "s", worse),
      worse > 0 ? Paint::kRed : Paint::kGreen});
  doc::List lines{{}, "  "}, more;
  for (const auto& change : changes) {
    lines.items.push_back(
        doc::chip(shortened(change.id, 100) + ": " + spaced(detail::value_text(change.kind)) +
                      (change.statement.empty() ? "" : ": " + shortened(change.statement, 2000)),
                  change.regresses ? Paint::kRed : Paint::kNone));
  }
  document.add(lines);
  if (!notes.empty()) document.heading("Notes");
  for (const auto& note : notes) more.items.push_back(shortened(note, 2000));
  document.add(more);
  return to_terminal(document, style);
}

void fields(const SuiteComparison& comparison, Fields visit) {
  report_head(visit, "assay.suite-comparison/1", "The result of `assay suite compare`.");
  visit("base", comparison.before, "A baseline or a run.");
  visit("new", comparison.now, "The run that is compared with it.");
  visit("regresses", [&] { return comparison.regresses(); });
  visit("changes", comparison.comparison.changes);
  visit("notes", comparison.comparison.notes);
}

std::string to_json(const SuiteComparison& comparison) { return json_text_of(comparison); }
std::string suite_comparison_schema() { return schema_of<SuiteComparison>(); }

}  // namespace assay
