// The comparators of FLIPHAT: the lasso against small steps along its gradient, the bandit that
// plays by it, thresholding without noise, uniform arms.
#include "assay/policies/simulation/series.hpp"
#include "assay/policies/sparse/fliphat.hpp"
#include "assay/policies/sparse/gaussian_contexts.hpp"
#include "assay/policies/sparse/iht_bandit.hpp"
#include "assay/policies/sparse/lasso.hpp"
#include "assay/policies/sparse/lasso_bandit.hpp"
#include "assay/policies/sparse/random_arm.hpp"
#include "assay/tests/support/sparse_records.hpp"

namespace assay {
namespace {

using Vector = std::vector<double>;

ReplayStream reference_stream(std::uint64_t seed, std::uint64_t lane = 0) {
  return ReplayStream({.seed = seed, .purpose = hash_purpose("tests/sparse"), .lane = lane});
}

SparseRecords leading_records(std::size_t n, std::size_t d, std::uint64_t seed) {
  auto random = reference_stream(seed, 1);
  SparseRecords records;
  for (std::size_t i = 0; i < n; ++i) {
    Vector x(d);
    for (double& entry : x) entry = 2.0 * random.uniform() - 1.0;
    records.y.push_back(x[0] - 0.7 * x[d - 1] + 0.2 * (random.uniform() - 0.5));
    records.x.push_back(x);
  }
  return records;
}

Vector plain_slopes(const SparseRecords& records, const Vector& b) {
  Vector out(b.size(), 0.0);
  for (std::size_t i = 0; i < records.y.size(); ++i) {
    double residual = records.y[i];
    for (std::size_t j = 0; j < b.size(); ++j) residual -= records.x[i][j] * b[j];
    for (std::size_t j = 0; j < b.size(); ++j) {
      out[j] += residual * records.x[i][j] / static_cast<double>(records.y.size());
    }
  }
  return out;
}

// Soft-thresholded gradient steps of all coordinates at once.
Vector plain_lasso(const SparseRecords& records, double lambda) {
  const std::size_t d = records.x[0].size();
  double curvature = 0.0;
  for (const auto& x : records.x) {
    for (const double entry : x) curvature += entry * entry / static_cast<double>(records.y.size());
  }
  Vector b(d, 0.0);
  for (int step = 0; step < 4000; ++step) {
    const auto slopes = plain_slopes(records, b);
    for (std::size_t j = 0; j < d; ++j) {
      const double z = b[j] + slopes[j] / curvature;
      b[j] = std::copysign(std::max(std::fabs(z) - lambda / curvature, 0.0), z);
    }
  }
  return b;
}

TEST(Lassos, OfOneCoordinateThresholdItsMean) {
  Lasso lasso(1);
  lasso.add(Vector{2.0}, 3.0);
  lasso.add(Vector{-1.0}, 1.0);
  // g = (6 - 1)/2, q = 5/2.
  EXPECT_NEAR(lasso.fit(0.5).weights.values[0], (2.5 - 0.5) / 2.5, 1e-15);
  EXPECT_TRUE(lasso.fit(2.5).weights.indices.empty());
}

TEST(Lassos, SolveTheirProblemAndProveIt) {
  for (const std::size_t n : {5u, 40u}) {
    const auto records = leading_records(n, 9, 2);
    for (const double lambda : {0.01, 0.1, 0.3}) {
      Lasso lasso(9);
      for (std::size_t i = 0; i < n; ++i) lasso.add(records.x[i], records.y[i]);
      const auto fit = lasso.fit(lambda);
      EXPECT_LE(fit.violation, kLassoTolerance);
      const auto b = dense(fit.weights, 9);
      const auto slopes = plain_slopes(records, b);
      for (std::size_t j = 0; j < 9; ++j) {
        EXPECT_LE(std::fabs(slopes[j]), lambda * (1.0 + 2e-9));
        if (b[j] != 0.0) {
          EXPECT_NEAR(slopes[j], std::copysign(lambda, b[j]), 2e-9 * lambda);
        }
      }
      const auto plain = plain_lasso(records, lambda);
      for (std::size_t j = 0; j < 9; ++j) EXPECT_NEAR(b[j], plain[j], n > 9 ? 1e-9 : 1e-4) << j;
    }
  }
}

TEST(Lassos, WhoseSumsOverflowProveNothing) {
  Lasso lasso(2);
  lasso.add(std::vector<double>{1e155, 1.0}, 1.0);
  lasso.add(std::vector<double>{1e155, -1.0}, -1.0);
  EXPECT_EQ(lasso.fit(0.1).violation, std::numeric_limits<double>::infinity());
}

TEST(Lassos, GoOnFromTheLastFitAsIfFresh) {
  const auto records = leading_records(60, 12, 3);
  Lasso growing(12);
  std::size_t added = 0;
  for (const std::size_t n : {10u, 11u, 35u, 60u}) {
    for (; added < n; ++added) growing.add(records.x[added], records.y[added]);
    Lasso fresh(12);
    for (std::size_t i = 0; i < n; ++i) fresh.add(records.x[i], records.y[i]);
    const double lambda = 0.5 / std::sqrt(static_cast<double>(n));
    const auto a = growing.fit(lambda).weights, b = fresh.fit(lambda).weights;
    EXPECT_EQ(a.indices, b.indices);
    const auto first = dense(a, 12), second = dense(b, 12);
    for (std::size_t j = 0; j < 12; ++j) EXPECT_NEAR(first[j], second[j], 1e-8);
  }
}

InputTable two_signal_rounds(std::int64_t rounds) {
  return drawn_rounds(3, 5, rounds, {{0, 3}, {0.9, -0.6}}, reference_stream(4, 1));
}

TEST(LassoBandits, PlayTheirListing) {
  const auto table = two_signal_rounds(70);
  const auto rounds = RecordedContexts::create(3, 5, table).value();
  LassoBanditConfig config{.arms = 3, .dimension = 5, .horizon = 70, .refit = 10, .lambda_0 = 0.05};
  auto policy = LassoBandit::create(config).value();
  auto random = reference_stream(5), same = reference_stream(5);
  SparseRecords seen;
  Vector b(5, 0.0);
  for (std::int64_t t = 1; t <= 70; ++t) {
    const int action = policy.choose(rounds.context(t - 1, random), random);
    const auto row = table.row(t - 1);
    std::vector<double> scores(3, 0.0);
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 5; ++j) scores[i] += b[j] * row[3 + 5 * i + j];
    }
    EXPECT_EQ(action, std::max_element(scores.begin(), scores.end()) - scores.begin()) << t;
    const auto arm = static_cast<std::size_t>(action);
    policy.observe(row[arm]);
    seen.x.emplace_back(row.begin() + static_cast<std::ptrdiff_t>(3 + 5 * arm),
                        row.begin() + static_cast<std::ptrdiff_t>(8 + 5 * arm));
    seen.y.push_back(row[arm]);
    if (t % 10 == 0 && t < 70) {
      const auto time = static_cast<double>(t);
      b = plain_lasso(seen, 2 * 0.05 * std::sqrt((4 * std::log(time) + 2 * std::log(5.0)) / time));
    }
    const auto fitted = dense(policy.last_fit().weights, 5);
    for (std::size_t j = 0; j < 5; ++j) EXPECT_NEAR(fitted[j], b[j], 1e-8);
  }
  EXPECT_FALSE(policy.last_fit().weights.indices.empty());
  EXPECT_EQ(random.next(), same.next());
  EXPECT_GT(lasso_penalty({.dimension = 1}, 1), 0.0);
}

