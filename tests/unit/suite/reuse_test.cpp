// Shares of alpha, evidence that adds up, and what a digest of content sees.
#include "assay/auditors/suite/reuse.hpp"

#include <filesystem>
#include <fstream>
#include <regex>

#include <boost/multiprecision/cpp_int.hpp>

#include "assay/auditors/suite/suite_json.hpp"
#include "assay/tests/support/random_suite.hpp"
#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

TEST(AlphaOfRun, IsTheShareOfItsBlock) {
  EXPECT_EQ(alpha_of_run(1.0, 1), 0.5);
  EXPECT_EQ(alpha_of_run(0.25, 2), 0.25 / 12);
  EXPECT_EQ(alpha_of_run(0.25, 3), alpha_of_run(0.25, 2));
  EXPECT_LE(alpha_of_run(0.001, 100), 0.001 / (64 * 7 * 8));
  EXPECT_NEAR(alpha_of_run(0.001, 100), 0.001 / (64 * 7 * 8), 1e-21);
  EXPECT_GT(alpha_of_run(0.001, INT64_MAX), 0.0);
}

// In exact arithmetic: the shares of the first 2^16 runs, as the doubles that they are, sum to less than
// alpha times what the proof leaves to later runs.
TEST(AlphaOfRun, SumsToNoMoreThanAlphaInExactArithmetic) {
  using Rational = boost::multiprecision::cpp_rational;
  for (const double alpha : {0.001, 0.1, 1.0 / 3.0}) {
    Rational sum = 0;
    for (int block = 0; block < 16; ++block) {  // all shares of a block are the same double
      const std::int64_t first = std::int64_t{1} << block;
      ASSERT_EQ(alpha_of_run(alpha, first), alpha_of_run(alpha, 2 * first - 1));
      ASSERT_GT(alpha_of_run(alpha, first), alpha_of_run(alpha, 2 * first));
      sum += Rational(alpha_of_run(alpha, first)) * first;
    }
    const Rational left = Rational(alpha) / 17;
    EXPECT_LE(sum, Rational(alpha) - left);
    EXPECT_GE(sum, (Rational(alpha) - left) * Rational(1.0 - 1e-15));
  }
}

TEST(SeedOfRun, IsAnotherForEachRunAndSeedAndReadsAsANumber) {
  std::set<std::uint64_t> seeds;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (std::int64_t run = 1; run <= 50; ++run) seeds.insert(seed_of_run(seed, run));
  }
  EXPECT_EQ(seeds.size(), 1000u);
  EXPECT_LT(*seeds.rbegin(), std::uint64_t{1} << 53);
  EXPECT_EQ(seed_of_run(7, 3), seed_of_run(7, 3));
}

EntryResult result(EntryStatus status, double lower, double upper,
                   std::optional<std::int64_t> run = {}) {
  return EntryResult{.id = "a",
                     .status = status,
                     .verdict = "verdict of " + std::to_string(run.value_or(0)),
                     .figures = {{"eps", FigureKind::kLoss, lower, upper, 1.0, {}}},
                     .content = "c",
                     .reused_from = run};
}

TEST(MergedEvidence, HasTheBestBoundOfEitherSide) {
  const auto merged = merge_evidence(result(EntryStatus::kInconclusive, 0.2, 1.5, 1),
                                     result(EntryStatus::kInconclusive, 0.1, 1.2));
  EXPECT_EQ(merged.figures.at(0).lower, 0.2);
  EXPECT_EQ(merged.figures.at(0).upper, 1.2);
  EXPECT_EQ(merged.status, EntryStatus::kInconclusive);
  EXPECT_EQ(merged.reused_from, std::nullopt);
}

TEST(MergedEvidence, KeepsAViolationWhateverComesLater) {
  const auto violated = result(EntryStatus::kViolated, 1.2, 2.0, 3);
  for (const auto status :
       {EntryStatus::kHeld, EntryStatus::kInconclusive, EntryStatus::kCouldNotRun,
        EntryStatus::kMisconfigured, EntryStatus::kViolated}) {
    const auto later = merge_evidence(violated, result(status, 0.0, 2.0));
    EXPECT_EQ(later.status, EntryStatus::kViolated);
    EXPECT_EQ(later.verdict, "verdict of 3");
    EXPECT_EQ(later.reused_from, 3);
    EXPECT_EQ(merge_evidence(result(status, 0.0, 2.0), violated).status, EntryStatus::kViolated);
  }
}

