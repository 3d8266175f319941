// The levels of FLIPHAT's peelings: what the table of the figure says, and that it follows from the
// calls as FLIPHAT makes them.
#include "assay/auditors/sparse/figures/peeling_levels.hpp"

#include "assay/policies/sparse/fliphat.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

ExperimentReport levels_report(const std::vector<KeyValue>& given) {
  auto runner = SimulationRunner::create(CheckpointFile{}, {}).value();
  return detail::peeling_levels().run(given, runner).value();
}

TEST(PeelingLevels, ThePapersNoiseIsExceededAndTheCorrectedNoiseIsNot) {
  const auto report = levels_report({});
  ASSERT_EQ(report.values.rows.size(), 30u);
  int exceeded = 0;
  for (const auto& row : report.values.rows) {
    const double above = std::stod(row[7]);
    if (row[4] == "corrected") {
      EXPECT_LE(above, 0.01) << row[0] << row[1];
    }
    if (row[6] == "-") continue;
    EXPECT_EQ(row[3], "1");
    EXPECT_LE(std::stod(row[6]), above);
    exceeded += std::stod(row[6]) > 0.01 ? 1 : 0;
  }
  EXPECT_EQ(exceeded, 5);
  ASSERT_EQ(report.checks.size(), 2u);
  for (const auto& check : report.checks) EXPECT_EQ(check.outcome, Outcome::kHolds) << check.name;
  EXPECT_EQ(report.curves.size(), 7u);
}

// The same shift from FLIPHAT's own plan: 2 eta 2 x_max R/N over its scale.
TEST(PeelingLevels, ShiftsAreThoseOfTheCallsThatFliphatMakes) {
  FliphatConfig config;
  config.arms = 3;
  config.dimension = 400;
  config.horizon = 16'384;
  config.sparsity = 10;
  config.iterations = IterationRule::kCode;
  config.iteration_factor = 0.16;
  config.x_max = std::sqrt(2.0 * std::log(400.0));
  config.b_max = 3.75;
  config.sigma = 1.0;
  config.epsilon = 5.0;
  config.calibration = Calibration::kPaper;
  const auto policy = Fliphat::create(config).value();
  const auto& plan = policy.plan(13);  // of 2^13 records
  const double clip = config.x_max * config.b_max + std::sqrt(2.0 * std::log(8192.0));
  const double moved = 2.0 * 2.0 * config.step * config.x_max * clip / 8192.0;
  const auto report = levels_report({});
  for (const auto& row : report.values.rows) {
    if (row[0] != "code" || row[1] != "5" || row[4] != "the paper's") continue;
    EXPECT_NEAR(std::stod(row[5]), moved / plan.first_scale, 0.005);
  }
}

}  // namespace
}  // namespace assay
