#include "assay/auditors/statistics/median.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

// Limits of the sign test at 5%, two-sided: none below n = 6; X_(1) at 6, X_(2) at 9, X_(10) at 30.
TEST(Medians, AreBoundedByOrderStatistics) {
  const auto bounds = [](int n) {
    std::vector<double> values(static_cast<std::size_t>(n));
    std::iota(values.rbegin(), values.rend(), 1.0);
    const auto out = median_bounds(values, 0.05);
    return std::pair(out.lower, out.upper);
  };
  EXPECT_EQ(bounds(5), std::pair(-HUGE_VAL, HUGE_VAL));
  EXPECT_EQ(bounds(6), std::pair(1.0, 6.0));
  EXPECT_EQ(bounds(9), std::pair(2.0, 8.0));
  EXPECT_EQ(bounds(30), std::pair(10.0, 21.0));
  EXPECT_EQ(median_of({4.0, 1.0, 2.0}), 2.0);
  EXPECT_EQ(median_of({4.0, 1.0, 2.0, 3.0}), 2.5);
}

}  // namespace
}  // namespace assay
