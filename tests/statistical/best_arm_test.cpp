// What best-arm policies recommend, against laws that are known in closed form.
#include "assay/policies/best_arm/dp_bai.hpp"
#include "assay/policies/best_arm/early_stopping.hpp"
#include "assay/policies/best_arm/error_rate.hpp"
#include "assay/policies/best_arm/instances.hpp"
#include "assay/policies/best_arm/od_lin_bai.hpp"
#include "assay/policies/best_arm/reward_table.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

// Each test compares frequencies of n plays; |z| above this has probability 1e-9 under the law.
constexpr double kLargestZ = 6.2;
constexpr int kRuns = 40'000;

double z_score(int count, double p) {
  return (count - kRuns * p) / std::sqrt(kRuns * p * (1.0 - p));
}

// Arms that pay 0.5 and 0.5 - gap for sure.
std::shared_ptr<const InputTable> sure_table(std::int64_t rounds, double gap) {
  auto table = InputTable::zeros(rounds, 2);
  for (std::int64_t t = 0; t < rounds; ++t) {
    table.row(t)[0] = 0.5;
    table.row(t)[1] = 0.5 - gap;
  }
  return std::make_shared<const InputTable>(std::move(table));
}

template <class P>
int wins_of_first(const P& policy, double gap) {
  const auto table =
      RewardTable::create(sure_table(policy.budget(), gap), TableIndex::kPull).value();
  int wins = 0;
  for (int play = 0; play < kRuns; ++play) {
    const ReplayStream random({.seed = 1, .replicate = std::uint64_t(play)});
    wins += run_on_table(policy, table, random)->recommendation() == 0 ? 1 : 0;
  }
  return wins;
}

// P(X - Y <= t) for independent Laplace(a) and Laplace(b), t > 0.
double laplace_difference_cdf(double t, double a, double b) {
  if (a == b) return 1.0 - 0.5 * (1.0 + t / (2.0 * a)) * std::exp(-t / a);
  return 1.0 - 0.5 * (a * a * std::exp(-t / a) - b * b * std::exp(-t / b)) / (a * a - b * b);
}

TEST(BestArmDistribution, OfTwoArmsIsThatOfTheDifferenceOfTheirNoises) {
  const auto axes = figure2_instance(1.0, 4.0, 0.05).value().features;
  for (const std::int64_t budget : {20, 21}) {
    const double half = std::floor(budget / 2.0);
    const double rest = static_cast<double>(budget) - half;
    const double gap = 0.15;
    const auto bai = DpBai::create({.budget = budget, .epsilon = 0.8}, axes).value();
    EXPECT_LE(std::fabs(z_score(wins_of_first(bai, gap),
                                laplace_difference_cdf(gap, 1 / (0.8 * rest), 1 / (0.8 * half)))),
              kLargestZ);
    // DP-OD: noise of scale L/(eps x T_1) and L/(eps y T_2), L = 4.
    if (budget == 20) {
      const auto od = DpOd::create({.budget = budget, .epsilon = 0.8}, axes).value();
      EXPECT_LE(std::fabs(z_score(wins_of_first(od, gap),
                                  laplace_difference_cdf(gap, 4 / (0.8 * 10), 1 / (0.8 * 10)))),
                kLargestZ);
    }
    const auto gauss =
        DpBaiGauss::create(
            {.budget = budget, .epsilon = 0.8, .delta = 0.01, .calibration = Calibration::kPaper},
            axes)
            .value();
    const double sigma = std::sqrt(2.0 * std::log(125.0)) / 0.8 * std::hypot(1 / half, 1 / rest);
    EXPECT_LE(std::fabs(z_score(wins_of_first(gauss, gap),
                                0.5 * std::erfc(-gap / (sigma * std::sqrt(2.0))))),
              kLargestZ);
  }
}

