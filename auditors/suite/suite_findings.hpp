// The texts that all reports of a suite's run share: which entry fails, its guarantee, by how much it is exceeded, and
// the command that reproduces it.
//
// Texts are plain (plain_text): each is one line of bounded length without control characters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/auditors/suite/suite_report.hpp"
#include "assay/mechanisms/core/enum_table.hpp"

namespace assay {

// A fault of an entry: its status, or its difference from the baseline.
struct SuiteFinding {
  const EntryResult* entry = nullptr;   // null for an entry that vanished
  const EntryChange* change = nullptr;  // null if the fault is the status
  std::string id;                       // of the entry
  SourcePlace place;                    // of the entry; of the suite for a vanished one
  Severity severity = Severity::kDeny;
  bool fails = false;  // whether it makes the run fail

  std::string_view rule() const;  // "violated", "weaker-bound"
};

// Whether the status is a failure: violated, could not run, misconfigured, or inconclusive. Inconclusive counts only
// if the entry misses a required power or bound, or if the run fails on inconclusive entries.
bool is_failure(const EntryResult& entry, const SuiteReport& report);

// Whether the failure makes the run fail: the severity is deny and nothing suppresses it, or the entry is
// misconfigured.
bool fails_run(const EntryResult& entry, const SuiteReport& report);

// All faults of a report. Those that make the run fail come first. The rest of the order is by severity, then by the
// suite, with statuses before changes. It leaves out a change that only repeats the entry's status.
std::vector<SuiteFinding> findings_of(const SuiteReport& report);

// Findings that belong together, in their order; never empty.
using SuiteFindings = std::vector<SuiteFinding>;
std::vector<SuiteFindings> by_entry(const SuiteFindings& findings);
// Of each rule, changes of figures that the claim limits come first. The others say the same in other units.
std::vector<SuiteFindings> by_rule(const SuiteFindings& of_entry);
std::vector<SuiteFindings> failures_of(const SuiteReport& report);  // all findings, by entry

// Counts entries, each by its gravest finding: "Fails: 1 violated, 1 weaker bound. Of 9 entries 7 held, 1 violated, 1
// inconclusive."
std::string suite_headline(const SuiteReport& report);

// "could-not-run" -> "could not run".
std::string spaced(std::string_view name);
// "violated, suppressed by 'x'".
std::string status_text(const EntryResult& entry, const SuiteReport& report);

std::string found_text(const EntryResult& entry);  // the headline, and the place of an error

// The finding without the status, which is beside it: "eps at delta = 0 is at least 1.3; the claim allows 1".
std::string found_beside_status(const EntryResult& entry);
std::string claim_text(const EntryResult& entry);  // as it was written, without its value

std::string rules_text(const SuiteFindings& of_entry);   // "violated, weaker bound (3)"
std::string entry_title(const SuiteFindings& of_entry);  // "thompson: violated, weaker bound (3)"
// A sentence with the guarantee and by how much it is missed: "thompson-sampling violates its claim eps = 1: eps at
// delta = 1e-06 is at least 1.3; the claim allows 1."
std::string finding_message(const SuiteFinding& finding);
std::string rule_message(
    const SuiteFindings& of_rule);  // that of the first, and how many more there are
std::string finding_command(const SuiteFinding& finding, const SuiteReport& report);
// Why the finding does not fail the run: "suppressed by 'x'", "severity warn"; empty if it does.
std::string excuse_text(const SuiteFinding& finding);

// The place of the finding in a file below the working folder. The suite's file represents an included file elsewhere;
// its name represents the suite's file.
SourcePlace place_below(const SuiteFinding& finding, const SuiteReport& report);

// The numbers of a figure as texts. Bounds are rounded outward, but never across the allowed value.
struct SuiteFigureTexts {
  std::string lower, upper;
  std::string allowed;  // empty if nothing is stated
};
SuiteFigureTexts figure_texts(const EntryFigure& figure);
std::string figure_line(const EntryFigure& figure);  // "eps: 1.3 to 1.5, allowed 1"

// "could-not-run", as files write it.
template <class Enum>
constexpr std::string_view enum_name(Enum value) {
  return entry_of(enum_names(Enum{}), value);
}

using TextFacts = std::vector<std::pair<std::string, std::string>>;  // a label and its text
TextFacts run_facts(const SuiteReport& report);
// The names of the entries that fail, and of those whose failure is excused, with their rules.
TextFacts failing_facts(const SuiteReport& report);

// plain_text of at most `most` bytes; a longer text ends in "... (1,234 bytes more)", beyond them.
std::string shortened(std::string_view text, std::size_t most);

}  // namespace assay
