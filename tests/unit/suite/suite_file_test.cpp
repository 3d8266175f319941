// Suites as they are written: what is read, and what is refused with its file, line and field.
#include "assay/auditors/suite/suite_file.hpp"

#include <cstdlib>

#include "assay/auditors/suite/entry_options.hpp"
#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

class SuiteFiles : public ::testing::Test {
 protected:
  Result<SuiteFile> read(const std::string& text) {
    return read_suite(folder_.write("assay.toml", "schema = \"assay.suite/1\"\n" + text));
  }
  // "line: message", without the folder's name.
  std::string refusal(const std::string& text) {
    const auto suite = read(text);
    if (suite) return "";
    EXPECT_EQ(suite.error().path, folder_.file("assay.toml"));
    return std::to_string(suite.error().line) + ": " + suite.error().message;
  }

  TemporaryFolder folder_;
};

TEST_F(SuiteFiles, EntriesAreOptionsOfTheirJobs) {
  const auto suite = read(R"(name = "mine"
confidence = 0.99
seed = 7
[[audit]]
id = "one"
case = "laplace"
parameters = {epsilon = 0.5, noise = "gumbel", wide = true}
claim = "eps=1"
samples = 1000
stop-when-decided = true
deterministic = false
tier = "smoke"
severity = "warn"
tags = ["b", "a"]
value = 2.5
see = 1.1
[[verify]]
id = "two"
claims = ["ts-*", "sst-sti"]
[[account]]
id = "three"
what = "gaussian"
sigma = 2
below = "eps=3,delta=1e-6"
)")
                         .value();
  EXPECT_EQ(suite.name, "mine");
  EXPECT_EQ(suite.confidence, 0.99);
  EXPECT_EQ(suite.seed, 7U);
  ASSERT_EQ(suite.entries.size(), 3U);
  const SuiteEntry& one = suite.entries[0];
  EXPECT_EQ(one.kind, EntryKind::kAudit);
  EXPECT_EQ(one.tier, Tier::kSmoke);
  EXPECT_EQ(one.severity, Severity::kWarn);
  EXPECT_THAT(one.tags, ElementsAre("a", "b"));
  EXPECT_EQ(one.value, 2.5);
  EXPECT_EQ(one.place.line, 5);
  std::vector<std::string> words;
  for (const auto& option : one.options) {
    std::string text = option.name;
    for (const auto& word : option.words) text += " " + word;
    words.push_back(text);
  }
  // As the table sorts its keys; a flag that is false is none.
  EXPECT_THAT(words, ElementsAre("case laplace", "claim eps=1",
                                 "parameter epsilon=0.5 noise=gumbel wide=true", "samples 1000",
                                 "see 1.1", "stop-when-decided true"));
  EXPECT_EQ(one.lines.at("samples"), 10);
  EXPECT_THAT(suite.entries[1].options.at(0).words, ElementsAre("ts-*", "sst-sti"));
  EXPECT_EQ(suite.entries[2].below, "eps=3,delta=1e-6");
}

const std::string kEntry = "[[audit]]\nid = \"a\"\ncase = \"laplace\"\n";

