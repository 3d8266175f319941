// Releases of FLIPHAT on two neighbouring sequences of rounds: their losses against densities written out from
// the listing, and bounds on transcripts against a law in closed form.
#include "assay/auditors/sparse/sparse_pair.hpp"

#include "assay/mechanisms/core/progress.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/tests/support/repetitions.hpp"
#include "assay/tests/support/seeded_stream.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

FliphatConfig small_pair_config() {
  return FliphatConfig{{.arms = 3,
                        .dimension = 5,
                        .horizon = 30,
                        .sparsity = 2,
                        .step = 0.3,
                        .iterations = IterationRule::kCode,
                        .x_max = 0.7,
                        .b_max = 2.0,
                        .sigma = 0.5,
                        .projection = 0.6},
                       40.0};
}

// Rounds of numbers that clipping changes, and another row for one of them.
InputPair random_pair(const FliphatConfig& config, std::int64_t changed, std::uint64_t seed) {
  auto random = pair_stream(seed);
  const auto draw = [&] { return 2.0 * (2.0 * random.uniform() - 1.0); };
  InputTable table =
      InputTable::zeros(config.horizon, config.arms + config.arms * config.dimension);
  for (double& value : table.values) value = draw();
  Edit edit{changed, std::vector<double>(static_cast<std::size_t>(table.columns))};
  for (double& value : edit.values) value = draw();
  return InputPair::of(std::move(table), std::move(edit));
}

double clip(double value, double most) { return std::min(std::max(value, -most), most); }

struct Record {
  std::vector<double> x;
  double y;
};

Record record_of(const FliphatConfig& config, std::span<const double> row, int arm, double most) {
  Record out{{}, clip(row[static_cast<std::size_t>(arm)], most)};
  for (std::int64_t j = 0; j < config.dimension; ++j) {
    out.x.push_back(clip(row[static_cast<std::size_t>(config.arms + arm * config.dimension + j)],
                         config.x_max));
  }
  return out;
}

// log density of all peelings of one call on these records, from (1) of niht.hpp.
double density_of_call(const FliphatConfig& config, const NihtPlan& plan,
                       const std::vector<Record>& records, const std::vector<NihtStep>& steps) {
  std::vector<double> theta(static_cast<std::size_t>(config.dimension), 0.0);
  double total = 0.0;
  for (const NihtStep& step : steps) {
    std::vector<double> v = theta;
    for (const Record& record : records) {
      double score = 0.0;
      for (std::size_t j = 0; j < v.size(); ++j) score += record.x[j] * theta[j];
      for (std::size_t j = 0; j < v.size(); ++j) {
        v[j] += config.step * loss_slope(config.loss) * record.x[j] * (record.y - score) /
                static_cast<double>(records.size());
      }
    }
    const auto peeling = idealized::PeelingMechanism::create(
                             {.coordinates = config.dimension,
                              .rounds = config.sparsity,
                              .scale = step.iteration == 0 ? plan.first_scale : plan.scale})
                             .value();
    total += peeling.log_density(step.released, v);
    std::fill(theta.begin(), theta.end(), 0.0);
    for (std::size_t k = 0; k < step.estimate.indices.size(); ++k) {
      theta[static_cast<std::size_t>(step.estimate.indices[k])] = step.estimate.values[k];
    }
  }
  return total;
}

double log_mean(const std::vector<double>& logs) {
  double sum = 0.0;
  for (const double log : logs) sum += std::exp(log - logs[0]);
  return logs[0] + std::log(sum / static_cast<double>(logs.size()));
}

