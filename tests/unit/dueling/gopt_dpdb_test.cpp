// GOptimal-DPDB against the listing written out in the items' own coordinates, and the score
// equation against steps along its gradient.
#include "assay/policies/dueling/gopt_dpdb.hpp"

#include "assay/mechanisms/noise/laplace.hpp"
#include "assay/policies/simulation/play.hpp"
#include "assay/tests/support/preference_duels.hpp"
#include "assay/tests/support/seeded_stream.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

ArmFeatures random_vectors(std::int64_t count, std::int64_t dimension, std::uint64_t seed) {
  ArmFeatures out{count, dimension, {}};
  auto random = seeded_stream(seed, 7);
  const double side = 2.0 / std::sqrt(static_cast<double>(dimension));
  for (std::int64_t k = 0; k < count * dimension; ++k) {
    out.values.push_back(side * (random.uniform() - 0.5));
  }
  return out;
}

double inner(std::span<const double> a, std::span<const double> b) {
  double sum = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

// Projected gradient descent with small steps.
std::vector<double> descended(const std::vector<std::vector<double>>& z,
                              const std::vector<double>& duels, const std::vector<double>& wins) {
  const std::size_t r = z[0].size();
  double curvature = 0.0;
  for (std::size_t c = 0; c < z.size(); ++c) curvature += 0.25 * duels[c] * inner(z[c], z[c]);
  std::vector<double> w(r, 0.0);
  for (int step = 0; step < 40000; ++step) {
    std::vector<double> slope(r, 0.0);
    for (std::size_t c = 0; c < z.size(); ++c) {
      const double more = duels[c] / (1.0 + std::exp(-inner(z[c], w))) - wins[c];
      for (std::size_t k = 0; k < r; ++k) slope[k] += more * z[c][k];
    }
    for (std::size_t k = 0; k < r; ++k) w[k] -= slope[k] / curvature;
    const double length = std::sqrt(inner(w, w));
    if (length > 1.0) {
      for (double& x : w) x /= length;
    }
  }
  return w;
}

std::vector<std::vector<double>> rows_of(const ArmFeatures& vectors) {
  std::vector<std::vector<double>> out;
  for (std::int64_t i = 0; i < vectors.arms; ++i) {
    out.emplace_back(vectors.of(i).begin(), vectors.of(i).end());
  }
  return out;
}

TEST(ScoreEquations, AreSolvedInsideTheBall) {
  const auto z = random_vectors(6, 3, 1);
  const std::vector<double> truth{0.3, -0.5, 0.2};
  std::vector<double> duels, wins;
  for (std::int64_t c = 0; c < 6; ++c) {
    duels.push_back(100.0 + static_cast<double>(c));
    wins.push_back(duels.back() * logistic(inner(z.of(c), truth)));
  }
  const auto solution = solve_scores(z, duels, wins);
  EXPECT_FALSE(solution.on_sphere);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(solution.w[k], truth[k], 1e-12);
  EXPECT_LT(solution.residual, 1e-13);
}

TEST(ScoreEquations, WithoutARootEndOnTheSphere) {
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    const auto z = random_vectors(4, 2, seed);
    // More wins than duels, and fewer than none: no root.
    const std::vector<double> duels{20, 30, 10, 40};
    const std::vector<double> wins{32, -9, 15, 4};
    const auto solution = solve_scores(z, duels, wins);
    const auto plain = descended(rows_of(z), duels, wins);
    EXPECT_LT(solution.residual, 1e-9);
    EXPECT_LE(inner(solution.w, solution.w), 1.0);
    EXPECT_NEAR(solution.on_sphere ? inner(solution.w, solution.w) : 1.0, 1.0, 1e-9);
    for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(solution.w[k], plain[k], 1e-7) << seed;
  }
  const ArmFeatures line{1, 1, {2.0}};
  const auto end = solve_scores(line, std::vector<double>{5.0}, std::vector<double>{-3.0});
  EXPECT_TRUE(end.on_sphere);
  EXPECT_NEAR(end.w[0], -1.0, 1e-12);
  EXPECT_NEAR(end.lambda, 2.0 * (5.0 * logistic(-2.0) + 3.0), 1e-9);
}

