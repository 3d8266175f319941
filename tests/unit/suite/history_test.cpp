// A history gives each number once, keeps what it was told through kills and company, adds evidence up, and
// leaves files alone that are none.
#include "assay/auditors/suite/history.hpp"

#include <sqlite3.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include "assay/auditors/suite/suite_json.hpp"
#include "assay/tests/support/child.hpp"
#include "assay/tests/support/random_suite.hpp"
#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;

History opened(const std::string& path) { return must(History::open(path)); }

SuiteReport report_of_run(std::int64_t run, std::vector<EntryResult> entries) {
  return SuiteReport{.run = run, .alpha = 1e-4, .entries = std::move(entries)};
}

EntryResult held(double lower, double upper, const std::string& id = "a") {
  return EntryResult{.id = id,
                     .status = EntryStatus::kHeld,
                     .figures = {{"eps", FigureKind::kLoss, lower, upper, 1.0, {}}},
                     .content = "content of " + id};
}

std::string history_refusal(const std::string& path,
                            History::IfMissing missing = History::IfMissing::kMake) {
  const auto history = History::open(path, missing);
  return history ? "" : history.error().to_string();
}

// Another program's access to the file.
void execute(const std::string& path, const std::string& sql) {
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
      << sqlite3_errmsg(database);
  sqlite3_close(database);
}

class HistoryFile : public InAFolder {
 protected:
  const std::string path = folder.file("h");
};

TEST_F(HistoryFile, GivesEachNumberOnceWhateverTheSuite) {
  const std::string deep = folder.file("deep/er/h.sqlite");
  {
    History history = opened(deep);
    EXPECT_EQ(history.begin_run("a", "r", "t").value(), 1);
    EXPECT_EQ(history.begin_run("b", "r", "t").value(), 2);  // whose run was killed
  }
  History history = opened(deep);
  EXPECT_EQ(history.begin_run("a", "r", "t").value(), 3);
  EXPECT_TRUE(history.store(report_of_run(3, {held(0.1, 0.9)})).has_value());
  EXPECT_TRUE(history.store(report_of_run(1, {})).has_value());
  for (const std::int64_t run : {3, 4, 0, -1}) {
    EXPECT_THAT(history.store(report_of_run(run, {})).error().to_string(),
                AllOf(HasSubstr("h.sqlite"),
                      HasSubstr("was not begun in this history, or is stored already")));
  }
}

TEST_F(HistoryFile, KeepsResultsAsTheyWere) {
  std::vector<EntryResult> entries;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    entries.push_back(testing::RandomSuite(seed).entry("id"));
    entries.back().content = "c" + std::to_string(seed);
    entries.back().reused_from.reset();
  }
  History history = opened(path);
  const auto run = history.begin_run("s", "", "").value();
  ASSERT_TRUE(history.store(report_of_run(run, entries)).has_value());
  for (auto& entry : entries) {
    const auto found = must(history.find(entry.content, 0.5));
    const bool ran = entry.status == EntryStatus::kHeld || entry.status == EntryStatus::kWeak ||
                     entry.status == EntryStatus::kInconclusive;
    ASSERT_EQ(found.has_value(), ran);
    if (!ran) continue;
    entry.suppressed_by.reset();
    entry.reused_from = run;
    EXPECT_EQ(json_text(entry_json(*found)), json_text(entry_json(entry)));
  }
}

TEST_F(HistoryFile, AddsEvidenceOfOneContentUp) {
  History history = opened(path);
  EXPECT_FALSE(history.find("content of a", 0.5).value().has_value());
  EXPECT_FALSE(history.find("", 0.5).value().has_value());
  const auto run = [&](const EntryResult& entry) {
    const auto number = history.begin_run("s", "", "").value();
    EXPECT_TRUE(history.store(report_of_run(number, {held(5.0, 6.0, "b"), entry})).has_value());
  };
  run(held(0.2, 0.9));
  run(held(0.1, 0.8));
  auto reused = held(0.2, 0.8);
  reused.reused_from = 2;
  run(reused);
  EntryResult found = *history.find("content of a", 0.5).value();
  EXPECT_EQ(found.figures.at(0).lower, 0.2);
  EXPECT_EQ(found.figures.at(0).upper, 0.8);
  EXPECT_EQ(found.reused_from, 2);
  EXPECT_EQ(history.find("content of a", 0.5, 1).value()->figures.at(0).lower, 0.1);
  EXPECT_FALSE(history.find("content of a", 0.5, 2).value().has_value());
  auto violated = held(1.1, 1.5);
  violated.content = "content of a'";
  violated.status = EntryStatus::kViolated;
  run(violated);
  EXPECT_FALSE(history.find("content of a'", 0.5).value().has_value())
      << "a violation is recorded by itself";
}

