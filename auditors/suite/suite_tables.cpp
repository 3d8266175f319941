#include "assay/auditors/suite/suite_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "assay/auditors/suite/suite_findings.hpp"
#include "assay/auditors/suite/suite_json.hpp"
#include "assay/auditors/text/record.hpp"
#include "assay/auditors/text/report.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/auditors/text/safe_text.hpp"

namespace assay {
namespace {

class SuiteListingWriter : detail::TextPage {
 public:
  SuiteListingWriter(const SuiteListing& listing, TextStyle style)
      : TextPage(style), listing_(listing) {}

  std::string write() {
    hanging("",
            fmt::format("{}: {} of {} entries, tier {}; {} is the error probability of a first "
                        "run, shared as below",
                        plain_text(listing_.suite.name), listing_.entries.size(),
                        listing_.suite.entries.size(), listing_.tier, rounded(listing_.alpha, 3)));
    gap();
    const std::vector<std::string> names = {"entry", "kind", "tier",   "severity",
                                            "alpha", "last", "subject"};
    std::vector<std::vector<std::string>> rows;
    for (const auto& entry : listing_.entries) rows.push_back(row_of(entry));
    const auto widths = detail::column_widths(names, rows);
    line(detail::table_line(names, widths), Paint::kDim);
    for (const auto& row : rows) out_ += detail::table_line(row, widths) + "\n";
    bool first = true;
    for (const auto& entry : listing_.entries) {
      if (!entry.result.error) continue;
      if (first) heading("Does not fit");
      first = false;
      hanging("  ", entry.result.id + ": " + plain_text(entry.result.error->to_string()),
              Paint::kRed);
    }
    return finish();
  }

 private:
  using Paint = detail::Paint;

  // "2.1 s", of its last run; what it costs now where that is known to be nothing.
  static std::string cost_text(const EntryResult& entry) {
    if (entry.reused_from) return "reused";
    return entry.seconds > 0.0 ? seconds_text(entry.seconds) : "unknown";
  }
  std::vector<std::string> row_of(const PreparedEntry& entry) const {
    const auto& written = listing_.suite.entries[entry.index];
    return {plain_text(entry.result.id),
            detail::value_text(entry.result.kind),
            detail::value_text(written.tier),
            detail::value_text(written.severity),
            rounded(entry.alpha, 2),
            cost_text(entry.result),
            shortened(entry.result.subject, 60)};
  }

  const SuiteListing& listing_;
};

class SuiteComparisonWriter : detail::TextPage {
 public:
  SuiteComparisonWriter(const SuiteComparison& comparison, TextStyle style)
      : TextPage(style), comparison_(comparison) {}

  std::string write() {
    const auto& [changes, notes] = comparison_.comparison;
    const auto worse = std::count_if(changes.begin(), changes.end(),
                                     [](const auto& change) { return change.regresses; });
    hanging("",
            fmt::format("{} against {}: {} change{}, {} of them for the worse",
                        plain_text(comparison_.now), plain_text(comparison_.before), changes.size(),
                        changes.size() == 1 ? "" : "s", worse),
            worse > 0 ? Paint::kRed : Paint::kGreen);
    if (!changes.empty()) gap();
    for (const auto& change : changes) {
      hanging("  ",
              shortened(change.id, 100) + ": " + spaced(detail::value_text(change.kind)) +
                  (change.statement.empty() ? "" : ": " + shortened(change.statement, 2000)),
              change.regresses ? Paint::kRed : Paint::kNone);
    }
    if (!notes.empty()) heading("Notes");
    for (const auto& note : notes) hanging("  - ", shortened(note, 2000));
    return finish();
  }

 private:
  using Paint = detail::Paint;
  const SuiteComparison& comparison_;
};

}  // namespace

std::string to_text(const SuiteListing& listing, TextStyle style) {
  return SuiteListingWriter(listing, style).write();
}

std::string to_text(const SuiteComparison& comparison, TextStyle style) {
  return SuiteComparisonWriter(comparison, style).write();
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
