// Reward tables and their neighbours; what a run on one releases, and what it loses to the other:
// of private policies at most their level, of faulty ones what their fault gives away.
#include "assay/policies/best_arm/reward_table.hpp"

#include "assay/mechanisms/noise/gaussian.hpp"
#include "assay/mechanisms/noise/laplace.hpp"
#include "assay/policies/best_arm/dp_bai.hpp"
#include "assay/policies/best_arm/od_lin_bai.hpp"
#include "assay/policies/best_arm/sequential_halving.hpp"
#include "assay/tests/support/best_arm_runs.hpp"

namespace assay {
namespace {

// log of the density of all that a run released, had its exact values been these.
double phases_log_density(const BestArmRun& run, const std::vector<std::vector<double>>& exact) {
  double sum = 0.0;
  for (std::size_t p = 0; p < run.phases.size(); ++p) {
    const auto& phase = run.phases[p];
    for (std::size_t k = 0; k < exact[p].size(); ++k) {
      const double scale = phase.plan->scales[k];
      sum += phase.plan->noise == PhaseNoise::kLaplace
                 ? Laplace::create(exact[p][k], scale).value().log_density(phase.released[k])
                 : Gaussian::create(exact[p][k], scale).value().log_density(phase.released[k]);
    }
  }
  return sum;
}

// Tables of `policy`'s size that differ in rewards of 0 and 1, where a run may read them.
template <class P>
RewardPair drawn_pair(const P& policy, TableIndex index, std::uint64_t seed) {
  ReplayStream random({.seed = seed, .purpose = 5});
  auto table = *random_table(policy.budget(), policy.arms(), seed);
  const auto row =
      static_cast<std::int64_t>(random.uniform() * static_cast<double>(policy.budget()));
  for (double& value : table.row(row)) value = 0.0;
  const auto base = reward_table(std::move(table), index);
  const int arm = static_cast<int>(random.uniform() * static_cast<double>(policy.arms()));
  if (index == TableIndex::kPull) return RewardPair::replace_cell(base, row, arm, 1.0).value();
  const std::vector<double> ones(static_cast<std::size_t>(policy.arms()), 1.0);
  return RewardPair::replace_column(base, row, ones).value();
}

// The largest |loss| of what a run releases, over random tables, pairs and runs.
template <class P>
double largest_release_loss(const P& policy, TableIndex index) {
  double most = 0.0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const auto pair = drawn_pair(policy, index, seed);
    for (const Side side : {Side::kBase, Side::kNeighbour}) {
      const auto run = run_on_table(policy, pair.table(side), ReplayStream({.seed = seed})).value();
      const double loss = release_loss(run, pair).value();
      most = std::max(most, std::fabs(loss));
      // The played values are those of their table, to the bit, and at most one phase differs.
      const auto before = exact_values_on(run, pair.table(Side::kBase)).value();
      const auto after = exact_values_on(run, pair.table(Side::kNeighbour)).value();
      int differing = 0;
      for (std::size_t p = 0; p < run.phases.size(); ++p) {
        EXPECT_EQ((side == Side::kBase ? before : after)[p], run.phases[p].exact);
        differing += before[p] != after[p] ? 1 : 0;
      }
      EXPECT_LE(differing, 1);
      EXPECT_NEAR(phases_log_density(run, before) - phases_log_density(run, after), loss, 1e-9);
    }
  }
  return most;
}

TEST(Privacy, TheReleaseOfEveryPrivatePolicyLosesAtMostEpsilon) {
  const auto features = generated_features(FeatureKind::kSphere, 20, 3, 6).value();
  for (const auto index : {TableIndex::kPull, TableIndex::kTime}) {
    const double bai = largest_release_loss(
        DpBai::create({.budget = 120, .epsilon = 1.5}, features).value(), index);
    EXPECT_LE(bai, 1.5 * (1.0 + 1e-12));
    EXPECT_GT(bai, 1.4);
    EXPECT_LE(largest_release_loss(
                  BaiBaseline::create({.budget = 120, .epsilon = 1.5}, features).value(), index),
              1.5 * (1.0 + 1e-12));
    EXPECT_LE(largest_release_loss(DpOd::create({.budget = 120, .epsilon = 1.5}, features).value(),
                                   index),
              1.5 * (1.0 + 1e-12));
    // Read with the l2 norm the noise is not enough.
    EXPECT_GT(largest_release_loss(
                  DpOd::create({.budget = 120, .epsilon = 1.5, .norm = MomentNorm::kL2}, features)
                      .value(),
                  index),
              1.6);
  }
}

TEST(Privacy, OfDpOdHoldsWhereALaterBasisRaisesTheNorm) {
  const double c = std::cos(std::acos(-1.0) / 8.0);
  const double s = std::sin(std::acos(-1.0) / 8.0);
  const ArmFeatures features{3, 3, {c, -s, 0, c, s, 0, 0, 0, 1}};
  const auto policy = DpOd::create({.budget = 40, .epsilon = 1.5}, features).value();
  for (const auto index : {TableIndex::kPull, TableIndex::kTime}) {
    const double most = largest_release_loss(policy, index);
    EXPECT_LE(most, 1.5 * (1.0 + 1e-12));
    EXPECT_GT(most, 1.3);
  }
}

// Differences that are far below the values that they are of.
TEST(Privacy, LossesAreThoseOfTheValuesThatDiffer) {
  PhasePlan plan;
  plan.active = plan.pulled = {0, 1, 2};
  plan.pulls = {1, 1, 1};
  plan.noise = PhaseNoise::kLaplace;
  plan.scales = {0x1p-40, 0x1p-40, 0x1p-40};
  const std::vector<double> before{0.5, 0.25, 0.75};
  std::vector<double> after = before;
  after[1] += 0x1p-41;
  // Two values that nothing moved are far out.
  PlayedPhase phase{nullptr, {}, {}, {}, before, {900.0, 0.25, -900.0}, {}};
  phase.plan = std::make_shared<const PhasePlan>(plan);
  EXPECT_EQ(phase.loss(before, after), 0.5);
  EXPECT_EQ(phase.loss(after, before), -0.5);
  plan.noise = PhaseNoise::kGaussian;
  phase.plan = std::make_shared<const PhasePlan>(plan);
  EXPECT_EQ(phase.loss(before, after), 0.125);
  plan.noise = PhaseNoise::kNone;
  phase.plan = std::make_shared<const PhasePlan>(plan);
  EXPECT_EQ(phase.loss(before, after), HUGE_VAL);
  EXPECT_EQ(phase.loss(after, before), -HUGE_VAL);
}

// A policy whose plans have faults, and rounds beyond the budget.
struct Fault {
  PhaseFaults faults;
  std::int64_t extra = 0;  // pulls of the first phase
};

class FaultyPlanner : public PhasePlanner {
 public:
  FaultyPlanner(DpBai honest, Fault fault) : honest_(std::move(honest)), fault_(fault) {}
  std::int64_t phases() const override { return honest_.planner().phases(); }
  std::shared_ptr<const PhasePlan> plan(std::int64_t phase,
                                        std::span<const int> active) const override {
    PhasePlan plan = *honest_.planner().plan(phase, active);
    plan.faults = fault_.faults;
    if (phase == 0) plan.pulls[0] += fault_.extra;
    return std::make_shared<const PhasePlan>(std::move(plan));
  }