RecordedViolation violation_of_run(std::int64_t run, const std::string& id) {
  RecordedViolation one{
      0, run, "", "2026-11-25", {"target of " + id, "", "claim"}, held(1.1, 2.0, id)};
  one.result.status = EntryStatus::kViolated;
  return one;
}

// A run that is killed after it saw a violation has recorded it.
TEST_F(HistoryFile, KeepsAViolationBeforeItsRunEnds) {
  {
    History history = opened(path);
    const auto run = history.begin_run("team", "", "").value();
    ASSERT_TRUE(history.record(violation_of_run(run, "a")).has_value());
    ASSERT_TRUE(history.record(violation_of_run(run, "b")).has_value());
    auto again = violation_of_run(run, "a");
    again.result.headline = "with its witness";
    ASSERT_TRUE(history.record(again).has_value());
  }
  const History history = opened(path);
  const auto all = history.violations().value();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].result.id, "b");
  EXPECT_EQ(all[1].result.headline, "with its witness");
  EXPECT_GT(all[1].number, all[0].number);
  EXPECT_EQ(all[1].suite, "team");
  EXPECT_EQ(all[1].day, "2026-11-25");
  EXPECT_EQ(all[1].identity.target, "target of a");
  EXPECT_EQ(all[1].identity.claim, "claim");
  EXPECT_EQ(history.violations("a", "").value().size(), 1u);
  EXPECT_EQ(history.violations("other", "target of b").value().size(), 1u);
  EXPECT_EQ(history.violations("other", "target").value().size(), 0u);
  History other = opened(path);
  EXPECT_THAT(other.record(violation_of_run(7, "a")).error().to_string(),
              HasSubstr("run 7 was not begun in this history"));
}

// Bets that add up, by the count of the runs that they hold.
ContentEvidence with_bets(ContentEvidence evidence, double log_wealth) {
  evidence.runs += 1;
  GamblersWealth more;
  more.logs.fill(log_wealth);
  evidence.bets.add({more, std::array{more, GamblersWealth{}}});
  return evidence;
}

TEST_F(HistoryFile, KeepsTheEvidenceOfAContentThatIsGivenBack) {
  {
    History history = opened(path);
    ASSERT_TRUE(history.begin_run("s", "", "").has_value());
    const auto begun = history.take("c", 1, 1e-4, 0.01, 0).value();
    EXPECT_EQ(begun.first, 1);
    EXPECT_EQ(begun.runs, 0);
    EXPECT_EQ(begun.alpha, 1e-4);
    ASSERT_TRUE(history.give_back("c", 1, with_bets(begun, 0.1 + 0.2)).has_value());
  }
  History history = opened(path);
  ASSERT_TRUE(history.begin_run("s", "", "").has_value());
  const auto kept = history.take("c", 2, 1e-5, 0.01, 0).value();
  EXPECT_EQ(kept.first, 1) << "it has the share of the run that began it";
  EXPECT_EQ(kept.alpha, 1e-4);
  EXPECT_EQ(kept.runs, 1);
  for (const double log : kept.bets.all.logs) EXPECT_EQ(log, 0.1 + 0.2);
  ASSERT_TRUE(kept.bets.of_seedings.has_value());
  EXPECT_EQ((*kept.bets.of_seedings)[0].logs.back(), 0.1 + 0.2);
  EXPECT_EQ((*kept.bets.of_seedings)[1].logs.back(), 0.0);
  EXPECT_EQ(history.take("another", 2, 1e-5, 0.01, 0).value().first, 2);
  EXPECT_THAT(history.take("c", 3, 1e-5, 0.01, 0).error().to_string(), HasSubstr("was not begun"));
}

