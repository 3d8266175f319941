// Planted faults in FLIPHAT: each is convicted at power 0.99 by the release method, from actions of joint DP
// alone, or by the check that is its own, where its correct twin is acquitted.
//
// The paper's noise at delta = 0.01, sigma = 10, so that a record moves v by nearly four times what is assumed; it is
// enough for the settings below all the same.
//
// | fault                        | what leaks                        | level    | convicted by       |
// |------------------------------|-----------------------------------|----------|--------------------|
// | scale without the factor M   | every iteration costs eps, not    | grows    | release, actions   |
// |                              | eps/M                             | with M   |                    |
// | clean values                 | the chosen coordinates            | infinite | release, actions   |
// | contexts not clipped         | one context outweighs the noise   | grows    | release, actions   |
// | data of the running episode  | a record is in every estimate     | grows    | release, actions   |
// | noise of values reused       | x's products, exactly; the last   | infinite | losses of peelings |
// |                              | estimate, all that plays, tells   |          |                    |
// |                              | no more than one iteration does   |          |                    |
// | delta not divided by M       | nothing: eps/M an iteration takes | < eps    | size of the noise  |
// |                              | more noise than composition asks  |          |                    |
#include "assay/auditors/sparse/sparse_inputs.hpp"
#include "assay/auditors/sparse/sparse_pair.hpp"
#include "assay/tests/support/faulty_fliphat.hpp"
#include "assay/tests/support/release_convictions.hpp"