 private:
  DpBai honest_;
  Fault fault_;
};

class FaultyBai : public PhasedPolicyOf<DpBaiConfig> {
 public:
  static FaultyBai with(const DpBaiConfig& config, Fault fault) {
    return {config, std::make_shared<const FaultyPlanner>(DpBai::create(config).value(), fault),
            fault.extra};
  }
  static Result<FaultyBai> create(const DpBaiConfig& config) { return with(config, {}); }
  Guarantee guarantee() const { return {}; }
  std::int64_t budget() const { return config().budget + extra_; }

 private:
  FaultyBai(const DpBaiConfig& config, std::shared_ptr<const PhasePlanner> planner,
            std::int64_t extra)
      : PhasedPolicyOf(config, std::move(planner)), extra_(extra) {}
  std::int64_t extra_;
};

// Four unit vectors: phases of 4 and 2 arms, all of them pulled.
constexpr DpBaiConfig kFourArms{
    .arms = 4, .dimension = 4, .budget = 40, .features = FeatureKind::kBasis, .epsilon = 1.0};

TEST(Faults, OfReusedDataLoseAgainInEveryPhaseThatReadsIt) {
  const auto counterpart =
      FaultyBai::with(kFourArms, {.faults = {.reuses_data = true}, .extra = 0});
  for (const auto index : {TableIndex::kPull, TableIndex::kTime}) {
    EXPECT_LE(largest_release_loss(DpBai::create(kFourArms).value(), index), 1.0 + 1e-12);
    double most = 0.0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
      const auto pair = drawn_pair(counterpart, index, seed);
      const auto run =
          run_on_table(counterpart, pair.table(Side::kNeighbour), ReplayStream({.seed = seed}))
              .value();
      const auto before = exact_values_on(run, pair.table(Side::kBase)).value();
      const auto after = exact_values_on(run, pair.table(Side::kNeighbour)).value();
      for (std::size_t p = 0; p < run.phases.size(); ++p) EXPECT_EQ(after[p], run.phases[p].exact);
      const double loss = release_loss(run, pair).value();
      EXPECT_NEAR(phases_log_density(run, before) - phases_log_density(run, after), loss, 1e-9);
      most = std::max(most, std::fabs(loss));
    }
    // eps for the first phase, and n_2/(n_1 + n_2) of it for the second.
    EXPECT_GT(most, 1.2);
    EXPECT_LE(most, 2.0);
  }
  // The mean of all pulls so far, against the table.
  const auto table = random_table(40, 4, 3);
  const auto run = run_on(counterpart, table, TableIndex::kPull, ReplayStream({.seed = 3}));
  const auto& last = run.phases.back();
  const auto arm = static_cast<std::size_t>(last.plan->pulled[0]);
  const std::int64_t all = last.first_pulls[0] + last.plan->pulls[0];
  double sum = 0.0;
  for (std::int64_t n = 0; n < all; ++n) sum += table->row(n)[arm];
  EXPECT_GT(last.first_pulls[0], 0);
  EXPECT_NEAR(last.exact[0], sum / static_cast<double>(all), 1e-15);
}