// The loss is a likelihood ratio: E_P[e^-L] = 1 on the old table and E_Q[e^L] = 1 on the new one.
TEST(BestArmDistribution, OfTheReleaseHasTheLossThatItSays) {
  const auto check = [](const auto& policy, TableIndex index) {
    auto table = InputTable::zeros(policy.budget(), policy.arms());
    ReplayStream values({.seed = 9});
    for (double& value : table.values) value = values.uniform();
    const auto base =
        RewardTable::create(std::make_shared<const InputTable>(std::move(table)), index).value();
    // By pull a cell of arm 0 in its second phase, by time a round of the first.
    const std::vector<double> ones(static_cast<std::size_t>(policy.arms()), 1.0);
    const auto pair = index == TableIndex::kPull
                          ? RewardPair::replace_cell(base, 7, 0, 1.0).value()
                          : RewardPair::replace_column(base, 3, ones).value();
    for (const Side side : {Side::kBase, Side::kNeighbour}) {
      double sum = 0.0;
      double squares = 0.0;
      for (int play = 0; play < kRuns; ++play) {
        const ReplayStream random({.seed = 4, .replicate = std::uint64_t(play)});
        const auto run = run_on_table(policy, pair.table(side), random).value();
        const double loss = release_loss(run, pair).value();
        const double ratio = std::exp(side == Side::kBase ? -loss : loss);
        sum += ratio;
        squares += (ratio - 1.0) * (ratio - 1.0);
      }
      EXPECT_GT(squares, 0.0);
      EXPECT_LE(std::fabs(sum - kRuns), kLargestZ * std::sqrt(squares));
    }
  };
  for (const auto index : {TableIndex::kPull, TableIndex::kTime}) {
    const DpBaiConfig bai{
        .arms = 6, .dimension = 6, .budget = 60, .features = FeatureKind::kBasis, .epsilon = 2.0};
    check(DpBai::create(bai).value(), index);
    const DpBaiGaussConfig gauss{.arms = 6,
                                 .dimension = 6,
                                 .budget = 60,
                                 .features = FeatureKind::kBasis,
                                 .epsilon = 1.0,
                                 .delta = 0.01};
    check(DpBaiGauss::create(gauss).value(), index);
    check(DpOd::create({.arms = 6, .dimension = 3, .budget = 60, .epsilon = 2.0}).value(), index);
  }
}

// Lemma 4.3 where it says something: the arm's pulls depend on the run.
TEST(BestArmDistribution, OfAStoppedPolicyIsThePolicysWhereItIsNotStopped) {
  const DpBaiConfig inner{
      .arms = 6, .dimension = 6, .budget = 60, .features = FeatureKind::kBasis, .epsilon = 1.0};
  const auto arms = UniformArms::create({0.5, 0.45, 0.4, 0.4, 0.35, 0.3}).value();
  const auto free = DpBai::create(inner).value();
  for (const std::int64_t n : {5, 8, 15}) {
    const auto stopped = EarlyStopping<DpBai>::create({inner, 1, n}).value();
    int inside = 0;
    int inside_stopped = 0;
    for (std::int64_t play = 0; play < 4000; ++play) {
      const auto finish = [&](auto policy) {
        const auto replicate = static_cast<std::uint64_t>(play);
        std::int64_t pulls = 0;
        ReplayStream choices({.seed = 3, .replicate = replicate});
        ReplayStream luck({.seed = 3, .replicate = replicate, .lane = 1});
        while (!policy.is_done()) {
          const int action = policy.choose(choices);
          pulls += action == 1 ? 1 : 0;
          const bool auxiliary = action == 6;
          policy.observe(auxiliary ? 0.0 : arms.feedback(0, action, luck), choices);
        }
        return std::pair{policy.recommendation(), pulls};
      };
      const auto [recommended, pulls] = finish(free);
      const auto [recommended_stopped, pulls_stopped] = finish(stopped);
      inside += recommended <= 2 && pulls < n ? 1 : 0;
      inside_stopped += recommended_stopped <= 2 && pulls_stopped < n ? 1 : 0;
    }
    EXPECT_EQ(inside, inside_stopped);  // the same streams: not only the same law
    EXPECT_GE(inside, n > 5 ? 100 : 0);
  }
}

// Section 5, one point of Figure 1: DP-BAI well above Baseline and DP-OD, near OD-LinBAI.
TEST(BestArmFigure, ShowsTheOrderThatThePaperStates) {
  const auto instance = figure1_instance(1);
  const auto arms = UniformArms::create(instance.means).value();
  const auto success = [&](const auto& policy, const char* id) {
    const TrialPlan plan{.id = id, .trials = 1000, .seed = 5};
    return 1.0 - must(count_errors(policy, arms, instance.best(), plan)).rate();
  };
  const auto& features = instance.features;
  const DpBaiConfig bai{.budget = 1000, .epsilon = 0.3};
  const double dp_bai = success(DpBai::create(bai, features).value(), "dp-bai");
  EXPECT_GT(dp_bai, 0.95);
  EXPECT_LT(success(BaiBaseline::create(bai, features).value(), "baseline"), 0.3);
  const DpOdConfig od{.budget = 1000, .epsilon = 0.3};
  EXPECT_LT(success(DpOd::create(od, features).value(), "dp-od"), 0.85);
  const double best = success(OdLinBai::create({.budget = 1000}, features).value(), "od");
  EXPECT_GT(best, 0.98);
  const DpBaiConfig open{.budget = 1000, .epsilon = 100.0};
  EXPECT_NEAR(success(DpBai::create(open, features).value(), "open"), best, 0.02);
}

}  // namespace
}  // namespace assay
