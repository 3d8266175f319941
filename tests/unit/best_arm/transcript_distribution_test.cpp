// Exact laws of phases and transcripts: against other integrals, against plays, and the same level
// under both neighbouring relations.
#include "assay/auditors/best_arm/best_arm_pair.hpp"
#include "assay/auditors/best_arm/phase_distribution.hpp"
#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/policies/best_arm/dp_bai.hpp"
#include "assay/policies/best_arm/od_lin_bai.hpp"
#include "assay/tests/support/best_arm_runs.hpp"
#include "assay/tests/support/faulty_best_arm.hpp"
#include "assay/tests/support/goodness_of_fit.hpp"

namespace assay {
namespace {

std::vector<SetProbability> distribution_of(const PhasePlan& plan, std::vector<double> exact) {
  TopSetMemo memo;
  return phase_distribution(plan, exact, 1000, memo).value();
}

double probability_of_sets(const std::vector<SetProbability>& distribution) {
  double sum = 0.0;
  for (const auto& set : distribution) sum += std::exp(set.log_p);
  return sum;
}

PhasePlan linear_plan(PhaseNoise noise, std::vector<double> weights, std::vector<double> scales,
                      std::int64_t keep) {
  PhasePlan plan{.active = all_arms(static_cast<std::int64_t>(weights.size() / scales.size())),
                 .pulled = all_arms(static_cast<std::int64_t>(scales.size()))};
  plan.pulls.assign(scales.size(), 1);
  plan.weights = std::move(weights);
  plan.scales = std::move(scales);
  plan.noise = noise;
  plan.keep = keep;
  return plan;
}

// Arms a and b with scores z_1 and z_2 are two arms with means of their own.
TEST(PhaseDistribution, OfTwoLinearScoresIsThatOfTwoMeans) {
  for (const auto noise : {PhaseNoise::kLaplace, PhaseNoise::kGaussian}) {
    for (const double gap : {-30.0, -2.0, 0.0, 0.7, 3.0, 25.0}) {
      const auto plan = linear_plan(noise, {1.0, 0.0, 0.0, 1.0}, {1.0, 2.0}, 1);
      PhasePlan means = plan;
      means.weights.clear();
      const auto linear = distribution_of(plan, {gap, 0.5});
      const auto direct = distribution_of(means, {gap, 0.5});
      ASSERT_EQ(linear.size(), direct.size());
      for (std::size_t i = 0; i < linear.size(); ++i) {
        EXPECT_EQ(linear[i].survivors, direct[i].survivors);
        EXPECT_NEAR(linear[i].log_p, direct[i].log_p, 1e-10) << gap << " " << i;
      }
    }
  }
}

// Gaussian scores of any direction: P(<w, z> > 0) in closed form.
TEST(PhaseDistribution, OfAGaussianDirectionIsItsNormalDistribution) {
  const std::vector<std::array<double, 2>> directions = {
      {3.0, 4.0}, {-1.0, 0.001}, {1.0, -1.0}, {0.0, -2.0}, {-5.0, -1.0}};
  for (const auto& w : directions) {
    for (const std::array<double, 2> mean :
         {std::array{0.0, 0.0}, std::array{7.0, -3.0}, std::array{-20.0, 9.0}}) {
      const auto plan = linear_plan(PhaseNoise::kGaussian, {w[0], w[1], 0.0, 0.0}, {0.5, 1.5}, 1);
      const double sd = std::hypot(0.5 * w[0], 1.5 * w[1]);
      const double at = (w[0] * mean[0] + w[1] * mean[1]) / sd;
      for (const auto& set : distribution_of(plan, {mean[0], mean[1]})) {
        const double truth = set.survivors[0] == 0 ? normal_log_cdf(at) : normal_log_ccdf(at);
        EXPECT_NEAR(set.log_p, truth, 1e-10 * (1.0 + std::fabs(truth)));
      }
    }
  }
}

TEST(PhaseDistribution, OfManyLinearScoresSumsToOne) {
  ReplayStream random({.seed = 3});
  for (const auto noise : {PhaseNoise::kLaplace, PhaseNoise::kGaussian}) {
    for (int run = 0; run < 20; ++run) {
      std::vector<double> weights;
      for (int i = 0; i < 18; ++i) weights.push_back(2.0 * random.uniform() - 1.0);
      const auto plan = linear_plan(noise, weights, {0.3 + random.uniform(), 0.5}, 1 + run % 4);
      const auto distribution =
          distribution_of(plan, {6.0 * random.uniform(), -4.0 * random.uniform()});
      EXPECT_NEAR(probability_of_sets(distribution), 1.0, 1e-11);
    }
  }
}

// Arms on a line, whose scores are tied but for rounding, have no sectors of their own.
TEST(PhaseDistribution, OfTiedScoresHasTheSetsThatRoundingDoesNotMake) {
  const auto plan =
      linear_plan(PhaseNoise::kLaplace,
                  {1.0, 0.1, 1.0, 0.2, 1.0, 0.2 + 1e-17, 1.0, 0.30000000000000004}, {1.0, 1.0}, 1);
  const auto distribution = distribution_of(plan, {0.0, 0.0});
  EXPECT_EQ(distribution.size(), 2U);  // the first or the last
  EXPECT_NEAR(distribution[0].log_p, std::log(0.5), 1e-12);
}

// Plays against the law, by a chi-square at alpha = 1e-6 of each.
template <class P>
void expect_runs_follow(const P& policy, TableIndex index, std::uint64_t seed) {
  const auto subject = phased_subject(policy, policy.arms(), policy.budget(), index);
  const InputPair pair(random_table(policy.budget(), policy.arms(), seed),
                       {0, std::vector<double>(static_cast<std::size_t>(policy.arms()), 1.0)});
  const auto distributions = transcript_distributions(subject, pair).value();
  constexpr int kRuns = 4000;
  std::vector<double> counts(distributions.transcripts.size());
  const auto table = table_of(subject, pair, Side::kNeighbour).value();
  for (std::uint64_t i = 0; i < kRuns; ++i) {
    const auto run = subject.play(table, ReplayStream({.seed = seed, .replicate = i})).value();
    const auto seen = seen_actions(run);
    ASSERT_TRUE(distributions.index.contains(seen));
    const auto at = static_cast<std::size_t>(distributions.index.at(seen));
    ++counts[at];
    if (i < 50) {
      EXPECT_EQ(whole_transcript(subject, distributions.transcripts[at]), run.transcript);
    }
  }
  std::vector<double> probabilities;
  for (const double log_q : distributions.distributions.log_q)
    probabilities.push_back(std::exp(log_q));
  EXPECT_GT(fit_of_counts(probabilities, counts, kRuns).p_value, kTestAlpha);
}

TEST(TranscriptDistributions, AreThoseOfRuns) {
  for (const auto index : {TableIndex::kPull, TableIndex::kTime}) {
    expect_runs_follow(DpBai::create({.arms = 8, .budget = 40}).value(), index, 1);
    expect_runs_follow(BaiBaseline::create({.arms = 6, .dimension = 4, .budget = 60}).value(),
                       index, 2);
    expect_runs_follow(DpBaiGauss::create({.arms = 5, .dimension = 3, .budget = 30}).value(), index,
                       3);
    expect_runs_follow(DpOd::create({.arms = 7, .budget = 50, .norm = MomentNorm::kL2}).value(),
                       index, 4);
  }
  // Faulty twins have laws as well.
  const auto correct = BaiBaseline::create({.arms = 4, .dimension = 4, .budget = 24}).value();
  for (const PhaseFaults faults :
       {PhaseFaults{.reuses_data = true}, PhaseFaults{.shares_noise = true},
        PhaseFaults{.ranks_exact = true}}) {
    const auto counterpart =
        changed(correct, [=](std::int64_t, PhasePlan& plan) { plan.faults = faults; });
    expect_runs_follow(counterpart, TableIndex::kPull, 5);
  }
}

// The largest loss of any transcript over every pair of neighbouring tables of rewards 0 and 1, of
// which only the entries that can be read vary: `free` of (row, arm).
template <class P>
double level_of(const P& policy, TableIndex index, const std::vector<std::pair<int, int>>& free) {
  const auto subject = phased_subject(policy, policy.arms(), policy.budget(), index);
  double level = 0.0;
  TopSetMemo memo;
  for (unsigned bits = 0; bits < (1U << free.size()); ++bits) {
    auto table = InputTable::zeros(policy.budget(), policy.arms());
    for (std::size_t i = 0; i < free.size(); ++i) {
      table.row(free[i].first)[static_cast<std::size_t>(free[i].second)] = (bits >> i) & 1U;
    }
    const auto base = std::make_shared<const InputTable>(std::move(table));
    for (const auto& [row, arm] : free) {
      // By time every value of the row may change; those that are read together with this one never
      // are.
      const auto base_row = base->row(row);
      Edit edit{row, {base_row.begin(), base_row.end()}};
      for (std::size_t a = 0; a < edit.values.size(); ++a) {
        if (index == TableIndex::kTime || static_cast<int>(a) == arm)
          edit.values[a] = 1.0 - edit.values[a];
      }
      const auto distributions =
          transcript_distributions(subject, InputPair(base, edit), memo).value().distributions;
      for (std::size_t i = 0; i < distributions.log_p.size(); ++i) {
        level = std::max(level, std::fabs(distributions.log_p[i] - distributions.log_q[i]));
      }
    }
  }
  return level;
}

// Three arms, two phases: 3 pulls, then one of each survivor. By pull rows 0 and 1 can be read; by
// time row r of arm r, then the first survivor in row 3 and the second in row 4.
TEST(NeighbouringRelations, GiveTheSameLevelOnEveryEnumerableCase) {
  const std::vector<std::pair<int, int>> by_pull = {{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}};
  const std::vector<std::pair<int, int>> by_time = {{0, 0}, {1, 1}, {2, 2}, {3, 0},
                                                    {3, 1}, {4, 1}, {4, 2}};
  for (const double epsilon : {0.5, 3.0}) {
    const auto policy =
        must(BaiBaseline::create({.arms = 3, .dimension = 3, .budget = 5, .epsilon = epsilon}));
    const double cell = level_of(policy, TableIndex::kPull, by_pull);
    const double column = level_of(policy, TableIndex::kTime, by_time);
    EXPECT_NEAR(cell, column, 1e-9);
    EXPECT_LE(cell, epsilon * (1.0 + 1e-9));
    EXPECT_GT(cell, 0.3 * epsilon);
  }
  // One phase of two arms in two dimensions, by moments.
  const std::vector<std::pair<int, int>> pulls = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};
  const std::vector<std::pair<int, int>> rounds = {{0, 0}, {1, 0}, {2, 1}, {3, 1}};
  for (const auto norm : {MomentNorm::kL1, MomentNorm::kL2}) {
    const auto policy = DpOd::create({.arms = 2, .budget = 4, .norm = norm}).value();
    EXPECT_NEAR(level_of(policy, TableIndex::kPull, pulls),
                level_of(policy, TableIndex::kTime, rounds), 1e-9);
  }
}

}  // namespace
}  // namespace assay
