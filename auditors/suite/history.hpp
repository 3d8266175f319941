// What is kept of a suite's runs, in one SQLite file: which run follows which, what each entry came to,
// and what that says of an unchanged entry today.
//
// The confidence of a suite holds for all runs of its history together (docs/proofs/suite_alpha.md).
// A run takes its number, and with it its share of alpha, before it starts: one that is killed has spent it.
//
//     auto history = ASSAY_TRY(History::open(".assay/history.sqlite"));
//     const auto run = ASSAY_TRY(history.begin_run("my policies", "a1b2c3", clock.meta(1).started));
//     report.alpha = alpha_of_run(alpha, run);                     // auditors/suite/reuse.hpp
//     const auto known = ASSAY_TRY(history.find(digest, alpha));   // stands, if is_decided(*known)
//     ASSAY_TRY(history.record({...}));                            // a violation, once it is seen
//     ASSAY_TRY(history.store(report));
//
// The file is complete after every change (rollback journal, synchronous): a process or machine that dies
// leaves the older state, two processes wait for each other, for 20 s at most. A file that is no
// history, is damaged or comes from a newer version is refused and left as it is.
//
// A violation and what a clear reaches are kept as soon as they are seen (auditors/suite/standing.hpp).
//
// Threads: one at a time. Cost: a change flushes the disk; find() reads the entries of one content.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/auditors/suite/reuse.hpp"
#include "assay/auditors/suite/standing.hpp"
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

class History {
 public:
  static constexpr std::chrono::milliseconds kPatience{20'000};
  enum class IfMissing { kMake, kRefuse };

  // Waits up to `patience` whenever another process changes it. Makes the folder too. Errors (kIo) name the file: what cannot be read or written; no history; a
  // damaged one; one of a newer version; one that another process has held for too long.
  static Result<History> open(const std::string& path, IfMissing missing = IfMissing::kMake,
                              std::chrono::milliseconds patience = kPatience);

  // Reserves the next number of a run, whatever its suite: no number is given twice.
  Result<std::int64_t> begin_run(const std::string& suite, const std::string& revision,
                                 const std::string& started);

  // All evidence for one content, merged; `reused_from` is the run whose verdict it is. None of a content
  // that is empty or of which no run came to an end. A violation is no part of it: see violations().
  // `alpha`: of all runs, as the suite asks for it now. What a run certified with a larger share is left out, and
  // so is what runs up to `after` found.
  Result<std::optional<EntryResult>> find(const std::string& content, double alpha,
                                          std::int64_t after = 0) const;

  // Keeps a violation from now on, whatever becomes of its run; `number` and `suite` are given here. A second
  // one of the run's entry replaces the first. Errors: a run that was not begun here.
  Status record(const RecordedViolation& violation);

  // The evidence of a content so far, which is the run's alone until it gives it back. New, with `alpha` of the
  // run's own, where there is none, and where what there is was begun by runs up to `after`, began with a larger
  // share than `whole`, the alpha of all runs now, gives its run, or is another's who has not given it back.
  // Errors: a run that was not begun here.
  Result<ContentEvidence> take(const std::string& content, std::int64_t run, double alpha,
                               double whole, std::int64_t after);
  // Kept from now on. Where another run took it meanwhile, it is lost.
  Status give_back(const std::string& content, std::int64_t run, const ContentEvidence& evidence);

  // In the order in which they were recorded. With `id`: those of that id, or of that target.
  Result<std::vector<RecordedViolation>> violations() const;
  Result<std::vector<RecordedViolation>> violations(const std::string& id,
                                                    const std::string& target) const;

  // What each clear reaches: the violations recorded when it was first asked for, by these texts. It is kept
  // where `keeps`.
  Result<std::vector<SeenClear>> see(const std::vector<Clear>& clears, bool keeps);

  // The result of a run that was begun, once. Suppressions are not kept, nor is a second copy of a result
  // that was reused. Errors: a run that was not begun here, or is stored already.
  Status store(const SuiteReport& report);

  // The figures of all entries whose id matches.
  Result<SuiteHistory> series(std::string_view glob) const;

 private:
  struct Database;
  struct Close {
    void operator()(Database* database) const;
  };
  explicit History(std::unique_ptr<Database, Close> database) : database_(std::move(database)) {}
  std::unique_ptr<Database, Close> database_;
};

}  // namespace assay
