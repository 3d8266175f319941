#include "assay/auditors/statistics/reported_probabilities.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

std::vector<double> logs(const std::vector<double>& p) {
  std::vector<double> out;
  for (const double x : p) out.push_back(std::log(x));
  return out;
}

// Rounds, not looked at yet, that lift one kind of alternative far above 1: the first look after
// them then sees the present e-value, and that alternative is nearly all of it.
enum class Lift { kMixture, kPower, kLaggedReward, kNeighbour };

ReportedProbabilityTest lifted(Lift lift) {
  ReportedProbabilityTest test(0.01);
  for (int i = 0; i < 60; ++i) {
    switch (lift) {
      case Lift::kMixture:
        test.round(logs({0.001, 0.999}), {}, {}, 0);
        break;
      case Lift::kPower:
        test.round(logs({0.7, 0.3}), {}, {}, 0);
        break;
      case Lift::kLaggedReward:
        test.round(logs({0.5, 0.5}), {}, std::vector<double>{1.0, 0.0}, 0);
        break;
      case Lift::kNeighbour:
        test.round(logs({0.5, 0.5}), logs({0.9, 0.1}), {}, 0);
        break;
    }
  }
  return test;
}

TEST(ProbabilityCheck, HasMeanOneUnderTheReportedProbabilitiesWhicheverAlternativeLeads) {
  const std::vector<double> pi{0.5, 0.3, 0.2};
  const std::vector<double> neighbour{0.2, 0.3, 0.5};
  const std::vector<double> lagged{1.0, 0.0, 0.5};
  for (const Lift lift : {Lift::kMixture, Lift::kPower, Lift::kLaggedReward, Lift::kNeighbour}) {
    const ReportedProbabilityTest before = lifted(lift);
    ReportedProbabilityTest looked_at = before;
    looked_at.end_transcript();
    const double level = looked_at.evidence().log_e_value();
    ASSERT_GT(level, 3.0);
    double after = 0.0;
    for (std::size_t a = 0; a < pi.size(); ++a) {
      ReportedProbabilityTest test = before;
      test.round(logs(pi), logs(neighbour), lagged, static_cast<int>(a));
      test.end_transcript();
      after += pi[a] * std::exp(test.evidence().log_e_value() - level);
    }
    EXPECT_NEAR(after, 1.0, 1e-9) << static_cast<int>(lift);
  }
}

TEST(ProbabilityCheck, IsSureOnceAnActionReportedImpossibleIsDrawn) {
  ReportedProbabilityTest test(1e-9);
  test.round(std::vector<double>{0.0, -kInfinity}, {}, {}, 1);
  test.round(std::vector<double>{0.0, -kInfinity}, std::vector<double>{-kInfinity, 0.0}, {}, 0);
  test.end_transcript();
  EXPECT_TRUE(test.evidence().alarm());
  EXPECT_TRUE(std::isfinite(test.evidence().e_value()));
}

TEST(ProbabilityCheck, AppendingChunksIsTheSameAsOneRun) {
  const auto pi = logs({0.1, 0.6, 0.3});
  const std::vector<double> rewards{0.3, 0.9, 0.0};
  ReportedProbabilityTest whole(0.01), first(0.01), second(0.01);
  for (int t = 0; t < 60; ++t) {
    ReportedProbabilityTest& part = t < 30 ? first : second;
    whole.round(pi, pi, rewards, t % 3);
    part.round(pi, pi, rewards, t % 3);
  }
  whole.end_transcript();
  first.append(second);
  EXPECT_GT(whole.evidence().log_e_value(), 1.0);
  EXPECT_NEAR(first.evidence().log_e_value(), whole.evidence().log_e_value(), 1e-9);
}

TEST(ProbabilityCheck, ThresholdIsTheInverseOfAlpha) {
  EvidenceAgainst evidence(0.01);
  EXPECT_DOUBLE_EQ(evidence.threshold(), 100.0);
  evidence.note(std::log(99.9));
  EXPECT_FALSE(evidence.alarm());
  evidence.note(std::log(100.1));
  evidence.note(-5.0);
  EXPECT_TRUE(evidence.alarm());
  EXPECT_NEAR(evidence.e_value(), 100.1, 1e-10);
}

TEST(Agreement, DoesNotMoveWhereBothSidesAreTheSame) {
  AgreementTest test(0.01);
  const std::vector<double> zeros(1000, 0.0);
  test.observe(zeros, zeros);
  EXPECT_EQ(test.evidence().log_e_value(), 0.0);
}

TEST(Agreement, SeesASinglePairOfOppositeCertainties) {
  // Under P a loss of -10 and under Q one of +10, again and again: impossible for true losses.
  AgreementTest test(1e-6);
  test.observe(std::vector<double>(64, -10.0), std::vector<double>(64, 10.0));
  EXPECT_TRUE(test.evidence().alarm());
}

TEST(Agreement, AcceptsInfiniteLosses) {
  AgreementTest test(0.01);
  test.observe(std::vector<double>(10, kInfinity), std::vector<double>(10, -kInfinity));
  EXPECT_EQ(test.evidence().log_e_value(), 0.0);  // disjoint supports: both sides of (2) are 0
}

}  // namespace
}  // namespace assay
