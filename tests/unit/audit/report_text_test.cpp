
#include <regex>

#include "assay/auditors/audit/audit_html.hpp"
#include "assay/auditors/audit/audit_json.hpp"
#include "assay/auditors/audit/audit_summary.hpp"
#include "assay/auditors/audit/audit_text.hpp"
#include "assay/auditors/text/document.hpp"
#include "assay/auditors/text/safe_text.hpp"
#include "assay/tests/support/golden.hpp"
#include "assay/tests/support/sample_report.hpp"

namespace assay {
namespace {

std::size_t widest_line(const std::string& text) {
  std::istringstream in(text);
  std::size_t widest = 0;
  for (std::string line; std::getline(in, line);) widest = std::max(widest, column_count(line));
  return widest;
}

std::string without_escapes(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b')
      i = text.find('m', i);
    else
      out += text[i];
  }
  return out;
}

TEST(TextReport, ReadsAsTheGoldenFileOfAnUndecidedAudit) {
  testing::expect_golden("report_not_refuted.txt", to_text(testing::sample_report()));
}

TEST(TextReport, ReadsAsTheGoldenFileOfAConviction) {
  testing::expect_golden("report_violated.txt", to_text(testing::violated_sample_report()));
}

TEST(TextReport, ReadsAsTheGoldenFileOfABlackBox) {
  testing::expect_golden("report_black_box.txt", to_text(testing::black_box_sample_report()));
}

// Strong enough or not: the headline says what would have been seen, and what should have been.
TEST(TextReport, SaysHowStrongTheAuditWas) {
  AuditReport report = testing::sample_report();
  EXPECT_THAT(to_text(report, {false, 1000}),
              HasSubstr("NotRefuted: on this pair, a leak of mu >= 5.525 would probably have been "
                        "seen; the claim is 5.47723"));
  report.verdict = Verdict::kWeak;
  report.strength->asked = 5.5;
  EXPECT_THAT(to_text(report, {false, 1000}),
              HasSubstr("Weak: on this pair, only a leak of mu >= 5.525 would probably have been "
                        "seen; the audit should see 5.5, and the claim is 5.47723"));
  report.strength->level.reset();
  EXPECT_THAT(to_text(report, {false, 1000}),
              HasSubstr("Weak: on this pair, even a large leak may have been missed; "));
}

TEST(TextReport, IsShortUnlessItIsFull) {
  const AuditReport report = testing::black_box_sample_report();
  TextStyle brief;
  brief.full = false;
  const std::string text = to_text(report, brief);
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 30);
  for (const char* part : {"Alpha ledger", "Limits", "Checks", "Evidence"}) {
    EXPECT_THAT(text, Not(HasSubstr(part)));
    EXPECT_THAT(to_text(report), HasSubstr(part));
  }
  for (const char* part : {"Why", "Pair", "Next", "Reproduce"}) EXPECT_THAT(text, HasSubstr(part));
  AuditReport alarm = report;
  alarm.evidence.checks.front().passed = false;
  EXPECT_THAT(to_text(alarm, brief), HasSubstr("ALARM"));
}

TEST(TextReport, PutsVerdictQuantitiesAndPairFirstAndTheLedgerLast) {
  const std::string text = to_text(testing::sample_report());
  std::size_t before = 0;
  for (const char* part :
       {"NotRefuted: ", "\nOn the worst pair found", "\nPair ", "\nWitness ", "\nClaim ",
        "\nChecks ", "\nLimits\n", "\nReproduce ", "\nAlpha ledger "}) {
    const auto at = text.find(part);
    ASSERT_NE(at, std::string::npos) << part;
    EXPECT_GE(at, before) << part;
    before = at;
  }
}

TEST(TextReport, OpensWithTheVerdict) {
  EXPECT_THAT(
      to_text(testing::violated_sample_report()),
      StartsWith("Violated: eps at delta = 1e-6 is at least 5.8123; the claim allows 0.5\n"));
}

