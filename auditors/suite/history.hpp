// What is kept of a suite's runs, in one SQLite file: which run follows which, what each entry came to,
// and what that says of an unchanged entry today.
//
// The confidence of a suite holds for all runs of its history together (docs/proofs/suite_alpha.md).
// A run takes its number, and with it its share of alpha, before it starts: one that is killed has spent it.
//
//     auto history = ASSAY_TRY(History::open(".assay/history.sqlite"));
//     const auto run = ASSAY_TRY(history.begin_run("my policies", "a1b2c3", clock.meta(1).started));
//     report.alpha = alpha_of_run(alpha, run);
//     if (auto known = ASSAY_TRY(history.find(digest)); known && is_decided(*known)) ...
//     ASSAY_TRY(history.store(report));
//
// The file is complete after every change (rollback journal, synchronous): a process or machine that dies
// leaves the older state, two processes wait for each other, for kBusySeconds at most. A file that is no
// history, is damaged or comes from a newer version is refused and left as it is.
//
// Threads: one at a time. Cost: a change flushes the disk; find() reads the entries of one content.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/auditors/suite/suite_report.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

// A figure as one run certified it.
struct HistoryPoint {
  std::int64_t run = 1;
  std::string started;  // UTC, ISO 8601
  std::string revision;
  double lower = 0.0;
  double upper = 0.0;
};

struct HistoryFigure {
  std::string name;
  FigureKind kind = FigureKind::kLoss;
  std::vector<HistoryPoint> points;  // by run
};

struct HistoryEntry {
  std::string id;
  std::vector<HistoryFigure> figures;  // by name
};

struct SuiteHistory {
  std::vector<HistoryEntry> entries;  // by id
};

}  // namespace assay
