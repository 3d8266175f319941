// The result of one run of a suite, as a plain value, which writers print, a baseline keeps and a history stores.
//
// The suite, its seed, the audited content and the history that the run continued determine everything outside
// `meta` of the report and of its entries, byte for byte, on any number of threads.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/auditors/statistics/side_e_process.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/core/run_meta.hpp"

namespace assay {

// The jobs of the command line, by the same names, and regret (auditors/regret/regret_job.hpp).
enum class EntryKind { kAudit, kVerify, kDetect, kAccount, kBench, kRegret };
constexpr std::array<std::pair<EntryKind, std::string_view>, 6> enum_names(EntryKind) {
  return {{{EntryKind::kAudit, "audit"},
           {EntryKind::kVerify, "verify"},
           {EntryKind::kDetect, "detect"},
           {EntryKind::kAccount, "account"},
           {EntryKind::kBench, "bench"},
           {EntryKind::kRegret, "regret"}}};
}

// The effect of an entry's failure: the run fails (deny), the failure is reported (warn), or it is only listed (allow).
enum class Severity { kDeny, kWarn, kAllow };
constexpr std::array<std::pair<Severity, std::string_view>, 3> enum_names(Severity) {
  return {{{Severity::kDeny, "deny"}, {Severity::kWarn, "warn"}, {Severity::kAllow, "allow"}}};
}

enum class EntryStatus {
  kHeld,           // nothing violated
  kViolated,       // a claim is refuted, a bound exceeded
  kWeak,           // nothing violated, but a leak that the audit should see may have been missed
  kInconclusive,   // no decision
  kCouldNotRun,    // the audited program failed, or the job ended with an error
  kMisconfigured,  // the entry asks for something that does not exist or does not fit
};
constexpr std::array<std::pair<EntryStatus, std::string_view>, 6> enum_names(EntryStatus) {
  return {{{EntryStatus::kHeld, "held"},
           {EntryStatus::kViolated, "violated"},
           {EntryStatus::kWeak, "weak"},
           {EntryStatus::kInconclusive, "inconclusive"},
           {EntryStatus::kCouldNotRun, "could-not-run"},
           {EntryStatus::kMisconfigured, "misconfigured"}}};
}

// The place of an entry in its TOML file.
struct SourcePlace {
  std::string file;       // as it was named; relative to the suite's folder if it is below it
  std::int64_t line = 1;  // lines and columns count from 1
  std::int64_t column = 1;
};

enum class FigureKind {
  kLoss,   // a privacy loss between certified bounds: more is worse
  kPower,  // the smallest leak that would have been seen: more is worse
  kTime,   // seconds of a unit of work, one number for each repetition: more is worse
  kError,  // an error or regret between bounds: more is worse
};
constexpr std::array<std::pair<FigureKind, std::string_view>, 4> enum_names(FigureKind) {
  return {{{FigureKind::kLoss, "loss"},
           {FigureKind::kPower, "power"},
           {FigureKind::kTime, "time"},
           {FigureKind::kError, "error"}}};
}

// A number that is followed from run to run.
struct EntryFigure {
  std::string name;  // "eps at delta = 1e-06", unique in its entry
  FigureKind kind = FigureKind::kLoss;
  double lower = 0.0;               // certified; both ends are equal if the number is known
  double upper = 0.0;               // infinite if there is none
  std::optional<double> allowed;    // by the claim or requirement
  std::vector<double> repetitions;  // kTime: in the order in which they ran
  double alpha = 0.0;               // error probability of sampled bounds; 0 for exact ones
};

// The smallest input pair and runs that show a violation (auditors/suite/witness.hpp).
struct EntryWitness {
  std::string base_input;       // D, as text
  std::string neighbour_input;  // D'
  std::uint64_t seed = 0;       // of the randomness that both runs share
  std::int64_t round = 0;       // the first round at which the runs diverge, from 1
  std::string base_action;      // in that round
  std::string neighbour_action;
  std::string command;  // the command that reproduces both runs
};

struct EntryResult {
  std::string id;
  EntryKind kind = EntryKind::kAudit;
  Severity severity = Severity::kDeny;
  std::vector<std::string> tags;  // sorted
  SourcePlace place;
  std::string subject;  // "thompson-sampling", "./my_policy --fast", "ebs-*"

  EntryStatus status = EntryStatus::kHeld;
  std::string verdict;               // "Violated", "Verified", "23 claims as registered"
  std::string claim;                 // "eps = 1"; empty if there is none
  std::string headline;              // the finding and the excess, in one line
  std::vector<std::string> details;  // further lines, for people
  std::vector<EntryFigure> figures;
  std::optional<EntryWitness> witness;
  std::optional<Error> error;  // of kCouldNotRun and kMisconfigured
  std::string reproduce;       // the command that gives the same result again

  double alpha = 0.0;   // the share of the run's error probability; 0 for an exact result
  std::string content;  // digest of all that decides the result except the seed
  std::optional<std::int64_t> reused_from;   // the run of the history that this result comes from
  std::optional<std::string> suppressed_by;  // id of the suppression that covers its failure

  double seconds = 0.0;  // meta
  // Bets against the claim in this run's certified part (reuse.hpp, (4)); not written.
  std::optional<ClaimEProcess> e_process;
};

enum class ChangeKind {
  kNewViolation,
  kStillViolated,
  kFixed,
  kWeakerBound,  // the certified upper bound of a loss or an error grew beyond the tolerance
  kStrongerBound,
  kLostPower,
  kSlower,
  kFaster,
  kCouldNotRun,  // the entry ran before, and now it could not
  kVanished,
  kNewEntry,
};
constexpr std::array<std::pair<ChangeKind, std::string_view>, 11> enum_names(ChangeKind) {
  return {{{ChangeKind::kNewViolation, "new-violation"},
           {ChangeKind::kStillViolated, "still-violated"},
           {ChangeKind::kFixed, "fixed"},
           {ChangeKind::kWeakerBound, "weaker-bound"},
           {ChangeKind::kStrongerBound, "stronger-bound"},
           {ChangeKind::kLostPower, "lost-power"},
           {ChangeKind::kSlower, "slower"},
           {ChangeKind::kFaster, "faster"},
           {ChangeKind::kCouldNotRun, "could-not-run"},
           {ChangeKind::kVanished, "vanished"},
           {ChangeKind::kNewEntry, "new-entry"}}};
}

// A difference from a baseline.
struct EntryChange {
  std::string id;  // of the entry
  ChangeKind kind = ChangeKind::kNewEntry;
  bool regresses = false;  // fails the comparison
  std::string figure;      // the figure's name; empty if the entry as a whole changed
  std::string statement;   // "eps at delta = 1e-06 is at most 1.3; it was 0.9"
};

struct SuiteReport {
  std::string name;  // of the suite
  std::string file;
  std::string tier;  // "smoke", "full"
  // The confidence that all certified statements hold, in all runs of the history together.
  double confidence = 0.999;
  std::int64_t run = 1;  // the number of this run in the history
  double alpha = 0.001;  // this run's share of the error probability
  std::uint64_t seed = 1;
  std::string revision;  // of the code under audit, as the caller named it; may be empty
  // Whether every inconclusive entry makes the run fail. One without the required power or bound always does.
  bool fails_on_inconclusive = false;

  std::vector<EntryResult> entries;  // in the order of the suite
  std::string baseline;              // file; empty for none
  std::vector<EntryChange> changes;  // since the baseline, sorted by entry
  std::vector<std::string> notes;    // expired and unused suppressions, and the like
  bool interrupted = false;
  std::string reproduce;
  RunMeta meta;
};

}  // namespace assay
