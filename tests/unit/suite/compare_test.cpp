// What a change is called: the tables of docs/decisions/suite.md against the code, laws over random
// reports, and the times.
#include "assay/auditors/suite/compare.hpp"

#include <fstream>

#include "assay/auditors/suite/suite_report_writers.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/tests/support/binomial_limit.hpp"
#include "assay/tests/support/random_suite.hpp"
#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

using Cells = std::vector<std::string>;

// The rows of the page's table whose first heading is `corner`, headings first.
std::vector<Cells> documented_table(const std::string& corner) {
  std::ifstream in(std::string(ASSAY_SOURCE_DIR) + "/docs/decisions/suite.md");
  std::vector<Cells> rows;
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("| " + corner + " |", 0) == 0) inside = true;
    if (!inside) continue;
    if (line.empty() || line[0] != '|') break;
    if (line.rfind("|---", 0) == 0) continue;
    Cells cells;
    std::istringstream parts(line.substr(1));
    for (std::string cell; std::getline(parts, cell, '|');) {
      const auto first = cell.find_first_not_of(' ');
      cells.push_back(first == std::string::npos
                          ? ""
                          : cell.substr(first, cell.find_last_not_of(' ') - first + 1));
    }
    rows.push_back(cells);
  }
  return rows;
}

std::string cell_text(std::optional<ChangeKind> kind, bool fails) {
  return kind ? detail::value_text(*kind) + (fails ? ", fails" : "") : "-";
}

std::optional<EntryStatus> status_named(const std::string& name) {
  if (name == "absent") return std::nullopt;
  return detail::read_value<EntryStatus>(name).value();
}

BaselineEntry entry_of(EntryStatus status, std::vector<EntryFigure> figures = {}) {
  return BaselineEntry{.id = "e", .status = status, .figures = std::move(figures)};
}

Baseline suite_of(std::vector<BaselineEntry> entries) { return {"s", std::move(entries)}; }

TEST(Compare, NamesEveryPairOfStatusesAsThePageDoes) {
  const auto table = documented_table("before \\ now");
  ASSERT_EQ(table.size(), 7u);
  int cells = 0;
  for (std::size_t row = 1; row < table.size(); ++row) {
    ASSERT_EQ(table[row].size(), 7u);
    for (std::size_t column = 1; column < 7; ++column) {
      const auto before = status_named(table[row][0]);
      const auto now = status_named(table[0][column]);
      if (!before && !now) continue;
      ++cells;
      const auto change = status_change(before, now);
      EXPECT_EQ(cell_text(change.kind, change.fails), table[row][column])
          << table[row][0] << " " << table[0][column];
      // The comparison of whole suites says the same.
      Baseline old = suite_of({});
      Baseline fresh = suite_of({});
      if (before) old.entries.push_back(entry_of(*before));
      if (now) fresh.entries.push_back(entry_of(*now));
      const auto changes = compare(old, fresh, {}).changes;
      ASSERT_LE(changes.size(), 1u);
      EXPECT_EQ(changes.empty() ? "-" : cell_text(changes[0].kind, changes[0].regresses),
                table[row][column]);
    }
  }
  EXPECT_EQ(cells, 35);
}

TEST(Compare, NamesEveryMovementOfAFigureAsThePageDoes) {
  const auto table = documented_table("figure");
  ASSERT_EQ(table.size(), 5u);
  const std::vector<double> times = {1, 1.01, 1.02, 1.03, 1.04, 1.05, 1.06, 1.07, 1.08};
  for (std::size_t row = 1; row < table.size(); ++row) {
    const auto kind = detail::read_value<FigureKind>(table[row][0]).value();
    const bool is_time = kind == FigureKind::kTime;
    const auto with = [&](double factor, double allowed) {
      EntryFigure figure{"f", kind, 0.5 * factor, 1.0 * factor, allowed, {}};
      if (is_time) {
        for (const double time : times) figure.repetitions.push_back(factor * time);
      }
      return std::vector<EntryFigure>{figure};
    };
    const std::map<std::string, std::vector<EntryFigure>> now = {
        {"rose", with(1.2, 2.0)},
        {"fell", with(0.8, 2.0)},
        {"within tolerance", with(1.04, 2.0)},
        {"allows more", with(1.0, 2.1)},
        {"allows less", with(1.0, 1.9)},
        {"gone", {}},
        {"new", with(1.0, 2.0)}};
    ASSERT_EQ(table[row].size(), 1 + now.size());
    for (std::size_t column = 1; column < table[row].size(); ++column) {
      const std::string& heading = table[0][column];
      ASSERT_EQ(now.count(heading), 1u) << heading;
      const auto before = heading == "new" ? std::vector<EntryFigure>{} : with(1.0, 2.0);
      for (const EntryStatus status : {EntryStatus::kHeld, EntryStatus::kInconclusive}) {
        const auto changes = compare(suite_of({entry_of(status, before)}),
                                     suite_of({entry_of(status, now.at(heading))}), {})
                                 .changes;
        ASSERT_LE(changes.size(), 1u);
        EXPECT_EQ(changes.empty() ? "-" : cell_text(changes[0].kind, changes[0].regresses),
                  table[row][column])
            << table[row][0] << " " << heading;
        if (!changes.empty()) {
          EXPECT_EQ(changes[0].figure, "f");
        }
      }
      EXPECT_THAT(compare(suite_of({entry_of(EntryStatus::kCouldNotRun, before)}),
                          suite_of({entry_of(EntryStatus::kMisconfigured, now.at(heading))}), {})
                      .changes,
                  IsEmpty());
    }
  }
}