// Who kills the runs that go badly would choose otherwise, and two runs at a time would bet one stake twice.
TEST_F(HistoryFile, EvidenceThatIsNotGivenBackIsLost) {
  History history = opened(path);
  for (int run = 1; run <= 4; ++run) ASSERT_TRUE(history.begin_run("s", "", "").has_value());
  const auto begun = history.take("c", 1, 1e-4, 0.01, 0).value();
  ASSERT_TRUE(history.give_back("c", 1, with_bets(begun, 2.0)).has_value());
  const auto lost = history.take("c", 2, 1e-5, 0.01, 0).value();
  EXPECT_EQ(lost.runs, 1);
  const auto anew = history.take("c", 3, 1e-6, 0.01, 0).value();
  EXPECT_EQ(anew.first, 3);
  EXPECT_EQ(anew.runs, 0);
  EXPECT_EQ(anew.alpha, 1e-6);
  ASSERT_TRUE(history.give_back("c", 2, with_bets(lost, 9.0)).has_value());  // too late
  const auto after = history.take("c", 4, 1e-7, 0.01, 0).value();
  EXPECT_EQ(after.first, 4) << "run 3 has not come back either";
  EXPECT_EQ(after.runs, 0);
}

TEST_F(HistoryFile, EvidenceOfBeforeAClearOrOfALargerAlphaIsLeftOut) {
  History history = opened(path);
  for (int run = 1; run <= 3; ++run) ASSERT_TRUE(history.begin_run("s", "", "").has_value());
  const auto give = [&](const std::string& content) {
    const auto begun = history.take(content, 1, 1e-4, 0.01, 0).value();
    ASSERT_TRUE(history.give_back(content, 1, with_bets(begun, 2.0)).has_value());
  };
  give("a");
  EXPECT_EQ(history.take("a", 2, 1e-5, 0.01, 1).value().runs, 0) << "run 1 is before the clear";
  give("b");
  EXPECT_EQ(history.take("b", 2, 1e-5, 0.001, 0).value().runs, 0) << "more confidence than then";
  give("c");
  EXPECT_EQ(history.take("c", 2, 1e-5, 0.05, 0).value().runs, 1) << "less";
}

TEST_F(HistoryFile, RefusesEvidenceThatDoesNotRead) {
  History history = opened(path);
  for (int run = 1; run <= 2; ++run) ASSERT_TRUE(history.begin_run("s", "", "").has_value());
  const auto begun = history.take("c", 1, 1e-4, 0.01, 0).value();
  for (const char* bets : {"", "1 2", "x", "inf"}) {
    ASSERT_TRUE(history.give_back("c", 1, begun).has_value());
    execute(path, std::string("UPDATE evidence SET taken_by = NULL, bets = '") + bets + "'");
    EXPECT_THAT(history.take("c", 2, 1e-5, 0.01, 0).error().to_string(),
                HasSubstr("is damaged: the evidence of run 1 cannot be read"));
    execute(path, "UPDATE evidence SET taken_by = 1");
  }
}

// A history of an ended run with a violation and a figure, of a killed run with a violation, and a third run.
History guarded(const std::string& path) {
  History history = opened(path);
  for (int run = 1; run <= 3; ++run) must(history.begin_run("s", "", "t"));
  EXPECT_TRUE(history.record(violation_of_run(1, "v")).has_value());
  EXPECT_TRUE(history.record(violation_of_run(2, "w")).has_value());
  const auto begun = must(history.take("c", 1, 1e-4, 0.01, 0));
  EXPECT_TRUE(history.give_back("c", 1, with_bets(begun, 2.0)).has_value());
  EXPECT_TRUE(history.store(report_of_run(1, {held(0.1, 0.9)})).has_value());
  must(history.see({{"v", "fixed", "2026-11-01", {}}}, true));
  EXPECT_TRUE(history.guard(3).has_value());
  EXPECT_TRUE(history.record(violation_of_run(3, "x")).has_value());
  return history;
}

