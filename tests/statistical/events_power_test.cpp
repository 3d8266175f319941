// What the event methods reach, at alpha = 0.05 with fixed seeds: lower bounds and power on known
// probabilities, the certified eps of a Gaussian mechanism, and the samples that a gross violation
// costs the sequential audit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "assay/auditors/methods/events.hpp"
#include "assay/auditors/statistics/binomial.hpp"
#include "assay/mechanisms/core/parallel.hpp"
#include "assay/mechanisms/noise/gaussian.hpp"
#include "assay/mechanisms/noise/laplace.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/tests/support/binomial_limit.hpp"
#include "assay/tests/support/repetitions.hpp"

namespace assay {
namespace {

constexpr double kAlpha = 0.05;

double mean_of(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double v : values) sum += v;
  return sum / static_cast<double>(values.size());
}

// A binomial count by inversion of one uniform.
std::int64_t binomial_count(ReplayStream& random, std::int64_t n, double p) {
  const double target = std::log(random.uniform());
  std::int64_t low = 0, high = n;
  while (low < high) {
    const std::int64_t k = low + (high - low) / 2;
    if (binomial_log_cdf(k, n, p) >= target) {
      high = k;
    } else {
      low = k + 1;
    }
  }
  return low;
}

struct BoundRow {
  double p, q;
  std::int64_t n;
  double delta;
  double gain;  // of the mean bound over two Clopper-Pearson limits at alpha/2, on the same counts
};

// The gains of a first, independent implementation of this test in another language.
TEST(EventBounds, GainOverClopperPearsonIsThatOfAnIndependentImplementation) {
  const BoundRow rows[] = {{0.3, 0.1, 10000, 0.0, 0.0328},
                           {1e-3, 1e-5, 10000, 0.0, 1.062},
                           {1e-3, 1e-5, 1000000, 0.0, 0.168},
                           {1e-3, 1e-5, 1000000, 1e-5, 0.174},
                           {0.5, 0.02, 500, 0.0, 0.194}};
  constexpr int kRuns = repetitions(400);
  for (const auto& row : rows) {
    std::vector<double> gains(kRuns), bounds(kRuns);
    parallel_for(2, kRuns, [&](std::size_t i) {
      ReplayStream random({1, hash_purpose("event bounds"), i, 0});
      const std::int64_t x = binomial_count(random, row.n, row.p);
      const std::int64_t y = binomial_count(random, row.n, row.q);
      const auto test = ExactTest::create({x, row.n, y, row.n}, kAlpha).value();
      bounds[i] = test.epsilon_lower_bound(Delta{row.delta}).value.value;
      const double low = clopper_pearson_lower(x, row.n, kAlpha / 2.0).value.value - row.delta;
      const double high = clopper_pearson_upper(y, row.n, kAlpha / 2.0).value.value;
      gains[i] = bounds[i] - std::log(std::max(1e-9, low) / high);
    });
    EXPECT_NEAR(mean_of(gains), row.gain, 0.1 * row.gain) << row.p << " " << row.n;
    const double truth = std::log((row.p - row.delta) / row.q);
    int errors = 0;
    for (const double b : bounds) errors += b > truth;
    EXPECT_LE(errors, binomial_limit(kRuns, kAlpha, 5));
  }
}

struct PowerRow {
  double p, q, epsilon, delta;
  std::int64_t n;
  double exact;  // frequency in 400 simulations of the independent implementation
  double hedge;  // what the hedge is to reach at least
};

const PowerRow kPowers[] = {{0.3, 0.1, 0.9, 0.0, 1600, 0.777, 0.70},
                            {0.3, 0.1, 0.9, 0.0, 3200, 0.973, 0.90},
                            {0.5, 0.02, 2.5, 1e-3, 400, 0.715, 0.52},
                            {1e-3, 1e-5, 3.0, 1e-5, 100000, 0.718, -1.0},
                            {1e-3, 1e-5, 3.0, 1e-5, 200000, 0.968, -1.0}};

TEST(EventPower, ExactTestHasThePowerThatAnIndependentImplementationMeasured) {
  for (const auto& row : kPowers) {
    const double power = exact_test_power(row.n, row.n, kAlpha, Epsilon{row.epsilon},
                                          Delta{row.delta}, row.p, row.q);
    const double error = std::sqrt(row.exact * (1.0 - row.exact) / 400.0);
    EXPECT_NEAR(power, row.exact, 3.3 * error) << row.p << " " << row.n;
  }
}

// The power function against the decisions on sampled counts.
TEST(EventPower, PowerFunctionIsTheFrequencyOfRefutations) {
  constexpr int kRuns = repetitions(4000);
  const auto& row = kPowers[2];
  int refuted = 0;
  for (int i = 0; i < kRuns; ++i) {
    ReplayStream random({2, hash_purpose("event power"), static_cast<std::uint64_t>(i), 0});
    const std::int64_t x = binomial_count(random, row.n, row.p);
    const std::int64_t y = binomial_count(random, row.n, row.q);
    refuted += ExactTest::create({x, row.n, y, row.n}, kAlpha)
                   ->refutes(Epsilon{row.epsilon}, Delta{row.delta});
  }
  const double power =
      exact_test_power(row.n, row.n, kAlpha, Epsilon{row.epsilon}, Delta{row.delta}, row.p, row.q);
  EXPECT_NEAR(refuted / static_cast<double>(kRuns), power,
              3.3 * std::sqrt(power * (1.0 - power) / kRuns));
}

TEST(PairBetting, HedgeIsAboutAsPowerfulAsTheExactTestAndKeepsItsLevel) {
  constexpr int kRuns = repetitions(800);
  for (const auto& row : kPowers) {
    if (row.hedge < 0.0) continue;
    std::vector<int> convicted(kRuns), wrong(kRuns);
    parallel_for(2, kRuns, [&](std::size_t i) {
      for (const bool truth : {false, true}) {
        const double p = truth ? std::exp(row.epsilon) * row.q + row.delta : row.p;
        PairBettingPlan plan;
        plan.alpha = kAlpha;
        plan.horizon = row.n;
        plan.bets = PairBets::kOption;
        plan.design_q = row.q;
        auto test = PairBettingTest::create(Epsilon{row.epsilon}, Delta{row.delta}, plan).value();
        ReplayStream random({3, hash_purpose("pair betting"), i, truth ? 1u : 0u});
        for (std::int64_t k = 0; k < row.n; ++k) {
          const double of_p = random.uniform() < p ? 1.0 : 0.0;
          test.observe(of_p, random.uniform() < row.q ? 1.0 : 0.0);
        }
        (truth ? wrong : convicted)[i] = test.certified();
      }
    });
    const auto count = [](const std::vector<int>& v) { return std::count(v.begin(), v.end(), 1); };
    EXPECT_GE(count(convicted), row.hedge * kRuns) << row.p << " " << row.n;
    EXPECT_LE(count(wrong), binomial_limit(kRuns, kAlpha, 3)) << row.p << " " << row.n;
  }
}

// mu = 1, 1,000 runs a side, delta = 1e-5; the truth is 4.38.
TEST(EventSharpness, GaussianMechanismIsCertifiedAtMoreThanOnePointFortyFive) {
  constexpr int kRuns = repetitions(1000);
  std::vector<double> bounds(kRuns);
  const auto old_law = Gaussian::create(0.0, 1.0).value();
  const auto new_law = Gaussian::create(1.0, 1.0).value();
  parallel_for(2, kRuns, [&](std::size_t i) {
    std::vector<double> old_scores(1000), new_scores(1000);
    ReplayStream old_random({4, hash_purpose("sharpness"), i, 0});
    ReplayStream new_random({4, hash_purpose("sharpness"), i, 1});
    old_law.fill(old_random, std::span<double>(old_scores));
    new_law.fill(new_random, std::span<double>(new_scores));
    EventPlan plan;
    plan.alpha = kAlpha;
    plan.delta = Delta{1e-5};
    bounds[i] = audit_scores(old_scores, new_scores, plan)->epsilon.value.value;
  });
  EXPECT_GE(mean_of(bounds), 1.45);
  RecordProperty("mean bound", std::to_string(mean_of(bounds)));
}

struct AnytimeRow {
  const char* name;
  bool laplace;
  double epsilon;
  double most_pairs;  // half of what kernel-MMD betting needs
};

// The mean of D = (0) and of D' = (0, 1) with noise of scale 2/(n eps): the scale tells n. With
// n = 1 in both scales the mechanism keeps its claim. 1,000 repetitions, at most 1,000 pairs each.
TEST(EventAnytime, ANonPrivateMeanCostsLessThanHalfOfMmdBettingsSamplesAndAPrivateOneIsCleared) {
  constexpr int kRuns = repetitions(1000);
  constexpr int kMostPairs = 1000;
  for (const AnytimeRow row :
       {AnytimeRow{"Gaussian", false, 0.01, 132.0}, AnytimeRow{"Gaussian", false, 0.1, 281.0},
        AnytimeRow{"Laplace", true, 0.01, 165.5}, AnytimeRow{"Laplace", true, 0.1, 460.0}}) {
    for (const bool is_private : {false, true}) {
      std::vector<int> refuted(kRuns);
      std::vector<double> pairs(kRuns);
      const double old_scale = 2.0 / row.epsilon;
      const double new_scale = is_private ? old_scale : 0.5 * old_scale;
      parallel_for(2, kRuns, [&](std::size_t i) {
        ReplayStream old_random({5, hash_purpose("anytime"), i, 0});
        ReplayStream new_random({5, hash_purpose("anytime"), i, 1});
        SequentialEventAudit::Plan plan;
        plan.alpha = kAlpha;
        plan.horizon = 100;
        auto audit = SequentialEventAudit::create(Epsilon{row.epsilon}, Delta{1e-5}, plan).value();
        const auto draw = [&](double location, double scale, ReplayStream& random) {
          return row.laplace ? Laplace::create(location, scale)->sample(random)
                             : Gaussian::create(location, scale)->sample(random);
        };
        for (int k = 0; k < kMostPairs; ++k) {
          const double old_score = draw(0.0, old_scale, old_random);
          if (audit.observe(old_score, draw(0.5, new_scale, new_random))) break;
        }
        refuted[i] = audit.refuted();
        pairs[i] = static_cast<double>(audit.pairs());
      });
      const auto count = std::count(refuted.begin(), refuted.end(), 1);
      if (is_private) {
        EXPECT_LE(count, kRuns / 20) << row.name << " " << row.epsilon;
      } else {
        EXPECT_EQ(count, kRuns) << row.name << " " << row.epsilon;
        EXPECT_LE(mean_of(pairs), row.most_pairs) << row.name << " " << row.epsilon;
      }
      RecordProperty(
          std::string(row.name) + " " + std::to_string(row.epsilon) +
              (is_private ? " private" : " not private"),
          std::to_string(count) + " refuted, mean pairs " + std::to_string(mean_of(pairs)));
    }
  }
}

}  // namespace
}  // namespace assay