TEST(Compare, FindsNothingButOldViolationsInARunAndItself) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const SuiteReport report = testing::RandomSuite(seed).report();
    const auto file = must(parse_baseline(to_toml(baseline_of(report)), "b"));
    std::size_t violated = 0;
    for (const auto& entry : report.entries)
      violated += entry.status == EntryStatus::kViolated ? 1 : 0;
    const auto changes = changes_of(file, report, {});
    EXPECT_EQ(changes.size(), violated) << seed;
    for (const auto& change : changes) EXPECT_EQ(change.kind, ChangeKind::kStillViolated);
    EXPECT_EQ(changes_of(file, report, {0.0, 0.0, 0.0, 0.5}).size(), violated)
        << "without tolerance";
  }
}

TEST(Compare, SortsByEntryAndNamesEachEntryOfEitherSide) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Baseline before = baseline_of(testing::RandomSuite(seed).report());
    const Baseline now = baseline_of(testing::RandomSuite(seed + 1000).report());
    const auto changes = compare(before, now, {}).changes;
    EXPECT_TRUE(std::is_sorted(changes.begin(), changes.end(), [](const auto& a, const auto& b) {
      return std::pair(a.id, a.figure) < std::pair(b.id, b.figure);
    }));
    for (const auto& entry : now.entries) {
      const bool was = std::any_of(before.entries.begin(), before.entries.end(),
                                   [&](const auto& one) { return one.id == entry.id; });
      const bool told = std::any_of(changes.begin(), changes.end(),
                                    [&](const auto& one) { return one.id == entry.id; });
      if (!was) {
        EXPECT_TRUE(told) << entry.id;
      }
    }
  }
}

TEST(Compare, SaysByHowMuch) {
  const EntryFigure before{"eps at delta = 1e-06", FigureKind::kLoss, 0.5, 0.9, 1.0, {}};
  const EntryFigure now{"eps at delta = 1e-06", FigureKind::kLoss, 0.95, 1.3, 1.0, {}};
  const auto changes = compare(suite_of({entry_of(EntryStatus::kHeld, {before})}),
                               suite_of({entry_of(EntryStatus::kViolated, {now})}), {})
                           .changes;
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_EQ(changes[0].statement, "violated; it was held");
  EXPECT_EQ(changes[1].statement,
            "eps at delta = 1e-06 is at most 1.3; it was 0.9, and is at least 0.95 now");
}

TEST(Compare, KnowsInfiniteAndZeroBounds) {
  const auto kind = [](double before, double now) {
    const EntryFigure old{"f", FigureKind::kLoss, 0.0, before, {}, {}};
    const EntryFigure fresh{"f", FigureKind::kLoss, 0.0, now, {}, {}};
    const auto changes = compare(suite_of({entry_of(EntryStatus::kHeld, {old})}),
                                 suite_of({entry_of(EntryStatus::kHeld, {fresh})}), {})
                             .changes;
    return changes.empty() ? "-" : detail::value_text(changes[0].kind);
  };
  EXPECT_EQ(kind(HUGE_VAL, HUGE_VAL), "-");
  EXPECT_EQ(kind(1.0, HUGE_VAL), "weaker-bound");
  EXPECT_EQ(kind(HUGE_VAL, 1.0), "stronger-bound");
  EXPECT_EQ(kind(0.0, 0.0), "-");
  EXPECT_EQ(kind(0.0, 1e-15), "-") << "numerical error of an exact bound";
  EXPECT_EQ(kind(1e-15, 0.0), "-");
  EXPECT_EQ(kind(0.0, 1e-11), "weaker-bound");
  EXPECT_EQ(kind(-1.0, -0.9), "weaker-bound");
}

