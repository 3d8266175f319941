// A synthetic report of a suite's run for the tests of its writers: an entry of every status, severity and
// kind of figure, a witness, an error, changes of every kind that matters, notes, a history.
#pragma once

#include "assay/auditors/suite/history.hpp"
#include "assay/auditors/suite/suite_report.hpp"
#include "assay/tests/support/document_checks.hpp"

namespace assay::testing {

inline EntryResult sample_entry(const std::string& id, EntryStatus status, std::int64_t line) {
  EntryResult entry{.id = id,
                    .place = {"ci/assay.toml", line, 1},
                    .subject = "thompson-sampling",
                    .status = status};
  entry.reproduce = "assay audit thompson-sampling -p arms=2 --claim \"eps=1\" --seed 7";
  entry.seconds = 0.25;
  return entry;
}

inline EntryResult violated_sample_entry() {
  EntryResult entry = sample_entry("thompson", EntryStatus::kViolated, 12);
  entry.tags = {"nightly", "smoke"};
  entry.verdict = "Violated";
  entry.claim = "eps = 1";
  entry.headline = "Violated: eps at delta = 0 is at least 1.3; the claim allows 1";
  entry.details = {"method: exact enumeration, 1,024 transcripts"};
  entry.figures = {{"eps at delta = 0", FigureKind::kLoss, 1.3, 1.5, 1.0, {}},
                   {"mu", FigureKind::kLoss, 0.4, std::numeric_limits<double>::infinity(), {}, {}}};
  entry.witness = EntryWitness{
      "0 1 0", "0 0 0", 7, 3, "arm 1", "arm 2", "assay witness thompson-sampling --seed 7"};
  entry.alpha = 1e-4;
  entry.content = "9f86d081884c7d65";
  return entry;
}

inline SuiteReport sample_suite_report() {
  SuiteReport report{.name = "my policies",
                     .file = "ci/assay.toml",
                     .tier = "full",
                     .run = 12,
                     .alpha = 6.25e-6,
                     .seed = 18446744073709551615U,
                     .revision = "a1b2c3d"};

  EntryResult held = sample_entry("hedge", EntryStatus::kHeld, 3);
  held.verdict = "Verified";
  held.claim = "eps = 2";
  held.headline = "Verified for all pairs: eps is at most 1.9; the claim allows 2";
  held.figures = {{"eps at delta = 1e-06", FigureKind::kLoss, 1.7, 1.9, 2.0, {}}};
  held.reused_from = 9;
  report.entries.push_back(held);

  report.entries.push_back(violated_sample_entry());

  EntryResult weak = sample_entry("ebs", EntryStatus::kWeak, 30);
  weak.claim = "eps = 1";
  weak.headline = "Weak: on this pair, only a leak of eps >= 2 would probably have been seen";
  weak.figures = {{"smallest visible leak", FigureKind::kPower, 2.0, 2.0, 1.5, {}}};
  report.entries.push_back(weak);

  EntryResult unsure = sample_entry("ebs-2", EntryStatus::kInconclusive, 40);
  unsure.headline = "Inconclusive: nothing was required";
  report.entries.push_back(unsure);

  EntryResult crashed = sample_entry("their-policy", EntryStatus::kCouldNotRun, 50);
  crashed.subject = "./their_policy --fast";
  crashed.severity = Severity::kWarn;
  crashed.error = Error{ErrorCode::kTarget, "the program ended with status 3", "", 0};
  report.entries.push_back(crashed);

  EntryResult wrong = sample_entry("typo", EntryStatus::kMisconfigured, 60);
  wrong.error = Error{ErrorCode::kUnknownKey, "unknown case 'thomson'", "ci/assay.toml", 61};
  wrong.reproduce = "";
  report.entries.push_back(wrong);

  EntryResult excused = violated_sample_entry();
  excused.id = "known";
  excused.place.line = 70;
  excused.suppressed_by = "known-1";
  excused.witness.reset();
  report.entries.push_back(excused);

  EntryResult speed = sample_entry("speed", EntryStatus::kHeld, 80);
  speed.kind = EntryKind::kBench;
  speed.subject = "laplace";
  speed.headline = "0.0021 s a million";
  speed.figures = {{"seconds a million", FigureKind::kTime, 0.002, 0.0022, {}, {0.002, 0.0021}}};
  report.entries.push_back(speed);

  report.baseline = "ci/baseline.json";
  report.changes = {
      {"gone", ChangeKind::kVanished, true, "", "it is in the baseline and not in the suite"},
      {"hedge", ChangeKind::kWeakerBound, true, "eps at delta = 1e-06",
       "eps at delta = 1e-06 is at most 1.9; it was 1.5"},
      {"speed", ChangeKind::kFaster, false, "seconds a million", "0.0021 s; it was 0.003 s"},
      {"thompson", ChangeKind::kNewViolation, true, "", "it held in the baseline"}};
  report.notes = {"suppression 'old' of 'gone' expired on 2026-01-31"};
  report.reproduce = "assay suite run ci/assay.toml --seed 18446744073709551615";
  report.meta.version = "0.1.0";
  report.meta.build = "release";
  report.meta.started = "2026-11-23T15:04:05Z";
  report.meta.seconds = 2.5;
  report.meta.threads = 2;
  return report;
}

// A run in which a change broke one entry and weakened another, each in several figures.
inline SuiteReport regressed_sample_report() {
  SuiteReport report = sample_suite_report();
  EntryResult held = report.entries[0];
  EntryResult violated = violated_sample_entry();
  violated.details = {"why: the event \"arm 1 in round 3\" has probability 0.4 on D and 0.1 on D'",
                      "pair: reward of round 2 of 3: 1 -> 0", "found by: a search of 12 pairs",
                      "method: exact enumeration, 1,024 transcripts",
                      "next: correct the target and write a [[clear]] in the suite's file (entry = "
                      "\"thompson\", a reason, the date)"};
  report.entries = {held, violated};
  report.notes.clear();
  report.changes = {
      {"hedge", ChangeKind::kWeakerBound, true, "eps at delta = 1e-06",
       "eps at delta = 1e-06 is at most 1.9; it was 1.5"},
      {"hedge", ChangeKind::kSlower, true, "seconds", "seconds takes 2 s; it took 1 s"},
      {"thompson", ChangeKind::kWeakerBound, true, "delta at eps = 1",
       "delta at eps = 1 is at most 0.2; it was 0"},
      {"thompson", ChangeKind::kWeakerBound, true, "eps at delta = 0",
       "eps at delta = 0 is at most 1.5; it was 0.9"},
      {"thompson", ChangeKind::kWeakerBound, true, "mu", "mu has no upper bound; it was 0.8"}};
  report.entries[1].figures.push_back({"delta at eps = 1", FigureKind::kLoss, 0.1, 0.2, 0.0, {}});
  return report;
}

// The sample with `text` wherever something comes from outside.
inline SuiteReport hostile_suite_report(const std::string& text) {
  SuiteReport report = sample_suite_report();
  report.name = report.file = report.tier = report.revision = report.baseline = text;
  report.reproduce = text;
  report.notes = {text};
  report.meta.version = report.meta.build = report.meta.started = text;
  for (EntryResult& entry : report.entries) {
    entry.id += text;
    entry.tags = {text};
    entry.place.file = text;
    entry.place.line = 0;
    entry.subject = entry.verdict = entry.claim = entry.headline = entry.reproduce = text;
    entry.content = text;
    entry.details = {text};
    for (EntryFigure& figure : entry.figures) figure.name += text;
    if (entry.error) entry.error->message = entry.error->path = text;
    if (entry.suppressed_by) entry.suppressed_by = text;
    if (entry.witness) entry.witness = EntryWitness{text, text, 1, 1, text, text, text};
  }
  for (EntryChange& change : report.changes) {
    change.id += text;
    change.figure = change.statement = text;
  }
  return report;
}

inline SuiteReport large_suite_report(std::size_t entries) {
  SuiteReport report = sample_suite_report();
  report.changes.clear();
  report.entries.clear();
  for (std::size_t i = 0; i < entries; ++i) {
    EntryResult entry = violated_sample_entry();
    entry.id = "entry-" + std::to_string(i);
    entry.witness.reset();
    report.entries.push_back(entry);
  }
  return report;
}

inline SuiteHistory sample_history() {
  SuiteHistory history;
  HistoryEntry hedge{"hedge", {{"eps at delta = 1e-06", FigureKind::kLoss, {}}}};
  HistoryEntry speed{"speed", {{"seconds a million", FigureKind::kTime, {}}}};
  HistoryEntry young{"young", {{"mu", FigureKind::kLoss, {{1, "", "", 0.1, 0.2}}}}};
  for (std::int64_t run = 1; run <= 12; ++run) {
    const double t = static_cast<double>(run);
    hedge.figures[0].points.push_back(
        {run, "2026-11-01T00:00:00Z", "a1", 1.3 + 0.03 * t, run == 5 ? HUGE_VAL : 1.5 + 0.03 * t});
    speed.figures[0].points.push_back({run, "", "", 0.002 + 1e-5 * t, 0.0022 + 1e-5 * t});
  }
  history.entries = {hedge, speed, young};
  return history;
}

}  // namespace assay::testing