// A program that a run audits may reach the file. What it changes is not used, and nothing is recorded.
TEST_F(HistoryFile, ChangesThatAreNoRunsEndTheRunThatSeesThem) {
  for (const char* change :
       {"DELETE FROM violations WHERE run = 1", "DELETE FROM violations WHERE run = 2",
        "DELETE FROM violations WHERE run = 3", "UPDATE violations SET day = '' WHERE run = 3",
        "UPDATE figures SET upper = 0.8", "DELETE FROM entries", "DELETE FROM clears",
        "UPDATE runs SET alpha = 2e-4 WHERE number = 1",
        "UPDATE runs SET alpha = 1e-4 WHERE number = 3",
        "INSERT INTO entries SELECT 1, 9, id, content, status, reused_from, result FROM entries",
        "UPDATE clears SET last = 99"}) {
    fs::remove(path);
    History history = guarded(path);
    EXPECT_TRUE(must(history.find("content of a", 0.5)).has_value());
    execute(path, change);
    const auto refusal = AllOf(HasSubstr("was changed during run 3"), HasSubstr("not by a run"));
    EXPECT_THAT(error_of(history.find("content of a", 0.5)).to_string(), refusal) << change;
    EXPECT_THAT(error_of(history.violations()).to_string(), refusal);
    EXPECT_THAT(error_of(history.record(violation_of_run(3, "y"))).to_string(), refusal);
    EXPECT_THAT(error_of(history.take("c", 3, 1e-6, 0.01, 0)).to_string(), refusal);
    EXPECT_THAT(error_of(history.store(report_of_run(3, {}))).to_string(), refusal);
  }
  fs::remove(path);
  History history = guarded(path);
  fs::copy_file(path, path + "2");
  fs::rename(path + "2", path);
  EXPECT_THAT(error_of(history.store(report_of_run(3, {}))).to_string(),
              HasSubstr("was replaced during run 3"));
}

TEST_F(HistoryFile, OtherRunsMayAddToItButTheirResultsAndEvidenceAreNotUsed) {
  History history = guarded(path);
  {
    History other = opened(path);
    const auto run = must(other.begin_run("s", "", "t"));
    EXPECT_TRUE(other.record(violation_of_run(run, "z")).has_value());
    const auto more = must(other.take("c", run, 1e-6, 0.01, 0));
    EXPECT_EQ(more.runs, 1);
    EXPECT_TRUE(other.give_back("c", run, with_bets(more, 9.0)).has_value());
    EXPECT_TRUE(other.store(report_of_run(run, {held(0.1, 0.2, "b")})).has_value());
  }
  EXPECT_TRUE(must(history.find("content of a", 0.5)).has_value());
  EXPECT_FALSE(must(history.find("content of b", 0.5)).has_value());
  EXPECT_EQ(must(history.violations()).size(), 4U);
  const auto anew = must(history.take("c", 3, 1e-6, 0.01, 0));
  EXPECT_EQ(anew.runs, 0);
  EXPECT_TRUE(history.give_back("c", 3, with_bets(anew, 3.0)).has_value());
  EXPECT_EQ(must(history.take("c", 3, 1e-6, 0.01, 0)).runs, 1) << "its own";
  EXPECT_TRUE(history.store(report_of_run(3, {held(0.1, 0.9)})).has_value());
  EXPECT_TRUE(must(history.find("content of b", 0.5)).has_value());
}

