#include "assay/auditors/methods/black_box/internal/stop_rule.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

// Of an event that is rare on Q, and a claim of eps = 1.
EventTest test_of(PrivacyLevel claim, double p, double q) {
  EventTest test{.asked = asked_of(claim, Delta{1e-6})};
  test.found.selected.p = p;
  test.found.selected.q = q;
  test.samples = 4'000;
  test.stops_when_decided = true;
  test.main_alpha = 1e-3;
  return test;
}

// Sides in turn; on P a hit every `of_p` plays, on Q every `of_q`.
CertifiedRuns runs(std::int64_t count, std::int64_t of_p, std::int64_t of_q) {
  CertifiedRuns out;
  for (std::int64_t i = 0; i < count; ++i) {
    out.runs.push_back({true, i % of_p == 0});
    out.runs.push_back({false, i % of_q == 0});
  }
  return out;
}

TEST(StopRule, GoesOnWhileNothingIsSeen) {
  const EventTest test = test_of(PureDp{Epsilon{1.0}}, 0.5, 0.05);
  StopRule rule(test, 1.5);
  EXPECT_FALSE(rule.decided({}));
  EXPECT_FALSE(rule.decided(runs(5, 2, 3)));
  EXPECT_FALSE(rule.is_futile());
  EXPECT_EQ(rule.visible_at(), 1.5);
}

TEST(StopRule, EndsOnceTheClaimIsRefutedAndIsNotFutileThen) {
  const EventTest test = test_of(PureDp{Epsilon{1.0}}, 0.5, 0.05);
  StopRule rule(test, 1.5);
  EXPECT_TRUE(rule.decided(runs(4'000, 2, 20)));
  EXPECT_FALSE(rule.is_futile());
}

TEST(StopRule, EndsOnceALeakBeyondTheMarginWouldHaveBeenSeen) {
  const EventTest test = test_of(PureDp{Epsilon{1.0}}, 0.5, 0.5);
  StopRule rule(test, 2.0);
  EXPECT_TRUE(rule.decided(runs(4'000, 2, 2)));
  EXPECT_TRUE(rule.is_futile());
}

// Learnt as common on Q, and rare there now: the chord of the margin holds no longer.
TEST(StopRule, OfMuIsNotFutileWhereTheEventIsNotAsItWasLearnt) {
  EventTest test = test_of(GaussianDp{Mu{0.5}}, 0.5, 0.5);
  StopRule as_learnt(test, 1.5);
  EXPECT_TRUE(as_learnt.decided(runs(4'000, 2, 2)));
  EXPECT_TRUE(as_learnt.is_futile());
  StopRule otherwise(test, 1.5);
  otherwise.decided(runs(4'000, 100, 100));
  EXPECT_FALSE(otherwise.is_futile());
}

// One call with all plays, or several with ever more of them.
TEST(StopRule, SeesEveryPlayOnce) {
  const EventTest test = test_of(PureDp{Epsilon{1.0}}, 0.5, 0.05);
  StopRule at_once(test, 1.5), in_parts(test, 1.5);
  std::int64_t needed = 0;
  while (!StopRule(test, 1.5).decided(runs(++needed, 2, 20))) ASSERT_LT(needed, 4'000);
  for (std::int64_t count = 1; count < needed; ++count) {
    EXPECT_FALSE(in_parts.decided(runs(count, 2, 20)));
  }
  EXPECT_TRUE(in_parts.decided(runs(needed, 2, 20)));
  EXPECT_TRUE(at_once.decided(runs(needed, 2, 20)));
}

}  // namespace
}  // namespace assay