TEST(Compare, FailsByTheSeverityAndNotWhereTheStatusIsSuppressed) {
  auto before = entry_of(EntryStatus::kHeld);
  auto now = entry_of(EntryStatus::kViolated, {});
  const auto regresses = [&] {
    return compare(suite_of({before}), suite_of({now}), {}).changes.at(0).regresses;
  };
  EXPECT_TRUE(regresses());
  now.severity = Severity::kWarn;
  EXPECT_FALSE(regresses());
  now.severity = Severity::kDeny;
  now.suppressed_by = "s";
  EXPECT_FALSE(regresses());
  // A suppressed violation does not cover a bound that grew.
  const EntryFigure small{"f", FigureKind::kLoss, 0.0, 1.0, {}, {}};
  const EntryFigure large{"f", FigureKind::kLoss, 0.0, 50.0, {}, {}};
  before.figures = {small};
  now.figures = {large};
  const auto changes = compare(suite_of({before}), suite_of({now}), {}).changes;
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_TRUE(changes[1].regresses);
  // What vanished fails by what it was.
  before.severity = Severity::kAllow;
  EXPECT_FALSE(compare(suite_of({before}), suite_of({}), {}).changes.at(0).regresses);
}

// A regression, which is none the other way round.
void expect_weaker(const BaselineEntry& before, const BaselineEntry& now, ChangeKind kind,
                   const std::string& statement) {
  const auto changes = compare(suite_of({before}), suite_of({now}), {}).changes;
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].kind, kind);
  EXPECT_TRUE(changes[0].regresses);
  EXPECT_EQ(changes[0].statement, statement);
  EXPECT_THAT(compare(suite_of({now}), suite_of({before}), {}).changes, IsEmpty());
}

// The change that breaks an entry may not also say that it does not matter.
TEST(Compare, AnEntryThatMattersLessIsWeaker) {
  auto before = entry_of(EntryStatus::kHeld);
  auto now = before;
  now.severity = Severity::kAllow;
  expect_weaker(before, now, ChangeKind::kWeakerBound, "severity allow; it was deny");
}

TEST(Compare, AClaimThatIsNotVerifiedAnyMoreHasVanished) {
  auto before = entry_of(EntryStatus::kHeld);
  before.kind = EntryKind::kVerify;
  before.claim = "ebs-lemma, sst-sti";
  auto now = before;
  now.claim = "sst-sti";
  expect_weaker(before, now, ChangeKind::kVanished, "claim ebs-lemma is not checked any more");
}

TEST(Compare, SampledFiguresFailWhereTheyAreCertainToDiffer) {
  const auto compared = [](double lower, double upper, double alpha, FigureKind kind) {
    const auto before = entry_of(EntryStatus::kHeld, {{"x", kind, 0.5, 1.0, {}, {}, 1e-4}});
    const auto now = entry_of(EntryStatus::kHeld, {{"x", kind, lower, upper, {}, {}, alpha}});
    return compare(suite_of({before}), suite_of({now}), {}).changes.at(0).regresses;
  };
  EXPECT_FALSE(compared(0.9, 1.4, 1e-4, FigureKind::kLoss));
  EXPECT_TRUE(compared(1.1, 1.4, 1e-4, FigureKind::kLoss));
  EXPECT_TRUE(compared(0.9, 1.4, 0.0, FigureKind::kLoss));  // exact now
  EXPECT_FALSE(compared(1.4, 1.4, 1e-4, FigureKind::kPower));
}

TEST(Compare, TakesAnEntryOfAnotherKindForAnother) {
  auto before = entry_of(EntryStatus::kHeld);
  auto now = entry_of(EntryStatus::kHeld);
  now.kind = EntryKind::kBench;
  const auto changes = compare(suite_of({before}), suite_of({now}), {}).changes;
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_EQ(changes[0].kind, ChangeKind::kVanished);
  EXPECT_THAT(changes[0].statement, HasSubstr("audit"));
  EXPECT_EQ(changes[1].kind, ChangeKind::kNewEntry);
}

EntryFigure times(const std::string& name, std::size_t count, double around, double apart) {
  EntryFigure figure{name, FigureKind::kTime, 0.0, 0.0, {}, {}};
  for (std::size_t i = 0; i < count; ++i)
    figure.repetitions.push_back(around + apart * static_cast<double>(i));
  return figure;
}