// What a clear reaches is settled by the first run that sees it.
TEST_F(HistoryFile, AClearReachesWhatWasRecordedWhenItWasFirstSeen) {
  History history = opened(path);
  const auto run = history.begin_run("s", "", "").value();
  ASSERT_TRUE(history.record(violation_of_run(run, "a")).has_value());
  const Clear clear = {"a", "mended", "2026-11-25", {}};
  EXPECT_EQ(history.see({clear}, false).value().at(0).last, 1) << "a list keeps nothing";
  ASSERT_TRUE(history.record(violation_of_run(run, "b")).has_value());
  EXPECT_EQ(history.see({clear}, true).value().at(0).last, 2);
  ASSERT_TRUE(history.record(violation_of_run(run, "c")).has_value());
  EXPECT_EQ(history.see({clear}, true).value().at(0).last, 2);
  Clear next = clear;
  next.reason = "mended again";
  const auto both = history.see({next, clear}, true).value();
  EXPECT_EQ(both.at(0).last, 3);
  EXPECT_EQ(both.at(1).last, 2);
}

// Version 1 forgot violations: those that nothing shows to be gone stand once it is brought up to date.
TEST_F(HistoryFile, OfVersion1IsBroughtUpToDateWithItsViolations) {
  {
    History history = opened(path);
    const auto store = [&](EntryStatus status, const std::string& id, const std::string& content) {
      auto entry = held(1.1, 2.0, id);
      entry.status = status;
      entry.content = content;
      const auto run = history.begin_run("s", "", "2026-11-0" + id + "T10:00:00Z").value();
      ASSERT_TRUE(history.store(report_of_run(run, {entry})).has_value());
    };
    store(EntryStatus::kViolated, "1", "");        // nobody knows of what
    store(EntryStatus::kHeld, "1", "");            // which a rerun turned green
    store(EntryStatus::kViolated, "2", "known");   // still there
    store(EntryStatus::kViolated, "3", "mended");  // not any more
    store(EntryStatus::kHeld, "3", "as it is now");
  }
  execute(path, "DROP TABLE violations");
  execute(path, "DROP TABLE clears");
  execute(path, "DROP TABLE evidence");
  execute(path, "PRAGMA user_version = 1");
  History history = opened(path);
  const auto all = history.violations().value();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].result.id, "1");
  EXPECT_EQ(all[0].run, 1);
  EXPECT_EQ(all[0].day, "2026-11-01");
  EXPECT_EQ(all[0].identity.audited, "");
  EXPECT_EQ(all[1].result.id, "2");
  EXPECT_EQ(history.begin_run("s", "", "").value(), 6);
  EXPECT_EQ(opened(path).violations().value().size(), 2u);
}

// Version 2 named the two inputs of a witness in other words.
TEST_F(HistoryFile, ReadsTheWitnessesOfVersion2) {
  {
    History history = opened(path);
    EntryResult entry = held(1.1, 2.0);
    entry.status = EntryStatus::kViolated;
    entry.witness = EntryWitness{"0,0", "0,1", 7, 2, "1", "2", "assay replay"};
    const auto run = history.begin_run("s", "", "2026-11-01T10:00:00Z").value();
    ASSERT_TRUE(history.record({0, run, "s", "2026-11-01", {}, entry}).has_value());
  }
  for (const char* word : {"input", "action"}) {
    const std::string ending = std::string("_") + word;
    execute(path, "UPDATE violations SET result = replace(replace(result, 'base" + ending +
                      "', 'old" + ending + "'), 'neighbour" + ending + "', 'new" + ending + "')");
  }
  execute(path, "PRAGMA user_version = 2");
  const auto all = opened(path).violations().value();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].result.witness->neighbour_input, "0,1");
  EXPECT_EQ(all[0].result.witness->base_action, "1");
}

// A suite that asks for more confidence than before may not show what was certified with less.
TEST_F(HistoryFile, LeavesOutWhatWasCertifiedWithALargerShare) {
  History history = opened(folder.file("h.sqlite"));
  EntryResult sampled = held(0.2, 0.9);
  sampled.alpha = 5e-5;
  auto report = report_of_run(history.begin_run("s", "", "t").value(), {sampled});
  report.alpha = 0.25;  // of a confidence of 0.5
  ASSERT_TRUE(history.store(report));
  EXPECT_TRUE(history.find("content of a", 0.5).value().has_value());
  EXPECT_FALSE(history.find("content of a", 0.001).value().has_value());

  EntryResult exact = held(0.2, 0.9, "b");
  auto other = report_of_run(history.begin_run("s", "", "t").value(), {exact});
  other.alpha = 0.04;
  ASSERT_TRUE(history.store(other));
  EXPECT_TRUE(history.find("content of b", 0.001).value().has_value());
}

