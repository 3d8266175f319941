// What a suppression covers, until when, and what is said of those that cover nothing.
#include "assay/auditors/suite/suppressions.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

SuiteReport report_with(std::vector<std::pair<std::string, EntryStatus>> entries) {
  SuiteReport report;
  for (const auto& [id, status] : entries) {
    EntryResult entry{.id = id, .status = status, .suppressed_by = "of the last run"};
    report.entries.push_back(entry);
  }
  return report;
}

Suppression suppression(const std::string& id, const std::string& scope, const std::string& status,
                        const std::string& expires = "2026-12-31") {
  return {id, scope, status, "a known bug", "ada", expires, {"assay.toml", 7, 1}};
}

std::vector<std::string> suppressed_by(const SuiteReport& report) {
  std::vector<std::string> out;
  for (const auto& entry : report.entries) out.push_back(entry.suppressed_by.value_or("-"));
  return out;
}

TEST(Suppressions, CoverOneStatusInTheirScope) {
  auto report = report_with({{"lap-1", EntryStatus::kViolated},
                             {"lap-2", EntryStatus::kInconclusive},
                             {"gauss", EntryStatus::kViolated},
                             {"lap-3", EntryStatus::kHeld}});
  ASSERT_TRUE(apply_suppressions(report, {suppression("s", "lap-*", "violated")}, "2026-11-23"));
  EXPECT_THAT(suppressed_by(report), ElementsAre("s", "-", "-", "-"));
  EXPECT_THAT(report.notes, IsEmpty());
}

TEST(Suppressions, LastUntilTheEndOfTheirDay) {
  for (const auto& [today, covers] : std::vector<std::pair<std::string, bool>>{
           {"2026-12-30", true}, {"2026-12-31", true}, {"2027-01-01", false}}) {
    auto report = report_with({{"a", EntryStatus::kViolated}});
    ASSERT_TRUE(apply_suppressions(report, {suppression("s", "a", "violated")}, today));
    EXPECT_EQ(report.entries[0].suppressed_by.has_value(), covers) << today;
    EXPECT_EQ(report.notes.size(), covers ? 0u : 1u);
  }
}

TEST(Suppressions, ThatExpiredOrHaveNoUseAreNoted) {
  auto report = report_with({{"a", EntryStatus::kViolated}});
  const std::vector<Suppression> all = {suppression("old", "a", "violated", "2026-01-01"),
                                        suppression("older", "b", "violated", "2025-01-01"),
                                        suppression("idle", "b*", "violated"),
                                        suppression("other", "a", "could-not-run")};
  ASSERT_TRUE(apply_suppressions(report, all, "2026-11-23"));
  EXPECT_THAT(suppressed_by(report), ElementsAre("-"));
  EXPECT_THAT(
      report.notes,
      ElementsAre(
          "suppression 'old' of ada expired on 2026-01-01 and covers nothing: its failure is still "
          "there",
          "suppression 'older' of ada expired on 2025-01-01 and covers nothing: it can be removed",
          "suppression 'idle' of ada has no effect in this run: no entry that matches 'b*' is violated",
          "suppression 'other' of ada has no effect in this run: no entry that matches 'a' is "
          "could-not-run"));
}

TEST(Suppressions, TheFirstThatCoversIsNamedAndTheNextHasAUse) {
  auto report = report_with({{"a", EntryStatus::kViolated}});
  ASSERT_TRUE(
      apply_suppressions(report,
                         {suppression("old", "*", "violated", "2026-01-01"),
                          suppression("one", "a", "violated"), suppression("two", "*", "violated")},
                         "2026-11-23"));
  EXPECT_THAT(suppressed_by(report), ElementsAre("one"));
  EXPECT_EQ(report.notes.size(), 1u);
}

TEST(Suppressions, CannotHideWhatIsMisconfigured) {
  auto report = report_with({{"a", EntryStatus::kMisconfigured}});
  const auto refused =
      error_of(apply_suppressions(report, {suppression("s", "*", "misconfigured")}, "2026-11-23"));
  EXPECT_EQ(
      refused.to_string(),
      "assay.toml:7: suppression 's': status must be violated, weak, inconclusive, could-not-run, not "
      "'misconfigured'");
  for (const char* status : {"violated", "inconclusive", "could-not-run"}) {
    ASSERT_TRUE(apply_suppressions(report, {suppression("s", "*", status)}, "2026-11-23"));
    EXPECT_THAT(suppressed_by(report), ElementsAre("-"));
  }
}

TEST(Suppressions, NameTheLineOfWhatIsWrong) {
  const auto message = [](Suppression one, int copies = 1) {
    const auto status =
        check_suppressions(std::vector<Suppression>(static_cast<std::size_t>(copies), one));
    return status ? "" : status.error().to_string();
  };
  Suppression good = suppression("s", "a", "violated");
  EXPECT_EQ(message(good), "");
  EXPECT_EQ(message(good, 2), "assay.toml:7: suppression 's': appears twice");
  for (auto member :
       {&Suppression::id, &Suppression::scope, &Suppression::reason, &Suppression::owner}) {
    Suppression one = good;
    one.*member = " \t";
    EXPECT_THAT(message(one), HasSubstr("must not be empty"));
  }
  for (const char* day :
       {"", "2026", "2026-02-29", "2026-13-01", "2026-00-10", "2026-04-31", "2026-1-01", "26-01-01",
        "2026/01/01", "2026-01-01 ", "tomorrow", "2026-01-0x"}) {
    good.expires = day;
    EXPECT_THAT(message(good), HasSubstr("assay.toml:7: suppression 's': expires must be a day"))
        << day;
  }
  good.expires = "2028-02-29";
  EXPECT_EQ(message(good), "");
  SuiteReport report;
  EXPECT_THAT(apply_suppressions(report, {}, "23.11.2026"), IsRefused("today must be a day"));
}

}  // namespace
}  // namespace assay
