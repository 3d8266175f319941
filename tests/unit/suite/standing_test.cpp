// A violation stands until its content is known to have changed, its claim allows it or a clear names it.
#include "assay/auditors/suite/standing.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

constexpr const char* kClaimText = "claim eps=1";

RecordedViolation violation_of(const std::string& id, const EntryIdentity& identity,
                               std::int64_t run = 2) {
  RecordedViolation one{run, run, "team", "2026-11-20", identity, {}};
  one.result.id = id;
  one.result.status = EntryStatus::kViolated;
  one.result.headline = "Violated";
  one.result.figures = {{"eps", FigureKind::kLoss, 1.1, 2.0, 1.0, {}}};
  return one;
}

EntryResult entry(const std::string& id) { return EntryResult{.id = id}; }

// What it came to in a run of today.
EntryResult ran(const std::string& id, const std::string& figure, double allowed) {
  EntryResult result = entry(id);
  result.headline = "NotRefuted";
  result.figures = {{figure, FigureKind::kLoss, 0.2, 3.0, allowed, {}}};
  return result;
}

StandingTerms terms(std::vector<std::string> ids = {"a", "b"}) { return {"team", ids, {}, 9}; }

SeenClear clear(const std::string& entry, const std::string& date, std::int64_t last) {
  return {{entry, "mended", date, {"assay.toml", 7, 1}}, last};
}

bool stands(const EntryResult& now, const EntryIdentity& identity, const RecordedViolation& one,
            const StandingTerms& all = terms()) {
  return standing_of(now, identity, {one}, all).violated.has_value();
}

const EntryIdentity kUndeclared{"t", "", kClaimText};
const EntryIdentity kDeclared{"t", "one", kClaimText};
const EntryIdentity kChanged{"t", "two", kClaimText};

TEST(Standing, SaysSinceWhenAndHowItEnds) {
  const auto standing =
      standing_of(entry("a"), kUndeclared, {violation_of("a", kUndeclared)}, terms());
  ASSERT_TRUE(standing.violated.has_value());
  EXPECT_EQ(standing.violated->status, EntryStatus::kViolated);
  EXPECT_EQ(standing.violated->reused_from, 2);
  EXPECT_EQ(standing.violated->headline, "Violated; violated since run 2 (2026-11-20)");
  EXPECT_THAT(standing.violated->details.at(0),
              AllOf(HasSubstr("does not declare its content (depends)"), HasSubstr("[[clear]]"),
                    HasSubstr("entry = \"a\"")));
}

TEST(Standing, NamesTheFilesThatCount) {
  EntryIdentity identity = kDeclared;
  identity.files = {"policy.py", "noise.py"};
  EXPECT_THAT(
      how_it_ends("a", identity),
      AllOf(HasSubstr("until a file changes that the entry depends on (policy.py, noise.py; a "
                      "change in any other file is not seen, so add it to depends)"),
            HasSubstr("[[clear]]")));
  identity.files.assign(20, "x.py");
  EXPECT_THAT(how_it_ends("a", identity), HasSubstr("x.py, and 12 more; "));
}

TEST(Standing, EndsWhereTheContentIsKnownToHaveChanged) {
  EXPECT_TRUE(stands(entry("a"), kDeclared, violation_of("a", kDeclared)));
  EXPECT_FALSE(stands(entry("a"), kChanged, violation_of("a", kDeclared)));
  // What nobody knows is unchanged, on either side.
  EXPECT_TRUE(stands(entry("a"), kUndeclared, violation_of("a", kDeclared)));
  EXPECT_TRUE(stands(entry("a"), kChanged, violation_of("a", kUndeclared)));
  EXPECT_TRUE(stands(entry("a"), {"other", "", kClaimText}, violation_of("a", kUndeclared)));
}