TEST_F(SuiteFiles, WhatIsWrongIsNamedWithItsLine) {
  const std::pair<std::string, std::string> wrong[] = {
      {"confidence = 1\n" + kEntry, "2: confidence must be at least 0.5 and below 1"},
      {"seed = -1\n" + kEntry, "2: seed must be a whole number, at least 0"},
      {"[[audit]]\ncase = \"laplace\"\n", "2: [[audit]] needs an id"},
      {"[[audit]]\nid = \"a b\"\n",
       "3: id must be 1 to 100 letters, digits, '-', '_', '.' and '/'"},
      {kEntry + kEntry, "6: the id 'a' is taken"},
      {"audit = 3\n", "2: audit must be tables, [[audit]]"},
      {"[[account]]\nid = \"a\"\nwhat = \"gdp\"\n",
       "2: an account needs below = \"eps=...,delta=...\", the level that it must stay within"},
      {kEntry + "[[suppress]]\nid = \"s\"\n", "5: scope is missing"},
      {kEntry + "[[clear]]\nentry = \"a\"\n", "5: reason is missing"},
      {kEntry + "[[clear]]\nentry = \"\"\nreason = \"r\"\ndate = \"2026-11-25\"\n",
       "6: entry must not be empty"},
      {kEntry + "[[clear]]\nid = \"a\"\n", "6: id is unknown here; known: entry, reason, date"}};
  for (const auto& [text, message] : wrong) EXPECT_EQ(refusal(text), message);
  EXPECT_THAT(refusal(""), HasSubstr("a suite needs an entry"));
  EXPECT_THAT(refusal("confidense = 0.9\n" + kEntry),
              HasSubstr("2: unknown key 'confidense'; did you mean 'confidence'?"));
  EXPECT_THAT(refusal("[[account]]\nid = \"a\"\nwhat = \"gdp\"\nbelow = \"eps=x\"\n"),
              HasSubstr("5: below: "));
  EXPECT_THAT(refusal("[[audit]\n"), HasSubstr("2: "));
  const auto other = read_suite(folder_.write("old.toml", "[[audit]]\nid = \"a\"\n"));
  EXPECT_EQ(other.error().message, "schema = \"assay.suite/1\" is missing");
}

TEST_F(SuiteFiles, WhatIsWrongInAnEntryIsNamedWithItsLine) {
  const std::pair<std::string, std::string> wrong[] = {
      {"samples = 0", "samples must be at least 1, not 0"},
      {"samples = \"many\"", "samples must be a whole number, not 'many'"},
      {"samples = [1, 2]", "samples takes one value, not a list"},
      {"claim = \"\"", "claim is given an empty value"},
      {"transcripts = [\"a\"]", "transcripts takes 2 values"},
      {"parameters = 3", "parameters must be a table, {name = value}"},
      {"confidence = 0.9", "confidence belongs to the whole run, not to one entry"},
      {"severity = \"fatal\"", "severity must be deny | warn | allow, not 'fatal'"},
      {"value = 0", "value must be a number, 0.001 to 1000"}};
  for (const auto& [line, message] : wrong) {
    EXPECT_EQ(refusal(kEntry + line + "\n"), "5: " + message);
  }
  EXPECT_THAT(refusal(kEntry + "sampels = 3\n"),
              HasSubstr("5: [[audit]] has no key 'sampels'; did you mean 'samples'?"));
}

TEST_F(SuiteFiles, ARegretHasListsAndTables) {
  const std::string entry = "[[regret]]\nid = \"a\"\npolicy = \"ftnl\"\n";
  const auto suite = read(entry +
                          "parameters = {epsilon = 1}\nbaseline = \"hedge\"\n"
                          "baseline-parameters = {rate = 0.5}\nmeans = [0.25, 1]\n")
                         .value();
  std::vector<std::string> options;
  for (const auto& option : suite.entries[0].options) {
    for (const auto& word : option.words) options.push_back(option.name + " " + word);
  }
  EXPECT_THAT(options, ElementsAre("baseline hedge", "baseline-parameter rate=0.5", "means 0.25",
                                   "means 1", "parameter epsilon=1", "policy ftnl"));
  const std::pair<std::string, std::string> wrong[] = {
      {"horizon = 0", "horizon must be 1 to 10000000, not 0"},
      {"runs = 0.5", "runs must be a whole number, not '0.5'"},
      {"at-most = -1", "at-most must be at least 0, not -1"},
      {"means = [0.5, \"x\"]", "means must be a number, not 'x'"},
      {"at_most = 1",
       "[[regret]] has no key 'at_most'; did you mean 'at-most'?; assay.toml(5) "
       "names its keys"}};
  for (const auto& [line, message] : wrong)
    EXPECT_EQ(refusal(entry + line + "\n"), "5: " + message);
  EXPECT_THAT(refusal(entry + "environment = \"arms\"\n"),
              StartsWith("5: environment must be bernoulli-arms | "));
}