TEST(MergedEvidence, KeepsWhatIsProvedBesideARunThatDidNotDecide) {
  auto held = result(EntryStatus::kHeld, 0.2, 0.9, 4);
  held.verdict = "Verified";
  EXPECT_EQ(merge_evidence(held, result(EntryStatus::kInconclusive, 0.1, 1.3)).status,
            EntryStatus::kHeld);
  EXPECT_EQ(merge_evidence(held, result(EntryStatus::kInconclusive, 0.1, 1.3)).reused_from, 4);
  EXPECT_EQ(merge_evidence(held, result(EntryStatus::kHeld, 0.1, 1.3)).verdict, "Verified");
  EXPECT_EQ(merge_evidence(result(EntryStatus::kInconclusive, 0.1, 1.3), held).status,
            EntryStatus::kHeld);
  // One that fails now is not green, though its evidence is not lost.
  const auto failed = merge_evidence(held, result(EntryStatus::kCouldNotRun, 0.0, HUGE_VAL));
  EXPECT_EQ(failed.status, EntryStatus::kCouldNotRun);
  EXPECT_EQ(failed.figures.at(0).upper, 0.9);
}

// That nothing was found before is nothing to hold on to.
TEST(MergedEvidence, OfWhatWasNotRefutedIsTheLaterResult) {
  const auto weak = result(EntryStatus::kHeld, 0.2, 0.9, 4);
  const auto merged = merge_evidence(weak, result(EntryStatus::kInconclusive, 0.1, 1.3));
  EXPECT_EQ(merged.status, EntryStatus::kInconclusive);
  EXPECT_EQ(merged.reused_from, std::nullopt);
  EXPECT_EQ(merged.figures.at(0).upper, 0.9) << "bounds add up all the same";
}

// "yes" or "no", as docs/decisions/suite.md says it.
TEST(Decided, IsWhatThePageSays) {
  std::ifstream in(std::string(ASSAY_SOURCE_DIR) + "/docs/decisions/suite.md");
  std::set<std::string> kinds;
  bool inside = false;
  int rows = 0;
  for (std::string line; std::getline(in, line);) {
    if (line == "| entry | verdict | decided |") inside = true;
    if (inside && line.empty()) break;
    std::smatch cells;
    const std::regex row("\\| ([a-z]+) \\| (.+) \\| (yes|no) \\|");
    if (!inside || !std::regex_match(line, cells, row)) continue;
    ++rows;
    const std::string kind = cells[1], verdict = cells[2];
    const bool is_violated = verdict == "violated";
    for (const auto& [one, name] : enum_names(EntryKind{})) {
      if (kind != "any" && kind != name) continue;
      EntryResult entry{.kind = one,
                        .status = is_violated ? EntryStatus::kViolated : EntryStatus::kHeld,
                        .verdict = verdict};
      EXPECT_EQ(is_decided(entry), cells[3] == "yes") << line;
      for (const auto status :
           {EntryStatus::kInconclusive, EntryStatus::kCouldNotRun, EntryStatus::kMisconfigured}) {
        entry.status = status;
        EXPECT_FALSE(is_decided(entry)) << line;
      }
      if (kind != "any") kinds.insert(kind);
    }
  }
  EXPECT_EQ(rows, 9);
  EXPECT_EQ(kinds.size(), enum_names(EntryKind{}).size());
}

TEST(MergedEvidence, ThatContradictsItselfIsNoResult) {
  const auto merged =
      merge_evidence(result(EntryStatus::kHeld, 0.2, 0.5, 1), result(EntryStatus::kHeld, 0.7, 0.9));
  EXPECT_EQ(merged.status, EntryStatus::kCouldNotRun);
  ASSERT_TRUE(merged.error.has_value());
  EXPECT_THAT(merged.error->message,
              HasSubstr("contradict each other: eps is at least 0.7 and at most 0.5"));
  EXPECT_LE(merged.figures.at(0).lower, merged.figures.at(0).upper);
  const auto violated = merge_evidence(result(EntryStatus::kViolated, 1.2, 2.0, 1),
                                       result(EntryStatus::kHeld, 0.1, 0.9));
  EXPECT_EQ(violated.status, EntryStatus::kViolated);
  EXPECT_THAT(violated.details.at(0), HasSubstr("contradict"));
}

