
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "assay/auditors/suite/suite_findings.hpp"
#include "assay/auditors/suite/suite_json.hpp"
#include "assay/auditors/suite/suite_report_writers.hpp"
#include "assay/auditors/text/safe_text.hpp"
#include "assay/tests/support/document_checks.hpp"
#include "assay/tests/support/golden.hpp"
#include "assay/tests/support/run_command.hpp"
#include "assay/tests/support/sample_suite.hpp"

namespace assay {
namespace {

using Tree = nlohmann::ordered_json;
using testing::hostile_suite_report;
using testing::hostile_text;
using testing::sample_suite_report;

constexpr std::size_t kMany = 30000;

// Made once: 30,000 failures.
const SuiteReport& many_failures() {
  static const SuiteReport report = testing::large_suite_report(kMany);
  return report;
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

CommandResult python(const std::string& script, const std::string& text,
                     const std::string& name = "in") {
  const TemporaryFolder folder;
  return run_command({ASSAY_PYTHON, "-c", script, folder.write(name, text)});
}

// ---- findings -----------------------------------------------------------------------------------

TEST(SuiteFindings, AreTheFailuresWithThoseThatFailTheRunFirst) {
  const SuiteReport report = sample_suite_report();
  std::vector<std::string> titles;
  std::vector<bool> fails;
  for (const SuiteFinding& finding : findings_of(report)) {
    titles.push_back(entry_title({finding}));
    fails.push_back(finding.fails);
  }
  EXPECT_THAT(titles,
              ::testing::ElementsAre("thompson: violated", "ebs: weak", "typo: misconfigured",
                                     "gone: vanished", "hedge: weaker bound", "known: violated",
                                     "their-policy: could not run"));
  EXPECT_THAT(fails, ::testing::ElementsAre(true, true, true, true, true, false, false));
}

// One failure of an entry, however many findings it has.
TEST(SuiteFindings, OfAnEntryAreOneFailure) {
  const SuiteReport report = testing::regressed_sample_report();
  const auto failures = failures_of(report);
  ASSERT_EQ(failures.size(), 2U);
  EXPECT_EQ(entry_title(failures[0]), "thompson: violated, weaker bound (3)");
  EXPECT_EQ(entry_title(failures[1]), "hedge: weaker bound, slower");
  EXPECT_THAT(suite_headline(report), StartsWith("Fails: 1 violated, 1 weaker bound."));
  const auto rules = by_rule(failures[0]);
  ASSERT_EQ(rules.size(), 2U);
  EXPECT_EQ(rule_message(rules[1]),
            "thompson-sampling guarantees less than in the baseline: eps at delta = 0 is at most "
            "1.5; it was 0.9; and 2 more.");
}

TEST(SuiteFindings, AnInconclusiveEntryFailsIfTheRunWantsDecisionsAndAWeakOneAlways) {
  SuiteReport report;
  EntryResult entry = testing::sample_entry("a", EntryStatus::kInconclusive, 1);
  EXPECT_FALSE(is_failure(entry, report));
  entry.status = EntryStatus::kWeak;
  EXPECT_TRUE(fails_run(entry, report));
  entry.status = EntryStatus::kInconclusive;
  report.fails_on_inconclusive = true;
  EXPECT_TRUE(fails_run(entry, report));
}

TEST(SuiteFindings, NothingExcusesWhatIsMisconfigured) {
  SuiteReport report{.entries = {testing::sample_entry("a", EntryStatus::kMisconfigured, 1)}};
  report.entries[0].severity = Severity::kAllow;
  report.entries[0].suppressed_by = "s";
  const auto findings = findings_of(report);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_TRUE(findings[0].fails);
  EXPECT_EQ(findings[0].severity, Severity::kDeny);
  EXPECT_EQ(status_text(report.entries[0], report), "misconfigured");
}

TEST(SuiteFindings, SayWhichGuaranteeAndByHowMuch) {
  const SuiteReport report = sample_suite_report();
  const auto findings = findings_of(report);
  EXPECT_EQ(
      finding_message(findings[0]),
      "thompson-sampling violates its claim eps = 1: eps at delta = 0 is at least 1.3; the claim "
      "allows 1.");
  EXPECT_EQ(
      finding_message(findings[1]),
      "The audit of thompson-sampling is too weak for its claim eps = 1: on this pair, only a "
      "leak of eps >= 2 would probably have been seen.");
  EXPECT_EQ(finding_message(findings[3]),
            "The entry has vanished: it is in the baseline and not in the suite.");
  EXPECT_EQ(finding_message(findings[6]),
            "./their_policy --fast could not run: the program ended with status 3.");
}

// 1.3 - 1 in doubles is 0.30000000000000004, above the true difference of the decimals; 1 + 2^-52 exceeds 1.
TEST(SuiteFindings, AnExcessIsNeverRoundedUp) {
  EntryResult entry = testing::violated_sample_entry();
  entry.figures[0].lower = 1.29999;
  EXPECT_EQ(figure_texts(entry.figures[0]).lower, "1.2999");
  EXPECT_THAT(to_text(SuiteReport{.entries = {entry}}), HasSubstr("by at least 0.2999\n"));
  entry.figures[0].lower = std::nextafter(1.0, 2.0);
  EXPECT_NE(figure_texts(entry.figures[0]).lower, "1");
}

TEST(SuiteFindings, WhatIsAllowedNeverReadsAsABoundThatItIsNot) {
  EntryFigure figure{"eps", FigureKind::kLoss, 1.0, 1.00001, 1.000004, {}};
  const SuiteFigureTexts texts = figure_texts(figure);
  EXPECT_EQ(texts.lower, "1");
  EXPECT_EQ(texts.allowed, "1.000004");
  EXPECT_EQ(texts.upper, "1.0001");
  figure = {"delta", FigureKind::kLoss, 0.2, 0.3, 0.09999809516076777, {}};
  EXPECT_EQ(figure_texts(figure).allowed, "0.099998");
}

// The lines of an error, and of a program's standard error in it, are one sentence.
TEST(SuiteFindings, LinesOfAnErrorAreJoined) {
  EntryResult entry = testing::sample_entry("a", EntryStatus::kCouldNotRun, 1);
  entry.error = Error{ErrorCode::kTarget,
                      "it ended; its last lines on standard error:\n    Traceback:\n\n      here\n"
                      "say --env",
                      "", 0};
  entry.headline = entry.error->message;
  const std::string joined =
      "it ended; its last lines on standard error: Traceback: here; say --env";
  EXPECT_EQ(found_text(entry), joined);
  SuiteReport report;
  report.entries = {entry};
  EXPECT_THAT(to_junit(report), AllOf(HasSubstr(joined), Not(HasSubstr(":;"))));
}

TEST(SuiteFindings, TheReasonIsNotSaidTwiceInABlock) {
  SuiteReport report;
  EntryResult entry = testing::sample_entry("a", EntryStatus::kCouldNotRun, 1);
  entry.error = Error{ErrorCode::kTarget, "its runs are alike", "", 0};
  entry.headline = "its runs are alike";
  entry.details = {"why: its runs are alike", "why: an earlier reason"};
  report.entries = {entry};
  for (const bool full : {false, true}) {
    const std::string text = to_text(report, {false, 80, full});
    EXPECT_THAT(text,
                AllOf(HasSubstr("Found       its runs are alike\n"), Not(HasSubstr("Why  "))));
  }
}

TEST(SuiteFindings, AnErrorIsSaidOnceWithItsPlace) {
  EntryResult entry = testing::sample_entry("a", EntryStatus::kMisconfigured, 1);
  entry.error = Error{ErrorCode::kParse, "no such case", "a.toml", 3};
  EXPECT_EQ(found_text(entry), "a.toml:3: no such case");
  entry.headline = "no such case";
  EXPECT_EQ(found_text(entry), "a.toml:3: no such case");
  entry.headline = "stopped";
  EXPECT_EQ(found_text(entry), "stopped: a.toml:3: no such case");
}

TEST(SuiteFindings, TheHeadlineCountsEverything) {
  EXPECT_EQ(
      suite_headline(sample_suite_report()),
      "Fails: 1 violated, 1 weak, 1 misconfigured, 1 vanished, 1 weaker bound. Of 8 "
      "entries 2 held, 2 violated, 1 weak, 1 inconclusive, 1 could not run, 1 misconfigured. 2 failures "
      "do not fail the run: 1 suppressed, 1 by severity.");
  SuiteReport report;
  EXPECT_EQ(suite_headline(report), "Nothing fails. No entry was run.");
  report.entries.push_back(testing::sample_entry("a", EntryStatus::kHeld, 1));
  report.interrupted = true;
  EXPECT_EQ(suite_headline(report), "Interrupted. Nothing fails. Of 1 entry 1 held.");
}

TEST(SuiteFindings, LongTextsEndWithWhatIsLeftOutAndStayUtf8) {
  const std::string euro = "\xe2\x82\xac";
  EXPECT_EQ(shortened(euro + euro, 6), euro + euro);
  EXPECT_EQ(shortened(euro + euro + euro, 8), euro + euro + "... (3 bytes more)");
  EXPECT_EQ(shortened("a\nb", 9), "a b");
}

// ---- all of them --------------------------------------------------------------------------------

using Writer = std::string (*)(const SuiteReport&);
struct NamedWriter {
  const char* file;
  Writer write;
};
const std::vector<NamedWriter> kWriters = {
    {"suite_report.txt",
     [](const SuiteReport& r) {
       return to_text(r, {false, 80, false});
     }},
    {"suite_report.full.txt", [](const SuiteReport& r) { return to_text(r); }},
    {"suite_report.json", to_json},
    {"suite_report.sarif", to_sarif},
    {"suite_report.xml", to_junit},
    {"suite_report.codequality.json", to_code_quality},
    {"suite_report.github.txt", to_github},
    {"suite_report.summary.md", to_github_summary},
    {"suite_report.md", to_markdown}};

TEST(SuiteReports, ReadAsTheGoldenFilesDo) {
  for (const NamedWriter& writer : kWriters)
    testing::expect_golden(writer.file, writer.write(sample_suite_report()));
  testing::expect_golden("suite_report.regressed.txt",
                         to_text(testing::regressed_sample_report(), {false, 80, false}));
}

TEST(SuiteReports, AreTheSameForTheSameReportAndDependOnTheTimeOnlyWhereTheySay) {
  SuiteReport later = sample_suite_report();
  later.meta.started = "2027-01-01T00:00:00Z";
  later.meta.seconds = later.entries[0].seconds = 99.0;
  for (const NamedWriter& writer : kWriters) {
    const std::string name = writer.file;
    EXPECT_EQ(writer.write(sample_suite_report()), writer.write(sample_suite_report())) << name;
    if (name == "suite_report.json" || name == "suite_report.xml") continue;
    EXPECT_EQ(writer.write(later), writer.write(sample_suite_report())) << name;
  }
  EXPECT_EQ(to_html(sample_suite_report(), testing::sample_history()),
            to_html(sample_suite_report(), testing::sample_history()));
}

TEST(SuiteReports, ShowHostileTextAsText) {
  const SuiteReport report = hostile_suite_report(hostile_text());
  for (const NamedWriter& writer : kWriters) {
    SCOPED_TRACE(writer.file);
    testing::expect_shown_as_it_reads(writer.write(report));
  }
  testing::expect_shown_as_it_reads(to_html(report, testing::sample_history()));
}

TEST(SuiteReports, OfAnEmptyRunAreWellFormed) {
  const SuiteReport empty;
  EXPECT_TRUE(Tree::accept(to_json(empty)));
  EXPECT_TRUE(Tree::accept(to_sarif(empty)));
  EXPECT_EQ(to_github(empty), "");
  EXPECT_THAT(to_text(empty), StartsWith("Nothing fails. No entry was run."));
}

// ---- text ---------------------------------------------------------------------------------------

TEST(SuiteText, KeepsToItsWidthAndColoursRepeatWords) {
  const SuiteReport report = sample_suite_report();
  for (const int width : {60, 80, 120}) {
    for (const std::string& line : lines_of(to_text(report, {false, width})))
      EXPECT_LE(column_count(line), static_cast<std::size_t>(width)) << line;
  }
  std::string coloured = to_text(report, {true, 80});
  EXPECT_THAT(coloured, HasSubstr("\x1b["));
  for (std::size_t at; (at = coloured.find("\x1b[")) != std::string::npos;)
    coloured.erase(at, coloured.find('m', at) - at + 1);
  EXPECT_EQ(coloured, to_text(report, {false, 80}));
}

TEST(SuiteText, HoldsNoCommandOfAStepOfGithub) {
  SuiteReport report = sample_suite_report();
  const std::string filler(70, 'x');
  report.entries[1].headline = filler + " ::error file=a::b " + filler + " ##[error]c";
  report.notes = {filler + " ::stop-commands::x"};
  const std::string text = to_text(report);
  EXPECT_THAT(text, HasSubstr("|::error"));  // so the line did begin with it
  EXPECT_THAT(text, Not(HasSubstr("##[")));
  for (const std::string& line : lines_of(text)) {
    const auto first = line.find_first_not_of(' ');
    EXPECT_FALSE(first != std::string::npos && line.compare(first, 2, "::") == 0) << line;
  }
}

// Each entry that fails has one block, of which no line repeats another.
TEST(SuiteText, ShowsOneShortBlockForEachEntryThatFails) {
  const SuiteReport report = testing::regressed_sample_report();
  const std::string text = to_text(report, {false, 80, false});
  EXPECT_EQ(count_of(text, "\nthompson: "), 1U);
  EXPECT_EQ(count_of(text, "\nhedge: "), 1U);
  EXPECT_EQ(count_of(text, "Baseline"), 2U);
  std::set<std::string> seen;
  std::size_t lines = 0;
  for (const std::string& line : lines_of(text.substr(text.find("\nthompson: ") + 1))) {
    if (line.empty()) break;
    EXPECT_TRUE(seen.insert(line).second) << line;
    ++lines;
  }
  EXPECT_LE(lines, 15U);
  const std::string full = to_text(report);
  for (const EntryChange& change : report.changes) {
    EXPECT_EQ(count_of(full, "Baseline    " + change.statement), 1U) << full;
  }
}

// ---- JSON ---------------------------------------------------------------------------------------

TEST(SuiteJson, ValidatesAgainstTheCommittedSchema) {
  const std::string schema = "suite-report.schema.json";
  for (const SuiteReport& report :
       {sample_suite_report(), hostile_suite_report(hostile_text()), SuiteReport{}}) {
    expect_valid(schema, to_json(report));
  }
  Tree wrong = Tree::parse(to_json(sample_suite_report()));
  wrong["entries"][0]["status"] = "passed";
  wrong["colour"] = "red";
  const CommandResult result = validated(schema, wrong.dump());
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err, HasSubstr("passed"));
  EXPECT_THAT(result.err, HasSubstr("colour"));
}

TEST(SuiteJson, EndsWithItsMetaAndReadsBack) {
  const SuiteReport report = sample_suite_report();
  const std::string text = to_json(report);
  const Tree tree = Tree::parse(text);
  EXPECT_EQ(tree.begin().key(), "schema");
  EXPECT_EQ(std::prev(tree.end()).key(), "meta");
  EXPECT_EQ(tree["seed"], "18446744073709551615");
  const auto back = must(read_suite_report(text));
  ASSERT_EQ(back.entries.size(), report.entries.size());
  for (std::size_t i = 0; i < report.entries.size(); ++i)
    EXPECT_EQ(json_text(entry_json(back.entries[i])), json_text(entry_json(report.entries[i])));
}

// ---- SARIF --------------------------------------------------------------------------------------

TEST(SuiteSarif, ValidatesAgainstTheOfficialSchemaWhereItIsGiven) {
  const char* schema = std::getenv("ASSAY_SARIF_SCHEMA");
  if (schema == nullptr) GTEST_SKIP() << "ASSAY_SARIF_SCHEMA names no sarif-schema-2.1.0.json";
  for (const SuiteReport& report :
       {sample_suite_report(), hostile_suite_report(hostile_text()), SuiteReport{}}) {
    expect_valid(schema, to_sarif(report));
  }
}

// What code scanning requires, without which it refuses or does not show a file.
void expect_uploadable(const Tree& log) {
  EXPECT_EQ(log["version"], "2.1.0");
  EXPECT_FALSE(log["$schema"].get<std::string>().empty());
  ASSERT_EQ(log["runs"].size(), 1U);
  const Tree& run = log["runs"][0];
  EXPECT_EQ(run["tool"]["driver"]["name"], "Assay");
  const Tree& rules = run["tool"]["driver"]["rules"];
  for (const Tree& rule : rules) {
    for (const char* text : {"shortDescription", "fullDescription", "help"}) {
      EXPECT_FALSE(rule[text]["text"].get<std::string>().empty());
      EXPECT_LE(rule[text]["text"].get<std::string>().size(), 1024U);
    }
    EXPECT_LE(rule["properties"]["tags"].size(), 10U);
  }
  EXPECT_LE(run["results"].size(), 25000U);
  for (const Tree& result : run["results"]) {
    const auto index = result["ruleIndex"].get<std::size_t>();
    ASSERT_LT(index, rules.size());
    EXPECT_EQ(result["ruleId"], rules[index]["id"]);
    EXPECT_FALSE(result["message"]["text"].get<std::string>().empty());
    EXPECT_FALSE(
        result["partialFingerprints"]["primaryLocationLineHash"].get<std::string>().empty());
    ASSERT_EQ(result["locations"].size(), 1U);
    const Tree& place = result["locations"][0]["physicalLocation"];
    const auto uri = place["artifactLocation"]["uri"].get<std::string>();
    EXPECT_FALSE(uri.empty());
    EXPECT_NE(uri[0], '/');
    EXPECT_EQ(uri.find_first_of(" \"<>\\^`{|}:"), std::string::npos) << uri;
    EXPECT_NE(uri.compare(0, 2, ".."), 0) << uri;
    EXPECT_EQ(place["artifactLocation"]["uriBaseId"], "%SRCROOT%");
    const Tree& region = place["region"];
    EXPECT_GE(region["startLine"], 1);
    EXPECT_GE(region["startColumn"], 1);
    EXPECT_GE(region["endLine"], region["startLine"]);
    EXPECT_GT(region["endColumn"], region["startColumn"]);
  }
}

TEST(SuiteSarif, HoldsWhatCodeScanningRequires) {
  expect_uploadable(Tree::parse(to_sarif(sample_suite_report())));
  expect_uploadable(Tree::parse(to_sarif(hostile_suite_report(hostile_text()))));
  expect_uploadable(Tree::parse(to_sarif(hostile_suite_report(""))));
}

TEST(SuiteSarif, HoldsFailuresAloneWithTheirLevels) {
  const Tree run = Tree::parse(to_sarif(sample_suite_report()))["runs"][0];
  std::vector<std::string> found;
  for (const Tree& result : run["results"]) {
    found.push_back(result["ruleId"].get<std::string>() + " " + result["level"].get<std::string>() +
                    (result.contains("suppressions") ? " suppressed" : ""));
  }
  EXPECT_THAT(found, ::testing::ElementsAre(
                         "assay/violated error", "assay/weak error", "assay/misconfigured error",
                         "assay/regressed error", "assay/weaker-bound error",
                         "assay/violated error suppressed", "assay/could-not-run warning"));
  EXPECT_THAT(run["results"][0]["message"]["text"].get<std::string>(),
              HasSubstr("Reproduce: assay audit thompson-sampling"));
  EXPECT_EQ(run["automationDetails"]["id"], "assay/my policies/full/12");
}

TEST(SuiteSarif, FingerprintsStayWhenLinesAndNumbersMove) {
  const auto prints = [](const SuiteReport& report) {
    std::vector<std::string> out;
    const Tree log = Tree::parse(to_sarif(report));
    for (const Tree& result : log["runs"][0]["results"])
      out.push_back(result["partialFingerprints"]["primaryLocationLineHash"]);
    return out;
  };
  SuiteReport moved = sample_suite_report();
  for (EntryResult& entry : moved.entries) {
    entry.place.line += 17;
    entry.headline += " still";
    for (EntryFigure& figure : entry.figures) figure.upper *= 1.5;
  }
  moved.run = 13;
  const auto before = prints(sample_suite_report());
  EXPECT_EQ(prints(moved), before);
  EXPECT_EQ(std::set<std::string>(before.begin(), before.end()).size(), before.size());
  moved.entries[1].claim = "eps = 2";
  EXPECT_NE(prints(moved)[0], before[0]);
}

TEST(SuiteSarif, PlacesAreBelowTheRootWhateverTheFilesAreCalled) {
  const auto uri_of = [](const std::string& suite, const std::string& file) {
    SuiteReport report = testing::large_suite_report(1);
    report.file = suite;
    report.entries[0].place = {file, 7, 3};
    const Tree run = Tree::parse(to_sarif(report))["runs"][0];
    const Tree& place = run["results"][0]["locations"][0]["physicalLocation"];
    return place["artifactLocation"]["uri"].get<std::string>() + ":" +
           std::to_string(place["region"]["startLine"].get<int>());
  };
  EXPECT_EQ(uri_of("ci/assay.toml", "./ci/../ci/more tests.toml"), "ci/more%20tests.toml:7");
  EXPECT_EQ(uri_of("/srv/x/assay.toml", "/srv/x/assay.toml"), "assay.toml:7");
  EXPECT_EQ(uri_of("ci/assay.toml", "../other.toml"), "ci/assay.toml:1");
  EXPECT_EQ(uri_of("ci/assay.toml", "C:evil"), "C%3Aevil:7");
  EXPECT_EQ(uri_of("", ""), "assay.toml:7");
}

TEST(SuiteSarif, LeavesOutTheLeastSevereBeyondTheLimitAndSaysSo) {
  SuiteReport report = many_failures();
  report.entries[0].severity = Severity::kAllow;
  const std::string text = to_sarif(report);
  EXPECT_EQ(count_of(text, "\"ruleIndex\": 0"), 25000U);
  EXPECT_THAT(text.substr(0, 20000), HasSubstr("5,000 of 30,000 failures are left out"));
  EXPECT_EQ(text.find("entry-0: thompson-sampling violates"), std::string::npos);
  EXPECT_NE(text.find("entry-25000: thompson-sampling violates"), std::string::npos);
}

TEST(SuiteSarif, MessagesHoldNeitherPlaceholdersNorLinks) {
  const Tree log = Tree::parse(to_sarif(hostile_suite_report(hostile_text())));
  for (const Tree& result : log["runs"][0]["results"]) {
    const auto message = result["message"]["text"].get<std::string>();
    EXPECT_THAT(message, HasSubstr("{{0}}"));
    EXPECT_EQ(message.find("]("), std::string::npos) << message;
  }
}

// ---- JUnit --------------------------------------------------------------------------------------

// Checks what the schemas of Jenkins and of surefire ask for: elements, their order, attributes, and counts
// that are those of the cases.
const char* const kJunitCheck = R"(
import re, sys, xml.etree.ElementTree as ET
root = ET.parse(sys.argv[1]).getroot()
assert root.tag == "testsuites", root.tag
total = {"tests": 0, "failures": 0, "errors": 0}
for suite in root:
    assert suite.tag == "testsuite"
    assert set(suite.attrib) <= {"name", "tests", "failures", "errors", "skipped", "time", "timestamp"}
    assert re.fullmatch(r"\d+\.\d{3}", suite.get("time"))
    tags = [child.tag for child in suite]
    assert tags == ["properties"] + ["testcase"] * (len(tags) - 1), tags
    assert all(set(p.attrib) == {"name", "value"} for p in suite[0])
    seen = {"failure": 0, "error": 0, "skipped": 0}
    for case in suite[1:]:
        assert set(case.attrib) == {"name", "classname", "time"} and case.get("name")
        tags = [child.tag for child in case]
        assert tags in ([], ["system-out"]) or (tags[0] in seen and tags[1:] in ([], ["system-out"])), tags
        if tags and tags[0] in seen:
            seen[tags[0]] += 1
            assert case[0].get("message")
            assert ("type" in case[0].attrib) == (tags[0] != "skipped")
    cases = len(suite) - 1
    assert suite.get("tests") == str(cases)
    for key, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        assert suite.get(key) == str(seen[tag]), (key, suite.get(key), seen)
    for key in total: total[key] += int(suite.get(key))
for key in total: assert root.get(key) == str(total[key]), (key, total)
print(" ".join(f"{key}={value}" for key, value in total.items()))
)";

TEST(SuiteJunit, HasTheStructureThatItsReadersExpect) {
  for (const SuiteReport& report :
       {sample_suite_report(), hostile_suite_report(hostile_text()), SuiteReport{}}) {
    const CommandResult result = python(kJunitCheck, to_junit(report), "junit.xml");
    EXPECT_EQ(result.status, 0) << result.err;
  }
  SuiteReport report = sample_suite_report();
  report.interrupted = true;
  EXPECT_EQ(python(kJunitCheck, to_junit(report), "junit.xml").out,
            "tests=10 failures=4 errors=2\n");
}

TEST(SuiteJunit, ATestFailsWhereTheEntryFailsTheRun) {
  const auto child_of = [](EntryStatus status, Severity severity, bool suppressed) {
    SuiteReport report{.entries = {testing::sample_entry("a", status, 1)}};
    report.entries[0].severity = severity;
    if (suppressed) report.entries[0].suppressed_by = "s";
    const std::string text = to_junit(report);
    for (const std::string name : {"failure", "error", "skipped"}) {
      if (text.find("<" + name + " ") != std::string::npos) return name;
    }
    return std::string("none");
  };
  const auto deny = Severity::kDeny;
  EXPECT_EQ(child_of(EntryStatus::kHeld, deny, false), "none");
  EXPECT_EQ(child_of(EntryStatus::kViolated, deny, false), "failure");
  EXPECT_EQ(child_of(EntryStatus::kWeak, deny, false), "failure");
  EXPECT_EQ(child_of(EntryStatus::kInconclusive, deny, false), "skipped");
  EXPECT_EQ(child_of(EntryStatus::kCouldNotRun, deny, false), "error");
  EXPECT_EQ(child_of(EntryStatus::kMisconfigured, deny, false), "error");
  EXPECT_EQ(child_of(EntryStatus::kViolated, deny, true), "skipped");
  EXPECT_EQ(child_of(EntryStatus::kViolated, Severity::kWarn, false), "skipped");
  EXPECT_EQ(child_of(EntryStatus::kCouldNotRun, Severity::kAllow, false), "skipped");
}

TEST(SuiteJunit, HasOneTestOfAnEntryWithItsBlock) {
  const std::string text = to_junit(testing::regressed_sample_report());
  EXPECT_EQ(count_of(text, "<testcase name=\"thompson\""), 1U);
  EXPECT_EQ(count_of(text, "<failure "), 2U);
  EXPECT_THAT(text,
              HasSubstr("<failure message=\"thompson-sampling violates its claim eps = 1: eps "
                        "at delta = 0 is at least 1.3; the claim allows 1. Also: weaker bound "
                        "(3).\" type=\"violated\">thompson: violated, weaker bound (3)"));
  EXPECT_THAT(text, HasSubstr("\nReproduce   assay audit thompson-sampling"));
}

// ---- GitLab -------------------------------------------------------------------------------------

// What GitLab requires of each issue; it drops those that lack something, and all but one of a fingerprint.
TEST(SuiteCodeQuality, HoldsWhatGitLabRequires) {
  for (const SuiteReport& report :
       {sample_suite_report(), testing::regressed_sample_report(),
        hostile_suite_report(hostile_text()), hostile_suite_report(""), SuiteReport{}}) {
    const Tree issues = Tree::parse(to_code_quality(report));
    ASSERT_TRUE(issues.is_array());
    EXPECT_EQ(issues.empty(), failures_of(report).empty());
    std::set<std::string> prints;
    for (const Tree& issue : issues) {
      EXPECT_FALSE(issue["description"].get<std::string>().empty());
      EXPECT_THAT(issue["check_name"].get<std::string>(), StartsWith("assay/"));
      EXPECT_TRUE(prints.insert(issue["fingerprint"]).second) << issue;
      EXPECT_THAT(issue["severity"].get<std::string>(),
                  ::testing::AnyOf("info", "minor", "major", "critical", "blocker"));
      const auto path = issue["location"]["path"].get<std::string>();
      EXPECT_FALSE(path.empty());
      EXPECT_NE(path[0], '/');
      EXPECT_GE(issue["location"]["lines"]["begin"], 1);
    }
  }
}

TEST(SuiteCodeQuality, TellsSeveritiesApart) {
  std::vector<std::string> found;
  for (const Tree& issue : Tree::parse(to_code_quality(sample_suite_report()))) {
    found.push_back(issue["check_name"].get<std::string>() + " " +
                    issue["severity"].get<std::string>());
  }
  EXPECT_THAT(found,
              ::testing::ElementsAre("assay/violated blocker", "assay/weak critical",
                                     "assay/misconfigured critical", "assay/regressed critical",
                                     "assay/weaker-bound critical", "assay/violated minor",
                                     "assay/could-not-run minor"));
}

// A fingerprint is that of the entry and the rule: no figure, line or claim is in it.
TEST(SuiteCodeQuality, FingerprintsStayFromRunToRun) {
  const auto prints = [](const SuiteReport& report) {
    std::vector<std::string> out;
    for (const Tree& issue : Tree::parse(to_code_quality(report))) {
      out.push_back(issue["fingerprint"]);
    }
    return out;
  };
  SuiteReport moved = testing::regressed_sample_report();
  const auto before = prints(moved);
  for (EntryResult& entry : moved.entries) {
    entry.place.line += 17;
    entry.claim += "0";
    entry.headline += " still";
    for (EntryFigure& figure : entry.figures) figure.upper *= 1.5;
  }
  for (EntryChange& change : moved.changes) change.statement += " now";
  moved.changes.erase(moved.changes.begin() + 2);
  EXPECT_EQ(prints(moved), before);
}

// ---- GitHub -------------------------------------------------------------------------------------

TEST(SuiteGithub, AnnotationsKeepToTheLimitsAndTheLastSaysHowManyMore) {
  SuiteReport report = many_failures();
  for (std::size_t i = 0; i < 11; ++i) report.entries[i].severity = Severity::kWarn;
  for (std::size_t i = 11; i < 21; ++i) report.entries[i].severity = Severity::kAllow;
  const auto lines = lines_of(to_github(report));
  const auto of = [&](const std::string& level) {
    return std::count_if(lines.begin(), lines.end(), [&](const std::string& line) {
      return line.compare(0, level.size() + 3, "::" + level + " ") == 0;
    });
  };
  EXPECT_EQ(of("error"), 10);
  EXPECT_EQ(of("warning"), 10);
  EXPECT_EQ(of("notice"), 10);
  EXPECT_EQ(lines.size(), 30U);
  EXPECT_THAT(lines[9], HasSubstr("::29,970 more are in the step's summary."));
  EXPECT_THAT(lines[19], HasSubstr("::2 more are in the step's summary."));
  EXPECT_THAT(lines[29], HasSubstr("title=entry-20%3A violated::"));
}

// Reads a command as GitHub's runner does.
TEST(SuiteGithub, ACommandReadsBackAsWhatWasSaid) {
  const SuiteReport report = hostile_suite_report(hostile_text());
  const auto lines = lines_of(to_github(report));
  EXPECT_EQ(lines.size(), 7U);
  for (const std::string& line : lines) {
    const auto end = line.find("::", 2);
    ASSERT_NE(end, std::string::npos);
    const std::string properties = line.substr(2, end - 2);
    EXPECT_EQ(std::count(properties.begin(), properties.end(), ','), 3) << properties;
    EXPECT_EQ(properties.find(':'), std::string::npos) << properties;
    EXPECT_THAT(properties, HasSubstr("line=1,col=1,"));
    EXPECT_THAT(line.substr(end + 2), Not(HasSubstr("%0A,")));  // the text's own % is escaped
    EXPECT_LT(line.size(), 65536U);
  }
}

// ---- Markdown -----------------------------------------------------------------------------------

TEST(SuiteMarkdown, KeepsToTheLimitsAndSaysWhatIsLeftOut) {
  const std::string comment = to_markdown(many_failures());
  EXPECT_LE(comment.size(), 65536U);
  EXPECT_GT(comment.size(), 40000U);
  EXPECT_NE(comment.find("left out here"), std::string::npos);
  const std::string summary = to_github_summary(many_failures());
  EXPECT_LE(summary.size(), 1048576U);
  EXPECT_GT(summary.size(), 1000000U);
  EXPECT_GT(count_of(summary, "Details of"), 100U);
  const SuiteReport hostile = hostile_suite_report(std::string(100000, '@'));
  EXPECT_LE(to_markdown(hostile).size(), 65536U);
  for (const std::string& page : {comment, to_markdown(hostile)})
    EXPECT_EQ(count_of(page, "<details>"), count_of(page, "</details>"));
}

TEST(SuiteMarkdown, NothingFromOutsideBecomesAMark) {
  const std::string hostile = hostile_text();
  for (const std::string& page : {to_markdown(hostile_suite_report(hostile)),
                                  to_github_summary(hostile_suite_report(hostile))}) {
    bool fenced = false;
    std::size_t columns = 0;
    for (const std::string& line : lines_of(page)) {
      if (line.compare(0, 4, "````") == 0) {  // longer than the backticks in it
        fenced = !fenced;
        continue;
      }
      if (fenced) continue;
      EXPECT_THAT(line, Not(HasSubstr("<script")));
      EXPECT_THAT(line, Not(HasSubstr("](")));
      EXPECT_THAT(line, Not(HasSubstr("https:")));
      EXPECT_THAT(line, Not(HasSubstr("www.")));
      EXPECT_THAT(line, Not(HasSubstr("@")));
      EXPECT_THAT(line, Not(HasSubstr("`")));
      const auto pipes = static_cast<std::size_t>(std::count(line.begin(), line.end(), '|'));
      if (line.empty() || line[0] != '|') {
        columns = 0;
        EXPECT_EQ(pipes, 0U) << line;
      } else {
        EXPECT_EQ(pipes, columns == 0 ? pipes : columns) << line;
        columns = pipes;
      }
    }
    EXPECT_FALSE(fenced);
  }
}

// ---- HTML ---------------------------------------------------------------------------------------

void expect_good_suite_page(const std::string& page) {
  const TemporaryFolder folder;
  const CommandResult result =
      run_command({ASSAY_PYTHON, ASSAY_SOURCE_DIR "/tests/support/check_page.py",
                   folder.write("report.html", page)});
  EXPECT_EQ(result.status, 0) << result.err;
}

TEST(SuiteHtml, StandsAloneAndIsWellFormed) {
  const std::string page = to_html(sample_suite_report(), testing::sample_history());
  expect_good_suite_page(page);
  EXPECT_THAT(page, HasSubstr("id=\"history\""));
  EXPECT_THAT(page, Not(HasSubstr("young")));  // one point is no trend
  EXPECT_THAT(page, Not(HasSubstr("nan")));
  expect_good_suite_page(to_html(SuiteReport{}));
  expect_good_suite_page(to_html(hostile_suite_report(hostile_text()), testing::sample_history()));
}

TEST(SuiteHtml, OfManyEntriesKeepsThoseThatFailAndSaysWhatIsLeftOut) {
  SuiteReport report = testing::large_suite_report(3000);
  for (std::size_t i = 0; i < 2990; ++i) report.entries[i].status = EntryStatus::kHeld;
  const std::string page = to_html(report);
  EXPECT_THAT(page, HasSubstr("2,000 of 3,000 entries are shown"));
  EXPECT_THAT(page, HasSubstr(">entry-2999<"));
  EXPECT_THAT(page, Not(HasSubstr(">entry-1990<")));
  EXPECT_LT(page.size(), 4000000U);
}

}  // namespace
}  // namespace assay
