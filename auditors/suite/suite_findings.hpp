// What every report of a suite's run says, in the same words: what fails, which guarantee it is, by how
// much, and the command that finds it again.
//
// Texts are plain (plain_text): one line each, without control characters, of bounded length.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/auditors/suite/suite_report.hpp"
#include "assay/mechanisms/core/enum_table.hpp"

namespace assay {

// Something that is wrong with an entry: its status, or how it differs from the baseline.
struct SuiteFinding {
  const EntryResult* entry = nullptr;   // none of an entry that vanished
  const EntryChange* change = nullptr;  // none of a status
  std::string id;                       // of the entry
  SourcePlace place;                    // of the entry; of a vanished one the suite
  Severity severity = Severity::kDeny;
  bool fails = false;  // the run

  std::string_view rule() const;  // "violated", "weaker-bound"
};

// Whether the status is a failure: violated, could not run, misconfigured, or inconclusive where the entry
// requires a power or a bound that was not reached, or the run wants decisions.
bool is_failure(const EntryResult& entry, const SuiteReport& report);

// Whether its failure fails the run: one that is denied and not suppressed, and any that is misconfigured.
bool fails_run(const EntryResult& entry, const SuiteReport& report);

// Those that fail the run first, then by severity, then in the order of the suite, statuses before changes.
// A change that says what the entry's status says already is left out.
std::vector<SuiteFinding> findings_of(const SuiteReport& report);

// "Fails: 1 violated, 1 weaker bound. Of 9 entries 7 held, 1 violated, 1 inconclusive."
std::string suite_headline(const SuiteReport& report);

// "could-not-run" -> "could not run".
std::string spaced(std::string_view name);
// "violated, suppressed by 'x'".
std::string status_text(const EntryResult& entry, const SuiteReport& report);

std::string found_text(const EntryResult& entry);  // the headline, and of an error its place

// "thompson: violated".
std::string finding_title(const SuiteFinding& finding);
// Which guarantee and by how much: "thompson-sampling, claim eps = 1: Violated: eps at delta = 1e-06 is at
// least 1.3; the claim allows 1. That is 0.3 too much."
std::string finding_message(const SuiteFinding& finding);
std::string finding_command(const SuiteFinding& finding, const SuiteReport& report);

// Bounds rounded outward, never onto the other side of what is allowed.
struct SuiteFigureTexts {
  std::string lower, upper;
  std::string allowed;  // empty where nothing is said
};
SuiteFigureTexts figure_texts(const EntryFigure& figure);
std::string figure_line(const EntryFigure& figure);  // "eps: 1.3 to 1.5, allowed 1"

// "could-not-run", as files write it.
template <class Enum>
constexpr std::string_view enum_name(Enum value) {
  return entry_of(enum_names(Enum{}), value);
}

using TextFacts = std::vector<std::pair<std::string, std::string>>;  // what it is, and what it says
TextFacts entry_facts(const EntryResult& entry);
TextFacts run_facts(const SuiteReport& report);

// plain_text of at most `most` bytes; a longer text ends in "... (1,234 bytes more)", beyond them.
std::string shortened(std::string_view text, std::size_t most);

}  // namespace assay