TEST_F(SuiteFiles, TextsNameVariablesOfTheEnvironment) {
  setenv("ASSAY_TEST_CASE", "laplace", 1);
  unsetenv("ASSAY_TEST_NONE");
  const auto suite = read(
                         "[[audit]]\nid = \"a\"\ncase = \"${ASSAY_TEST_CASE}\"\n"
                         "claim = \"eps=${ASSAY_TEST_NONE:-1}\"\ninput = \"$$x\"\n")
                         .value();
  EXPECT_EQ(suite.entries[0].options[0].words[0], "laplace");
  EXPECT_EQ(suite.entries[0].options[1].words[0], "eps=1");
  EXPECT_EQ(suite.entries[0].options[2].words[0], "$x");
  EXPECT_EQ(refusal("[[audit]]\nid = \"a\"\ncase = \"${ASSAY_TEST_NONE}\"\n"),
            "4: case names the environment variable ASSAY_TEST_NONE, which is not set; "
            "${ASSAY_TEST_NONE:-text} has a default for that case");
  EXPECT_EQ(refusal("[[audit]]\nid = \"a\"\ncase = \"${X\"\n"), "4: case has '${' without '}'");
}

// Who can write the environment of a run could otherwise clear what nobody reviewed.
TEST_F(SuiteFiles, AClearSaysWhatWasCommitted) {
  setenv("ASSAY_TEST_DAY", "2026-11-25", 1);
  const auto suite =
      read(
          "[[audit]]\nid = \"a\"\ncase = \"laplace\"\n"
          "[[clear]]\nentry = \"a\"\nreason = \"$$5\"\ndate = \"${ASSAY_TEST_DAY}\"\n"
          "[[clear]]\nentry = \"a\"\nreason = \"r\"\ndate = 2026-11-25\n")
          .value();
  EXPECT_EQ(suite.clears.at(0).reason, "$$5");
  EXPECT_EQ(suite.clears.at(0).date, "${ASSAY_TEST_DAY}");
  EXPECT_EQ(suite.clears.at(1).date, "2026-11-25");
  EXPECT_EQ(suite.clears.at(1).place.line, 9);
}

TEST_F(SuiteFiles, IncludedFilesComeFirstAndHaveNoHeadOfTheirOwn) {
  std::filesystem::create_directory(folder_.path() / "more");
  folder_.write("more/b.toml", "schema = \"assay.suite/1\"\n[[audit]]\nid = \"b\"\n");
  const auto suite = read("include = [\"more/b.toml\"]\n[[audit]]\nid = \"a\"\n").value();
  EXPECT_EQ(suite.entries.at(0).id, "b");
  EXPECT_EQ(suite.entries.at(0).place.file, folder_.file("more/b.toml"));
  EXPECT_EQ(suite.entries.at(1).id, "a");

  folder_.write("more/b.toml", "schema = \"assay.suite/1\"\nseed = 3\n[[audit]]\nid = \"b\"\n");
  const auto head = read("include = [\"more/b.toml\"]\n").error();
  EXPECT_EQ(head.path, folder_.file("more/b.toml"));
  EXPECT_EQ(head.message, "seed belongs in the suite, not in a file that it includes");
  folder_.write("more/b.toml", "schema = \"assay.suite/1\"\ninclude = [\"../assay.toml\"]\n");
  EXPECT_EQ(read("include = [\"more/b.toml\"]\n").error().message, "includes itself");
  const auto missing = read("include = [\"c.toml\"]\n").error();
  EXPECT_EQ(missing.code, ErrorCode::kIo);
  EXPECT_EQ(missing.path, folder_.file("c.toml"));
}

TEST(SuiteSchema, IsTheOneInTheTree) {
  EXPECT_TRUE(suite_schema() == read_file(ASSAY_SOURCE_DIR "/schemas/suite.schema.json"))
      << "write it anew: assay suite schema > schemas/suite.schema.json";
}

// What the run decides for all entries, and what an entry has beside its options.
TEST(SuiteSchema, EntriesHaveTheOptionsOfTheirJobs) {
  for (const auto& [kind, name] : enum_names(EntryKind{})) {
    const auto options = entry_options(kind);
    EXPECT_GE(options.size(), 3U) << name;
    for (const auto& option : options) {
      EXPECT_NE(option.key, "threads");
      EXPECT_NE(option.key, "confidence");
      for (const auto& key : entry_keys()) EXPECT_NE(option.key, key.name) << name;
    }
  }
}

}  // namespace
}  // namespace assay
