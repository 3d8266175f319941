#include "assay/auditors/statistics/betting.hpp"

#include "assay/tests/support/property_testing.hpp"

namespace assay {
namespace {

// Values in [0, 1], many of them 0, in a random mixture of few and many levels.
std::vector<double> sample() {
  const int size = *rc::gen::inRange(1, 300);
  const int levels = *rc::gen::element(1, 2, 10, 1000);
  const int zeros = *rc::gen::inRange(0, 100);
  std::vector<double> values;
  for (int i = 0; i < size; ++i) {
    const bool zero = *rc::gen::inRange(0, 100) < zeros;
    values.push_back(zero ? 0.0 : static_cast<double>(*rc::gen::inRange(0, levels + 1)) / levels);
  }
  return values;
}

BettingPlan any_plan() {
  const double mean = *rc::gen::element(0.0, 1e-6, 0.01, 0.5, 3.0);
  return {*rc::gen::element(0.3, 0.05, 1e-3, 1e-9), *rc::gen::inRange(0, 1000), mean,
          mean * *rc::gen::element(0.0, 0.1, 1.0)};
}

// A stake on more than the largest value loses every time, so its wealth cannot reach 1/alpha.
RC_GTEST_PROP(Betting, BoundsStayInsideTheRangeOfTheData, ()) {
  const auto values = sample();
  const BettingPlan plan = any_plan();
  const auto [least, largest] = std::minmax_element(values.begin(), values.end());
  const double lower = mean_lower_bound(values, plan).value.value;
  const double upper = mean_upper_bound(values, 1.0, plan).value.value;
  RC_ASSERT(lower >= 0.0);
  RC_ASSERT(lower <= *largest);
  RC_ASSERT(upper <= 1.0);
  RC_ASSERT(upper >= *least);
}

RC_GTEST_PROP(Betting, TestsSplitAnywhereGiveTheSameWealth, ()) {
  const auto values = sample();
  const BettingPlan plan = any_plan();
  const double m = *rc::gen::element(1e-9, 0.01, 0.3, 0.999);
  const auto cut =
      static_cast<std::size_t>(*rc::gen::inRange<int>(0, static_cast<int>(values.size())));
  const std::span<const double> all(values);
  MeanExceedsTest whole(m, plan), parts(m, plan);
  whole.observe(all);
  parts.observe(all.first(cut));
  parts.observe(all.subspan(cut));
  RC_ASSERT(whole.certified() == parts.certified());
  const double difference = whole.max_log_wealth() - parts.max_log_wealth();
  RC_ASSERT(difference < 1e-9 && difference > -1e-9);
  MeanBelowTest below(m, 1.0, plan), below_parts(m, 1.0, plan);
  below.observe(all);
  below_parts.observe(all.first(cut));
  below_parts.observe(all.subspan(cut));
  RC_ASSERT(below.certified() == below_parts.certified());
}

}  // namespace
}  // namespace assay
