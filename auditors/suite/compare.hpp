// The changes between two runs of a suite, or between a baseline and a run.
//
// docs/decisions/suite.md has the whole table. It lists each pair of statuses and each change of a figure, and says
// whether the comparison then fails. In short, a violation always fails, whether the baseline has it or not. A bound
// or power fails if it is worse by more than its tolerance. An entry or figure that is gone also fails, as do an entry
// that no longer runs, a claim that allows more, and a time that is longer.
//
// A time is longer if both hold: the two-sided rank test of its repetitions (auditors/statistics/rank_test.hpp)
// rejects, by Holm's procedure over all compared times, and the medians differ by more than the tolerance. If
// nothing changed and repetitions are independent, the probability that any time is called slower or faster is
// at most alpha.
//
// Only entries of severity "deny" fail. A suppression covers the change of status, not of figures.
// Threads: pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/auditors/suite/baseline.hpp"
#include "assay/auditors/suite/suite_report.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

inline constexpr std::size_t kLeastRepetitions = 9;  // of a time that is compared, before and now

struct Tolerances {
  double bound = 0.05;  // relative growth of the upper bound of a loss or an error
  double power = 0.05;  // of the smallest visible violation
  double time = 0.05;   // of a median
  double alpha = 0.01;  // error probability of all comparisons of times together
};

// Errors: a value that is not a finite number of at least 0; an alpha outside (0, 1/2].
Status check_tolerances(const Tolerances& tolerances);

struct StatusChange {
  std::optional<ChangeKind> kind;  // none if nothing changed
  bool fails = false;
  bool operator==(const StatusChange&) const = default;
};
// A missing status means that there is no such entry. At most one of the two may be missing.
StatusChange status_change(std::optional<EntryStatus> before, std::optional<EntryStatus> now);

struct BaselineComparison {
  std::vector<EntryChange> changes;  // by entry; its own changes come before those of its figures
  std::vector<std::string> notes;    // on figures that could not be compared
};
BaselineComparison compare(const Baseline& before, const Baseline& now,
                           const Tolerances& tolerances);

// The changes alone, without the notes.
std::vector<EntryChange> changes_of(const Baseline& before, const SuiteReport& now,
                                    const Tolerances& tolerances);

// Reads a baseline, or the JSON report of a run.
Result<Baseline> read_compared(const std::string& path);

}  // namespace assay
