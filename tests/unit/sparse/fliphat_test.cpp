// FLIPHAT against its listing written out with all rounds at hand; who reads what, and when.
#include "assay/policies/sparse/fliphat.hpp"

#include "assay/mechanisms/accounting/pld/pld_composition.hpp"
#include "assay/mechanisms/idealized/peeling.hpp"
#include "assay/mechanisms/random/uniform_below.hpp"
#include "assay/policies/simulation/play.hpp"
#include "assay/tests/support/sparse_records.hpp"

namespace assay {
namespace {

ReplayStream fliphat_stream(std::uint64_t seed, std::uint64_t lane = 0) {
  return ReplayStream({.seed = seed, .purpose = hash_purpose("tests/fliphat"), .lane = lane});
}

FliphatConfig config_of_horizon(std::int64_t horizon) {
  return FliphatConfig{{.arms = 3,
                        .dimension = 8,
                        .horizon = horizon,
                        .sparsity = 2,
                        .step = 0.2,
                        .x_max = 1.25,
                        .b_max = 1.5},
                       40.0};
}

InputTable rounds_of(const FliphatConfig& config, std::uint64_t seed) {
  return drawn_rounds(config.arms, config.dimension, config.horizon, {{1, 6}, {0.9, -0.6}},
                      fliphat_stream(seed, 1));
}

struct Run {
  std::vector<int> actions;
  std::vector<NihtStep> steps;
  std::vector<std::int64_t> step_rounds;  // after which they were released
};

Run played_alone(Fliphat policy, const InputTable& table, std::uint64_t seed) {
  const auto& config = policy.config();
  const auto rounds = RecordedContexts::create(config.arms, config.dimension, table).value();
  auto random = fliphat_stream(seed), nothing = fliphat_stream(0, 9);
  Run run;
  for (std::int64_t t = 0; t < table.rows; ++t) {
    run.actions.push_back(policy.choose(rounds.context(t, nothing), random));
    policy.observe(rounds.feedback(t, run.actions.back(), nothing), random,
                   [&](const NihtStep& step) {
                     run.steps.push_back(step);
                     run.step_rounds.push_back(t + 1);
                   });
  }
  return run;
}

// The listing: episodes by their rounds, all records kept, noise by the printed formula or the
// bound of the sensitivity, peeling from the same stream.
Run plainly_played(const FliphatConfig& config, const InputTable& table, std::uint64_t seed) {
  const auto k = static_cast<std::size_t>(config.arms),
             d = static_cast<std::size_t>(config.dimension);
  auto random = fliphat_stream(seed);
  Run run;
  std::vector<double> beta(d, 0.0);
  std::map<std::int64_t, double> unit;
  const double c = config.loss == SquaredLoss::kFull ? 2.0 : 1.0;
  const double radius = config.projection > 0.0 ? config.projection : config.b_max;
  for (std::int64_t t = 1; t <= config.horizon; ++t) {
    if (t > 1 && (t & (t - 1)) == 0) {
      const std::int64_t n = t / 2;  // rounds t/2 .. t - 1
      const double count = static_cast<double>(n);
      const double reward_bound =
          config.x_max * config.b_max + config.sigma * std::sqrt(2.0 * std::log(count));
      const auto m =
          static_cast<std::int64_t>(std::floor(config.iteration_factor * std::log(count)));
      std::vector<double> theta(d, 0.0);
      for (std::int64_t i = 0; i < m; ++i) {
        std::vector<double> v = theta;
        for (std::int64_t u = n; u < t; ++u) {
          const auto row = table.row(u - 1);
          const auto arm = static_cast<std::size_t>(run.actions[static_cast<std::size_t>(u - 1)]);
          std::vector<double> x(row.begin() + static_cast<std::ptrdiff_t>(k + arm * d),
                                row.begin() + static_cast<std::ptrdiff_t>(k + (arm + 1) * d));
          double residual = std::clamp(row[arm], -reward_bound, reward_bound);
          for (std::size_t j = 0; j < d; ++j) {
            x[j] = std::clamp(x[j], -config.x_max, config.x_max);
            residual -= x[j] * theta[j];
          }
          for (std::size_t j = 0; j < d; ++j) v[j] += config.step * c * residual * x[j] / count;
        }
        double scale;
        if (config.calibration == Calibration::kPaper) {
          const double lambda = config.step * (reward_bound + config.x_max * config.b_max) / count;
          const double eps = config.epsilon / static_cast<double>(m);
          const double delta = config.delta / static_cast<double>(m);
          scale = lambda * 2.0 *
                  std::sqrt(3.0 * static_cast<double>(config.sparsity) * std::log(1.0 / delta)) /
                  eps;
        } else {
          const double lambda = 2.0 * c * config.step * config.x_max *
                                (reward_bound + (i == 0 ? 0.0 : config.x_max * radius)) / count;
          if (!unit.contains(m)) {
            unit[m] = peeling_scale({Epsilon{config.epsilon}, Delta{config.delta}},
                                    Peeling{m * config.sparsity, 1.0, true})
                          .value()
                          .value.value;
          }
          scale = lambda * unit[m];
        }
        const auto peeling =
            idealized::PeelingMechanism::create(
                {.coordinates = config.dimension, .rounds = config.sparsity, .scale = scale})
                .value();
        NihtStep step{i, v, peeling.release(v, random), {}};
        std::fill(theta.begin(), theta.end(), 0.0);
        double norm = 0.0;
        for (std::size_t r = 0; r < step.released.indices.size(); ++r) {
          theta[static_cast<std::size_t>(step.released.indices[r])] = step.released.values[r];
          norm += std::fabs(step.released.values[r]);
        }
        // Of two entries: both shrink by half of what is too much, or one goes.
        if (norm > radius) {
          std::vector<double*> entries;
          for (double& entry : theta) {
            if (entry != 0.0) entries.push_back(&entry);
          }
          std::sort(entries.begin(), entries.end(),
                    [](double* a, double* b) { return std::fabs(*a) > std::fabs(*b); });
          const double shrink = 0.5 * (norm - radius);
          if (entries.size() > 1 && std::fabs(*entries[1]) > shrink) {
            for (double* entry : entries) *entry -= std::copysign(shrink, *entry);
          } else {
            if (entries.size() > 1) *entries[1] = 0.0;
            *entries[0] = std::copysign(radius, *entries[0]);
          }
        }
        run.steps.push_back(step);
        run.step_rounds.push_back(t - 1);
      }
      beta = theta;
    }
    const auto row = table.row(t - 1);
    if (t == 1) {
      run.actions.push_back(static_cast<int>(uniform_below(random, k)));
      continue;
    }
    std::size_t best = 0;
    std::vector<double> scores(k, 0.0);
    for (std::size_t i = 0; i < k; ++i) {
      for (std::size_t j = 0; j < d; ++j) scores[i] += row[k + i * d + j] * beta[j];
      if (scores[i] > scores[best]) best = i;
    }
    run.actions.push_back(static_cast<int>(best));
  }
  return run;
}

void expect_same(const Run& run, const Run& plain) {
  EXPECT_EQ(run.actions, plain.actions);
  EXPECT_EQ(run.step_rounds, plain.step_rounds);
  ASSERT_EQ(run.steps.size(), plain.steps.size());
  for (std::size_t k = 0; k < run.steps.size(); ++k) {
    EXPECT_EQ(run.steps[k].iteration, plain.steps[k].iteration);
    EXPECT_EQ(run.steps[k].released.indices, plain.steps[k].released.indices);
    for (std::size_t j = 0; j < run.steps[k].vector.size(); ++j) {
      EXPECT_NEAR(run.steps[k].vector[j], plain.steps[k].vector[j], 1e-12);
    }
    for (std::size_t j = 0; j < run.steps[k].released.values.size(); ++j) {
      EXPECT_NEAR(run.steps[k].released.values[j], plain.steps[k].released.values[j], 1e-10);
    }
  }
}

TEST(Fliphat, PlaysItsListing) {
  for (const auto calibration : {Calibration::kPaper, Calibration::kCorrected}) {
    for (const auto loss : {SquaredLoss::kFull, SquaredLoss::kHalf}) {
      for (const double factor : {0.3, 0.9, 1.6}) {  // sums, rows and X^T X
        auto config = config_of_horizon(300);
        config.calibration = calibration;
        config.loss = loss;
        config.iteration_factor = factor;
        config.projection = factor > 1.0 ? 0.7 : 0.0;
        const auto table = rounds_of(config, 2);
        expect_same(played_alone(Fliphat::create(config).value(), table, 3),
                    plainly_played(config, table, 3));
      }
    }
  }
}

TEST(Fliphat, MakesAnEstimateOfEveryEpisodeThatIsFollowed) {
  for (const std::int64_t horizon : {1, 2, 3, 4, 63, 64, 65}) {
    auto config = config_of_horizon(horizon);
    config.iteration_factor = 3.0;
    const auto run = played_alone(Fliphat::create(config).value(), rounds_of(config, 4), 5);
    EXPECT_EQ(static_cast<std::int64_t>(run.actions.size()), horizon);
    std::size_t expected = 0;
    for (std::int64_t n = 1; 2 * n <= horizon; n *= 2) {
      expected += static_cast<std::size_t>(std::floor(3.0 * std::log(static_cast<double>(n))));
    }
    EXPECT_EQ(run.steps.size(), expected);
    for (const auto& step : run.steps) {
      EXPECT_EQ(step.released.indices.size(), 2u);
      EXPECT_EQ(step.released.values.size(), 2u);
    }
    EXPECT_TRUE(std::all_of(run.step_rounds.begin(), run.step_rounds.end(),
                            [&](std::int64_t t) { return t < horizon; }));
  }
}

// What joint DP rests on: until the next estimate a round is read by its own action alone; the
// next estimate reads one record of it; no later one reads any.
TEST(Fliphat, ReadsARoundInItsOwnActionAndInOneEstimate) {
  const auto config = config_of_horizon(128);
  const auto table = rounds_of(config, 6);
  const auto policy = Fliphat::create(config).value();
  const auto base = played_alone(policy, table, 7);
  for (const std::int64_t tau : {1, 20, 31, 40, 64, 127, 128}) {
    auto changed = table;
    for (double& entry : changed.row(tau - 1)) entry = -entry;
    const auto other = played_alone(policy, changed, 7);
    std::int64_t end = 1;
    while (end <= tau) end *= 2;  // the next episode begins with this round
    for (std::int64_t t = 1; t < std::min<std::int64_t>(end, 129); ++t) {
      if (t == tau) continue;
      EXPECT_EQ(base.actions[static_cast<std::size_t>(t - 1)],
                other.actions[static_cast<std::size_t>(t - 1)]);
    }
    for (std::size_t k = 0; k < base.steps.size(); ++k) {
      const bool before = base.step_rounds[k] < end - 1;
      if (before) {
        EXPECT_EQ(base.steps[k].vector, other.steps[k].vector);
      } else if (base.step_rounds[k] == end - 1 && base.steps[k].iteration == 0) {
        EXPECT_NE(base.steps[k].vector, other.steps[k].vector);
        const double bound =
            niht_sensitivity(episode_plan(config, end / 2), episode_bounds(config, end / 2), 0);
        for (std::size_t j = 0; j < base.steps[k].vector.size(); ++j) {
          EXPECT_LE(std::fabs(base.steps[k].vector[j] - other.steps[k].vector[j]), bound);
        }
      }
    }
  }
}

TEST(Fliphat, HasTheIterationsOfItsRule) {
  EpisodesConfig config{.iterations = IterationRule::kCode, .iteration_factor = 0.16};
  config.b_max = 3.75;  // of five entries uniform on [1/2, 1], on average
  EXPECT_EQ(episode_iterations(config, 32), 0);
  for (std::int64_t n = 64; n <= 16'384; n *= 2) EXPECT_EQ(episode_iterations(config, n), 1) << n;
  EXPECT_EQ(episode_iterations(config, 32'768), 2);
  config.iterations = IterationRule::kText;
  config.iteration_factor = 1.6;
  EXPECT_EQ(episode_iterations(config, 1), 0);
  EXPECT_EQ(episode_iterations(config, 2), 1);
  EXPECT_EQ(episode_iterations(config, 8192), 14);
  config.iterations = IterationRule::kTheorem;
  config.b_max = 4.0;
  EXPECT_EQ(episode_iterations(config, 1024), static_cast<int>(std::ceil(28 * std::log(16384.0))));
  config.kappa = 2.0;
  EXPECT_EQ(episode_iterations(config, 1024), static_cast<int>(std::ceil(56 * std::log(16384.0))));
  config.b_max = 0.01;
  EXPECT_EQ(episode_iterations(config, 1024), 0);
  config = {};
  config.x_max = 2.0;
  config.b_max = 3.0;
  config.sigma = 0.5;
  EXPECT_EQ(episode_reward_clip(config, 1), 6.0);
  EXPECT_NEAR(episode_reward_clip(config, 64), 6.0 + 0.5 * std::sqrt(2.0 * std::log(64.0)), 1e-14);
}

// Against the numerical composition of all that an estimate releases, with the sensitivity written
// out.
TEST(Fliphat, KeepsItsBudgetAtEverySize) {
  for (const double epsilon : {0.5, 10.0}) {
    for (const double factor : {0.2, 1.6}) {
      auto config = config_of_horizon(5000);
      config.sparsity = 5;
      config.epsilon = epsilon;
      config.iteration_factor = factor;
      const auto policy = Fliphat::create(config).value();
      ASSERT_EQ(policy.estimates(), 12);
      std::set<std::int64_t> composed;
      for (std::int64_t episode = 0; episode < 12; ++episode) {
        const auto& plan = policy.plan(episode);
        const double n = std::ldexp(1.0, static_cast<int>(episode));
        EXPECT_EQ(static_cast<double>(plan.iterations), std::floor(factor * std::log(n)));
        if (plan.iterations == 0) continue;
        const double clip = 1.25 * 1.5 + 0.1 * std::sqrt(2.0 * std::log(n));
        const double first = 4.0 * 0.2 * 1.25 * clip / n;
        const double later = 4.0 * 0.2 * 1.25 * (clip + 1.25 * 1.5) / n;
        const double unit = std::min(plan.first_scale / first, plan.scale / later);
        EXPECT_NEAR(plan.first_scale / first, plan.scale / later, 1e-10 * unit);
        if (plan.iterations % 6 > 1 || !composed.insert(plan.iterations).second) continue;
        const std::int64_t releases = plan.iterations * 5;
        const std::vector<PldTerm> terms{
            {loss_of::randomized_response(2.0 / unit).value(), releases},
            {loss_of::laplace(unit).value(), releases}};
        EXPECT_LE(pld_delta(terms, Epsilon{epsilon}).value().upper.value.value, 0.01);
      }
    }
  }
  auto config = config_of_horizon(8);
  EXPECT_LE(Fliphat::create(config).value().proved_epsilon(), 40.0 * (1.0 + 2e-6));
  config.calibration = Calibration::kPaper;
  config.epsilon = 2.0;
  config.x_max = 5.0;
  // A twentieth of the sensitivity is assumed, or a tenth at theta = 0.
  EXPECT_GT(Fliphat::create(config).value().proved_epsilon(), 2.0);
}

TEST(Fliphat, PromisesJointPrivacyOfARound) {
  auto config = config_of_horizon(10);
  const auto corrected = Fliphat::create(config).value().guarantee();
  EXPECT_EQ(corrected.view, View::kOtherActions);
  EXPECT_EQ(corrected.relation, Relation::kReplaceOneUser);
  EXPECT_EQ(corrected.level, PrivacyLevel(ApproximateDp{Epsilon{40.0}, Delta{0.01}}));
  EXPECT_THAT(corrected.source, HasSubstr("sensitivity"));
  config.delta = 0.0;
  EXPECT_EQ(Fliphat::create(config).value().guarantee().level, PrivacyLevel(PureDp{Epsilon{40.0}}));
  config.delta = 0.01;
  config.calibration = Calibration::kPaper;
  EXPECT_THAT(Fliphat::create(config).value().guarantee().source, HasSubstr("Theorem 5.1"));
}

TEST(Fliphat, IsRefusedByField) {
  using C = FliphatConfig;
  const auto refused = [](auto&& change) {
    auto config = config_of_horizon(1000);
    change(config);
    return Fliphat::create(config).error();
  };
  const std::pair<const char*, void (*)(C&)> rows[] = {
      {"/arms", [](C& c) { c.arms = 1; }},
      {"/horizon", [](C& c) { c.horizon = 0; }},
      {"/epsilon", [](C& c) { c.epsilon = 0.0; }},
      {"/delta", [](C& c) { c.delta = 0.6; }},
      {"/step", [](C& c) { c.step = 0.0; }},
      {"/x_max", [](C& c) { c.x_max = 0.0; }},
      {"/iteration_factor",
       [](C& c) { c.dimension = c.sparsity = 10'000, c.iteration_factor = 10.0; }},
      {"/kappa", [](C& c) { c.iterations = IterationRule::kTheorem, c.kappa = 1e6; }},
      {"/step", [](C& c) { c.step = 1e3, c.x_max = c.b_max = 1e6, c.epsilon = 1e-3; }}};
  for (const auto& [path, change] : rows) EXPECT_EQ(refused(change).path, path);
  const auto wide = refused([](C& c) { c.sparsity = 9; });
  EXPECT_EQ(wide.path, "/sparsity");
  EXPECT_THAT(wide.message, AllOf(HasSubstr("dimension = 8"), HasSubstr("not 9")));
  const auto pure = refused([](C& c) { c.delta = 0.0, c.calibration = Calibration::kPaper; });
  EXPECT_EQ(pure.path, "/delta");
  EXPECT_THAT(pure.message, HasSubstr("calibration = paper"));
  const auto large = refused([](C& c) { c.dimension = 100'000, c.horizon = 10'000; });
  EXPECT_EQ(large.path, "/horizon");
  EXPECT_THAT(large.message, AllOf(HasSubstr("4096 rounds"), HasSubstr("100000")));
}

}  // namespace
}  // namespace assay