TEST(MergedEvidence, TakesTheBestPowerAndTheLatestTimes) {
  auto before = result(EntryStatus::kHeld, 0.1, 0.9);
  auto now = before;
  before.figures = {{"power", FigureKind::kPower, 0.3, 0.3, {}, {}},
                    {"t", FigureKind::kTime, 1, 1, {}, {1.0}},
                    {"old", FigureKind::kError, 0, 1, {}, {}}};
  now.figures = {{"t", FigureKind::kTime, 2, 2, {}, {2.0}},
                 {"power", FigureKind::kPower, 0.4, 0.4, {}, {}}};
  const auto merged = merge_evidence(before, now);
  ASSERT_EQ(merged.figures.size(), 3u);
  EXPECT_EQ(merged.figures[0].repetitions, std::vector<double>{2.0});
  EXPECT_EQ(merged.figures[1].upper, 0.3);
  EXPECT_EQ(merged.figures[2].name, "old");
}

// Laws over random results of one content: repeating changes nothing, the order of bounds does not
// matter, and no violation is ever lost.
TEST(MergedEvidence, ObeysItsDistributions) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    testing::RandomSuite random(seed);
    const auto a = testing::with_times_last(random.entry("a"));
    const auto b = testing::with_times_last(random.entry("a"));
    const auto text = [](const EntryResult& entry) { return json_text(entry_json(entry)); };
    const auto once = merge_evidence(a, b);
    EXPECT_EQ(text(merge_evidence(a, a)), text(a));
    EXPECT_TRUE(read_entry(text(once)).has_value())
        << "every result is one that a history can keep";
    if (a.status == EntryStatus::kViolated || b.status == EntryStatus::kViolated) {
      EXPECT_EQ(once.status, EntryStatus::kViolated);
      EXPECT_EQ(merge_evidence(b, a).status, EntryStatus::kViolated);
    }
    if (once.status == EntryStatus::kHeld) {
      EXPECT_TRUE(a.status == EntryStatus::kHeld || b.status == EntryStatus::kHeld);
    }
  }
}

TEST(DigestOfContent, IsSha256OfWhatItSays) {
  // printf '15:assay.content/11:v1:22:ab0:' | sha256sum
  EXPECT_EQ(digest_of_content({"ab", ""}, {}, "v").value(),
            "4dd480f44905f43421caf111c7f2b2561ac6d7c8093ccf0b2334b51609085c1c");
}

TEST(DigestOfContent, SeesEveryWordFileAndVersion) {
  const TemporaryFolder folder;
  const std::string one = folder.write("one", "1");
  const std::string two = folder.write("two", std::string(100000, 'x'));
  const std::string copy = folder.write("copy", std::string(100000, 'x'));
  std::set<std::string> digests;
  const auto add = [&](const std::vector<std::string>& words, const std::vector<std::string>& files,
                       const std::string& version) {
    const auto digest = must(digest_of_content(words, files, version));
    EXPECT_EQ(digest.size(), 64u);
    EXPECT_TRUE(digests.insert(digest).second);
  };
  add({}, {}, "");
  add({}, {}, "1");
  add({"1"}, {}, "");
  add({"ab", "c"}, {}, "");
  add({"a", "bc"}, {}, "");
  add({"abc"}, {}, "");
  add({"abc", ""}, {}, "");
  add({}, {one}, "");
  add({}, {two}, "");
  add({}, {one, two}, "");
  add({}, {two, one}, "");
  EXPECT_EQ(digest_of_content({}, {two}, "").value(), digest_of_content({}, {copy}, "").value());
  std::ofstream(copy, std::ios::app) << "y";
  add({}, {copy}, "");
  for (const auto& bad : {folder.file("none"), folder.path().string(), std::string("/dev/zero")}) {
    const auto refused = error_of(digest_of_content({}, {bad}, ""));
    EXPECT_EQ(refused.path, bad);
  }
}

}  // namespace
}  // namespace assay