TEST(IhtBandits, PlayTheListingWithoutNoise) {
  const auto table = two_signal_rounds(130);
  const auto rounds = RecordedContexts::create(3, 5, table).value();
  IhtBanditConfig config{
      {.arms = 3, .dimension = 5, .horizon = 130, .step = 0.2, .x_max = 1.5, .b_max = 1.4}};
  auto policy = IhtBandit::create(config).value();
  auto random = reference_stream(6), nothing = reference_stream(0, 9);
  RegressionData kept;
  SparseVector beta;
  for (std::int64_t t = 1; t <= 130; ++t) {
    if ((t & (t - 1)) == 0) {
      if (t > 1) {
        beta = run_niht(episode_plan(config, t / 2), kept, nothing, [](const NihtStep&) {});
      }
      kept = RegressionData(5, t, episode_iterations(config, t),
                            {1.5, 1.5 * 1.4 + 0.1 * std::sqrt(2 * std::log(double(t)))});
    }
    EXPECT_EQ(policy.estimate(), beta);
    const auto contexts = rounds.context(t - 1, random);
    const int action = policy.choose(contexts, random);
    if (t > 1) {
      EXPECT_EQ(action, greedy_arm(contexts, beta));
    }
    const double reward = rounds.feedback(t - 1, action, nothing);
    kept.add(contexts.of(action), reward);
    policy.observe(reward, random);
  }
  // One draw in all: the first arm.
  auto once = reference_stream(6);
  uniform_below(once, 3);
  EXPECT_EQ(random.next(), once.next());
  EXPECT_EQ(beta.indices, (std::vector<std::int64_t>{0, 3}));
}

