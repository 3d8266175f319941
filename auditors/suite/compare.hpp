// What changed between two runs of a suite, or a baseline and a run.
//
// docs/decisions/suite.md has the whole table: what each pair of statuses, and each movement of a figure,
// is called and whether it fails. In short: a violation always fails, old or new; so does a bound or power
// that is worse beyond its tolerance, an entry or figure that is gone, one that no longer runs, a claim
// that allows more, and a time that is longer.
//
// A time is longer where both hold: the two-sided rank test of its repetitions (auditors/statistics/
// rank_test.hpp) rejects, by Holm's procedure over all times compared, and the medians differ by
// more than the tolerance. Were nothing changed and repetitions independent, anything at all would be
// called slower or faster with probability at most alpha.
//
// Only entries of severity "deny" fail; a suppression covers the change of status, not of figures.
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

inline constexpr std::size_t kLeastRepetitions = 9;  // of either side of a time

struct Tolerances {
  double bound = 0.05;  // relative growth of the upper bound of a loss or an error
  double power = 0.05;  // of the smallest visible violation
  double time = 0.05;   // of a median
  double alpha = 0.01;  // of all times together
};

// Errors: what is not a finite number of at least 0; an alpha outside (0, 1/2].
Status check_tolerances(const Tolerances& tolerances);

struct StatusChange {
  std::optional<ChangeKind> kind;  // none: nothing changed
  bool fails = false;
  bool operator==(const StatusChange&) const = default;
};
// None: there is no such entry. Both cannot be missing.
StatusChange status_change(std::optional<EntryStatus> before, std::optional<EntryStatus> now);

struct BaselineComparison {
  std::vector<EntryChange> changes;  // by entry, the entry's own before those of its figures
  std::vector<std::string> notes;    // what could not be compared
};
BaselineComparison compare(const Baseline& before, const Baseline& now,
                           const Tolerances& tolerances);

// The changes alone.
std::vector<EntryChange> changes_of(const Baseline& before, const SuiteReport& now,
                                    const Tolerances& tolerances);

// A baseline, or the JSON report of a run.
Result<Baseline> read_compared(const std::string& path);

}  // namespace assay
