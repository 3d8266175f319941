#include "assay/auditors/claims/verdicts.hpp"

#include "assay/auditors/dueling/claims/counterexamples.hpp"
#include "assay/auditors/dueling/claims/searches.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

// x - limit on [0, 1]: violated where it is positive.
ClaimSearch beyond(double limit) {
  return {.id = "test",
          .claim = {{real("x")}, [limit](const Point& point) { return point[0] - limit; }, 0.0},
          .points = 50};
}

TEST(Verdicts, AProofHoldsWhereItsSearchAgrees) {
  const auto finding = searched(beyond(2.0), {}, {});
  EXPECT_EQ(finding.points(), std::to_string(finding.evaluations));
  EXPECT_EQ(finding.excess(), "0");
  const auto found = proved(finding, "by hand");
  EXPECT_EQ(found.verdict, ClaimVerdict::kHolds);
  EXPECT_EQ(found.summary, "by hand");
}

TEST(Verdicts, AProofThatItsSearchContradictsIsNone) {
  const auto found = proved(searched(beyond(0.25), {}, {}), "by hand");
  EXPECT_EQ(found.verdict, ClaimVerdict::kInconclusive);
  EXPECT_THAT(found.summary, HasSubstr("the search contradicts the proof at x = "));
}

TEST(Verdicts, AProofOverABoxTakesTheWholeBox) {
  const auto finding = searched(beyond(2.0), {}, {});
  BoxOutcome whole{.certified = true};
  EXPECT_EQ(proved(finding, whole, "all cells").verdict, ClaimVerdict::kHolds);
  const auto open = proved(finding, BoxOutcome{}, "all cells");
  EXPECT_EQ(open.verdict, ClaimVerdict::kInconclusive);
  EXPECT_EQ(open.summary, "the box was not exhausted");
  EXPECT_EQ(proved(searched(beyond(0.25), {}, {}), whole, "all cells").verdict,
            ClaimVerdict::kInconclusive);
}

TEST(Verdicts, ARefutationNeedsAPointAndACertificate) {
  const auto none = searched({.id = "duel-gap", .claim = beyond(2.0).claim, .points = 50}, {}, {});
  EXPECT_EQ(refuted_or_not(none, "margin", dueling_checks::score_gap_at).verdict,
            ClaimVerdict::kNotRefuted);

  const auto finding = searched(
      {.id = "duel-gap", .claim = dueling_checks::score_gap_search(), .points = 50}, {}, {});
  const auto found = refuted_or_not(finding, "margin", dueling_checks::score_gap_at, {"why"});
  EXPECT_EQ(found.verdict, ClaimVerdict::kRefuted);
  ASSERT_NE(found.certificate, nullptr);
  EXPECT_EQ(found.certificate->claim, "duel-gap");
  EXPECT_EQ(found.evidence.back(), "why");

  // The check of certificates has the last word.
  const auto wrong = refuted_or_not(finding, "margin", [](const Point&) {
    return ScoreGapCounterexample{1.0, 0.5};
  });
  EXPECT_EQ(wrong.verdict, ClaimVerdict::kInconclusive);
  EXPECT_EQ(wrong.certificate, nullptr);
}

}  // namespace
}  // namespace assay
