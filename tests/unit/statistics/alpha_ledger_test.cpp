#include "assay/auditors/statistics/alpha_ledger.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

TEST(AlphaLedger, HandsOutSharesByNameUntilNothingIsLeft) {
  auto ledger = must(AlphaLedger::create(1e-3));
  EXPECT_DOUBLE_EQ(ledger.spend("delta, lower", 0.25).value(), 2.5e-4);
  EXPECT_DOUBLE_EQ(ledger.spend("delta, upper", 0.5).value(), 5e-4);
  EXPECT_DOUBLE_EQ(ledger.left(), 2.5e-4);
  EXPECT_TRUE(ledger.spend("mu", 0.25));
  EXPECT_EQ(ledger.left(), 0.0);
  ASSERT_EQ(ledger.entries().size(), 3u);
  EXPECT_EQ(ledger.entries()[1].purpose, "delta, upper");
  EXPECT_DOUBLE_EQ(ledger.entries()[1].alpha, 5e-4);
}

TEST(AlphaLedger, RefusesMoreThanIsLeftAndChangesNothing) {
  auto ledger = must(AlphaLedger::create(0.05));
  ASSERT_TRUE(ledger.spend("first", 0.75));
  const auto refused = error_of(ledger.spend("second", 0.5));
  EXPECT_EQ(refused.code, ErrorCode::kInvalidArgument);
  EXPECT_NE(refused.message.find("'second' is 0.5, but only 0.25 is left"), std::string::npos)
      << refused.message;
  EXPECT_EQ(ledger.entries().size(), 1u);
  EXPECT_DOUBLE_EQ(ledger.left(), 0.0125);
}

TEST(AlphaLedger, RefusesSharesAndTotalsOutsideTheirRange) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double total : {0.0, -0.1, 0.51, nan}) {
    const auto error = error_of(AlphaLedger::create(total));
    EXPECT_EQ(error.path, "/alpha");
  }
  auto ledger = must(AlphaLedger::create(0.5));
  for (const double fraction : {0.0, -1.0, 1.0001, nan}) {
    EXPECT_FALSE(ledger.spend("odd", fraction));
  }
  EXPECT_TRUE(ledger.entries().empty());
}

TEST(AlphaLedger, NeverHandsOutMoreThanItsTotalWhenSharesAddUpOnlyUpToRounding) {
  for (const int parts : {3, 7, 10, 49, 1000}) {
    auto ledger = must(AlphaLedger::create(1e-3));
    double sum = 0.0;
    for (int i = 0; i < parts; ++i) {
      const auto share = ledger.spend("part", 1.0 / parts);
      ASSERT_TRUE(share) << parts << " parts, part " << i;
      sum += *share;
    }
    EXPECT_LE(sum, 1e-3 * (1 + 1e-13));
    EXPECT_NEAR(sum, 1e-3, 1e-15);
    EXPECT_LE(ledger.left(), 1e-15);
    EXPECT_FALSE(ledger.spend("one more", 1e-6));
  }
}

}  // namespace
}  // namespace assay