TEST(Standing, FollowsAnEntryThatIsRenamed) {
  EXPECT_TRUE(stands(entry("b"), kUndeclared, violation_of("old", kUndeclared)));
  EXPECT_TRUE(stands(entry("b"), kDeclared, violation_of("old", kDeclared)));
  EXPECT_FALSE(stands(entry("b"), kChanged, violation_of("old", kDeclared)));
  // One that is there still keeps its own; another target is another.
  EXPECT_FALSE(stands(entry("b"), kUndeclared, violation_of("a", kUndeclared)));
  EXPECT_FALSE(stands(entry("b"), {"other", "", kClaimText}, violation_of("old", kUndeclared)));
  const auto standing =
      standing_of(entry("b"), kUndeclared, {violation_of("old", kUndeclared)}, terms());
  EXPECT_THAT(standing.violated->headline, HasSubstr("as the entry 'old'"));
}

// An entry may not leave its violation behind under a name that something else has now.
TEST(Standing, IsOfEveryEntryThatIsKnownToBeTheSame) {
  const auto one = violation_of("a", kDeclared);
  EXPECT_TRUE(stands(entry("b"), kDeclared, one));
  EXPECT_FALSE(stands(entry("b"), kChanged, one));
  const EntryIdentity wider{"t", "one", "claim eps=2"};
  EXPECT_FALSE(stands(entry("b"), wider, one));
  EXPECT_FALSE(stands(ran("b", "eps", 2.0), wider, one));
  EXPECT_TRUE(stands(ran("b", "eps", 1.05), wider, one));
  EXPECT_FALSE(stands(ran("b", "mu", 2.0), wider, one)) << "its claim was never refuted";
}

TEST(Standing, OfAnotherSuiteNeedsTheSameTarget) {
  auto one = violation_of("a", kUndeclared);
  one.suite = "renamed";
  EXPECT_TRUE(stands(entry("a"), kUndeclared, one));
  EXPECT_FALSE(stands(entry("a"), {"other", "", kClaimText}, one));
}

TEST(Standing, EndsWhereAnotherClaimAllowsWhatWasCertified) {
  const EntryIdentity wider{"t", "", "claim eps=2"};
  const auto one = violation_of("a", kUndeclared);
  EXPECT_FALSE(stands(entry("a"), wider, one)) << "before it ran nobody knows";
  EXPECT_FALSE(stands(ran("a", "eps", 2.0), wider, one));
  EXPECT_TRUE(stands(ran("a", "eps", 1.000001), wider, one));
  EXPECT_TRUE(stands(ran("a", "mu", 2.0), wider, one)) << "another figure shows nothing";
  EXPECT_TRUE(stands(ran("a", "eps", 2.0), kUndeclared, one)) << "the same claim";
  // Where just the claim was refuted, it is the same one that stands, in other words too.
  auto at_its_end = one;
  at_its_end.result.figures[0].lower = 1.0;
  EXPECT_TRUE(stands(ran("a", "eps", 1.0), wider, at_its_end));
  EXPECT_FALSE(stands(ran("a", "eps", 1.001), wider, at_its_end));
  EntryResult failed = entry("a");
  failed.headline = "could not run";
  EXPECT_TRUE(stands(failed, wider, one));
}

TEST(Standing, IsNotOfTheRunItself) {
  auto all = terms();
  all.run = 2;
  EXPECT_FALSE(stands(entry("a"), kUndeclared, violation_of("a", kUndeclared), all));
  EXPECT_TRUE(stands(entry("a"), kUndeclared, violation_of("a", kUndeclared, 3), all))
      << "a run beside this one";
}

TEST(Clears, CoverWhatWasFoundUntilTheirDayAndRecordedBeforeTheyWereSeen) {
  const auto cleared = [&](const SeenClear& one, const std::string& id = "a") {
    auto all = terms();
    all.clears = {one};
    return !stands(entry(id), kUndeclared, violation_of(id, kUndeclared), all);
  };
  EXPECT_TRUE(cleared(clear("a", "2026-11-20", 2)));
  EXPECT_TRUE(cleared(clear("a", "2026-12-01", 5)));
  EXPECT_FALSE(cleared(clear("a", "2026-11-19", 5))) << "found later";
  EXPECT_FALSE(cleared(clear("a", "2026-11-20", 1))) << "a new one of the same day";
  EXPECT_FALSE(cleared(clear("b", "2026-11-20", 5)));
  EXPECT_FALSE(cleared(clear("*", "2026-11-20", 5))) << "a name, no pattern";

  auto all = terms();
  all.clears = {clear("a", "2026-11-20", 2)};
  const std::vector<RecordedViolation> both = {violation_of("a", kUndeclared, 2),
                                               violation_of("a", kUndeclared, 4)};
  const auto standing = standing_of(entry("a"), kUndeclared, both, all);
  ASSERT_TRUE(standing.violated.has_value());
  EXPECT_EQ(standing.violated->reused_from, 4);
  EXPECT_EQ(standing.cleared_until, 2);
}

