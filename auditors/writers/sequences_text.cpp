#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "assay/auditors/writers/rounding.hpp"
#include "assay/auditors/writers/sequences_report.hpp"
#include "assay/auditors/writers/text_layout.hpp"
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

std::string half(const SequenceAudit& audit) {
  return fmt::format("{:>7} {:>7} {:>7.3f} {:>8} {:>5.2f}", level_text(audit.exact),
                     level_text(audit.common_event), audit.lower, audit.plays, audit.seconds);
}

}  // namespace

std::string to_text(const SequenceDetection& detection, const RunMeta& meta, TextStyle style) {
  const auto paint = [&](const std::string& text, Paint color) {
    return style.color ? detail::painted(text, color) : text;
  };
  std::string out =
      paint(fmt::format("{:<18} {:>2} {:>5} {:<7} {:>7} {:>7} {:>7} {:>8} {:>5}  {}\n", "fault",
                        "T", "claim", "", "exact", "common", "bound", "plays", "s", "verdict"),
            Paint::kDim);
  const auto line = [&](const SequenceResult& result, bool twin) {
    const auto& row = *result.row;
    const Verdict expected = twin ? Verdict::kNotRefuted : Verdict::kViolated;
    const SequenceAudit& audit = twin ? result.twin : result.fault;
    const std::string text = verdict(audit, expected);
    const bool fine = audit.verdict == expected && !audit.above_truth();
    const Paint color = !fine ? Paint::kYellow : twin ? Paint::kGreen : Paint::kRed;
    const std::string name = twin ? std::string() : row.name;
    out += fmt::format("{:<18} {:>2} {:>5} {:<7} {}  {}\n", name, row.shape.horizon,
                       number_text(row.claim), twin ? "correct" : "faulty", half(audit),
                       paint(text, color));
  };
  for (const auto& result : detection.results) {
    line(result, false);
    line(result, true);
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
