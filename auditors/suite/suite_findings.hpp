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

// "Fails: 1 violated, 1 weaker bound. Of 9 entries 7 held, 1 violated, 1 inconclusive."
std::string suite_headline(const SuiteReport& report);

// "could-not-run" -> "could not run".
std::string spaced(std::string_view name);
// "violated, suppressed by 'x'".
std::string status_text(const EntryResult& entry, const SuiteReport& report);

std::string found_text(const EntryResult& entry);  // the headline, and the place of an error

// "thompson: violated".
std::string finding_title(const SuiteFinding& finding);
// The guarantee and the excess: "thompson-sampling, claim eps = 1: Violated: eps at delta = 1e-06 is at least
// 1.3; the claim allows 1. That is 0.3 too much."
std::string finding_message(const SuiteFinding& finding);
std::string finding_command(const SuiteFinding& finding, const SuiteReport& report);

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
TextFacts entry_facts(const EntryResult& entry);
TextFacts run_facts(const SuiteReport& report);

// plain_text of at most `most` bytes; a longer text ends in "... (1,234 bytes more)", beyond them.
std::string shortened(std::string_view text, std::size_t most);

}  // namespace assay