TEST_F(HistoryFile, ShowsEachFigureRunByRun) {
  History history = opened(path);
  for (int i = 1; i <= 3; ++i) {
    const auto run =
        history.begin_run("s", "rev" + std::to_string(i), "2026-11-2" + std::to_string(i)).value();
    auto a = held(0.1 * i, i == 2 ? HUGE_VAL : 1.0, "lap-b");
    a.figures.push_back({"a time", FigureKind::kTime, 0.5, 0.6, {}, {0.5, 0.6}});
    if (i == 3) a.reused_from = 1;
    ASSERT_TRUE(
        history.store(report_of_run(run, {a, held(0, 1, "lap-a"), held(0, 1, "x")})).has_value());
  }
  const auto series = history.series("lap-*").value();
  ASSERT_EQ(series.entries.size(), 2u);
  EXPECT_EQ(series.entries[0].id, "lap-a");
  const auto& figures = series.entries[1].figures;
  ASSERT_EQ(figures.size(), 2u);
  EXPECT_EQ(figures[0].name, "a time");
  EXPECT_EQ(figures[0].kind, FigureKind::kTime);
  const auto& points = figures[1].points;
  ASSERT_EQ(points.size(), 3u);
  EXPECT_EQ(points[1].run, 2);
  EXPECT_EQ(points[1].revision, "rev2");
  EXPECT_EQ(points[1].started, "2026-11-22");
  EXPECT_EQ(points[1].upper, HUGE_VAL);
  EXPECT_EQ(points[2].lower, 0.1 * 3);
  EXPECT_TRUE(history.series("nothing").value().entries.empty());
}

TEST_F(HistoryFile, RefusesFilesThatAreNoneAndLeavesThemAsTheyAre) {
  std::vector<std::string> foreign = {"x", std::string(100, 'y'), std::string(5000, '\0'),
                                      "SQLite format 3", "schema = \"assay.suite/1\"\n"};
  for (const auto& bytes : foreign) {
    const std::string file = folder.write("foreign", bytes);
    EXPECT_THAT(history_refusal(file), AllOf(HasSubstr("foreign"), HasSubstr("left as it is")))
        << bytes.substr(0, 20);
    EXPECT_TRUE(read_file(file) == bytes);
  }
  const std::string other = folder.file("other.sqlite");
  execute(other, "CREATE TABLE mine(x)");
  const std::string bytes = read_file(other);
  EXPECT_THAT(history_refusal(other),
              AllOf(HasSubstr("other.sqlite"), HasSubstr("is not a history of a suite")));
  EXPECT_TRUE(read_file(other) == bytes);
  EXPECT_THAT(history_refusal(folder.path().string()), HasSubstr("not a regular file"));
  EXPECT_THAT(history_refusal("/dev/null"), HasSubstr("not a regular file"));
  EXPECT_THAT(history_refusal(""), HasSubstr("there is no history"));
  EXPECT_THAT(history_refusal(folder.file("none"), History::IfMissing::kRefuse),
              HasSubstr("there is no history"));
  EXPECT_FALSE(fs::exists(folder.file("none")));
  EXPECT_EQ(history_refusal(folder.write("empty", "")), "")
      << "as a process leaves it that is killed at once";
}

TEST_F(HistoryFile, RefusesANewerOneAndOneWithOthersTablesOrTriggers) {
  const auto fresh = [&] {
    fs::remove(path);
    opened(path);
  };
  fresh();
  execute(path, "PRAGMA user_version = 4");
  EXPECT_THAT(history_refusal(path),
              HasSubstr("is a history of version 4; this Assay reads version 3"));
  for (const char* sql :
       {"CREATE TRIGGER t AFTER INSERT ON runs BEGIN DELETE FROM runs; END", "DROP TABLE figures",
        "ALTER TABLE runs ADD COLUMN x", "CREATE VIEW v AS SELECT 1"}) {
    fresh();
    execute(path, sql);
    EXPECT_THAT(history_refusal(path), HasSubstr("its tables are not those of a history")) << sql;
  }
}

