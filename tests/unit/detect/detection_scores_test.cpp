// What scores of the detector are made of, on laws with a known log ratio.
#include "assay/auditors/detect/row_limits.hpp"
#include "assay/auditors/methods/black_box/adaptive_bins.hpp"
#include "assay/auditors/methods/black_box/partition_tree.hpp"
#include "assay/auditors/methods/black_box/score.hpp"
#include "assay/auditors/statistics/exact_test.hpp"
#include "assay/mechanisms/noise/laplace.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

ReplayStream score_stream(std::uint64_t lane) {
  return ReplayStream({5, hash_purpose("detection_scores_test"), 0, lane, Phase::kCheck});
}

// Numbers with Laplace noise of scale 1.
std::vector<double> noisy(double at, std::size_t count, std::uint64_t lane) {
  const auto noise = Laplace::create(at, 1.0).value();
  auto random = score_stream(lane);
  std::vector<double> out(count);
  for (double& x : out) x = noise.sample(random);
  return out;
}

TEST(AdaptiveBins, JoinWhatDoesNotDiffer) {
  const AdaptiveBins same(noisy(0.0, 20'000, 0), noisy(0.0, 20'000, 1), 20.0);
  EXPECT_EQ(same.size(), 1u);
  EXPECT_EQ(same.ratio(0.3), 0.0);
}

TEST(AdaptiveBins, FindTheStepsOfALogRatio) {
  const AdaptiveBins bins(noisy(0.0, 40'000, 2), noisy(1.0, 40'000, 3), 6.6);
  // log f(x)/g(x) = |x - 1| - |x|; a standard error is 0.02 in the outer bins.
  EXPECT_NEAR(bins.ratio(-1.0), 1.0, 0.1);
  EXPECT_NEAR(bins.ratio(2.0), -1.0, 0.1);
  EXPECT_NEAR(bins.ratio(0.5), 0.0, 0.3);
  EXPECT_GE(bins.size(), 4u);
  EXPECT_LE(bins.size(), 16u);
  EXPECT_GT(bins.gain(), 1000.0);
}

TEST(AdaptiveBins, InfinitiesAndNanHaveTheirPlaces) {
  std::vector<double> a(1000, -kInfinity);
  std::vector<double> b(1000, kNaN);
  for (int i = 0; i < 1000; ++i) (i % 2 == 0 ? a : b).push_back(0.0);
  const AdaptiveBins bins(a, b, 6.6);
  EXPECT_GT(bins.ratio(-kInfinity), 3.0);
  EXPECT_LT(bins.ratio(kNaN), -3.0);
  EXPECT_NEAR(bins.ratio(0.0), 0.0, 0.2);
}

TEST(AdaptiveBins, BinsAreThoseOfASortedList) {
  const std::vector<std::int64_t> cuts{score_rank(-1.0), score_rank(0.0), score_rank(2.0)};
  const std::vector<std::pair<double, std::size_t>> expected{
      {-kInfinity, 0}, {-1.5, 0}, {-1.0, 1}, {-0.0, 2}, {1.9, 2}, {2.0, 3}, {kNaN, 3}};
  for (const auto& [value, bin] : expected) EXPECT_EQ(bin_of(cuts, value), bin) << value;
  EXPECT_EQ(bin_of({}, 1.0), 0u);
}

TEST(PartitionTree, FindsAnInteraction) {
  // The sides differ where both numbers are positive only.
  std::vector<double> first;
  std::vector<double> second;
  const auto x = noisy(0.0, 40'000, 4);
  const auto y = noisy(0.0, 40'000, 5);
  for (std::size_t i = 0; i < x.size(); ++i) {
    auto& side = x[i] > 0 && y[i] > 0 && i % 4 == 1 ? first : i % 2 == 0 ? first : second;
    side.insert(side.end(), {x[i], y[i]});
  }
  const PartitionTree tree(first, second, 2, 10.8);
  const double inside = tree.ratio(std::vector{1.0, 1.0});
  const double outside = tree.ratio(std::vector{1.0, -1.0});
  EXPECT_NEAR(inside - outside, std::log(3.0), 0.15);
  EXPECT_NEAR(tree.ratio(std::vector{-1.0, -1.0}), outside, 0.1);
}

TEST(PartitionTree, IsOneLeafWhereNothingDiffers) {
  const PartitionTree tree(noisy(0.0, 20'000, 6), noisy(0.0, 20'000, 7), 1, 30.0);
  EXPECT_EQ(tree.leaves(), 1u);
  EXPECT_EQ(tree.ratio(std::vector{0.0}), 0.0);
}

TEST(OutputScores, ACommonFunctionIsLearntFromAllEntries) {
  // Twenty entries, each telling 0.1 at most: the best score sums the same sign over all of them.
  const auto runs = [](double at, std::uint64_t lane) {
    auto values = noisy(at / 10.0, 20 * 4000, lane);
    return OutputBatch{4000, 20, std::move(values)};
  };
  const SideRuns learn{runs(0.0, 8), runs(1.0, 9)};
  OutputView view;
  view.shape.kind = InputKind::kMechanism;
  view.shape.outputs = 20;
  const auto scores = learn_scores(view, learn, {});
  const auto common = std::find_if(scores.begin(), scores.end(), [](const auto& score) {
    return score->name() == "common bins of entries";
  });
  ASSERT_NE(common, scores.end());
  // Below both medians each entry says 0.1.
  EXPECT_NEAR((*common)->score(std::vector<double>(20, -1.0)), 2.0, 0.5);
  EXPECT_NEAR((*common)->score(std::vector<double>(20, 2.0)), -2.0, 0.5);
}

TEST(RowLimits, TheCeilingIsTheMedianBoundOfTheBestEvent) {
  const faulty::OutputCells cells{{0.6, 0.3}, {0.4, 0.7}};
  const double ceiling = certifiable_epsilon(cells, 20'000, 0.1);
  EXPECT_LT(ceiling, std::log(2.0));
  const double ratio = std::sqrt(0.7 / 0.3) / std::sqrt(0.4 / 0.6);
  const auto m = static_cast<std::int64_t>(20'000 * ratio / (1.0 + ratio));
  const std::int64_t n = 20'000 - m;
  const auto test = ExactTest::create({n * 6 / 10, n, m * 3 / 10, m}, 0.1).value();
  EXPECT_NEAR(ceiling, test.epsilon_lower_bound(Delta{0.0}).value.value, 2e-3);
}

TEST(RowLimits, MoreSamplesRaiseTheCeilingTowardsTheTruth) {
  const auto rows = faulty::detection_table();
  double last = 0.0;
  for (const std::int64_t samples : {10'000, 1'000'000, 100'000'000}) {
    const auto limits = limits_of(rows[0], 1e-3, samples, 0.1, {.threads = 1});
    EXPECT_GT(limits.ceiling, last);
    EXPECT_LT(limits.ceiling, rows[0].true_epsilon);
    EXPECT_NEAR(limits.best_event, 0.1, 1e-6);
    last = limits.ceiling;
  }
  EXPECT_GT(last, 0.099);
}

}  // namespace
}  // namespace assay
