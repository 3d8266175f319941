#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "assay/auditors/detect/sequences_report.hpp"
#include "assay/auditors/text/aligned_rows.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/auditors/text/text_layout.hpp"
#include "assay/mechanisms/core/configuration.hpp"

namespace assay {
namespace {

using detail::level_text;
using detail::Paint;

std::string verdict(const SequenceAudit& audit, Verdict expected) {
  if (audit.above_truth()) return "above the truth";
  const std::string text = to_string(audit.verdict);
  return audit.verdict == expected ? text : text + ", unexpected";
}

}  // namespace

std::string to_text(const SequenceDetection& detection, const RunMeta& meta, TextStyle style) {
  const auto paint = [&](const std::string& text, Paint color) {
    return style.color ? detail::painted(text, color) : text;
  };
  std::vector<std::vector<std::string>> rows{
      {"fault", "T", "claim", "", "exact", "common", "bound", "plays", "s"}};
  std::vector<std::string> verdicts;
  const auto add = [&](const SequenceResult& result, bool twin) {
    const auto& row = *result.row;
    const Verdict expected = twin ? Verdict::kNotRefuted : Verdict::kViolated;
    const SequenceAudit& audit = twin ? result.twin : result.fault;
    const std::string text = verdict(audit, expected);
    const bool fine = audit.verdict == expected && !audit.above_truth();
    const Paint color = !fine ? Paint::kYellow : twin ? Paint::kGreen : Paint::kRed;
    const std::string name = twin ? std::string() : row.name;
    rows.push_back({name, std::to_string(row.shape.horizon), number_text(row.claim),
                    twin ? "correct" : "faulty", level_text(audit.exact),
                    level_text(audit.common_event), fmt::format("{:.3f}", audit.lower),
                    std::to_string(audit.plays), fmt::format("{:.2f}", audit.seconds)});
    verdicts.push_back(paint(text, color));
  };
  for (const auto& result : detection.results) {
    add(result, false);
    add(result, true);
  }
  detail::align(rows, {-18, 2, 5, -7, 7, 7, 7, 8, 5});
  std::string out = paint(fmt::format("{}  verdict\n", fmt::join(rows[0], " ")), Paint::kDim);
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    out += fmt::format("{}  {}\n", fmt::join(rows[i + 1], " "), verdicts[i]);
  }
  out += "\n";
  for (const auto& result : detection.results) {
    out += fmt::format("{:<18} {}\n", result.row->name, result.row->fault);
  }
  out += fmt::format(
      "\nexact: eps on the row's pair, by enumeration; common: of the best event of probability\n"
      "0.01 or more; bound: certified from plays alone, at confidence {} each.\n\n",
      number_text(detection.plan.confidence));
  const auto count = [&](auto&& holds) {
    return std::count_if(detection.results.begin(), detection.results.end(), holds);
  };
  out += fmt::format(
      "{} of {} {}: {} convicted, {} of their correct twins; {:.1f} s.\n", detection.results.size(),
      detection.selected, plural(static_cast<std::int64_t>(detection.selected), "fault"),
      count([](const auto& r) { return r.fault.verdict == Verdict::kViolated; }),
      count([](const auto& r) { return r.twin.verdict == Verdict::kViolated; }), meta.seconds);
  const auto wrong = count([](const auto& r) { return !r.as_expected(); });
  if (wrong > 0) out += fmt::format("Not as expected: {}.\n", wrong);
  return out;
}

}  // namespace assay