TEST(RandomArms, AreUniformAndReadNothing) {
  auto policy = RandomArm::create({.arms = 5}).value();
  auto random = reference_stream(7);
  std::vector<int> counts(5, 0);
  for (int t = 0; t < 10'000; ++t) {
    ++counts[static_cast<std::size_t>(policy.choose({}, random))];
    policy.observe(1.0);
  }
  // Binomial(10000, 1/5): six standard deviations, alpha 1e-8 with the five of them.
  for (const int count : counts) EXPECT_NEAR(count, 2000, 6 * 40);
  EXPECT_EQ(policy.guarantee().level, PrivacyLevel(PureDp{Epsilon{0.0}}));
}

TEST(SparseReferences, AreRefusedByField) {
  EXPECT_EQ(RandomArm::create({.arms = 1}).error().path, "/arms");
  EXPECT_EQ(LassoBandit::create({.lambda_0 = 0.0}).error().path, "/lambda_0");
  EXPECT_EQ(LassoBandit::create({.refit = 0}).error().path, "/refit");
  const auto large = LassoBandit::create({.dimension = 100'000, .horizon = 10'000}).error();
  EXPECT_EQ(large.path, "/horizon");
  EXPECT_THAT(large.message, AllOf(HasSubstr("10000"), HasSubstr("100000")));
  IhtBanditConfig wide{{.sparsity = 7}};
  EXPECT_EQ(IhtBandit::create(wide).error().path, "/sparsity");
}

// Regret of one run each at d = 40: what learns misses far less than what does not.
TEST(SparseReferences, LearnWhatRandomArmsMiss) {
  GaussianContextsConfig distribution{.arms = 3, .dimension = 40};
  const auto beta = random_signal(40, 3, 8).value();
  const auto environment = GaussianContexts::create(distribution, beta).value();
  const std::vector<std::int64_t> rounds{4000};
  const auto regret = [&](auto policy) {
    const auto series = make_series("test", std::move(policy), environment);
    const auto chunk = series.play(
        {.rounds = rounds, .seed = 9, .policy_purpose = 1, .environment_purpose = 2, .end = 1});
    return chunk->final_pseudo[0];
  };
  const double random = regret(RandomArm::create({.arms = 3}).value());
  const double lasso = regret(
      LassoBandit::create({.arms = 3, .dimension = 40, .horizon = 4000, .lambda_0 = 0.3}).value());
  FliphatConfig config{{.arms = 3,
                        .dimension = 40,
                        .horizon = 4000,
                        .sparsity = 6,
                        .step = 0.05,
                        .iteration_factor = 0.2,
                        .x_max = 3.0,
                        .b_max = beta.l1()},
                       100.0};
  const double fliphat = regret(Fliphat::create(config).value());
  IhtBanditConfig same;
  static_cast<EpisodesConfig&>(same) = config;
  const double iht = regret(IhtBandit::create(same).value());
  EXPECT_GT(random, 3000.0);
  EXPECT_LT(lasso, 0.2 * random);
  EXPECT_LT(iht, 0.3 * random);
  EXPECT_LT(fliphat, 0.5 * random);
}

}  // namespace
}  // namespace assay
