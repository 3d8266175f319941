// An entry's JSON reads back as it was, and what is not such a JSON is refused by field.
#include "assay/auditors/suite/suite_json.hpp"

#include "assay/auditors/suite/suite_report_writers.hpp"
#include "assay/tests/support/random_suite.hpp"

namespace assay {
namespace {

std::string text_of(const EntryResult& entry) { return json_text(entry_json(entry)); }

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

// Every field differs from its default, so that one that is lost shows.
EntryResult full_entry() {
  testing::RandomSuite random(1);
  EntryResult entry = random.entry("a");
  entry.figures = {{"eps", FigureKind::kLoss, 0.25, HUGE_VAL, 1.0, {}},
                   {"run", FigureKind::kTime, 0.5, 0.75, {}, {0.5, 0.75}}};
  entry.witness = EntryWitness{"old", "new", ~0ull, 3, "1", "2", "assay audit"};
  entry.error = Error{ErrorCode::kTarget, "failed", "/x", 4};
  entry.status = EntryStatus::kViolated;
  entry.reused_from = 12;
  entry.suppressed_by = "s";
  entry.seconds = 1.5;
  return entry;
}

TEST(SuiteJson, ReadsBackAsItWas) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const EntryResult entry = testing::RandomSuite(seed).entry("id");
    const auto read = must(read_entry(text_of(entry)));
    EXPECT_EQ(text_of(read), text_of(entry)) << seed;
  }
  const EntryResult entry = full_entry();
  const auto read = must(read_entry(text_of(entry)));
  EXPECT_EQ(read.kind, entry.kind);
  EXPECT_EQ(read.severity, entry.severity);
  EXPECT_EQ(read.status, EntryStatus::kViolated);
  ASSERT_EQ(read.figures.size(), 2u);
  EXPECT_EQ(read.figures[0].upper, HUGE_VAL);
  EXPECT_EQ(read.figures[0].allowed, 1.0);
  EXPECT_EQ(read.figures[1].repetitions, (std::vector<double>{0.5, 0.75}));
  EXPECT_EQ(read.witness->seed, ~0ull);
  EXPECT_EQ(read.error->code, ErrorCode::kTarget);
  EXPECT_EQ(read.error->line, 4);
  EXPECT_EQ(read.place.line, entry.place.line);
  EXPECT_EQ(read.reused_from, 12);
  EXPECT_EQ(read.suppressed_by, "s");
  EXPECT_EQ(read.seconds, 1.5);
}

TEST(SuiteJson, HasWhatVariesInItsMetaAlone) {
  EntryResult entry = full_entry();
  const auto fixed = [&] { return text_of(entry).substr(0, text_of(entry).find("\"meta\"")); };
  const std::string before = fixed();
  entry.seconds = 99.0;
  entry.figures[1].repetitions = {7.0};
  EXPECT_EQ(fixed(), before);
  entry.figures[0].lower = 0.125;
  EXPECT_NE(fixed(), before);
}

TEST(SuiteJson, NamesTheFieldThatIsWrong) {
  const std::string good = text_of(full_entry());
  const std::vector<std::array<std::string, 3>> faults = {
      {"\"seed\": \"18446744073709551615\"", "\"seed\": -1", "/witness/seed: must be a text of"},
      {"\"seed\": \"18446744073709551615\"", "\"seed\": \"18446744073709551616\"",
       "/witness/seed: must"},
      {"\"status\": \"violated\"", "\"status\": \"fine\"", "/status: must be held, violated"},
      {"\"upper\": \"inf\"", "\"upper\": \"much\"", "/figures/0/upper: must be a number"},
      {"\"upper\": \"inf\"", "\"upper\": 0.125",
       "has the figure 'eps' with a lower bound above its upper"},
      {"\"name\": \"run\"", "\"name\": \"eps\"", "has the figure 'eps' twice"},
      {"\"details\"", "\"detail\"", "/detail: is unknown here; did you mean 'details'"},
      {"\"id\": \"a\"", "\"id\": \"a\", \"x\": 1", "/x: is unknown here"},
      {"\"id\": \"a\"", "\"id\": 1", "/id: must be a text, not 1"},
      {"\"seconds\": 1.5", "\"seconds\": null", "/meta/seconds: must be a number"}};
  for (const auto& [from, to, message] : faults) {
    const auto read = read_entry(replaced(good, from, to));
    ASSERT_FALSE(read.has_value()) << to;
    EXPECT_THAT(read.error().to_string(), HasSubstr(message));
  }
  for (std::size_t length = 0; length < good.size(); length += 7) {
    EXPECT_FALSE(read_entry(good.substr(0, length)).has_value());
  }
  for (const char* other : {"[]", "1", "null", "{}", "{\"id\": \"a\"}"}) {
    EXPECT_FALSE(read_entry(other).has_value()) << other;
  }
}