// Shares that come to 0.1 are an ulp more as doubles.
TEST(TextReport, SpendsNoMoreThanItHas) {
  AuditReport report = testing::sample_report();
  report.confidence = 0.9;
  report.evidence.ledger = {{"a", 0.029}, {"b", 0.053}, {"c", 0.006}, {"d", 0.006}, {"e", 0.006}};
  double total = 0.0;
  for (const auto& share : report.evidence.ledger) total += share.alpha;
  ASSERT_GT(total, 0.1);
  EXPECT_THAT(to_text(report), HasSubstr("(0.1 spent)"));
  EXPECT_THAT(to_html(report), HasSubstr("(0.1 spent)"));
}

TEST(TextReport, NamesEveryTranscriptOfItsMethodAndOneInTheSingular) {
  AuditReport report = testing::sample_report();
  report.evidence.samples = report.evidence.samples_planned = 1;
  EXPECT_THAT(to_text(report), HasSubstr("Method      likelihood, 1 transcript on each input\n"));
  EXPECT_THAT(to_html(report), HasSubstr("1 transcript on each input"));
  report.evidence.tilted_samples = 4096;
  EXPECT_THAT(
      to_text(report),
      HasSubstr("Method      likelihood, 1 transcript on each input and 4,096 tilted ones\n"));
  EXPECT_THAT(to_html(report), HasSubstr("1 transcript on each input and 4,096 tilted ones"));
  EXPECT_THAT(to_json(report), HasSubstr("\"tilted_samples\": 4096"));
}

TEST(TextReport, ShowsNoPairWhereNoneIsKnown) {
  AuditReport report = testing::sample_report();
  report.relation = Relation::kTwoInputs;
  report.pair = {};
  report.evidence.rounds.clear();
  report.evidence.witness.reset();
  for (const auto& text : {to_text(report), to_html(report)}) {
    EXPECT_THAT(text, Not(HasSubstr("value 0 of 0")));
    EXPECT_THAT(text, Not(HasSubstr("worst pair found")));
    EXPECT_THAT(text, Not(HasSubstr("pair below")));
  }
  EXPECT_THAT(to_json(report), HasSubstr("\"worst_pair\": null"));
}

TEST(TextReport, KeepsToItsWidth) {
  for (const int width : {60, 80, 100, 140}) {
    EXPECT_LE(widest_line(to_text(testing::sample_report(), {false, width})),
              static_cast<std::size_t>(width));
    EXPECT_LE(widest_line(to_text(testing::sample_report(5000, 1234), {false, width})),
              static_cast<std::size_t>(width));
  }
}

// Bounds take as many digits as keep them beside the claim, so columns grow: their numbers stay apart.
TEST(TextReport, KeepsNumbersOfEveryLengthApart) {
  const double claim = 57.43091453834061;
  for (const double size : {1e-200, 1e-4, 1.0, 1e4, 1e200}) {
    AuditReport report = testing::sample_report();
    report.claim = GaussianDp{Mu{claim * size}};
    report.evidence.quantities.clear();
    for (int digits = 1; digits < 17; ++digits) {
      for (const double gap : {std::pow(10.0, -digits), -std::pow(10.0, -digits)}) {
        ReportedQuantity quantity;
        quantity.lower.value = claim * size * (1.0 - gap);
        quantity.upper.value = claim * size * (1.0 + gap);
        report.evidence.quantities.push_back(quantity);
      }
    }
    std::size_t longest = 0;
    for (const int width : {60, 80, 120}) {
      const std::string text = to_text(report, {false, width});
      for (const auto& quantity : report.evidence.quantities) {
        const auto texts = quantity_texts(report.claim, quantity);
        longest = std::max(longest, texts.lower.size());
        const auto padding = [](const std::string& cell) {
          return " {2,}" + std::regex_replace(cell, std::regex("[.+]"), "[$&]");
        };
        EXPECT_TRUE(std::regex_search(text, std::regex(padding(texts.lower) + padding(texts.upper) +
                                                       padding(texts.claimed) + "\n")))
            << texts.lower << " " << texts.upper << " " << texts.claimed << "\n"
            << text;
      }
    }
    EXPECT_GE(longest, 16u);
  }
}

