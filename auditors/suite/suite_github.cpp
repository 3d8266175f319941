#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "assay/auditors/suite/suite_findings.hpp"
#include "assay/auditors/suite/suite_report_writers.hpp"
#include "assay/auditors/text/rounding.hpp"

namespace assay {
namespace {

constexpr std::size_t kMostAnnotations = 10;  // of each level in a step; GitHub drops all others
constexpr std::size_t kMostOfAnnotation = 4000;

// Escapes a text for the runner; ':' and ',' end a property.
std::string command_data(const std::string& text, bool property) {
  std::string out;
  for (const char c : text) {
    const bool special = c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ','));
    out += special ? fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)))
                   : std::string(1, c);
  }
  return out;
}

std::string annotation(std::string_view level, const SourcePlace& place, const std::string& title,
                       const std::string& message) {
  return fmt::format("::{} file={},line={},col={},title={}::{}\n", level,
                     command_data(shortened(place.file, 1000), true),
                     std::max<std::int64_t>(1, place.line), std::max<std::int64_t>(1, place.column),
                     command_data(title, true), command_data(message, false));
}

// One of an entry, with a line for each rule.
std::string entry_annotation(std::string_view level, const SuiteFindings& of_entry,
                             const SuiteReport& report) {
  const SuiteFinding& first = of_entry.front();
  const std::string command = finding_command(first, report);
  std::string message;
  for (const SuiteFindings& of_rule : by_rule(of_entry)) {
    message += (message.empty() ? "" : "\n") + shortened(rule_message(of_rule), kMostOfAnnotation);
  }
  return annotation(
      level, first.place, entry_title(of_entry),
      message + (command.empty() ? "" : "\nReproduce: " + shortened(command, kMostOfAnnotation)));
}

std::string_view level_of(const SuiteFinding& finding) {
  if (finding.fails) return "error";
  return finding.severity == Severity::kAllow ? "notice" : "warning";
}

}  // namespace

std::string to_github(const SuiteReport& report) {
  const std::vector<SuiteFindings> failures = failures_of(report);
  std::string out;
  for (const std::string_view level : {"error", "warning", "notice"}) {
    std::vector<const SuiteFindings*> of_level;
    for (const SuiteFindings& of_entry : failures) {
      if (level_of(of_entry.front()) == level) of_level.push_back(&of_entry);
    }
    const bool fits = of_level.size() <= kMostAnnotations;
    const std::size_t shown = fits ? of_level.size() : kMostAnnotations - 1;
    for (std::size_t i = 0; i < shown; ++i) out += entry_annotation(level, *of_level[i], report);
    if (fits) continue;
    out += annotation(level, {report.file, 1, 1}, "Assay",
                      fmt::format("{} more are in the step's summary.",
                                  grouped(static_cast<long long>(of_level.size() - shown))));
  }
  return out;
}

}  // namespace assay