TEST(SuiteJson, ReadsAReportAndRefusesOthers) {
  const std::string entry = text_of(full_entry());
  SuiteReport written{.name = "n", .run = 3};
  const std::string text = to_json(written);
  const auto report = [&](const std::string& schema, const std::string& entries) {
    return replaced(replaced(text, "assay.suite-report/2", schema), "\"entries\": []",
                    "\"entries\": [" + entries + "]");
  };
  const auto read = must(read_suite_report(report("assay.suite-report/2", entry)));
  EXPECT_EQ(read.name, "n");
  EXPECT_EQ(read.run, 3);
  EXPECT_EQ(text_of(read.entries.at(0)), entry);
  const auto message = [](const std::string& text) {
    const auto refused = read_suite_report(text);
    return refused ? "" : refused.error().to_string();
  };
  EXPECT_THAT(message(report("assay.suite-report/3", entry)), HasSubstr("assay.suite-report/2"));
  EXPECT_THAT(message(report("assay.suite-report/2", entry + "," + entry)), HasSubstr("'a' twice"));
  EXPECT_THAT(message(report("assay.suite-report/2", "3")),
              HasSubstr("/entries/0: must be an object"));
  EXPECT_THAT(message("{"), HasSubstr("is not JSON"));
  EXPECT_THAT(message("[1]"), HasSubstr("is not a report"));
}

// The words of a witness were others, its seed a number, and an error had an empty path and no line.
TEST(SuiteJson, ReadsVersion1) {
  std::string entry = text_of(full_entry());
  for (const auto& [now, before] : std::vector<std::pair<std::string, std::string>>{
           {"base_input", "old_input"},
           {"neighbour_input", "new_input"},
           {"base_action", "old_action"},
           {"neighbour_action", "new_action"},
           {"\"18446744073709551615\"", "18446744073709551615"},
           {"\"path\": \"/x\", \"line\": 4", "\"path\": \"\", \"line\": 0"}}) {
    entry = replaced(entry, now, before);
  }
  const auto read = must(read_entry(entry));
  EXPECT_EQ(read.witness->base_input, "old");
  EXPECT_EQ(read.witness->neighbour_action, "2");
  EXPECT_EQ(read.witness->seed, ~0ull);
  EXPECT_EQ(read.error->line, 0);
  std::string report =
      replaced(to_json(SuiteReport{}), "\"entries\": []", "\"entries\": [" + entry + "]");
  report = replaced(report, "assay.suite-report/2", "assay.suite-report/1");
  const auto whole = must(read_suite_report(report));
  EXPECT_EQ(whole.entries.at(0).witness->neighbour_input, "new");
}

TEST(SuiteJson, ReadsWhatTheWriterOfReportsWrites) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const SuiteReport report = testing::RandomSuite(seed).report();
    const auto read = must(read_suite_report(to_json(report)));
    ASSERT_EQ(read.entries.size(), report.entries.size());
    for (std::size_t i = 0; i < report.entries.size(); ++i) {
      EXPECT_EQ(text_of(read.entries[i]), text_of(report.entries[i]));
    }
  }
}

}  // namespace
}  // namespace assay