// The loss by the listing: the policy as it is played, its records kept beside it.
double listed_loss(const Fliphat& fresh, const InputPair& pair, Side side, ReplayStream random) {
  const auto& config = fresh.config();
  Fliphat policy = fresh;
  const std::int64_t changed = pair.changed_row();
  std::int64_t episode = 0;
  while ((std::int64_t{2} << episode) - 1 <= changed) ++episode;
  if (episode >= fresh.estimates()) return 0.0;
  const std::int64_t n = std::int64_t{1} << episode;
  const double most = config.x_max * config.b_max + config.sigma * std::sqrt(2.0 * std::log(n));
  // By side, by the arm that may have been played.
  std::vector<std::vector<Record>> sides[2];
  const std::size_t hidden = episode == 0 ? static_cast<std::size_t>(config.arms) : 1;
  for (auto& s : sides) s.resize(hidden);
  std::vector<NihtStep> steps;
  for (std::int64_t t = 0; t < config.horizon && policy.episode() <= episode; ++t) {
    const auto row = side == Side::kNeighbour ? pair.neighbour_row(t) : pair.base()->row(t);
    const auto arm = policy.choose({config.arms, config.dimension, row.subspan(3)}, random);
    if (policy.episode() == episode) {
      for (std::size_t s = 0; s < 2; ++s) {
        const auto its = s == 1 ? pair.neighbour_row(t) : pair.base()->row(t);
        for (std::size_t k = 0; k < hidden; ++k) {
          const int played =
              t == 0 ? static_cast<int>(k)
              : t == changed
                  ? greedy_arm({config.arms, config.dimension, its.subspan(3)}, policy.estimate())
                  : arm;
          sides[s][k].push_back(record_of(config, its, played, most));
        }
      }
    }
    const bool ends = t == (std::int64_t{2} << episode) - 2;
    policy.observe(row[static_cast<std::size_t>(arm)], random, [&](const NihtStep& step) {
      if (ends) steps.push_back(step);
    });
  }
  double logs[2];
  for (std::size_t s = 0; s < 2; ++s) {
    std::vector<double> by_arm;
    for (const auto& records : sides[s]) {
      by_arm.push_back(density_of_call(config, policy.plan(episode), records, steps));
    }
    logs[s] = log_mean(by_arm);
  }
  return logs[0] - logs[1];
}

TEST(SparsePairs, LossesAreThoseOfTheDensitiesOfAllPeelings) {
  double largest = 0.0;
  for (const auto loss : {SquaredLoss::kFull, SquaredLoss::kHalf}) {
    for (const auto calibration : {Calibration::kPaper, Calibration::kCorrected}) {
      auto config = small_pair_config();
      config.loss = loss;
      config.calibration = calibration;
      const auto policy = Fliphat::create(config).value();
      ASSERT_EQ(policy.estimates(), 4);
      for (const std::int64_t changed : {0, 1, 2, 4, 9, 14, 15, 29}) {
        const auto pair = random_pair(config, changed, 10 + static_cast<std::uint64_t>(changed));
        const auto release = sparse_release(policy, pair).value();
        for (std::uint64_t seed = 0; seed < 6; ++seed) {
          const Side side = seed % 2 == 0 ? Side::kBase : Side::kNeighbour;
          const auto played = release->sample(side, pair_stream(seed));
          const double expected = listed_loss(policy, pair, side, pair_stream(seed));
          EXPECT_NEAR(played.loss, expected, 1e-9) << changed;
          EXPECT_LE(std::fabs(played.loss), release->largest_loss());
          largest = std::max(largest, std::fabs(played.loss));
          if (changed >= 15) {
            EXPECT_EQ(played.loss, 0.0);
          }
        }
      }
    }
  }
  EXPECT_GT(largest, 1.0);
}

TEST(SparsePairs, LikelihoodRatiosOfTheOtherSideHaveMeanOne) {
  auto config = small_pair_config();
  config.epsilon = 4.0;
  const auto policy = Fliphat::create(config).value();
  for (const std::int64_t changed : {0, 1, 5}) {
    const auto release = sparse_release(policy, random_pair(config, changed, 5)).value();
    for (const Side side : {Side::kBase, Side::kNeighbour}) {
      constexpr std::uint64_t kRuns = 3000;
      double sum = 0.0, squares = 0.0;
      for (std::uint64_t i = 0; i < kRuns; ++i) {
        const double loss = release->sample(side, pair_stream(1, i)).loss;
        const double ratio = std::exp(side == Side::kBase ? -loss : loss);
        sum += ratio;
        squares += (ratio - 1.0) * (ratio - 1.0);
      }
      EXPECT_GT(squares, 1e-3);
      EXPECT_LT(std::fabs(sum / kRuns - 1.0), 4.5 * std::sqrt(squares) / kRuns);  // alpha = 1e-5
    }
  }
}