TEST(Faults, OfSharedNoiseTellTheDifferenceOfTwoArms) {
  const auto counterpart =
      FaultyBai::with(kFourArms, {.faults = {.shares_noise = true}, .extra = 0});
  const auto base = RewardTable::create(random_table(40, 4, 2), TableIndex::kPull).value();
  const auto read = RewardPair::replace_cell(base, 0, 1, 1.0).value();
  const auto unread = RewardPair::replace_cell(base, 39, 1, 1.0).value();
  for (const Side side : {Side::kBase, Side::kNeighbour}) {
    const auto run = run_on_table(counterpart, read.table(side), ReplayStream({.seed = 1})).value();
    EXPECT_EQ(release_loss(run, read).value(), side == Side::kBase ? HUGE_VAL : -HUGE_VAL);
  }
  const auto run = run_on_table(counterpart, base, ReplayStream({.seed = 1})).value();
  EXPECT_EQ(release_loss(run, unread).value(), 0.0);
  const auto& phase = run.phases[0];
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR((phase.released[k] - phase.exact[k]) / phase.plan->scales[k],
                (phase.released[0] - phase.exact[0]) / phase.plan->scales[0], 1e-12);
  }
}

TEST(Faults, OfAnExactRankingTellWhoIsBetter) {
  const auto counterpart =
      FaultyBai::with(kFourArms, {.faults = {.ranks_exact = true}, .extra = 0});
  auto table = InputTable::zeros(40, 4);
  for (std::int64_t n = 0; n < 40; ++n) table.row(n)[0] = table.row(n)[1] = 0.5;
  const auto base = reward_table(table, TableIndex::kPull);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto run = run_on_table(counterpart, base, ReplayStream({.seed = seed})).value();
    EXPECT_EQ(run.recommendation(), 0);  // of a tie the first, whatever the noise
    const std::int64_t last = run.phases[1].first_pulls[0];
    const auto flips = RewardPair::replace_cell(base, last, 1, 1.0).value();
    EXPECT_EQ(release_loss(run, flips).value(), HUGE_VAL);
    const auto keeps = RewardPair::replace_cell(base, last, 0, 1.0).value();
    EXPECT_LE(std::fabs(release_loss(run, keeps).value()), 1.0 + 1e-12);
  }
}

