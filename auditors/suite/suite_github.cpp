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

std::string finding_annotation(std::string_view level, const SuiteFinding& finding,
                               const SuiteReport& report) {
  const std::string command = finding_command(finding, report);
  return annotation(
      level, finding.place, finding_title(finding),
      shortened(finding_message(finding), kMostOfAnnotation) +
          (command.empty() ? "" : "\nReproduce: " + shortened(command, kMostOfAnnotation)));
}

std::string_view level_of(const SuiteFinding& finding) {
  if (finding.fails) return "error";
  return finding.severity == Severity::kAllow ? "notice" : "warning";
}

}  // namespace

std::string to_github(const SuiteReport& report) {
  const std::vector<SuiteFinding> findings = findings_of(report);
  std::string out;
  for (const std::string_view level : {"error", "warning", "notice"}) {
    std::vector<const SuiteFinding*> of_level;
    for (const SuiteFinding& finding : findings) {
      if (level_of(finding) == level) of_level.push_back(&finding);
    }
    const bool fits = of_level.size() <= kMostAnnotations;
    const std::size_t shown = fits ? of_level.size() : kMostAnnotations - 1;
    for (std::size_t i = 0; i < shown; ++i) out += finding_annotation(level, *of_level[i], report);
    if (fits) continue;
    out += annotation(level, {report.file, 1, 1}, "Assay",
                      fmt::format("{} more are in the step's summary.",
                                  grouped(static_cast<long long>(of_level.size() - shown))));
  }
  return out;
}

}  // namespace assay