TEST_F(HistoryFile, FindsDamageOrReadsOnButNeverLosesARunSilently) {
  {
    History history = opened(path);
    for (int i = 0; i < 5; ++i) {  // no page is empty: there is something to lose in each
      const auto run = history.begin_run("s", "", "").value();
      ASSERT_TRUE(history.record(violation_of_run(run, "v")).has_value());
      ASSERT_TRUE(history.store(report_of_run(run, {held(0.1, 0.9)})).has_value());
    }
    ASSERT_TRUE(history.see({{"v", "mended", "2026-11-25", {}}}, true).has_value());
    ASSERT_TRUE(history.take("c", 5, 1e-4, 0.01, 0).has_value());
  }
  const std::string good = read_file(path);
  int refused = 0;
  int tried = 0;
  // Each page's header, and the file cut short: structure that is damaged is seen. Text has no checksum.
  for (std::size_t at = 0; at < good.size(); at += 4096) {
    for (const std::size_t offset : {at == 0 ? 100u : 0u, at == 0 ? 103u : 3u}) {
      std::string bytes = good;
      bytes[at + offset] = static_cast<char>(bytes[at + offset] ^ 0x55);
      folder.write("h", bytes);
      ++tried;
      const std::string message = history_refusal(path);
      refused += message.empty() ? 0 : 1;
      EXPECT_TRUE(read_file(path) == bytes);
    }
    folder.write("h", good.substr(0, at + 2048));
    EXPECT_NE(history_refusal(path), "") << at;
  }
  EXPECT_EQ(refused, tried);
  // A result that is no longer one.
  folder.write("h", good);
  execute(path, "UPDATE entries SET result = '{}' WHERE run = 3");
  EXPECT_THAT(opened(path).find("content of a", 0.5).error().to_string(),
              HasSubstr("is damaged: the result of run 3 cannot be read"));
}

TEST_F(HistoryFile, IsSharedByProcessesThatEachTakeTheirOwnNumbers) {
  constexpr int kProcesses = 3;
  constexpr int kRunsOfEach = 5;
  std::vector<std::unique_ptr<Child>> children;
  for (int i = 0; i < kProcesses; ++i) {
    children.push_back(std::make_unique<Child>([&, i] {
      auto history = History::open(path);  // all of them make it
      bool good = history.has_value();
      for (int k = 0; good && k < kRunsOfEach; ++k) {
        const auto run = history->begin_run("s", std::to_string(i), "");
        good = run && history->store(report_of_run(*run, {held(0.1, 0.9)})).has_value();
      }
      return good ? 0 : 1;
    }));
  }
  for (const auto& child : children) EXPECT_EQ(child->wait(), 0);
  const auto series = opened(path).series("*").value();
  const auto& points = series.entries.at(0).figures.at(0).points;
  ASSERT_EQ(points.size(), static_cast<std::size_t>(kProcesses * kRunsOfEach));
  std::multiset<std::string> processes;
  for (std::size_t i = 0; i < points.size(); ++i) {
    EXPECT_EQ(points[i].run, static_cast<std::int64_t>(i) + 1);
    processes.insert(points[i].revision);
  }
  EXPECT_EQ(processes.count("2"), static_cast<std::size_t>(kRunsOfEach));
}

// No space: the store fails with the file's name, and the older state is there.
TEST_F(HistoryFile, KeepsTheOlderStateWhereTheDiskIsFull) {
  {
    History history = opened(path);
    const auto run = history.begin_run("s", "", "").value();
    ASSERT_TRUE(history.store(report_of_run(run, {held(0.1, 0.9)})).has_value());
  }
  Child child([&] {
    auto history = History::open(path);
    const auto run = history ? history->begin_run("s", "", "") : Result<std::int64_t>(-1);
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{fs::file_size(path) + 8192, fs::file_size(path) + 8192};
    if (!run || setrlimit(RLIMIT_FSIZE, &limit) != 0) return 1;
    auto large = held(0.1, 0.9);
    large.headline = std::string(200000, 'x');
    const auto stored = history->store(report_of_run(*run, {large}));
    return !stored && stored.error().path == path ? 0 : 2;
  });
  EXPECT_EQ(child.wait(), 0);
  History history = opened(path);
  EXPECT_EQ(history.begin_run("s", "", "").value(), 3);
  EXPECT_EQ(history.series("*").value().entries.at(0).figures.at(0).points.size(), 1u);
}