TEST(Faults, OfTheBudgetAreRoundsOfTheRun) {
  const auto counterpart = FaultyBai::with(kFourArms, {.faults = {}, .extra = 3});
  const auto run =
      run_on(counterpart, random_table(43, 4, 1), TableIndex::kPull, ReplayStream({.seed = 1}));
  EXPECT_EQ(run.transcript.size(), 44u);
  const auto honest = FaultyBai::with(kFourArms, {});
  EXPECT_EQ(run_on(honest, random_table(40, 4, 1), TableIndex::kPull, ReplayStream({.seed = 1}))
                .transcript,
            run_on(DpBai::create(kFourArms).value(), random_table(40, 4, 1), TableIndex::kPull,
                   ReplayStream({.seed = 1}))
                .transcript);
}

// Appendix C: given the actions, a table by time and the one by pull that holds the same rewards
// where they are read give the same run, and a column does what the cell does that it becomes.
TEST(Privacy, ColumnsByTimeAndCellsByPullLoseTheSame) {
  const auto features = generated_features(FeatureKind::kSphere, 20, 3, 6).value();
  const auto policy = DpBai::create({.budget = 120}, features).value();
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto by_time = random_table(120, 20, seed);
    const auto run = run_on(policy, by_time, TableIndex::kTime, ReplayStream({.seed = seed}));
    auto by_pull = InputTable::zeros(120, 20);
    std::map<int, std::int64_t> pulls;
    const auto actions = actions_of(run);
    const auto round = static_cast<std::size_t>(seed * 5);
    std::int64_t pull_there = 0;
    for (std::size_t t = 0; t < actions.size(); ++t) {
      const auto arm = static_cast<std::size_t>(actions[t]);
      if (t == round) pull_there = pulls[actions[t]];
      by_pull.row(pulls[actions[t]]++)[arm] = by_time->row(static_cast<std::int64_t>(t))[arm];
    }
    const auto table = std::make_shared<const InputTable>(std::move(by_pull));
    const auto same = run_on(policy, table, TableIndex::kPull, ReplayStream({.seed = seed}));
    EXPECT_EQ(actions_of(same), actions);
    EXPECT_EQ(same.recommendation(), run.recommendation());
    std::vector<double> changed(by_time->row(static_cast<std::int64_t>(round)).begin(),
                                by_time->row(static_cast<std::int64_t>(round)).end());
    for (double& value : changed) value = 1.0 - value;
    const auto column =
        RewardPair::replace_column(RewardTable::create(by_time, TableIndex::kTime).value(),
                                   static_cast<std::int64_t>(round), changed)
            .value();
    const auto cell =
        RewardPair::replace_cell(RewardTable::create(table, TableIndex::kPull).value(), pull_there,
                                 actions[round], changed[static_cast<std::size_t>(actions[round])])
            .value();
    EXPECT_EQ(release_loss(run, column).value(), release_loss(same, cell).value());
    EXPECT_NE(release_loss(run, column).value(), 0.0);
    // A loss is that of the relation that was played.
    EXPECT_EQ(release_loss(run, cell).error().message, "the table must be by time, not by pull");
  }
}

TEST(RewardTable, OfItsFirstRowsIsTheOneWithZerosBelow) {
  const auto policy = DpBai::create({.arms = 6, .budget = 60}).value();
  const auto held = random_table(15, 6, 3);
  InputTable whole = InputTable::zeros(60, 6);
  std::copy(held->values.begin(), held->values.end(), whole.values.begin());
  const auto part = RewardTable::create(held, TableIndex::kPull, 60).value();
  const auto full = reward_table(whole, TableIndex::kPull);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const ReplayStream random({.seed = seed});
    const auto run = run_on_table(policy, part, random).value();
    EXPECT_EQ(run.transcript, run_on_table(policy, full, random)->transcript);
    const auto pair = RewardPair::replace_cell(part, 3, 2, 1.0).value();
    EXPECT_EQ(release_loss(run, pair).value(),
              release_loss(run, RewardPair::replace_cell(full, 3, 2, 1.0).value()).value());
  }
  EXPECT_THAT(RewardPair::replace_cell(part, 15, 2, 1.0),
              IsRefused("pull must be 0 to 14, not 15"));
}

