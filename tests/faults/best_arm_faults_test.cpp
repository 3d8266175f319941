// Planted faults in best-arm identification: each is convicted at power 0.99 by the release method,
// or by the check that is its own, where its correct twin is acquitted; the exact laws of both say
// what there was to see.
//
// Baseline, K = 8 arms, T = 120, eps = 1, phases of 8, 4 and 2 arms; K = 4, T = 60 for unreleased
// means.
//
// | fault                       | what leaks                         | level    | convicted by |
// |-----------------------------|------------------------------------|----------|--------------|
// | noise of all T pulls        | each mean                          | 24       | release      |
// | data reused across phases   | a reward is in every phase's means | 2.2      | release      |
// | ranks by unreleased means   | the last comparison                | infinite | release      |
// | same noise for two arms     | comparisons of arms pulled alike   | infinite | release      |
// | Max-Det coordinates above 1 | nothing: other arms' noise grows   | eps      | certificate  |
// | a pull too many in a phase  | nothing: the budget is overspent   | eps      | its pulls    |
#include "assay/auditors/best_arm/best_arm_pair.hpp"
#include "assay/policies/best_arm/dp_bai.hpp"
#include "assay/policies/linear/linear_algebra.hpp"
#include "assay/tests/support/faulty_best_arm.hpp"
#include "assay/tests/support/release_convictions.hpp"