TEST_F(HistoryFile, IsNotWaitedForAfterAnInterrupt) {
  ASSERT_EQ(opened(path).begin_run("s", "", "").value(), 1);
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr), SQLITE_OK);
  std::atomic<bool> cancel{false};
  std::thread interrupts([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    cancel = true;
  });
  const auto started = std::chrono::steady_clock::now();
  const auto held = History::open(path, History::IfMissing::kMake, History::kPatience, &cancel);
  const auto waited = std::chrono::steady_clock::now() - started;
  interrupts.join();
  sqlite3_close(other);
  ASSERT_FALSE(held.has_value());
  EXPECT_EQ(held.error().code, ErrorCode::kInterrupted);
  EXPECT_LT(waited, std::chrono::seconds(5));
}

TEST_F(HistoryFile, WaitsForAnotherProcessAndNotForEver) {
  History history = opened(path);
  ASSERT_EQ(history.begin_run("s", "", "").value(), 1);
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr), SQLITE_OK);
  const auto held = History::open(path, History::IfMissing::kMake, std::chrono::milliseconds(20));
  ASSERT_FALSE(held.has_value());
  EXPECT_THAT(held.error().to_string(), HasSubstr("another process holds the history"));
  std::thread lets_go([other] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    sqlite3_exec(other, "COMMIT", nullptr, nullptr, nullptr);
  });
  EXPECT_EQ(history.begin_run("s", "", "").value(), 2);
  lets_go.join();
  sqlite3_close(other);
}

// A process killed at any moment leaves whole runs: every result of one, or none and its number spent.
TEST_F(HistoryFile, SurvivesAProcessThatIsKilledWhileItWrites) {
  std::vector<EntryResult> entries;
  for (int i = 0; i < 40; ++i) entries.push_back(held(0.1, 0.9, "e" + std::to_string(i)));
  std::int64_t last = 0;
  for (int round = 0; round < 8; ++round) {
    int told[2];
    ASSERT_EQ(pipe(told), 0);
    Child child([&] {
      auto history = History::open(path);
      for (;;) {
        const auto run = history ? history->begin_run("s", "", "") : Result<std::int64_t>(-1);
        if (!run || *run < 0) return 1;
        if (write(told[1], &*run, sizeof *run) != sizeof *run) return 2;
        if (!history->store(report_of_run(*run, entries))) return 3;
      }
    });
    close(told[1]);
    const auto heard = [&] {
      std::int64_t run = 0;
      if (read(told[0], &run, sizeof run) != sizeof run) return false;
      EXPECT_GT(run, last);
      last = run;
      return true;
    };
    for (int i = 0; i <= round % 2; ++i) EXPECT_TRUE(heard());
    std::this_thread::sleep_for(std::chrono::milliseconds(2 * round));
    child.signal(SIGKILL);
    EXPECT_EQ(child.wait(), 128 + SIGKILL) << "it stopped by itself";
    while (heard()) {
    }
    close(told[0]);
    History history = opened(path);
    const auto next = must(history.begin_run("s", "", ""));
    EXPECT_GT(next, last) << "a number that was given is spent";
    last = next;
    std::set<std::size_t> counts;
    const auto series = history.series("*").value();
    for (const auto& entry : series.entries) counts.insert(entry.figures.at(0).points.size());
    EXPECT_LE(counts.size(), 1u) << "half a run";
  }
  EXPECT_FALSE(opened(path).series("*").value().entries.empty())
      << "no child got as far as to store";
}

}  // namespace
}  // namespace assay
