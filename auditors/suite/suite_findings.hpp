// The texts that all reports of a suite's run share: the entry that fails, its guarantee, the excess, and the
// command that reproduces it.
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
  const EntryChange* change = nullptr;  // null for a status
  std::string id;                       // of the entry
  SourcePlace place;                    // of the entry; of the suite for a vanished one
  Severity severity = Severity::kDeny;
  bool fails = false;  // the run

  std::string_view rule() const;  // "violated", "weaker-bound"
};

// Whether the status is a failure: violated, could not run, misconfigured, or inconclusive. Inconclusive counts only
// if the entry misses a required power or bound, or if the run fails on inconclusive entries.
bool is_failure(const EntryResult& entry, const SuiteReport& report);

// Whether the failure fails the run: the severity is deny and nothing suppresses it, or it is misconfigured.
bool fails_run(const EntryResult& entry, const SuiteReport& report);

// Those that fail the run come first, then by severity, then in the order of the suite, statuses before changes.
// A change that only repeats the entry's status is left out.
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

// Bounds are rounded outward, but never across the allowed value.
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
