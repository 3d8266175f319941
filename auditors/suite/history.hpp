// The history of a suite's runs, in one SQLite file. It holds the order of the runs, the result of each entry, and the
// evidence of earlier runs about an entry that has not changed.
//
// The confidence of a suite holds for all runs of its history together (docs/proofs/suite_alpha.md).
// A run gets its number, and with it its share of alpha, before it starts. If it is killed, that share is spent.
//
//     auto history = ASSAY_TRY(History::open(".assay/history.sqlite"));
//     const auto run = ASSAY_TRY(history.begin_run("my policies", "a1b2c3", clock.meta(1).started));
//     report.alpha = alpha_of_run(alpha, run);                     // auditors/suite/reuse.hpp
//     const auto known = ASSAY_TRY(history.find(digest, alpha));   // is final if is_decided(*known)
//     ASSAY_TRY(history.record({...}));                            // a violation, as soon as it is seen
//     ASSAY_TRY(history.store(report));
//
// The file is complete after every change (rollback journal, synchronous). A process or machine that dies
// leaves the state before the change. Two processes wait for each other, for 20 s at most. A file that is not a
// history, is damaged or comes from a newer version is rejected and left as it is.
//
// A suite runs programs that may reach the file. They see its folder read-only where the system allows it
// (policies/external/containment.hpp). Besides, guard() remembers what earlier runs have left, and a change of that is an
// error. Only a program that passes for another run of a suite can add to the file, and this run does not use that.
//
// A violation is stored as soon as it is seen, and so are the violations that a clear covers
// (auditors/suite/standing.hpp).
//
// Threads: one at a time. Cost: each change flushes the disk; find() reads the entries of one content.
#pragma once

#include <atomic>
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

// A figure, as one run certified it.
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
  std::vector<HistoryPoint> points;  // in the order of the runs
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

  // Opens the file, and makes its folder if needed. Waits up to `patience` whenever another process changes the file.
  // Errors (kIo), which name the file: it cannot be read or written; it is not a history; it is damaged; it is of a
  // newer version; another process has held it for too long, or (kInterrupted) when `cancel` became true.
  static Result<History> open(const std::string& path, IfMissing missing = IfMissing::kMake,
                              std::chrono::milliseconds patience = kPatience,
                              const std::atomic<bool>* cancel = nullptr);

  // Reserves the next number for a run of any suite. No number is given twice.
  Result<std::int64_t> begin_run(const std::string& suite, const std::string& revision,
                                 const std::string& started);

  // From now on, until the run is stored, each call first looks whether the file is the same and what ended runs have
  // left in it, all violations, clears, and what this run has recorded. Only other runs may add to it; find() leaves
  // their results out, and take() begins anew what they changed. Error of these calls (kIo): something else changed it.
  Status guard(std::int64_t run);

  // All evidence about one content, merged; `reused_from` is the run from which the verdict comes. It is empty if the
  // digest of the content is empty or if no run of the content ended. It has no violations: see violations().
  // `alpha` is that of all runs, as the suite asks for it now. Results that a run certified with a larger share
  // are left out, and so are those of runs up to `after`.
  Result<std::optional<EntryResult>> find(const std::string& content, double alpha,
                                          std::int64_t after = 0) const;

  // Stores a violation at once, even if its run is killed later, and sets `number` and `suite`. A second violation
  // of the same entry in the same run replaces the first. Errors: a run that was not begun here.
  Status record(const RecordedViolation& violation);

  // The evidence of a content so far, which belongs to the run alone until the run gives it back. New evidence
  // begins, with the run's own `alpha`, if there is none so far. It also begins if the known evidence was begun by
  // a run up to `after`, if it began with a larger share than `whole` (the alpha of all runs now) gives its run,
  // or if another run has taken it and not given it back. Errors: a run that was not begun here.
  Result<ContentEvidence> take(const std::string& content, std::int64_t run, double alpha,
                               double whole, std::int64_t after);
  // Stores the evidence. If another run took it in the meantime, it is lost.
  Status give_back(const std::string& content, std::int64_t run, const ContentEvidence& evidence);

  // In the order in which they were recorded. With `id`, those of that id or that target.
  Result<std::vector<RecordedViolation>> violations() const;
  Result<std::vector<RecordedViolation>> violations(const std::string& id,
                                                    const std::string& target) const;

  // The reach of each clear: the violations that were recorded when a clear with these texts was first seen. It
  // is stored if `keeps`.
  Result<std::vector<SeenClear>> see(const std::vector<Clear>& clears, bool keeps);

  // Stores the result of a run that was begun, once. Suppressions are not kept, nor is a second copy of a
  // reused result. Errors: a run that was not begun here, or is stored already.
  Status store(const SuiteReport& report);

  // The figures of all entries with a matching id.
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