namespace assay {
namespace {

constexpr double kDelta = 0.01;

void expect_sparse_convicted(const PairRelease& wrong, const PairRelease& right, double epsilon,
                             std::int64_t runs) {
  const ApproximateDp claim{Epsilon{epsilon}, Delta{kDelta}};
  expect_convicted(wrong, right, claim, runs, 25);
}

// `episode` is the first that a call with iterations reads, of `iterations` of them.
FliphatConfig config_of(std::int64_t dimension, std::int64_t sparsity, std::int64_t episode,
                        std::int64_t iterations, double epsilon) {
  return FliphatConfig{
      {.dimension = dimension,
       .horizon = (std::int64_t{4} << episode) - 1,
       .sparsity = sparsity,
       .iteration_factor = (static_cast<double>(iterations) + 0.01) /
                           std::log(static_cast<double>(std::int64_t{1} << episode)),
       .sigma = 10.0},
      epsilon,
      kDelta,
      Calibration::kPaper};
}

NihtPlan scaled(NihtPlan plan, double factor) {
  plan.first_scale *= factor;
  plan.scale *= factor;
  return plan;
}

TEST(SparseFaults, TheCorrectCounterpartPlaysAsThePolicyDoes) {
  const auto config = config_of(5, 2, 2, 1, 20.0);
  const auto policy = Fliphat::create(config).value();
  ASSERT_EQ(policy.plan(1).iterations, 0);
  const auto pair = sparse_pair(config, {.episode = 2, .used = 5, .up = 3});
  const auto release = sparse_release(policy, pair).value();
  const FaultyNihtRelease counterpart(config, policy.plan(2), pair, NihtFault::kNone);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (const Side side : {Side::kBase, Side::kNeighbour}) {
      const auto expected = release->sample(side, ReplayStream({.seed = seed}));
      const auto played = counterpart.sample(side, ReplayStream({.seed = seed}));
      EXPECT_NEAR(played.loss, expected.loss, 1e-12);
      // Both end with the actions, in order.
      ASSERT_EQ(played.actions.size(), 9U);
      EXPECT_TRUE(
          std::equal(played.actions.begin() + 1, played.actions.end(), expected.actions.end() - 8));
    }
  }
}

TEST(SparseFaults, ANoiseScaleWithoutTheFactorMIsConvicted) {
  const auto config = config_of(1, 1, 1, 60, 1.0);
  const auto policy = Fliphat::create(config).value();
  const NihtPlan& plan = policy.plan(1);
  ASSERT_EQ(plan.iterations, 60);
  const auto pair = sparse_pair(config, {.episode = 1, .lift = 0.0});
  const auto right = sparse_release(policy, pair).value();
  const auto wrong =
      sparse_release(config, {policy.plan(0), scaled(plan, 1.0 / 60.0)}, pair).value();
  expect_sparse_convicted(*wrong, *right, config.epsilon, 300);
}

TEST(SparseFaults, PeelingThatReleasesCleanValuesIsConvicted) {
  const auto config = config_of(4, 2, 2, 1, 1.0);
  const auto policy = Fliphat::create(config).value();
  const auto pair = sparse_pair(config, {.episode = 2, .used = 4, .up = 4, .lift = 0.0});
  const FaultyNihtRelease wrong(config, policy.plan(2), pair, NihtFault::kCleanValues);
  const FaultyNihtRelease right(config, policy.plan(2), pair, NihtFault::kNone);
  expect_sparse_convicted(wrong, right, config.epsilon, 150);
}

TEST(SparseFaults, ContextsThatAreNotClippedAreConvicted) {
  const auto config = config_of(3, 1, 2, 1, 1.0);
  const auto policy = Fliphat::create(config).value();
  auto pair = sparse_pair(config, {.episode = 2, .used = 3, .up = 3, .lift = 0.0});
  // Contexts of 40 x_max in the changed round.
  InputTable base = pair.base_input();
  Edit edit = pair.edit();
  for (std::size_t k = 2; k < edit.values.size(); ++k) {
    base.row(edit.row)[k] *= 40.0;
    edit.values[k] *= 40.0;
  }
  pair = InputPair::of(std::move(base), std::move(edit));
  EpisodesConfig unclipped = config;
  unclipped.x_max = 1e6;
  unclipped.b_max = 1e-6;  // rewards are clipped as before
  const auto right = sparse_release(policy, pair).value();
  const auto wrong =
      sparse_release(unclipped, {policy.plan(0), policy.plan(1), policy.plan(2)}, pair).value();
  expect_sparse_convicted(*wrong, *right, config.epsilon, 150);
}

TEST(SparseFaults, EstimatesOfTheRunningEpisodeAreConvicted) {
  auto config = config_of(1, 1, 5, 1, 0.5);
  const auto policy = Fliphat::create(config).value();
  ASSERT_EQ(policy.plan(5).iterations, 1);
  ASSERT_EQ(policy.plan(4).iterations, 0);
  auto pair = sparse_pair(config, {.episode = 5, .lift = 0.0});
  // Rounds after the changed one, of no reward, read the estimate so far: the second arm has x = 1.
  InputTable base = pair.base_input();
  for (std::int64_t t = 32; t < 63; ++t) {
    const auto row = base.row(t);
    std::fill(row.begin(), row.end(), 0.0);
    row[3] = 1.0;
  }
  pair = InputPair::of(std::move(base), pair.edit());
  const FaultyNihtRelease wrong(config, policy.plan(5), pair, NihtFault::kRunningData);
  const FaultyNihtRelease right(config, policy.plan(5), pair, NihtFault::kNone);
  expect_sparse_convicted(wrong, right, config.epsilon, 300);
}

// A release that some play excludes on the other side is not (eps, delta)-DP where that has probability above
// delta: in 40 plays.
int infinite_loss_convictions(const PairRelease& release, int audits) {
  return count_runs(audits, [&](std::uint64_t seed) {
    const int infinite = count_runs(40, [&](std::uint64_t play) {
      const ReplayStream random({.seed = seed, .replicate = play});
      return std::isinf(release.sample(Side::kBase, random).loss);
    });
    return infinite >= 4;  // of probability at most delta: 6e-4 an audit
  });
}

TEST(SparseFaults, NoiseReusedOverIterationsIsConvictedByItsLosses) {
  const auto config = config_of(4, 2, 1, 4, 1.0);
  const auto policy = Fliphat::create(config).value();
  // Records with other contexts: where rewards alone differ, every step moves by the same.
  const auto pair =
      sparse_pair(config, {.episode = 1, .record = ChangedRecord::kSplit, .used = 4, .up = 4});
  const FaultyNihtRelease wrong(config, policy.plan(1), pair, NihtFault::kReusesNoise);
  const FaultyNihtRelease right(config, policy.plan(1), pair, NihtFault::kNone);
  const int audits = 100;
  EXPECT_GE(infinite_loss_convictions(wrong, audits), audits - audits / 100);
  EXPECT_EQ(infinite_loss_convictions(right, audits), 0);
  // The actions read the last estimate alone: what is reused there was drawn once.
  EXPECT_EQ(convictions(wrong, ApproximateDp{Epsilon{config.epsilon}, Delta{kDelta}}, 300, 2), 0);
}

// Of the noise of values: its mean size below b by four standard errors.
int convictions_by_size(const NihtPlan& played, const NihtPlan& stated, const RegressionData& data,
                        int audits) {
  return count_runs(audits, [&](std::uint64_t seed) {
    double sum = 0.0;
    double values = 0.0;
    for (std::uint64_t i = 0; i < 20; ++i) {
      ReplayStream random({.seed = seed, .replicate = i});
      run_niht(played, data, random, [&](const NihtStep& step) {
        const double scale = step.iteration == 0 ? stated.first_scale : stated.scale;
        for (std::size_t r = 0; r < step.released.indices.size(); ++r) {
          const auto j = static_cast<std::size_t>(step.released.indices[r]);
          sum += std::fabs(step.released.values[r] - step.vector[j]) / scale;
          values += 1.0;
        }
      });
    }
    return sum / values < 1.0 - 4.0 / std::sqrt(values);
  });
}

TEST(SparseFaults, DeltaThatIsNotDividedIsConvictedByTheSizeOfItsNoise) {
  auto config = config_of(4, 2, 2, 16, 1.0);
  config.delta = 0.1;
  const auto policy = Fliphat::create(config).value();
  const NihtPlan& plan = policy.plan(2);
  ASSERT_EQ(plan.iterations, 16);
  const NihtPlan wrong = scaled(plan, std::sqrt(std::log(1.0 / 0.1) / std::log(16.0 / 0.1)));
  // No more than promised is lost: no audit of losses can tell.
  EXPECT_LT(niht_proved_epsilon(wrong, episode_bounds(config, 4), config.delta), config.epsilon);
  RegressionData data(4, 4, 16, {config.x_max, episode_reward_clip(config, 4)});
  data.add(std::vector<double>{1.0, -1.0, 0.5, 0.0}, 2.0);
  const int audits = 100;
  EXPECT_GE(convictions_by_size(wrong, plan, data, audits), audits - audits / 100);
  EXPECT_LE(convictions_by_size(plan, plan, data, audits), audits / 100);
}

}  // namespace
}  // namespace assay
