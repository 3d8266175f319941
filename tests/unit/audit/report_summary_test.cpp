#include "assay/auditors/audit/audit_summary.hpp"

#include <fmt/format.h>

#include "assay/auditors/audit/round_groups.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/accounting/gdp.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/tests/support/sample_report.hpp"

namespace assay {
namespace {

ReportedQuantity quantity_of(QuantityKind kind, double at) {
  return ReportedQuantity{.kind = kind, .at = at};
}

TEST(Headline, NamesTheBoundThatConvicts) {
  EXPECT_EQ(headline(testing::violated_sample_report()),
            "Violated: eps at delta = 1e-6 is at least 5.8123; the claim allows 0.5");
}

// Bets that end at the claim leave no bound above it, but counts.
TEST(Estimate, OfAConvictionWithoutABoundComesFromItsEvent) {
  AuditReport report = testing::black_box_sample_report();
  EXPECT_EQ(estimate_text(report), "");
  report.evidence.quantities.front().lower.value = 0.5;
  EXPECT_EQ(headline(report), "Violated: eps at delta = 0 is above 0.5; the claim allows 0.5");
  EXPECT_THAT(estimate_text(report), StartsWith("eps at delta = 0 looks like 6.2, by the counts"));
  report.claim = GaussianDp{Mu{0.5}};
  report.evidence.quantities.clear();
  EXPECT_THAT(estimate_text(report), StartsWith("mu looks like 3.46, by the counts"));
  report.verdict = Verdict::kWeak;
  EXPECT_EQ(estimate_text(report), "");
}

// Before delta at its eps, whatever a method bounds first; which speaks where eps shows nothing.
TEST(Headline, OfEpsAndDeltaIsEpsAtTheClaimsOwnDelta) {
  AuditReport report = testing::violated_sample_report();
  ReportedQuantity delta = quantity_of(QuantityKind::kDeltaAtEpsilon, 0.5);
  delta.lower.value = 0.3;
  delta.upper.value = 0.4;
  report.evidence.quantities.insert(report.evidence.quantities.begin(), delta);
  EXPECT_EQ(headline(report),
            "Violated: eps at delta = 1e-6 is at least 5.8123; the claim allows 0.5");
  report.evidence.quantities[3].lower.value = 0.1;
  EXPECT_EQ(headline(report),
            "Violated: delta at eps = 0.5 is at least 0.3; the claim allows 1e-6");
}

TEST(Headline, NamesTheBoundThatVerifiesAndItsScope) {
  AuditReport report = testing::sample_report();
  report.strength.reset();
  report.verdict = Verdict::kVerified;
  report.claim = GaussianDp{Mu{5.7}};
  EXPECT_EQ(headline(report), "Verified for this pair: mu is at most 5.6125; the claim allows 5.7");
  // The bound is one pair's; what holds for all of them is proved.
  report.scope = Scope::kAllPairs;
  report.proved = GaussianDp{Mu{5.65}};
  EXPECT_EQ(headline(report), "Verified for every pair: mu is at most 5.65; the claim allows 5.7");
}

TEST(Headline, GivesTheReasonWhenNoNumberDecided) {
  AuditReport report = testing::sample_report();
  report.verdict = Verdict::kInconclusive;
  report.strength.reset();
  report.reason = "Stopped before the first look.";
  EXPECT_EQ(headline(report), "Inconclusive: Stopped before the first look.");
}

TEST(Headline, DoesNotLetRoundingHideAConviction) {
  AuditReport report = testing::sample_report();
  report.verdict = Verdict::kViolated;
  report.strength.reset();
  report.claim = GaussianDp{Mu{4.87654}};
  report.evidence.quantities[0].lower.value = 4.87654321;
  EXPECT_EQ(headline(report), "Violated: mu is at least 4.876543; the claim allows 4.8765");
}

TEST(ClaimedValue, OfAMuClaimIsItsPrivacyProfile) {
  const PrivacyLevel claim = GaussianDp{Mu{2.0}};
  EXPECT_EQ(claimed_value(claim, quantity_of(QuantityKind::kMu, 0)), 2.0);
  EXPECT_EQ(claimed_value(claim, quantity_of(QuantityKind::kMuAboveDelta0, 1e-6)), 2.0);
  EXPECT_NEAR(*claimed_value(claim, quantity_of(QuantityKind::kDeltaAtEpsilon, 1.0)),
              gdp_delta(Mu{2.0}, Epsilon{1.0}).value, 1e-12);
  EXPECT_NEAR(*claimed_value(claim, quantity_of(QuantityKind::kEpsilonAtDelta, 1e-6)),
              gdp_epsilon(Mu{2.0}, Delta{1e-6}).value, 1e-10);
}

TEST(ClaimedValue, OfAnEpsilonDeltaClaimSaysNothingAboutMuAndSmallerDeltas) {
  const PrivacyLevel claim = ApproximateDp{Epsilon{0.5}, Delta{1e-6}};
  EXPECT_DOUBLE_EQ(*claimed_value(claim, quantity_of(QuantityKind::kDeltaAtEpsilon, 0.5)), 1e-6);
  EXPECT_DOUBLE_EQ(*claimed_value(claim, quantity_of(QuantityKind::kEpsilonAtDelta, 1e-6)), 0.5);
  EXPECT_FALSE(claimed_value(claim, quantity_of(QuantityKind::kEpsilonAtDelta, 1e-7)));
  EXPECT_FALSE(claimed_value(claim, quantity_of(QuantityKind::kMu, 0)));
}

TEST(ClaimText, SaysWhatAnArithmeticClaimComesTo) {
  AuditReport report = testing::sample_report(50);
  EXPECT_EQ(claim_text(report), "mu=sqrt(T/2), that is mu = 5");
  report.claim_text = "mu=5";
  EXPECT_EQ(claim_text(report), "mu=5");
  EXPECT_EQ(claim_text(testing::violated_sample_report()), "eps=0.5,delta=1e-6");
}

std::string with_plain_spaces(std::string text) {
  for (auto at = text.find("\xC2\xA0"); at != std::string::npos; at = text.find("\xC2\xA0")) {
    text.replace(at, 2, " ");
  }
  return text;
}

TEST(CompactSequence, WritesRunsAndTheChange) {
  const WorstPair pair{stream_pair({0, 0, 0, 0, 0, 0.5}, 3, 1.0), ""};
  EXPECT_EQ(with_plain_spaces(stream_text(pair)), "0 x 2, [0 -> 1], 0 x 2, 0.5");
}

TEST(CompactSequence, LeavesOutTheMiddleOfALongStreamButNeverTheChange) {
  std::vector<double> stream;
  for (int t = 0; t < 1000; ++t) stream.push_back(t % 2);
  const WorstPair pair{stream_pair(stream, 500, 0.25), ""};
  EXPECT_EQ(with_plain_spaces(stream_text(pair)),
            "0, 1, 0, ..., 1, 0, [1 -> 0.25], 0, 1, ..., 0, 1");
}

// Every run made a text, most of which are then left out.
std::string plainly_compacted(const std::vector<double>& stream, std::size_t marked) {
  std::vector<std::pair<std::string, std::size_t>> runs;  // with how many
  std::size_t centre = 0;
  for (std::size_t i = 0; i < stream.size(); ++i) {
    const std::string text = rounded(stream[i], 6);
    if (i == marked) centre = runs.size();
    if (i == marked) {
      runs.emplace_back(fmt::format("[{} -> 0.25]", number_text(stream[i])), 1);
    } else if (!runs.empty() && i != marked + 1 && runs.back().first == text) {
      ++runs.back().second;
    } else {
      runs.emplace_back(text, 1);
    }
  }
  std::string out;
  bool skipping = false;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const bool shown =
        runs.size() <= 12 || r < 3 || r + 2 >= runs.size() || (r + 2 >= centre && r <= centre + 2);
    if (shown || !skipping) out += out.empty() ? "" : ", ";
    if (!shown && !skipping) out += "...";
    skipping = !shown;
    if (!shown) continue;
    out += runs[r].first;
    if (runs[r].second > 1) out += fmt::format(" x {}", runs[r].second);
  }
  return out;
}

TEST(CompactSequence, IsWhatAllRunsWouldSay) {
  ReplayStream random({.seed = 3, .purpose = hash_purpose("tests/compact-sequence")});
  for (int repetition = 0; repetition < 3000; ++repetition) {
    std::vector<double> stream(1 + random.next() % 40);
    // Different numbers may read alike.
    for (double& x : stream)
      x = 0.5 * static_cast<double>(random.next() % 3) + 1e-9 * random.uniform();
    const auto marked = static_cast<std::size_t>(random.next() % stream.size());
    const WorstPair pair{stream_pair(stream, static_cast<std::int64_t>(marked) + 1, 0.25), ""};
    ASSERT_EQ(with_plain_spaces(stream_text(pair)), plainly_compacted(stream, marked));
  }
}

TEST(CompactSequence, CountsArmsFromZero) {
  EXPECT_EQ(with_plain_spaces(actions_text({0, 1, 1, 1, 4})), "0, 1 x 3, 4");
}

TEST(RoundGroups, KeepShortStreamsRoundByRound) {
  const auto groups = group_rounds(testing::sample_report(60), 240);
  ASSERT_EQ(groups.size(), 60U);
  EXPECT_EQ(groups[7].first, 8);
  EXPECT_EQ(groups[7].last, 8);
}

TEST(RoundGroups, CoverEveryRoundOnceAndKeepTheSums) {
  const auto report = testing::sample_report(1003, 10);
  const auto& rounds = report.evidence.rounds;
  const auto groups = group_rounds(report, 100);
  ASSERT_LE(groups.size(), 100U);
  double group_sum = 0.0;
  double row_sum = 0.0;
  std::int64_t next = 1;
  for (const auto& group : groups) {
    EXPECT_EQ(group.first, next);
    next = group.last + 1;
    group_sum += group.loss_base;
    EXPECT_LE(group.reward_low, group.reward_mean);
    EXPECT_LE(group.reward_mean, group.reward_high);
  }
  for (const auto& row : rounds) row_sum += row.mean_loss_base;
  EXPECT_EQ(next, 1004);
  EXPECT_NEAR(group_sum, row_sum, 1e-12);
  EXPECT_EQ(groups.back().witness_loss, rounds.back().witness_loss);
}

}  // namespace
}  // namespace assay
