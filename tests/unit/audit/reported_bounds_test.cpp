// Upper bounds by the probabilities that a target reports: what holds, what is refused, and what the report says.
#include "assay/auditors/audit/reported_bounds.hpp"

#include "assay/tests/support/reporting_target.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

constexpr std::int64_t kRounds = 5;

Result<detail::ReportedBounds> bounds_of(const Reporter& how, Method method = Method::kExact,
                                         const PrivacyLevel& claim = PureDp{Epsilon{1.5}}) {
  const ReportingTarget target(kRounds, how);
  AuditTerms terms;
  terms.claim = claim;
  terms.seed = 7;
  return detail::reported_bounds(target, first_reward_pair(kRounds), terms, {method, 4096}, {});
}

// An audit by runs that found no more than eps = 0.4.
AuditReport report_of_runs() {
  AuditReport report;
  report.claim = PureDp{Epsilon{1.5}};
  report.verdict = Verdict::kWeak;
  report.strength = Strength{};
  report.evidence.method = "events";
  report.evidence.limits = {"A black box gives only lower bounds."};
  report.evidence.ledger = {{std::string(detail::kReportedPurpose), 5e-4}};
  report.evidence.quantities = {{QuantityKind::kEpsilonAtDelta,
                                 0.0,
                                 {0.4, Evidence::kSampling, "bets"},
                                 {kInfinity, Evidence::kNone, ""}}};
  return report;
}

TEST(ReportedBounds, OfRandomisedResponseAreItsEpsilon) {
  const auto bounds = must(bounds_of({}));
  EXPECT_EQ(bounds.none, "");
  const auto* eps = find_quantity(bounds.evidence.quantities, QuantityKind::kEpsilonAtDelta, 0.0);
  ASSERT_NE(eps, nullptr);
  EXPECT_NEAR(eps->upper.value, 1.0, 1e-9);
  EXPECT_GE(eps->upper.value, 1.0);
  EXPECT_GT(bounds.again, 0);
  AuditReport report = report_of_runs();
  detail::add_reported(report, bounds);
  EXPECT_EQ(report.verdict, Verdict::kVerifiedIfReported);
  EXPECT_THAT(report.reason, StartsWith("if the reported probabilities are right, "));
  const ReportedQuantity& both = report.evidence.quantities.front();
  EXPECT_EQ(both.lower.value, 0.4);
  EXPECT_EQ(both.lower.evidence, Evidence::kSampling);
  EXPECT_EQ(both.upper.value, eps->upper.value);
  EXPECT_EQ(both.upper.evidence, Evidence::kReported);
  for (const auto& quantity : report.evidence.quantities) {
    EXPECT_NE(quantity.upper.evidence, Evidence::kExact) << quantity_label(quantity);
  }
  double spent = 0.0;
  for (const auto& entry : report.evidence.ledger) spent += entry.alpha;
  EXPECT_LE(spent, 5e-4 * (1.0 + 1e-12));
}

TEST(ReportedBounds, BySamplingHoldTheSameLoss) {
  const auto bounds =
      must(bounds_of({}, Method::kLikelihood, ApproximateDp{Epsilon{1.2}, Delta{0.01}}));
  EXPECT_EQ(bounds.none, "");
  const auto* eps = find_quantity(bounds.evidence.quantities, QuantityKind::kEpsilonAtDelta, 0.01);
  ASSERT_NE(eps, nullptr);
  // delta(eps) = (e - e^eps) / (1 + e) is 0.01 at this eps.
  const double truth = std::log(std::exp(1.0) - 0.01 * (1.0 + std::exp(1.0)));
  EXPECT_LE(eps->lower.value, truth);
  EXPECT_GE(eps->upper.value, truth);
  EXPECT_LT(eps->upper.value, 1.2);
}

// 2^5 transcripts are listed, and 2^17 are not.
TEST(ReportedBounds, OfAPureClaimListTheTranscriptsIfThereAreFew) {
  const auto few = must(bounds_of({}, Method::kLikelihood));
  EXPECT_EQ(few.evidence.method, "exact");
  AuditTerms terms;
  terms.claim = PureDp{Epsilon{1.5}};
  auto many = must(detail::reported_bounds(ReportingTarget(17, {}), first_reward_pair(17), terms,
                                           {Method::kLikelihood, 300}, {}));
  EXPECT_EQ(many.evidence.method, "likelihood");
  AuditReport report = report_of_runs();
  detail::add_reported(report, std::move(many));
  EXPECT_EQ(report.evidence.quantities.front().upper.value, kInfinity);
  EXPECT_THAT(report.evidence.limits, Contains(HasSubstr("no upper bound on eps at delta = 0")));
}

