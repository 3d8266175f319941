// A baseline reads back as it was written, keeps certified bounds certified, and is a file for reviews.
#include "assay/auditors/suite/baseline.hpp"

#include "assay/tests/support/random_suite.hpp"
#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

SuiteReport small_report() {
  SuiteReport report{.name = "mine", .file = "/srv/somebody/assay.toml", .revision = "abc"};
  report.meta.started = "2026-11-23T10:00:00Z";
  EntryResult b;
  b.id = "b";
  b.status = EntryStatus::kViolated;
  b.severity = Severity::kWarn;
  b.claim = "eps = 1";
  b.place.file = "/srv/somebody/assay.toml";
  b.figures = {{"eps", FigureKind::kLoss, 1.23456, 2.34561, 1.0, {}}};
  EntryResult a;
  a.id = "a";
  a.kind = EntryKind::kBench;
  a.figures = {{"z", FigureKind::kTime, 0.1, 0.2, {}, {0.123456, 0.2}},
               {"error", FigureKind::kError, 0.0, HUGE_VAL, {}, {}}};
  report.entries = {b, a};
  return report;
}

TEST(Baseline, IsSortedShortAndOfNoMachine) {
  EXPECT_EQ(
      to_toml(baseline_of(small_report())),
      "# `assay suite update` wrote this file; `assay suite run` compares with it. Bounds are rounded outward.\n"
      "# A violated entry stays a failure.\n"
      "schema = \"assay.suite-baseline/1\"\n"
      "suite = \"mine\"\n"
      "entries = [\n"
      "  {id = \"a\", kind = \"bench\", status = \"held\"},\n"
      "  {id = \"a\", figure = \"error\", kind = \"error\", lower = 0, upper = inf},\n"
      "  {id = \"a\", figure = \"z\", kind = \"time\", lower = 0.1, upper = 0.2, repetitions = [0.1235, 0.2]},\n"
      "  {id = \"b\", kind = \"audit\", severity = \"warn\", status = \"violated\", claim = \"eps = 1\"},\n"
      "  {id = \"b\", figure = \"eps\", kind = \"loss\", lower = 1.234, upper = 2.346, allowed = 1},\n"
      "]\n");
}

TEST(Baseline, ReadsBackAsItWasWritten) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const SuiteReport report = testing::RandomSuite(seed).report();
    const Baseline baseline = baseline_of(report);
    const std::string text = to_toml(baseline);
    const auto read = parse_baseline(text, "b.toml");
    ASSERT_TRUE(read.has_value()) << read.error().to_string() << "\n" << text;
    EXPECT_EQ(to_toml(*read), text);
    ASSERT_EQ(read->entries.size(), report.entries.size());
    std::size_t figures = 0;
    for (const auto& entry : read->entries) figures += entry.figures.size();
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'),
              static_cast<std::ptrdiff_t>(6 + report.entries.size() + figures));
  }
}

TEST(Baseline, RoundsOutwardAndNoFurtherTheSecondTime) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SuiteReport report = testing::RandomSuite(seed).report();
    const Baseline baseline = baseline_of(report);
    for (auto& entry : report.entries) {
      const auto kept = std::find_if(baseline.entries.begin(), baseline.entries.end(),
                                     [&](const auto& one) { return one.id == entry.id; });
      ASSERT_NE(kept, baseline.entries.end());
      for (const auto& figure : entry.figures) {
        const auto is = std::find_if(kept->figures.begin(), kept->figures.end(),
                                     [&](const auto& one) { return one.name == figure.name; });
        ASSERT_NE(is, kept->figures.end());
        EXPECT_LE(is->lower, figure.lower);
        EXPECT_GE(is->upper, figure.upper);
        EXPECT_GE(is->lower, figure.lower * (1.0 - 1.1e-3));
        if (std::isfinite(figure.upper)) {
          EXPECT_LE(is->upper, figure.upper * (1.0 + 1.1e-3));
        }
      }
      entry.figures = kept->figures;
    }
    EXPECT_EQ(to_toml(baseline_of(report)), to_toml(baseline));
  }
}

TEST(Baseline, NamesFileAndLineOfWhatIsWrong) {
  const std::string head = "schema = \"assay.suite-baseline/1\"\nsuite = \"s\"\nentries = [\n";
  const std::string entry = "  {id = \"a\", kind = \"audit\", status = \"held\"},\n";
  const std::string figure =
      "  {id = \"a\", figure = \"f\", kind = \"loss\", lower = 0.5, upper = 1},\n";
  ASSERT_TRUE(parse_baseline(head + entry + figure + "]\n", "b").has_value());
  const std::vector<std::array<std::string, 2>> faults = {
      {"", "b:1: schema is missing"},
      {"schema = \"assay.suite-baseline/2\"\n",
       "b:1: schema must be \"assay.suite-baseline/1\", not "
       "'assay.suite-baseline/2': it is of another version of Assay"},
      {"schema = \"else\"\n", "b:1: schema must be"},
      {"schema = \"assay.suite-baseline/1\"\nsuite = \"s\"\n", "entries is missing"},
      {head + "]\nextra = 1\n", "b:5: extra is unknown here; known: schema, suite, entries"},
      {head + entry + entry + "]\n", "b:5: entry 'a' appears twice"},
      {head + figure + entry + "]\n", "b:4: entry 'a' has no line before its figures"},
      {head + entry + figure + figure + "]\n", "b:6: figure 'f' of entry 'a' appears twice"},
      {head + entry + "  {id = \"a\", figure = \"f\", kind = \"loss\", lower = 2, upper = 1},\n]\n",
       "b:5: lower must not be more than upper"},
      {head + entry +
           "  {id = \"a\", figure = \"f\", kind = \"loss\", lower = nan, upper = 1},\n]\n",
       "b:5: lower must be a number"},
      {head + entry + "  {id = \"a\", figure = \"f\", kind = \"size\", lower = 0, upper = 1},\n]\n",
       "b:5: kind must be loss, power, time or error, not 'size'"},
      {head + "  {id = \"a\", kind = \"audit\", status = \"held\", upper = 1},\n]\n",
       "b:4: upper is unknown here"},
      {head + "  {kind = \"audit\", status = \"held\"},\n]\n", "b:4: id is missing"},
      {head + "  3,\n]\n", "b:4: entries must be a list of tables"},
      {head + entry, "b:4: Error while parsing array"},
      {"\xff\xfe", "UTF-8"}};
  for (const auto& [text, message] : faults) {
    const auto read = parse_baseline(text, "b");
    ASSERT_FALSE(read.has_value()) << text;
    EXPECT_THAT(read.error().to_string(), HasSubstr(message)) << text;
  }
}

TEST(Baseline, IsAFile) {
  const TemporaryFolder folder;
  const Baseline baseline = baseline_of(small_report());
  ASSERT_TRUE(write_baseline(folder.file("b.toml"), baseline).has_value());
  const auto read = must(read_baseline(folder.file("b.toml")));
  EXPECT_EQ(to_toml(read), to_toml(baseline));
  EXPECT_THAT(read_baseline(folder.file("no.toml")).error().to_string(), HasSubstr("no.toml"));
  EXPECT_FALSE(write_baseline(folder.file("no/b.toml"), baseline).has_value());
}

}  // namespace
}  // namespace assay
