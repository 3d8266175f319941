// The pair search against the enumerated optimum over all streams of zeros and ones.
#include "assay/auditors/engine/search.hpp"
#include "assay/auditors/methods/paths.hpp"

#include "assay/tests/support/pair_optimum.hpp"
#include "assay/tests/support/repetitions.hpp"

namespace assay {
namespace {

class SearchOptimum : public ::testing::TestWithParam<std::pair<std::int64_t, std::int64_t>> {};

TEST_P(SearchOptimum, IsFoundWithinFivePercentForEveryKindOfClaim) {
  const auto [arms, horizon] = GetParam();
  expect_search_within_five_percent(arms, horizon);
}

std::vector<std::pair<std::int64_t, std::int64_t>> horizons_to(std::int64_t arms,
                                                               std::int64_t longest) {
  std::vector<std::pair<std::int64_t, std::int64_t>> cases;
  for (std::int64_t horizon = 2; horizon <= longest; ++horizon) cases.push_back({arms, horizon});
  return cases;
}

INSTANTIATE_TEST_SUITE_P(TwoArms, SearchOptimum,
                         ::testing::ValuesIn(horizons_to(2, kSanitized ? 5 : 8)));
INSTANTIATE_TEST_SUITE_P(ThreeArms, SearchOptimum,
                         ::testing::ValuesIn(horizons_to(3, kSanitized ? 4 : 7)));

TEST(Search, WithAFixedBaseOnlyPositionAndNewValueChange) {
  PairSearchPlan plan{.claim = GaussianDp{Mu{1.0}}, .horizon = 5};
  plan.fixed_base =
      std::make_shared<const InputTable>(InputTable::column({0.5, 0.25, 1.0, 0.0, 0.75}));
  const RunControl control;
  const auto make = [](const InputPair& pair) { return thompson_pair(2, pair).clone(); };
  const auto found = search_worst_pair(plan, make_objective(make, plan), control);
  EXPECT_EQ(found.pair.base(), plan.fixed_base);
  EXPECT_EQ(found.evaluated, 8);  // 2 values a position, but for the one that is there already
  double best = 0.0;
  for (std::int64_t t = 1; t <= 5; ++t) {
    for (const double value : {0.0, 1.0}) {
      best = std::max(best, exact_value(2, {plan.fixed_base, {t - 1, {value}}}, plan.claim));
    }
  }
  EXPECT_DOUBLE_EQ(exact_value(2, found.pair, plan.claim), best);
}

TEST(Search, ResultDoesNotDependOnTheNumberOfThreads) {
  PairSearchPlan plan{.claim = ApproximateDp{Epsilon{0.3}, Delta{1e-6}},
                      .horizon = 40,
                      .action_count = 3,
                      .seed = 5};
  const auto make = [](const InputPair& pair) { return thompson_pair(3, pair).clone(); };
  RunControl one;
  const auto a = search_worst_pair(plan, make_objective(make, plan), one);
  const auto b = search_worst_pair(plan, make_objective(make, plan), {.threads = 3});
  EXPECT_EQ(a.pair, b.pair);
}

TEST(Search, OnLongStreamsItBeatsThePlainStructuralPair) {
  PairSearchPlan plan{.claim = GaussianDp{Mu{1.0}}, .horizon = 60, .action_count = 2};
  const auto make = [](const InputPair& pair) { return thompson_pair(2, pair).clone(); };
  const auto found = search_worst_pair(plan, make_objective(make, plan), {.threads = 2});
  const auto zeros = search_paths(*make(stream_pair(std::vector<double>(60, 0.0), 1, 1.0)), 4, 1);
  const auto best = search_paths(*make(found.pair), 4, 1);
  EXPECT_GE(best.largest_mu.mu.value.value, zeros.largest_mu.mu.value.value);
}

}  // namespace
}  // namespace assay