// max over all pairs of |z|^2_{V^-1}, by Gauss elimination in the items' own coordinates.
double worst_pair(const ArmFeatures& items, const DuelPlan& plan) {
  const auto d = static_cast<std::size_t>(items.dimension);
  const auto difference = [&](int i, int j) {
    std::vector<double> out(d);
    for (std::size_t k = 0; k < d; ++k) out[k] = items.of(i)[k] - items.of(j)[k];
    return out;
  };
  std::vector<std::vector<double>> v(d, std::vector<double>(d, 0.0));
  for (std::size_t c = 0; c < plan.pairs.size(); ++c) {
    const auto z = difference(plan.pairs[c].first, plan.pairs[c].second);
    for (std::size_t k = 0; k < d; ++k) {
      for (std::size_t l = 0; l < d; ++l) v[k][l] += plan.weights[c] * z[k] * z[l];
    }
  }
  double worst = 0.0;
  for (const int i : plan.items) {
    for (const int j : plan.items) {
      if (j <= i) continue;
      const auto z = difference(i, j);
      auto rows = v;
      auto x = z;
      for (std::size_t p = 0; p < d; ++p) {
        for (std::size_t k = p + 1; k < d; ++k) {
          const double share = rows[k][p] / rows[p][p];
          for (std::size_t l = p; l < d; ++l) rows[k][l] -= share * rows[p][l];
          x[k] -= share * x[p];
        }
      }
      for (std::size_t p = d; p-- > 0;) {
        for (std::size_t l = p + 1; l < d; ++l) x[p] -= rows[p][l] * x[l];
        x[p] /= rows[p][p];
      }
      worst = std::max(worst, inner(x, z));
    }
  }
  return worst;
}

TEST(GOptDpdbs, PlanADesignWithItsCertificate) {
  for (const auto& [arms, dimension] : {std::pair{12, 3}, std::pair{20, 4}, std::pair{5, 2}}) {
    const auto policy = GOptDpdb::create({.arms = arms, .dimension = dimension}).value();
    const DuelPlan& plan = *policy.plan();
    EXPECT_EQ(plan.rank, dimension);
    EXPECT_LE(plan.gap, 2.0 * kGOptimalGap);
    EXPECT_NEAR(worst_pair(policy.features(), plan) / dimension, 1.0 + plan.gap, 1e-9);
    EXPECT_LE(plan.pairs.size(), static_cast<std::size_t>(dimension * (dimension + 1) / 2));
    double sum = 0.0;
    const auto length = static_cast<double>(gopt_phase_length(policy.config(), 1));
    for (std::size_t c = 0; c < plan.pairs.size(); ++c) {
      sum += plan.weights[c];
      EXPECT_LT(plan.pairs[c].first, plan.pairs[c].second);
      EXPECT_EQ(plan.pulls[c], static_cast<std::int64_t>(std::ceil(length * plan.weights[c])));
    }
    EXPECT_NEAR(sum, 1.0, 1e-12);
  }
}