// Joint DP: what the changed round plays is not seen, and moves nothing but through its record.
TEST(SparsePairs, ARoundWhoseArmsAreRenamedLosesNothing) {
  const auto config = small_pair_config();
  const auto policy = Fliphat::create(config).value();
  for (const std::int64_t changed : {0, 1, 4, 9}) {
    const auto base = random_pair(config, changed, 3).base_input();
    const auto row = base.row(changed);
    Edit edit{changed, {row.begin(), row.end()}};
    std::swap(edit.values[0], edit.values[1]);
    for (std::size_t j = 0; j < 5; ++j) std::swap(edit.values[3 + j], edit.values[8 + j]);
    const auto release = sparse_release(policy, InputPair::of(base, std::move(edit))).value();
    for (std::uint64_t i = 0; i < 20; ++i) {
      const auto played =
          release->sample(i % 2 == 0 ? Side::kBase : Side::kNeighbour, pair_stream(2, i));
      EXPECT_NEAR(played.loss, 0.0, 1e-12);
    }
  }
}

TEST(SparsePairs, InputsOfAnotherShapeAreRefused) {
  const auto config = small_pair_config();
  const auto policy = Fliphat::create(config).value();
  auto pair = random_pair(config, 3, 1);
  auto longer = config;
  longer.horizon = 31;
  EXPECT_FALSE(sparse_release(Fliphat::create(longer).value(), pair).has_value());
  auto edit = pair.edit();
  edit.values.pop_back();
  EXPECT_FALSE(sparse_release(policy, InputPair(pair.base(), edit)).has_value());
  edit.values.push_back(1e101);
  EXPECT_FALSE(sparse_release(policy, InputPair(pair.base(), edit)).has_value());
}

// One coordinate, one iteration: v plus Laplace noise of scale b, whose sign every round of the next episode
// plays. P(second arm) = P(v + Z > 0).
TEST(SparsePairs, IntervalsHoldTheDistributionOfASign) {
  FliphatConfig config{{.arms = 2, .dimension = 1, .horizon = 7, .sparsity = 1}};
  config.iteration_factor = 1.6;  // one iteration of two records
  config.calibration = Calibration::kPaper;
  config.epsilon = 8.0;
  const auto policy = Fliphat::create(config).value();
  ASSERT_EQ(policy.plan(1).iterations, 1);
  InputTable table = InputTable::zeros(7, 4);
  const double most = episode_reward_clip(config, 2);
  for (const std::int64_t t : {1, 2}) {
    auto row = table.row(t);
    for (std::size_t arm = 0; arm < 2; ++arm) {
      row[arm] = t == 1 ? most : 0.0;
      row[2 + arm] = 1.0;
    }
  }
  for (const std::int64_t t : {3, 4, 5, 6}) table.row(t)[3] = 1.0;  // second arm: x = 1, first: 0
  const auto pair = InputPair::of(table, {1, {-most, -most, 1.0, 1.0}});
  const auto release = sparse_release(policy, pair).value();
  // v = +-eta R, of scale b.
  const double z = config.step * most / policy.plan(1).first_scale;
  const double likely = 1.0 - 0.5 * std::exp(-z);
  const double epsilon = 0.2;
  const double truth = likely - std::exp(epsilon) * (1.0 - likely);
  ASSERT_GT(truth, 0.05);
  // Of the release: P(L > ..) of a Laplace pair at distance 2 z.
  const double of_release = 1.0 - std::exp(0.5 * (epsilon - 2.0 * z));
  ReleasePlan plan{{.claim = ApproximateDp{Epsilon{epsilon}, Delta{0.01}}}, 200, 1500};
  const int audits = repetitions(40);
  int missed = 0;
  for (int i = 0; i < audits; ++i) {
    plan.seed = static_cast<std::uint64_t>(i);
    const auto evidence = audit_by_release(*release, plan, {}).value();
    const auto& delta = evidence.quantities[0];
    EXPECT_GT(delta.lower.value, 0.5 * truth);
    missed += delta.lower.value > truth || delta.upper.value < of_release;
  }
  EXPECT_LE(missed, audits / 20 + 2);
}

}  // namespace
}  // namespace assay
