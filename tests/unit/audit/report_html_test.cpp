
#include "assay/auditors/audit/audit_figures.hpp"
#include "assay/auditors/audit/audit_html.hpp"
#include "assay/tests/support/document_checks.hpp"
#include "assay/tests/support/run_command.hpp"
#include "assay/tests/support/sample_report.hpp"

namespace assay {
namespace {

void expect_good_page(const AuditReport& report) { expect_page(to_html(report)); }

TEST(HtmlReport, StandsAloneAndIsWellFormed) {
  expect_good_page(testing::sample_report());
  expect_good_page(testing::violated_sample_report());
}

TEST(HtmlReport, OfABlackBoxShowsItsEventAndNoReportedProbabilities) {
  AuditReport report = testing::black_box_sample_report();
  expect_good_page(report);
  const std::string page = to_html(report);
  for (const char* part :
       {"one event, counted on the base input D and its neighbour", "the score is at least 2",
        "seen in 2,759 of 4,046 runs (0.682)", "seen in 5 of 3,954 runs (0.00126)",
        "id=\"scores-title\"", "round 17 of 100, arm 2: 0 \xE2\x86\x92 1", "[0 \xE2\x86\x92 1]",
        "<th scope=\"row\" class=\"n\">18 to 100</th>"}) {
    EXPECT_THAT(page, HasSubstr(part));
  }
  EXPECT_THAT(page, Not(HasSubstr("reported probabilities")));
}

TEST(HtmlReport, EachCheckShowsItsResult) {
  AuditReport report = testing::black_box_sample_report();
  report.evidence.checks = {
      CheckResult::seen("one", "the first", true), CheckResult::seen("two", "the second", true),
      CheckResult::seen("three", "the third", false), CheckResult::not_checked("four", "why")};
  const std::string page = to_html(report);
  for (const char* name : {"one", "two"}) {
    EXPECT_THAT(page, HasSubstr("<dt>" + std::string(name) + "</dt><dd><strong>ok</strong>"));
  }
  EXPECT_THAT(page, HasSubstr("<dt>three</dt><dd><span class=\"verdict violated\">ALARM</span>"));
  EXPECT_THAT(page, HasSubstr("<dt>four</dt><dd><strong>not checked</strong>"));
}

TEST(HtmlReport, SaysThatWhatWasAuditedFailed) {
  const Error error{ErrorCode::kTarget, "the program ended", {}, 0};
  EXPECT_THAT(to_html(testing::sample_report(), error), HasSubstr("<dd>the program ended</dd>"));
  EXPECT_THAT(to_html(testing::sample_report()), Not(HasSubstr("The run failed")));
}

TEST(HtmlReport, OfAnEmptyReportIsWellFormedToo) {
  AuditReport report;
  expect_good_page(report);
  EXPECT_THAT(to_html(report), Not(HasSubstr("<svg")));
}

TEST(HtmlReport, OfInfiniteBoundsAndAPureClaimIsWellFormedToo) {
  AuditReport report = testing::violated_sample_report();
  report.claim = PureDp{Epsilon{0.5}};
  report.evidence.quantities[0].upper.value = std::numeric_limits<double>::infinity();
  report.evidence.quantities[2].upper.value = std::numeric_limits<double>::infinity();
  report.evidence.witness->log_probability_neighbour = -std::numeric_limits<double>::infinity();
  expect_good_page(report);
  EXPECT_THAT(to_html(report), Not(HasSubstr("nan")));
}

TEST(HtmlReport, EscapesEveryString) {
  const std::string evil = "<script>alert(\"x\")</script>&'";
  AuditReport report = testing::sample_report();
  report.case_id = report.case_title = report.claim_text = report.reason = report.evidence.method =
      evil;
  report.reproduce = report.pair.found_by = evil;
  report.input = InputSource{evil, evil, evil, 1};
  report.parameters.push_back({evil, evil});
  report.strength->assuming = evil;
  for (auto& quantity : report.evidence.quantities) quantity.lower.how = quantity.upper.how = evil;
  for (auto& entry : report.evidence.ledger) entry.purpose = evil;
  for (auto& check : report.evidence.checks) check.name = check.meaning = evil;
  report.evidence.limits = {evil};
  report.meta.version = report.meta.build = report.meta.started = evil;
  expect_good_page(report);  // which finds no <script>
  EXPECT_THAT(to_html(report),
              HasSubstr("&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;&amp;&#39;"));
}

TEST(HtmlReport, SaysHowItShortensALongStream) {
  const std::string page = to_html(testing::sample_report(100000, 31234));
  EXPECT_LT(page.size(), 400000U);
  EXPECT_THAT(page, HasSubstr("100,000 rounds are drawn in groups of 417"));
  EXPECT_THAT(page, HasSubstr("reward of round 31,234 of 100,000"));
  EXPECT_THAT(to_html(testing::sample_report(60)), Not(HasSubstr("drawn in groups")));
}

TEST(HtmlReport, StatesParametersConfidenceAndSamplesUnderEveryFigure) {
  const std::string page = to_html(testing::sample_report());
  std::size_t captions = 0;
  for (auto at = page.find("<figcaption>"); at != std::string::npos;
       at = page.find("<figcaption>", at + 1)) {
    const std::string caption = page.substr(at, page.find("</figcaption>", at) - at);
    EXPECT_THAT(caption, HasSubstr("180,000 transcripts on each input"));
    EXPECT_THAT(caption, HasSubstr("99.9% confidence"));
    EXPECT_THAT(caption, HasSubstr("horizon"));
    ++captions;
  }
  EXPECT_EQ(captions, 5U);
}

TEST(HtmlReport, DependsOnTheRunItselfInItsFooterOnly) {
  AuditReport other = testing::sample_report();
  other.meta = {"9.9", "another build", "2030-01-01T00:00:00Z", 1e6, 64, 1.0};
  const auto before_footer = [](const std::string& page) {
    return page.substr(0, page.find("<footer>"));
  };
  EXPECT_EQ(before_footer(to_html(other)), before_footer(to_html(testing::sample_report())));
  EXPECT_NE(to_html(other), to_html(testing::sample_report()));
}

TEST(ReportFigures, DrawAMuClaimAsItsPrivacyProfile) {
  const Figure figure = profile_figure(testing::sample_report());
  const Series& claim = figure.panels[0].series.back();
  EXPECT_THAT(claim.name, HasSubstr("5.4772"));
  for (std::size_t i = 0; i < claim.x.size(); i += 20) {
    EXPECT_EQ(claim.y[i], gdp_delta(Mu{std::sqrt(30.0)}, Epsilon{claim.x[i]}).value);
  }
}

TEST(ReportFigures, DrawAnEpsilonDeltaClaimAsThePointAndWhatItExcludes) {
  const Panel panel = profile_figure(testing::violated_sample_report()).panels[0];
  const Series& excluded = panel.series[panel.series.size() - 2];
  EXPECT_EQ(excluded.name, "excluded");
  EXPECT_EQ(excluded.x.front(), 0.5);
  EXPECT_EQ(excluded.y.front(), 1e-6);
  EXPECT_EQ(excluded.y2.front(), 1.0);
  EXPECT_EQ(panel.series.back().x, std::vector<double>{0.5});
  EXPECT_EQ(panel.series.back().y, std::vector<double>{1e-6});
}

TEST(ReportFigures, ClaimedTradeOffCurvesAreSymmetricAndMeetTheirCorners) {
  const PrivacyLevel approximate = ApproximateDp{Epsilon{1.0}, Delta{0.1}};
  EXPECT_DOUBLE_EQ(claimed_trade_off(approximate, 0.0), 0.9);
  EXPECT_NEAR(claimed_trade_off(approximate, 0.9), 0.0, 1e-15);
  const double corner = 0.9 / (1.0 + std::exp(1.0));
  EXPECT_NEAR(claimed_trade_off(approximate, corner), corner, 1e-15);
  const PrivacyLevel gaussian = GaussianDp{Mu{1.5}};
  for (const double x : {0.01, 0.2, 0.7}) {
    EXPECT_NEAR(claimed_trade_off(gaussian, claimed_trade_off(gaussian, x)), x, 1e-12);
  }
}

TEST(ReportFigures, MarkTheChangedRoundInEveryPanel) {
  const Figure figure = rounds_figure(testing::sample_report(60, 8));
  ASSERT_EQ(figure.panels.size(), 4U);
  for (const Panel& panel : figure.panels) {
    ASSERT_EQ(panel.rules.size(), 1U);
    EXPECT_EQ(panel.rules[0].at, 8.0);
  }
}

}  // namespace
}  // namespace assay