TEST(GOptDpdbs, HaveThePhasesOfThePaper) {
  GOptDpdbConfig config{.dimension = 2, .horizon = 1'000'000, .epsilon = 0.5};
  const double log_cases = 2.0 * std::log(1e6);
  const double kappa = std::exp(-2.0) / std::pow(1.0 + std::exp(-2.0), 2.0);
  EXPECT_NEAR(kappa_value(Kappa::kTheorem), kappa, 1e-15);
  EXPECT_NEAR(kappa_value(Kappa::kListing), 0.017662706213291118, 1e-15);
  for (const int phase : {1, 2, 5}) {
    const double xi = std::pow(2.0, -phase);
    const double stated = 16.0 * 32.0 * (std::log(2.0) + log_cases) / (kappa * 0.5 * xi) +
                          128.0 * log_cases / (kappa * kappa * xi * xi);
    EXPECT_NEAR(static_cast<double>(gopt_phase_length(config, phase)), std::ceil(stated), 1.0);
  }
  config.epsilon = 1.0;
  EXPECT_NEAR(static_cast<double>(gopt_phase_length(config, 1)), 1.56e6, 1e4);
  config.phase_scale = 1e-4;
  EXPECT_NEAR(static_cast<double>(gopt_phase_length(config, 1)), 156.0, 1.0);
  EXPECT_EQ(gopt_phase_length(config, 400), std::int64_t{1'000'000'000'000'000});
  EXPECT_NEAR(stated_initial_draws(config), 32.0 * (4.0 + log_cases) / std::pow(kappa, 4.0), 1e-3);
}

// The listing's phases, from the plan's pairs, in the items' own coordinates; how many ended.
std::int64_t expect_listing(const GOptDpdbConfig& config, std::uint64_t seed) {
  auto policy = GOptDpdb::create(config).value();
  const ArmFeatures items = policy.features();
  std::vector<double> scores;
  for (std::int64_t i = 0; i < items.arms; ++i) scores.push_back(0.9 * items.of(i)[0]);
  const auto duels = duels_of(scores);
  auto random = seeded_stream(seed);
  auto plain_random = seeded_stream(seed);
  auto luck = seeded_stream(seed, 1);
  std::vector<int> active(policy.active().begin(), policy.active().end());
  const auto first_plan = policy.plan();
  std::int64_t round = 0;
  std::int64_t ended = 0;
  const auto next = [&](const Duel& expected, bool& won) {
    if (round == config.horizon) return false;
    const Duel duel = policy.choose(random);
    EXPECT_EQ(duel, expected) << "round " << round;
    won = duels.feedback(round, duel, luck);
    policy.observe(won, random);
    ++round;
    return true;
  };
  bool won = false;
  while (round < config.horizon && active.size() > 1 && !::testing::Test::HasFailure()) {
    const auto plan = policy.plan();  // NOLINT: a copy, the policy replaces its own
    const double xi = std::pow(2.0, -static_cast<double>(ended + 1));
    for (std::int64_t draw = 0; draw < config.initial_draws; ++draw) {
      if (round == config.horizon) return ended;
      const double at = plain_random.uniform();
      std::size_t c = 0;
      double below = first_plan->weights[0];
      while (c + 1 < first_plan->pairs.size() && below <= at) below += first_plan->weights[++c];
      if (!next(first_plan->pairs[c], won)) return ended;
    }
    std::vector<double> wins;
    std::vector<double> pulls;
    std::vector<std::vector<double>> z;
    for (std::size_t c = 0; c < plan->pairs.size(); ++c) {
      wins.push_back(0.0);
      pulls.push_back(static_cast<double>(plan->pulls[c]));
      const auto x = items.of(plan->pairs[c].first);
      const auto y = items.of(plan->pairs[c].second);
      z.emplace_back();
      for (std::size_t k = 0; k < x.size(); ++k) z.back().push_back(x[k] - y[k]);
      for (std::int64_t pull = 0; pull < plan->pulls[c]; ++pull) {
        if (!next(plan->pairs[c], won)) return ended;
        wins.back() += won ? 1.0 : 0.0;
      }
    }
    if (round == config.horizon) return ended;
    for (double& count : wins) {
      count += Laplace::create(0.0, policy.noise_scale()).value().sample(plain_random);
    }
    EXPECT_EQ(policy.last_release().noisy_wins, wins);  // one noise for each pair, once
    const auto w = descended(z, pulls, wins);
    if (plan->rank == config.dimension) {
      for (std::size_t k = 0; k < w.size(); ++k) {
        EXPECT_NEAR(policy.last_release().scores.w[k], w[k], 1e-6);
      }
    }
    std::vector<int> kept;
    for (const int x : active) {
      double worst = -HUGE_VAL;
      for (const int y : active)
        worst = std::max(worst, inner(w, items.of(y)) - inner(w, items.of(x)));
      if (worst < 2.0 * xi) kept.push_back(x);
    }
    active = kept;
    ++ended;
    EXPECT_TRUE(
        std::equal(active.begin(), active.end(), policy.active().begin(), policy.active().end()));
  }
  while (active.size() == 1 && next({active[0], active[0]}, won)) {
  }
  EXPECT_EQ(random.next(), plain_random.next());
  return ended;
}

TEST(GOptDpdbs, PlayTheListing) {
  EXPECT_GE(expect_listing({.arms = 6, .dimension = 2, .horizon = 6000, .phase_scale = 1e-4}, 1),
            2);
  EXPECT_GE(expect_listing({.arms = 9,
                            .dimension = 3,
                            .horizon = 9000,
                            .epsilon = 4.0,
                            .initial_draws = 25,
                            .phase_scale = 1e-4,
                            .kappa = Kappa::kTheorem,
                            .noise = CountNoise::kProof},
                           2),
            2);
  EXPECT_GE(expect_listing({.arms = 2, .dimension = 3, .horizon = 3000, .phase_scale = 2e-5}, 3),
            1);
}

TEST(GOptDpdbs, AreDeterminedByTheirStreams) {
  const auto policy =
      GOptDpdb::create({.arms = 4, .horizon = 3000, .initial_draws = 10, .phase_scale = 1e-4})
          .value();
  expect_determined_by_streams(policy, duels_of({1, 0.5, 0, -1}), 3000);
}

TEST(GOptDpdbs, SpendTheirLevelOrWhatTheProofsNoiseLeavesOfIt) {
  GOptDpdbConfig config{.horizon = 1000, .epsilon = 0.5};
  const auto listing = GOptDpdb::create(config).value();
  EXPECT_EQ(listing.noise_scale(), std::nextafter(2.0, 3.0));
  EXPECT_NEAR(listing.spent_epsilon(), 0.5, 1e-15);
  config.noise = CountNoise::kProof;
  const auto proof = GOptDpdb::create(config).value();
  EXPECT_NEAR(proof.noise_scale(), 2.0 * std::log(1000.0), 1e-12);
  EXPECT_NEAR(proof.spent_epsilon(), 0.5 / std::log(1000.0), 1e-12);
  for (const auto& policy : {listing, proof}) {
    EXPECT_EQ(std::get<PureDp>(policy.guarantee().level).epsilon.value, 0.5);
    EXPECT_EQ(policy.guarantee().relation, Relation::kReplaceOnePreferences);
    EXPECT_EQ(policy.guarantee().view, View::kActions);
  }
}

TEST(GOptDpdbs, PlayTheFirstOfItemsThatCoincide) {
  const ArmFeatures same{3, 2, {0.5, 0.5, 0.5, 0.5, 0.5, 0.5}};
  auto policy = GOptDpdb::create({.horizon = 10}, same).value();
  auto random = seeded_stream(1);
  EXPECT_EQ(policy.choose(random), (Duel{0, 0}));
  EXPECT_EQ(policy.config().features, FeatureKind::kGiven);
  const ArmFeatures two{3, 1, {0.5, 0.5, -0.5}};
  const auto pairs = GOptDpdb::create({.horizon = 10}, two).value().plan()->pairs;
  for (const Duel& duel : pairs) EXPECT_EQ(duel.second, 2);
}

TEST(GOptDpdbs, RefuseSettingsByNameAndRange) {
  const auto refusal = [](const GOptDpdbConfig& config) {
    return error_of(GOptDpdb::create(config)).message;
  };
  EXPECT_EQ(refusal({.arms = 1}), "arms must be 2 to 128, not 1");
  EXPECT_EQ(refusal({.dimension = 17}), "dimension must be 1 to 16, not 17");
  EXPECT_EQ(refusal({.epsilon = 0.0}), "epsilon must be 1e-06 to 500, not 0");
  EXPECT_EQ(refusal({.phase_scale = 2.0}), "phase_scale must be 1e-12 to 1, not 2");
  EXPECT_EQ(refusal({.initial_draws = -1}), "initial_draws must be 0 to 1e+09, not -1");
  EXPECT_EQ(
      refusal({.horizon = 2, .noise = CountNoise::kProof}),
      "noise = proof needs horizon to be at least 3, so that log(T) is above 1; horizon is 2");
  EXPECT_EQ(
      refusal({.arms = 3, .features = FeatureKind::kLine}),
      "must be sphere or basis, or items must be given: arms on a line leave the unit ball from "
      "the third on");
  EXPECT_EQ(GOptDpdb::create({}, ArmFeatures{2, 1, {1.0, 1.5}}).error().path, "/features");
}

}  // namespace
}  // namespace assay
