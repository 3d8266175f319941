// Schedules against the paper's example and its lemmas; shares of the budget against enumeration.
#include "assay/policies/best_arm/schedule.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

TEST(Schedule, OfThePapersExampleIsTheOneOfItsProof) {
  const auto proof = elimination_schedule(Schedule::kProof, 10'000, 16);
  EXPECT_NEAR(proof.lambda, 27.65, 0.005);
  EXPECT_THAT(proof.sizes, ElementsAre(10'000, 423, 77, 64, 32, 16, 8, 4, 2, 1));
  EXPECT_EQ(proof.first_stage, 3);
  EXPECT_THAT(proof.allowances, ElementsAre(16, 16, 16, 64, 64, 64, 64, 64, 64));
  EXPECT_EQ(proof.effective_budget(10'000), 10'000 - 3 * 16 - 6 * 64);

  const auto literal = elimination_schedule(Schedule::kLiteral, 10'000, 16);
  EXPECT_THAT(literal.sizes, ElementsAre(10'000, 423, 77, 32, 16, 8, 4, 2, 1));
  EXPECT_EQ(literal.first_stage, 3);
}

TEST(Schedule, OfSmallCases) {
  EXPECT_THAT(elimination_schedule(Schedule::kProof, 30, 2).sizes, ElementsAre(30, 1));
  EXPECT_THAT(elimination_schedule(Schedule::kLiteral, 30, 2).sizes, ElementsAre(30, 1));
  EXPECT_THAT(elimination_schedule(Schedule::kProof, 2, 2).sizes, ElementsAre(2, 1));
  EXPECT_THAT(elimination_schedule(Schedule::kProof, 5, 1).sizes, ElementsAre(5, 3, 2, 1));
  // K <= ceil(d^2/4): the first stage is empty; printed, it takes one phase.
  EXPECT_THAT(elimination_schedule(Schedule::kProof, 6, 6).sizes, ElementsAre(6, 3, 2, 1));
  EXPECT_EQ(elimination_schedule(Schedule::kProof, 6, 6).first_stage, 0);
  EXPECT_THAT(elimination_schedule(Schedule::kLiteral, 6, 6).sizes, ElementsAre(6, 3, 2, 1));
  EXPECT_EQ(elimination_schedule(Schedule::kLiteral, 6, 6).first_stage, 1);
  EXPECT_THAT(halving_schedule(11).sizes, ElementsAre(11, 6, 3, 2, 1));
  EXPECT_THAT(design_schedule(30, 2).sizes, ElementsAre(30, 1));
  EXPECT_THAT(design_schedule(30, 10).sizes, ElementsAre(30, 5, 3, 2, 1));
  EXPECT_THAT(design_schedule(30, 10).allowances, ElementsAre(30, 5, 3, 2));
  EXPECT_THAT(design_schedule(4, 1).sizes, ElementsAre(4, 1));
}

// What the proof of Theorem 4.2 needs of the sizes, over all small cases.
TEST(Schedule, OfTheProofStartsAtKReachesG0AndEndsAtOne) {
  for (std::int64_t d = 1; d <= 24; ++d) {
    for (const std::int64_t k : {2, 3, 5, 8, 17, 64, 100, 999, 10'000}) {
      const auto schedule = elimination_schedule(Schedule::kProof, k, d);
      const std::int64_t g0 = std::min(k, (d * d + 3) / 4);
      const auto& s = schedule.sizes;
      EXPECT_EQ(s.front(), k);
      EXPECT_EQ(s.back(), 1);
      EXPECT_EQ(s[static_cast<std::size_t>(schedule.first_stage)], g0) << k << " arms, d " << d;
      EXPECT_EQ(schedule.phases() + 1, static_cast<std::int64_t>(s.size()));
      EXPECT_TRUE(std::is_sorted(s.rbegin(), s.rend(), std::less_equal<>()));
      // (1): the least b >= 2 with b^(log d) >= K - c.
      const double beyond = static_cast<double>(k - (d * d + 3) / 4);
      if (d > 1 && beyond > 0.0) {
        const double log_d = std::log(static_cast<double>(d));
        EXPECT_GE(std::pow(schedule.lambda, log_d), beyond * (1.0 - 1e-12));
        if (schedule.lambda > 2.0) {
          EXPECT_NEAR(std::pow(schedule.lambda, log_d) / beyond, 1.0, 1e-11);
        }
      }
      const auto literal = elimination_schedule(Schedule::kLiteral, k, d);
      EXPECT_EQ(literal.sizes.front(), k);
      EXPECT_EQ(literal.sizes.back(), 1);
    }
  }
}

TEST(Budget, IsSharedToTheLastPullAndCoversWhatThePaperRoundsUp) {
  for (const std::int64_t d : {1, 2, 4, 8, 16}) {
    const auto schedule = elimination_schedule(Schedule::kProof, 64, d);
    for (std::int64_t budget = 100; budget <= 400; ++budget) {
      const auto shares = phase_budgets(schedule, budget);
      EXPECT_EQ(std::accumulate(shares.begin(), shares.end(), std::int64_t{0}), budget);
      const std::int64_t effective = schedule.effective_budget(budget);
      for (std::size_t p = 0; p < shares.size() && effective > 0; ++p) {
        for (std::int64_t n = 1; n <= schedule.allowances[p]; ++n) {
          const std::int64_t per = schedule.phases() * n;
          EXPECT_GE(shares[p] / n, (effective + per - 1) / per);  // the printed number of pulls
        }
      }
    }
  }
}

// Where all of more than u_p arms are pulled an arm can have one pull less than Lemma G.2 counts.
TEST(Budget, GivesFewerPullsThanLemmaG2WhereArmsExceedTheAllowance) {
  const auto schedule = elimination_schedule(Schedule::kProof, 16, 4);
  EXPECT_EQ(schedule.allowances[0], 4);
  EXPECT_EQ(schedule.phases(), 4);
  EXPECT_EQ(schedule.effective_budget(340), 324);  // ceil(324/(4 16)) = 6
  EXPECT_EQ(phase_budgets(schedule, 340)[0], 85);
  EXPECT_EQ(even_pulls(85, 16).back(), 5);
}

TEST(Budget, SmallestIsTheOneThatEnumerationFinds) {
  for (const std::int64_t d : {1, 2, 3, 5, 8}) {
    for (const std::int64_t k : {2, 5, 20, 64}) {
      for (const auto kind : {Schedule::kProof, Schedule::kLiteral}) {
        const auto schedule = elimination_schedule(kind, k, d);
        const std::vector<std::int64_t> needs(schedule.sizes.begin(), schedule.sizes.end() - 1);
        std::int64_t budget = 1;
        for (;; ++budget) {
          const auto shares = phase_budgets(schedule, budget);
          bool enough = true;
          for (std::size_t p = 0; p < shares.size(); ++p) enough &= shares[p] >= needs[p];
          if (enough) break;
        }
        EXPECT_EQ(smallest_budget(schedule, needs), budget) << k << " arms, d " << d;
        EXPECT_TRUE(check_budget(schedule, needs, budget));
        const auto refused = error_of(check_budget(schedule, needs, budget - 1));
        EXPECT_EQ(refused.path, "/budget");
        EXPECT_THAT(refused.message, HasSubstr("it must be at least " + std::to_string(budget)));
      }
    }
  }
}

TEST(Pulls, AreEvenOrInProportionAndAddUp) {
  EXPECT_THAT(even_pulls(11, 4), ElementsAre(3, 3, 3, 2));
  EXPECT_THAT(proportional_pulls(10, std::vector{0.5, 0.0, 0.3, 0.2}), ElementsAre(5, 0, 3, 2));
  EXPECT_THAT(proportional_pulls(3, std::vector{0.98, 0.01, 0.01}), ElementsAre(1, 1, 1));
  for (std::int64_t total = 4; total <= 200; ++total) {
    const std::vector<double> weights{0.001, 0.1, 0.399, 0.0, 0.5};
    const auto pulls = proportional_pulls(total, weights);
    EXPECT_EQ(std::accumulate(pulls.begin(), pulls.end(), std::int64_t{0}), total);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      EXPECT_EQ(pulls[i] > 0, weights[i] > 0.0);
      // Efficient rounding stays within one and a half pulls of the quota here.
      EXPECT_NEAR(static_cast<double>(pulls[i]), weights[i] * static_cast<double>(total), 2.0);
    }
  }
}

}  // namespace
}  // namespace assay