TEST(TextReport, SaysTheSameWithAndWithoutColour) {
  const AuditReport report = testing::sample_report();
  const std::string coloured = to_text(report, {true, 80});
  EXPECT_NE(coloured, to_text(report, {false, 80}));
  EXPECT_EQ(without_escapes(coloured), to_text(report, {false, 80}));
}

TEST(TextReport, DoesNotDependOnWhatTheRunItselfWasLike) {
  AuditReport other = testing::sample_report();
  other.meta = {"9.9", "another build", "2030-01-01T00:00:00Z", 1e6, 64, 1.0};
  EXPECT_EQ(to_text(other), to_text(testing::sample_report()));
}

TEST(TextReport, ReproduceCommandSurvivesPasting) {
  const AuditReport report = testing::sample_report();
  const std::string text = to_text(report);
  std::string command = text.substr(text.find("assay audit"));
  for (auto at = command.find(" \\\n"); at != std::string::npos; at = command.find(" \\\n")) {
    command.replace(at, 3, "");
    const auto end = command.find_first_not_of(' ', at);
    command.replace(at, end - at, " ");
  }
  EXPECT_EQ(command.substr(0, command.find('\n')), report.reproduce);
}

TEST(TextReport, ReproduceCommandKeepsOptionsBesideTheirValues) {
  AuditReport report = testing::sample_report();
  report.reproduce = "assay audit --count -1 --quiet --input - -p " + std::string(48, 'x') +
                     "=1 --claim 'eps=1, delta=1e-6' --group-privacy 3";
  EXPECT_THAT(to_text(report),
              HasSubstr("\nReproduce   assay audit --count -1 --quiet --input - \\\n"
                        "              -p " +
                        std::string(48, 'x') +
                        "=1 \\\n"
                        "              --claim 'eps=1, delta=1e-6' --group-privacy 3\n"));
}

TEST(TextReport, PrintsEveryNumberAnExpertLooksFor) {
  const std::string text = to_text(testing::sample_report());
  for (const char* part :
       {"4.8765", "5.6125", "5.4772", "1.3712", "1.4988", "99.9% confidence",
        "round 8 of 60: 0 -> 1", "log P", "-71.25", "0.00025", "alarm at 12000",
        "16045690984503098046", "180,000 of 200,000", "probability 0.9", "Lemmas 3 and 5"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

TEST(TextReport, ShowsAnAlarmInWords) {
  AuditReport report = testing::sample_report();
  report.evidence.checks[1].passed = false;
  EXPECT_THAT(to_text(report), HasSubstr("ALARM"));
  EXPECT_THAT(to_text(testing::sample_report()), Not(HasSubstr("ALARM")));
}

// 1/p has no expectation: what is a p-value must not be called an e-value, nor the other way around.
TEST(TextReport, CallsEvidenceOfAChecksWhatItIs) {
  const std::string played = to_text(testing::black_box_sample_report());
  EXPECT_THAT(played, HasSubstr("ok          independent runs: p-value 0.625, level 2.5e-5\n"));
  EXPECT_THAT(played, HasSubstr("ok          seeds\n"));
  EXPECT_THAT(played, HasSubstr("not checked two seedings\n"));
  EXPECT_THAT(played, Not(HasSubstr("e-value")));
  const std::string sampled = to_text(testing::sample_report());
  EXPECT_THAT(sampled, HasSubstr("e-value 0.8312, alarm at 12000"));
  EXPECT_THAT(sampled, Not(HasSubstr("p-value")));
}

TEST(TextReport, PassesNoEscapeSequenceOfAFileNameToTheTerminal) {
  AuditReport report = testing::sample_report();
  report.input->file = "\x1b]0;owned\x07.csv";
  report.claim_text = "mu=1\x1b[2J";
  report.reproduce += " --input '\x1b[2J'";
  report.evidence.limits.push_back("\x1b[31mred");
  const std::string text = to_text(report);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find('\x07'), std::string::npos);
}

TEST(TextReport, OfAnEmptyReportStillNamesItsVerdict) {
  EXPECT_THAT(to_text(AuditReport{}), StartsWith("Inconclusive"));
}

}  // namespace
}  // namespace assay
