// Validity of the likelihood method, by simulation, on pairs whose truth is known by enumeration.
//
// Three pairs of Thompson sampling, 2000 whole audits each at level 0.05, 500 at 0.3: no interval may
// miss the truth more often than the 99.9% quantile of Binomial(audits, its share of alpha), adjusted
// for the number of intervals tested (Bonferroni). Exact paths and the augmented bound are left out, so
// that nothing but the sampled statements is on trial.
#include <gtest/gtest.h>

#include <boost/math/distributions/binomial.hpp>
#include <map>

#include "assay/auditors/methods/exact.hpp"
#include "assay/auditors/methods/likelihood.hpp"
#include "assay/mechanisms/core/parallel.hpp"
#include "assay/tests/support/enumerated_pair.hpp"
#include "assay/tests/support/repetitions.hpp"
#include "assay/tests/support/thompson_pairs.hpp"

namespace assay {
namespace {

constexpr int kRuns = repetitions(2000);
constexpr int kFewRuns = repetitions(500);  // at the level where misses are many
constexpr int kThreads = 2;

struct ValidityCase {
  std::string name;
  std::int64_t arms;
  RewardPair pair;
  double epsilon;
};

std::vector<ValidityCase> cases() {
  return {{"TwoArmsFirstReward", 2, {{0.0, 0.0, 0.0, 0.0, 0.0, 0.0}, 1, 1.0}, 0.2},
          {"TwoArmsMiddleReward", 2, {{1.0, 0.0, 0.5, 1.0, 0.0, 1.0, 0.0}, 3, 0.0}, 0.05},
          {"ThreeArms", 3, {{0.0, 1.0, 0.0, 1.0}, 1, 1.0}, 0.3}};
}

// Largest number of misses in `runs` that a true level `alpha` would exceed with probability 1e-3
// over all `cells` tests together.
int miss_limit(int runs, double alpha, int cells) {
  const boost::math::binomial binomial(runs, alpha);
  return static_cast<int>(std::ceil(quantile(complement(binomial, 1e-3 / cells))));
}

struct Truth {
  EnumeratedLaws laws;
  ExactLoss exact;
  double delta(double epsilon) const {
    double largest = 0.0;
    for (const auto o : {Orientation::kOldToNew, Orientation::kNewToOld}) {
      largest = std::max(largest, exact.delta(Epsilon{epsilon}, o).upper.value.value);
    }
    return largest;
  }
  double epsilon(double delta_value) const {
    double largest = 0.0;
    for (const auto o : {Orientation::kOldToNew, Orientation::kNewToOld}) {
      largest = std::max(largest, exact.epsilon(Delta{delta_value}, o).upper.value.value);
    }
    return largest;
  }
};

Truth enumerate_truth(const ValidityCase& c) {
  auto laws = enumerate_transcripts(thompson_pair(c.arms, c.pair), kThreads).value();
  auto exact = ExactLoss::create(laws).value();
  return {std::move(laws), std::move(exact)};
}

LikelihoodPlan plan_for(const ValidityCase& c, double claimed_delta, double alpha, int run) {
  LikelihoodPlan plan;
  plan.claim = ApproximateDp{Epsilon{c.epsilon}, Delta{claimed_delta}};
  plan.delta0 = Delta{1e-3};
  plan.alpha = alpha;
  plan.seed = static_cast<std::uint64_t>(run) + 1;
  plan.samples = 200;
  plan.pilot = 64;
  plan.tilt_pilot = 16;
  plan.least_tilted = 128;
  plan.calibration = 16;
  plan.band_points = 2;
  plan.trade_off_points = 1;
  plan.with_power = false;
  plan.augmented_mu = {Mu{std::numeric_limits<double>::infinity()}};
  return plan;
}

// What the ledger gives to the statements about a quantity that bound it on one side.
double share_of(const PairEvidence& evidence, const std::string& quantity,
                const std::string& side) {
  double alpha = 0.0;
  for (const auto& entry : evidence.ledger) {
    if (entry.purpose.rfind(quantity, 0) == 0 && entry.purpose.find(side) != std::string::npos) {
      alpha += entry.alpha;
    }
  }
  return alpha;
}

using Misses = std::map<std::string, int>;

// Which statements of one audit are false.
Misses misses_of(const PairEvidence& e, const Truth& truth) {
  Misses misses;
  for (const auto& point : e.profile) {
    const double delta = truth.delta(point.epsilon);
    misses["delta(eps), lower"] |= point.lower > delta;
    misses["delta(eps), upper"] |= point.upper < delta - 1e-11;
  }
  for (const auto& q : e.quantities) {
    double value = 0.0;
    std::string name;
    if (q.kind == QuantityKind::kDeltaAtEpsilon) {
      name = "delta at the claimed eps";
      value = truth.delta(q.at);
    } else if (q.kind == QuantityKind::kEpsilonAtDelta) {
      name = "eps at delta";
      value = truth.epsilon(q.at);
    } else if (q.kind == QuantityKind::kMuAboveDelta0) {
      name = "mu over delta >= delta_0";
      value = truth.exact.mu_above(Delta{q.at}).upper.value.value;
    } else {
      name = "mu";
      value = truth.exact.mu().upper.value.value;
    }
    misses[name + ", lower"] += q.lower.value > value;
    misses[name + ", upper"] += q.upper.value < value - 1e-9;
  }
  return misses;
}

class Validity : public ::testing::TestWithParam<std::tuple<int, double>> {};

TEST_P(Validity, NoIntervalMissesTheTruthMoreOftenThanItsShareOfAlphaAllows) {
  const auto c = cases()[static_cast<std::size_t>(std::get<0>(GetParam()))];
  const double alpha = std::get<1>(GetParam());
  const Truth truth = enumerate_truth(c);
  const EnumeratedPair fresh(truth.laws);
  const double claimed = 0.5 * truth.delta(c.epsilon);
  const int repeated = alpha < 0.1 ? kRuns : kFewRuns;
  std::vector<Misses> runs(static_cast<std::size_t>(repeated));
  std::vector<PairEvidence> first(1);
  parallel_for(kThreads, repeated, [&](std::size_t run) {
    const RunControl control;
    const auto plan = plan_for(c, claimed, alpha, static_cast<int>(run));
    const auto evidence = audit_by_likelihood(fresh, PathSearchResult{}, plan, control);
    runs[run] = misses_of(evidence.value(), truth);
    if (run == 0) first[0] = *evidence;
  });
  Misses total;
  for (const auto& run : runs) {
    for (const auto& [name, miss] : run) total[name] += miss;
  }
  constexpr int kCells = 3 * 2 * 10;
  for (const auto& [name, count] : total) {
    const std::string quantity = name.substr(0, name.find(", "));
    const std::string side = name.substr(name.find(", ") + 2);
    double share = share_of(first[0], quantity, side);
    // mu over delta_0 reads the upper band from above, and may read eps at delta from below.
    if (name == "mu over delta >= delta_0, upper") share = share_of(first[0], "delta(eps)", side);
    if (name == "mu over delta >= delta_0, lower")
      share += share_of(first[0], "eps at delta", side);
    // mu has no sampled upper bound, and from below reads the restricted mu too.
    if (name == "mu, upper") share = 1e-12;
    if (name == "mu, lower") {
      share += share_of(first[0], "mu over", side) + share_of(first[0], "eps at delta", side);
    }
    ASSERT_GT(share, 0.0) << name;
    EXPECT_LE(count, miss_limit(repeated, share, kCells))
        << c.name << ", " << name << ", share " << share;
  }
}

INSTANTIATE_TEST_SUITE_P(ThreePairsTwoLevels, Validity,
                         ::testing::Combine(::testing::Values(0, 1, 2),
                                            ::testing::Values(0.05, 0.3)));

class Boundary : public ::testing::TestWithParam<int> {};

TEST_P(Boundary, AClaimAtTheExactTruthIsConvictedAtMostEightTimesInTwoThousand) {
  const auto c = cases()[static_cast<std::size_t>(GetParam())];
  const Truth truth = enumerate_truth(c);
  const EnumeratedPair fresh(truth.laws);
  const double claimed = truth.delta(c.epsilon);
  std::vector<int> convicted(kRuns);
  parallel_for(kThreads, kRuns, [&](std::size_t run) {
    const RunControl control;
    const auto plan = plan_for(c, claimed, 1e-3, static_cast<int>(run));
    const auto evidence = audit_by_likelihood(fresh, PathSearchResult{}, plan, control);
    const auto decision = decide(plan.claim, evidence.value(), std::nullopt);
    convicted[run] = decision.verdict == Verdict::kViolated;
  });
  EXPECT_LE(std::count(convicted.begin(), convicted.end(), 1),
            std::min(8, miss_limit(kRuns, 1e-3, 1)))
      << c.name;
}

INSTANTIATE_TEST_SUITE_P(ThreePairs, Boundary, ::testing::Values(0, 1, 2));

// The intervals are not vacuous: with more transcripts they close in on the truth.
TEST(Sharpness, IntervalsCloseInOnTheEnumeratedTruth) {
  const auto c = cases()[0];
  const Truth truth = enumerate_truth(c);
  const EnumeratedPair fresh(truth.laws);
  auto plan = plan_for(c, 0.5 * truth.delta(c.epsilon), 0.01, 7);
  plan.samples = 200'000;
  plan.pilot = 2048;
  plan.tilt_pilot = 256;
  const auto evidence = audit_by_likelihood(fresh, PathSearchResult{}, plan, RunControl{}).value();
  const auto* delta = find_quantity(evidence.quantities, QuantityKind::kDeltaAtEpsilon, c.epsilon);
  const double truth_delta = truth.delta(c.epsilon);
  EXPECT_GT(delta->lower.value, 0.95 * truth_delta);
  EXPECT_LT(delta->upper.value, 1.05 * truth_delta);
  EXPECT_EQ(decide(plan.claim, evidence, std::nullopt).verdict, Verdict::kViolated);
}

}  // namespace
}  // namespace assay