TEST(ReportedBounds, ThatBreakTheClaimRefuteNothing) {
  auto bounds = must(bounds_of({.epsilon = 2.0, .reported_epsilon = 2.0}));
  AuditReport report = report_of_runs();
  detail::add_reported(report, std::move(bounds));
  EXPECT_EQ(report.verdict, Verdict::kInconclusive);
  EXPECT_THAT(
      report.reason,
      AllOf(StartsWith("if the reported probabilities are right, the largest loss is at least 2"),
            HasSubstr("the runs alone do not show it")));
  EXPECT_NEAR(report.evidence.quantities.front().upper.value, 2.0, 1e-9);
}

TEST(ReportedBounds, OfARefutedClaimLeaveItRefuted) {
  auto bounds = must(bounds_of({}));
  AuditReport report = report_of_runs();
  report.verdict = Verdict::kViolated;
  report.reason = "refuted by bets";
  detail::add_reported(report, std::move(bounds));
  EXPECT_EQ(report.verdict, Verdict::kViolated);
  EXPECT_EQ(report.reason, "refuted by bets");
  EXPECT_EQ(report.evidence.quantities.front().upper.evidence, Evidence::kReported);
}

// Wrong by a little, by a lot, and in a way that no likelihood ratio of the two inputs shows.
TEST(ReportedBounds, AreNoneIfTheDrawsDoNotFollowThem) {
  for (const Reporter& how : {Reporter{.epsilon = 1.0, .reported_epsilon = 0.8},
                              Reporter{.reported_epsilon = 0.0}, Reporter{.says_uniform = true}}) {
    auto bounds = must(bounds_of(how));
    EXPECT_THAT(bounds.none, HasSubstr("the draws do not follow the reported probabilities: "))
        << how.reported_epsilon;
    AuditReport report = report_of_runs();
    detail::add_reported(report, std::move(bounds));
    EXPECT_EQ(report.verdict, Verdict::kInconclusive);
    EXPECT_THAT(report.reason, StartsWith("no upper bound: the draws do not follow"));
    EXPECT_EQ(report.evidence.quantities.front().upper.value, kInfinity);
    EXPECT_EQ(report.evidence.quantities.front().lower.value, 0.4);
    EXPECT_TRUE(report.if_reported.empty());
    ASSERT_FALSE(report.evidence.checks.empty());
    EXPECT_FALSE(report.evidence.checks.front().passed);
  }
}

TEST(ReportedBounds, MustNotDependOnTheSeedOrOnLaterActions) {
  const auto by_seed = bounds_of({.seed_share = 1e-15});
  ASSERT_FALSE(by_seed);
  EXPECT_EQ(by_seed.error().code, ErrorCode::kTarget);
  EXPECT_THAT(by_seed.error().message,
              AllOf(HasSubstr("of round 2 on the base input"), HasSubstr("with another seed")));
  const auto ahead = bounds_of({.reads_ahead = true});
  ASSERT_FALSE(ahead);
  EXPECT_THAT(ahead.error().message, HasSubstr("different probabilities of the same round"));
}

TEST(ReportedBounds, AreNoneForFailingRunsAndActionsThatHaveNoProbability) {
  EXPECT_THAT(must(bounds_of({.fails = true})).none, HasSubstr("a run failed"));
  // Truth is certain: the other input never gives the same action.
  const auto bounds = must(bounds_of({.epsilon = 1e3, .reported_epsilon = 1e3}));
  EXPECT_THAT(bounds.none, AllOf(HasSubstr("in round 2"), HasSubstr("0 on the other input")));
}

TEST(ReportedBounds, AreRefusedWithAReason) {
  const auto refusal = [](const Target& target, Method method) {
    const auto status = detail::check_reports(target, {method, 100});
    return status ? std::string() : status.error().message;
  };
  EXPECT_EQ(refusal(ReportingTarget(16, {}), Method::kExact), "");
  EXPECT_THAT(refusal(ReportingTarget(17, {}), Method::kExact),
              HasSubstr("at most 65,536 transcripts, and 2 actions over 17 rounds have more"));
  EXPECT_EQ(refusal(ReportingTarget(17, {}), Method::kLikelihood), "");
  EXPECT_THAT(refusal(teller(4, 1.0), Method::kLikelihood),
              AllOf(HasSubstr("--method likelihood needs the probabilities"),
                    HasSubstr("function reports none")));
  const FunctionTarget table(table_shape(InputKind::kBestArm, 2, 4), {});
  EXPECT_THAT(refusal(table, Method::kLikelihood),
              HasSubstr("--kind bandit, experts or dueling, not best-arm"));
  const FunctionTarget telling(telling_shape(InputKind::kBandit, 2, 4, 0), {});
  EXPECT_THAT(refusal(telling, Method::kLikelihood),
              HasSubstr("--stops, --numbers and --estimates"));
}

}  // namespace
}  // namespace assay
