#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "assay/auditors/detect/sequences_report.hpp"
#include "assay/auditors/text/document.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/core/configuration.hpp"

namespace assay {
namespace {

using detail::level_text;
using detail::Paint;

std::vector<doc::Text> cells_of(const SequenceResult& result, bool counterpart) {
  const auto& row = *result.row;
  const Verdict expected = counterpart ? Verdict::kNotRefuted : Verdict::kViolated;
  const SequenceAudit& audit = counterpart ? result.counterpart : result.fault;
  const bool fine = audit.verdict == expected && !audit.above_truth();
  std::string verdict = to_string(audit.verdict);
  if (audit.verdict != expected) verdict += ", unexpected";
  if (audit.above_truth()) verdict = "above the truth";
  const Paint paint = !fine ? Paint::kYellow : counterpart ? Paint::kGreen : Paint::kRed;
  return {counterpart ? "" : row.name,
          std::to_string(row.shape.horizon),
          number_text(row.claim),
          counterpart ? "correct" : "faulty",
          level_text(audit.exact),
          level_text(audit.common_event),
          fmt::format("{:.3f}", audit.lower),
          std::to_string(audit.runs),
          fmt::format("{:.2f}", audit.seconds),
          "",
          doc::Span{verdict, doc::SpanKind::kProse, paint}};
}

}  // namespace

std::string to_text(const SequenceDetection& detection, const RunMeta& meta, TextStyle style) {
  doc::Table table{"",
                   {{"fault", false, 18},
                    {"T", true, 2},
                    {"claim", true, 5},
                    {"", false, 7},
                    {"exact", true, 7},
                    {"common", true, 7},
                    {"bound", true, 7},
                    {"runs", true, 8},
                    {"s", true, 5},
                    {"", false},
                    {"verdict", false}}};
  table.gap = 1;
  doc::Facts faults{0, Paint::kNone, 19};
  for (const auto& result : detection.results) {
    table.add(cells_of(result, false));
    table.add(cells_of(result, true));
    faults.add(result.row->name, result.row->fault);
  }
  const auto count = [&](auto&& holds) {
    return std::count_if(detection.results.begin(), detection.results.end(), holds);
  };
  doc::List summary{{}, ""};
  summary.items.push_back(fmt::format(
      "{} of {} {} in {:.1f} s: {} convicted, and {} of the controls.", detection.results.size(),
      detection.selected, plural(static_cast<std::int64_t>(detection.selected), "fault"),
      meta.seconds, count([](const auto& r) { return r.fault.verdict == Verdict::kViolated; }),
      count([](const auto& r) { return r.counterpart.verdict == Verdict::kViolated; })));
  const auto wrong = count([](const auto& r) { return !r.as_expected(); });
  if (wrong > 0) summary.items.push_back(fmt::format("Rows that are not as expected: {}.", wrong));
  doc::Document document(table);
  document.add(faults);
  document.paragraph(fmt::format(
      "exact: eps on the row's pair, by enumeration. common: eps of the best event of probability 0.01 or more. "
      "bound: a lower bound certified from runs alone, at confidence {} each.",
      number_text(detection.plan.confidence)));
  document.add(summary);
  return to_terminal(document, style);
}

}  // namespace assay