TEST(Clears, OfARenamedEntryNameItByEitherName) {
  for (const char* name : {"old", "b"}) {
    auto all = terms();
    all.clears = {clear(name, "2026-11-20", 2)};
    EXPECT_FALSE(stands(entry("b"), kUndeclared, violation_of("old", kUndeclared), all)) << name;
  }
}

TEST(Clears, NameTheLineOfWhatIsWrong) {
  const auto message = [](Clear one) {
    const auto status = check_clears({one}, "2026-11-25");
    return status ? "" : status.error().to_string();
  };
  const Clear good = {"a", "mended", "2026-11-25", {"assay.toml", 7, 1}};
  EXPECT_EQ(message(good), "");
  for (auto member : {&Clear::entry, &Clear::reason}) {
    Clear one = good;
    one.*member = " ";
    EXPECT_THAT(message(one), AllOf(StartsWith("assay.toml:7: "), HasSubstr("must not be empty")));
  }
  for (const char* day : {"", "2026-02-30", "today"}) {
    Clear one = good;
    one.date = day;
    EXPECT_THAT(message(one), HasSubstr("date must be a day"));
  }
  Clear late = good;
  late.date = "2026-11-26";
  EXPECT_EQ(
      message(late),
      "assay.toml:7: clear of 'a': date must not be in the future: 2026-11-26 is after today, "
      "2026-11-25 (UTC)");
}

TEST(StandingNotes, SayWhatAClearDidAndDidNot) {
  const std::vector<RecordedViolation> recorded = {violation_of("a", kUndeclared, 2),
                                                   violation_of("a", kUndeclared, 4)};
  const std::vector<IdentifiedEntry> entries = {{"a", kUndeclared}};
  const auto notes = [&](const SeenClear& one) {
    auto all = terms();
    all.clears = {one};
    return standing_notes(recorded, all, entries);
  };
  EXPECT_THAT(
      notes(clear("a", "2026-11-20", 9)),
      ElementsAre("the clear of 'a' (2026-11-20: mended) ended the violations of run 2, 4"));
  EXPECT_THAT(notes(clear("a", "2026-11-20", 3)),
              ElementsAre(AllOf(HasSubstr("ended the violation of run 2"),
                                HasSubstr("no other: that of run 4 was found after the clear"))));
  EXPECT_THAT(notes(clear("a", "2026-11-19", 9)),
              ElementsAre(HasSubstr("covers nothing: that of run 4 was found on 2026-11-20, after "
                                    "its date")));
  EXPECT_THAT(notes(clear("b", "2026-11-20", 9)),
              ElementsAre(HasSubstr("has no effect: no violation of that entry is recorded")));
  EXPECT_THAT(notes(clear("zz", "2026-11-20", 9)),
              ElementsAre(HasSubstr("is recorded, and the suite has no such entry")));
}

TEST(StandingNotes, NameViolationsWhoseEntryIsGone) {
  const std::vector<RecordedViolation> recorded = {violation_of("gone", kUndeclared),
                                                   violation_of("mended", kDeclared)};
  const std::vector<IdentifiedEntry> whole = {{"a", {"x", "", ""}}, {"b", {"y", "", ""}}};
  EXPECT_THAT(standing_notes(recorded, terms(), whole),
              ElementsAre(AllOf(StartsWith("'gone', violated since run 2"),
                                HasSubstr("is no longer an entry"))));
  EXPECT_THAT(standing_notes(recorded, terms(), {whole[0]}), IsEmpty()) << "a part of the suite";
  auto all = terms();
  all.clears = {clear("gone", "2026-11-20", 2)};
  EXPECT_THAT(standing_notes(recorded, all, whole), ElementsAre(HasSubstr("ended the violation")));
}

}  // namespace
}  // namespace assay