namespace assay {
namespace {

constexpr double kPhasedEpsilon = 1.0;

BaiBaseline correct_policy(std::int64_t arms = 8) {
  return BaiBaseline::create(
             {.arms = arms, .dimension = arms, .budget = 15 * arms, .epsilon = kPhasedEpsilon})
      .value();
}

struct Exact {
  double level = 0.0;  // the largest loss of the pair
  double delta = 0.0;  // at eps = 1
};

Exact exact_of(const PhasedSubject& subject, const InputPair& pair, TopSetMemo& memo) {
  const auto distributions = transcript_distributions(subject, pair, memo).value().distributions;
  Exact out;
  double forward = 0.0, backward = 0.0;
  for (std::size_t i = 0; i < distributions.log_p.size(); ++i) {
    const double p = distributions.log_p[i], q = distributions.log_q[i];
    out.level = std::max(out.level, std::fabs(p - q));
    forward += std::max(0.0, std::exp(p) - std::exp(kPhasedEpsilon + q));
    backward += std::max(0.0, std::exp(q) - std::exp(kPhasedEpsilon + p));
  }
  out.delta = std::max(forward, backward);
  return out;
}

// The pair of the largest delta(1), exactly, and the largest loss of any.
struct Worst {
  InputPair pair;
  Exact exact;
  double level = 0.0;
};
Worst worst_of(const PhasedSubject& subject) {
  Worst worst;
  TopSetMemo memo;
  for (const auto& pair : hard_reward_pairs(subject, 60)) {
    const Exact exact = exact_of(subject, pair, memo);
    worst.level = std::max(worst.level, exact.level);
    if (!worst.pair.is_known() || exact.delta > worst.exact.delta) {
      worst.pair = pair;
      worst.exact = exact;
    }
  }
  return worst;
}

void expect_phased_convicted(const ChangedPlanner::Change& fault, double level, std::int64_t runs,
                             std::int64_t arms = 8) {
  const auto correct = correct_policy(arms);
  const auto right = phased_subject(correct, arms, 15 * arms, TableIndex::kPull);
  const auto wrong = phased_subject(changed(correct, fault), arms, 15 * arms, TableIndex::kPull);
  const Worst worst = worst_of(wrong);
  EXPECT_GE(worst.level, level);
  EXPECT_GT(worst.exact.delta, 0.05);
  TopSetMemo memo;
  const Exact counterpart = exact_of(right, worst.pair, memo);
  EXPECT_LE(counterpart.level, kPhasedEpsilon + 1e-8);
  EXPECT_LE(counterpart.delta, 1e-9);
  expect_convicted(*best_arm_release(wrong, worst.pair, HUGE_VAL).value(),
                   *best_arm_release(right, worst.pair, HUGE_VAL).value(),
                   PureDp{Epsilon{kPhasedEpsilon}}, runs);
}

TEST(BestArmFaults, NoiseOfAllPullsIsConvicted) {
  expect_phased_convicted(
      [](std::int64_t, PhasePlan& plan) {
        for (double& scale : plan.scales) scale = 1.0 / (kPhasedEpsilon * 120.0);
      },
      20.0, 400);
}

TEST(BestArmFaults, DataReusedAcrossPhasesAreConvicted) {
  expect_phased_convicted([](std::int64_t, PhasePlan& plan) { plan.faults.reuses_data = true; },
                          2.1, 1200);
}

TEST(BestArmFaults, ARecommendationByUnreleasedMeansIsConvicted) {
  expect_phased_convicted(
      [](std::int64_t phase, PhasePlan& plan) { plan.faults.ranks_exact = phase == 1; }, HUGE_VAL,
      1000, 4);
}

TEST(BestArmFaults, TheSameNoiseForTwoArmsIsConvicted) {
  expect_phased_convicted([](std::int64_t, PhasePlan& plan) { plan.faults.shares_noise = true; },
                          HUGE_VAL, 400);
}

double largest_coordinate(const BestArmRun& run) {
  double largest = 0.0;
  for (const auto& phase : run.phases) {
    for (const double w : phase.plan->weights) largest = std::max(largest, std::fabs(w));
  }
  return largest;
}

TEST(BestArmFaults, MaxDetCoordinatesAboveOneAreConvictedByTheirCertificate) {
  const auto correct = DpBai::create({.arms = 8, .budget = 40, .epsilon = kPhasedEpsilon}).value();
  const auto features = generated_features(FeatureKind::kSphere, 8, 2, 1).value();
  // The first two arms, whatever their determinant, in place of the largest.
  const auto fault = [&](std::int64_t, PhasePlan& plan) {
    const auto a = features.of(0), b = features.of(1);
    const double det = a[0] * b[1] - a[1] * b[0];
    plan.pulled = {0, 1};
    for (std::int64_t i = 0; i < 8; ++i) {
      const auto x = features.of(i);
      plan.weights[static_cast<std::size_t>(2 * i)] = (x[0] * b[1] - x[1] * b[0]) / det;
      plan.weights[static_cast<std::size_t>(2 * i + 1)] = (a[0] * x[1] - a[1] * x[0]) / det;
    }
  };
  const auto right = phased_subject(correct, 8, 40, TableIndex::kPull);
  const auto wrong = phased_subject(changed(correct, fault), 8, 40, TableIndex::kPull);
  const auto pair = hard_reward_pairs(right, 1).front();
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto table = table_of(right, pair, Side::kBase).value();
    const ReplayStream random({.seed = seed});
    EXPECT_LE(largest_coordinate(right.play(table, random).value()), 1.0 + kMaxDetTolerance);
    EXPECT_GT(largest_coordinate(wrong.play(table, random).value()), 1.0 + kMaxDetTolerance);
  }
  EXPECT_LE(worst_of(right).level, kPhasedEpsilon + 1e-8);
  EXPECT_LE(worst_of(wrong).level, kPhasedEpsilon + 1e-8);  // no leak: it is the error that grows
}

TEST(BestArmFaults, APullTooManyInAPhaseIsConvictedByItsPulls) {
  const auto correct = correct_policy();
  const auto fault = [](std::int64_t phase, PhasePlan& plan) { plan.pulls[0] += phase == 1; };
  const auto right = phased_subject(correct, 8, 120, TableIndex::kPull);
  const auto wrong = phased_subject(changed(correct, fault, 1), 8, 121, TableIndex::kPull);
  const auto pair = hard_reward_pairs(wrong, 1).front();
  const auto spent = [&](const PhasedSubject& subject, std::uint64_t seed) {
    const auto table = table_of(subject, pair, Side::kBase).value();
    std::int64_t pulls = 0;
    const auto run = subject.play(table, ReplayStream({.seed = seed})).value();
    for (const auto& phase : run.phases) {
      for (const auto n : phase.plan->pulls) pulls += n;
    }
    return pulls;
  };
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    EXPECT_EQ(spent(right, seed), 120);
    EXPECT_GT(spent(wrong, seed), 120);
  }
  EXPECT_LE(worst_of(right).level, kPhasedEpsilon + 1e-8);
}

}  // namespace
}  // namespace assay