TEST(CompareTimes, NeedTheTestTheThresholdAndNineRepetitions) {
  const auto compared = [](const EntryFigure& before, const EntryFigure& now) {
    return compare(suite_of({entry_of(EntryStatus::kHeld, {before})}),
                   suite_of({entry_of(EntryStatus::kHeld, {now})}), {});
  };
  const auto slower = compared(times("t", 9, 1.0, 0.001), times("t", 9, 1.1, 0.001)).changes;
  ASSERT_EQ(slower.size(), 1u);
  EXPECT_EQ(slower[0].statement,
            "t takes 1.104 s; it took 1.004 s (medians of 9 repetitions now and 9 before, p = "
            "4.2e-5)");
  // Apart by 4%: the test rejects, the threshold does not.
  EXPECT_THAT(compared(times("t", 9, 1.0, 0.001), times("t", 9, 1.04, 0.001)).changes, IsEmpty());
  // Medians apart by 10% in wide samples: the threshold is passed, the test is not.
  EXPECT_THAT(compared(times("t", 9, 1.0, 0.2), times("t", 9, 1.18, 0.2)).changes, IsEmpty());
  const auto few = compared(times("t", 9, 1.0, 0.001), times("t", 8, 2.0, 0.001));
  EXPECT_THAT(few.changes, IsEmpty());
  EXPECT_THAT(few.notes,
              ElementsAre("e: t is not compared: one run has 8 repetitions, and 9 are needed"));
}

TEST(CompareTimes, HaveOneAlphaTogether) {
  // p = 4.2e-5 of each: 243 of them still pass Holm at 1%, 250 do not.
  for (const std::size_t count : {243u, 250u}) {
    std::vector<EntryFigure> before;
    std::vector<EntryFigure> now;
    for (std::size_t i = 0; i < count; ++i) {
      before.push_back(times(std::to_string(1000 + i), 9, 1.0, 0.001));
      now.push_back(times(std::to_string(1000 + i), 9, i == 0 ? 2.0 : 1.0, 0.001));
    }
    const auto changes = compare(suite_of({entry_of(EntryStatus::kHeld, before)}),
                                 suite_of({entry_of(EntryStatus::kHeld, now)}), {})
                             .changes;
    EXPECT_EQ(changes.size(), count == 243 ? 1u : 0u);
  }
}

// alpha = 1e-3 for the count. A threshold of 0 leaves the test alone.
TEST(CompareTimes, OfOneProgramDifferAsSeldomAsTheySay) {
  constexpr int kRounds = 2000;
  ReplayStream words({5, hash_purpose("compare-times"), 0, 0});
  int alarms = 0;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<EntryFigure> sides[2];
    for (auto& side : sides) {
      for (int i = 0; i < 5; ++i) {
        auto& figure = side.emplace_back(times(std::to_string(i), 9, 0.0, 0.0));
        for (double& time : figure.repetitions) time = 1.0 / words.uniform();  // a heavy tail
      }
    }
    alarms += compare(suite_of({entry_of(EntryStatus::kHeld, sides[0])}),
                      suite_of({entry_of(EntryStatus::kHeld, sides[1])}), {0.05, 0.05, 0.0, 0.1})
                      .changes.empty()
                  ? 0
                  : 1;
  }
  EXPECT_LE(alarms, binomial_limit(kRounds, 0.1, 1));
  EXPECT_GE(alarms, kRounds / 50) << "the test has to be able to fail";
}

TEST(Compare, ReadsBaselinesAndReports) {
  const TemporaryFolder folder;
  SuiteReport report{.name = "s", .entries = {testing::RandomSuite(3).entry("a")}};
  const auto read = must(read_compared(folder.write("r.json", to_json(report))));
  EXPECT_EQ(to_toml(read), to_toml(baseline_of(report)));
  const auto baseline = must(read_compared(folder.write("b.toml", to_toml(read))));
  EXPECT_EQ(to_toml(baseline), to_toml(read));
  const auto bad = error_of(read_compared(folder.write("x.json", "{\"schema\": 1}")));
  EXPECT_THAT(bad.to_string(), HasSubstr("x.json: is not a report of a suite"));
  EXPECT_THAT(read_compared(folder.write("empty", "")).error().to_string(),
              HasSubstr("schema is missing"));
}

TEST(Compare, RefusesTolerancesThatAreNone) {
  EXPECT_TRUE(check_tolerances({}).has_value());
  EXPECT_THAT(check_tolerances({-1.0, 0, 0, 0.1}), IsRefused("bound must be"));
  EXPECT_THAT(check_tolerances({0, std::nan(""), 0, 0.1}), IsRefused("power must be"));
  EXPECT_THAT(check_tolerances({0, 0, HUGE_VAL, 0.1}), IsRefused("time must be"));
  EXPECT_THAT(check_tolerances({0, 0, 0, 0.0}), IsRefused("alpha must be"));
  EXPECT_FALSE(check_tolerances({0, 0, 0, 0.6}).has_value());
}

}  // namespace
}  // namespace assay