TEST(RewardTable, RefusesNeighboursItDoesNotHave) {
  const auto table = random_table(10, 3, 1);
  const auto pulls = RewardTable::create(table, TableIndex::kPull).value();
  const auto times = RewardTable::create(table, TableIndex::kTime).value();
  const auto cell = [&](const RewardTable& base, std::int64_t pull, int arm, double reward) {
    return RewardPair::replace_cell(base, pull, arm, reward).error().message;
  };
  const auto column = [&](const RewardTable& base, std::int64_t round, std::vector<double> values) {
    return RewardPair::replace_column(base, round, std::move(values)).error().message;
  };
  EXPECT_EQ(cell(pulls, 10, 0, 0.5), "pull must be 0 to 9, not 10");
  EXPECT_EQ(cell(pulls, 0, 3, 0.5), "arm must be 0 to 2, not 3");
  EXPECT_EQ(cell(pulls, 0, 0, 1.5), "a reward must be 0 to 1, not 1.5");
  EXPECT_EQ(cell(times, 0, 0, 0.5), "the table must be by pull, not by time");
  EXPECT_EQ(column(times, -1, {0, 0, 0}), "round must be 0 to 9, not -1");
  EXPECT_EQ(column(times, 0, {0, 0}), "a column has 3 rewards, not 2");
  EXPECT_EQ(column(pulls, 0, {0, 0, 0}), "the table must be by time, not by pull");
  const auto pair = RewardPair::replace_cell(pulls, 4, 2, 0.5).value();
  EXPECT_EQ(pair.input().differing(), 1);
  EXPECT_EQ(pair.table(Side::kNeighbour).reward(4, 2), 0.5);
  EXPECT_EQ(pair.table(Side::kBase).reward(4, 2), table->row(4)[2]);
  // A neighbour of the neighbour differs from that, not from the first.
  const auto next = RewardPair::replace_cell(pair.table(Side::kNeighbour), 5, 0, 0.25).value();
  EXPECT_EQ(next.table(Side::kBase).reward(4, 2), 0.5);
  EXPECT_EQ(next.table(Side::kNeighbour).reward(5, 0), 0.25);
}

TEST(RewardTable, IsRefusedWhereItsRewardsOrSizesAreNotThoseOfAPolicy) {
  auto table = *random_table(10, 3, 1);
  const auto error = [](InputTable bad) {
    return RewardTable::create(std::make_shared<const InputTable>(std::move(bad)),
                               TableIndex::kPull)
        .error()
        .message;
  };
  for (const double reward : {std::nan(""), -0.1, 1.1}) {
    auto bad = table;
    bad.row(6)[1] = reward;
    EXPECT_THAT(error(bad), HasSubstr("row 7, column 2 must be in [0, 1]"));
  }
  EXPECT_THAT(error({0, 3, {}}), HasSubstr("at least one row"));
  EXPECT_THAT(error({10, 3, std::vector<double>(29, 0.5)}), HasSubstr("10 rows of 3 values"));

  const auto policy = SequentialHalving::create({.arms = 3, .budget = 10}).value();
  const auto run = [&](std::int64_t rows, std::int64_t arms) {
    return run_on_table(policy,
                        RewardTable::create(random_table(rows, arms, 1), TableIndex::kPull).value(),
                        ReplayStream({.seed = 1}));
  };
  ASSERT_TRUE(run(10, 3));
  EXPECT_TRUE(run(11, 3));
  EXPECT_EQ(run(9, 3).error().message,
            "the table must have 3 columns and at least 10 rows, not 3 and 9");
  EXPECT_FALSE(run(10, 2));  // an arm without rewards is not one that pays 0
  EXPECT_FALSE(run(10, 4));
  const auto short_table = RewardTable::create(random_table(9, 3, 1), TableIndex::kPull).value();
  EXPECT_FALSE(exact_values_on(*run(10, 3), short_table));
  EXPECT_FALSE(release_loss(*run(10, 3), RewardPair::replace_cell(short_table, 0, 0, 0.5).value()));
}

TEST(RewardTable, TranscriptOfARunIsItsActionsThenItsRecommendation) {
  const auto policy = SequentialHalving::create({.arms = 5, .budget = 40}).value();
  const auto run =
      run_on(policy, random_table(40, 5, 2), TableIndex::kPull, ReplayStream({.seed = 1}));
  ASSERT_EQ(run.transcript.size(), 41u);
  EXPECT_EQ(run.transcript.back(), run.phases.back().survivors.front());
  EXPECT_EQ(run.transcript.front(), 0);
}

}  // namespace
}  // namespace assay
