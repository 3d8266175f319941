// Bounds on what peelings give up, against enumeration and against the pair of bounded-range choices.
#include "assay/auditors/sparse/peeling_composition.hpp"

#include "assay/auditors/sparse/figures/peeling_levels.hpp"
#include "assay/mechanisms/accounting/pld/pld_composition.hpp"
#include "assay/mechanisms/idealized/peeling.hpp"
#include "assay/policies/sparse/fliphat.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

double above(std::int64_t rounds, double shift, double eps) {
  return peelings_delta_above(std::array{PeeledEntries{rounds, shift}}, Epsilon{eps})
      .value()
      .value.value;
}
double below(std::int64_t rounds, double shift, std::int64_t entries, double eps) {
  return peeling_delta_below({rounds, shift}, entries, Epsilon{eps}).value().value.value;
}

TEST(PeelingComposition, BoundsAreInOrderAndGrowWithTheShift) {
  double last_below = 0.0;
  double last_above = 0.0;
  for (const double shift : {0.3, 0.6, 1.2, 2.4}) {
    const double low = below(10, shift, 0, 3.0);
    const double high = above(10, shift, 3.0);
    EXPECT_LE(low, high);
    EXPECT_GT(low, last_below);
    EXPECT_GT(high, last_above);
    last_below = low;
    last_above = high;
  }
}

// Choices whose losses lie 2 h apart, composed by PLD with Laplace values.
TEST(PeelingComposition, ManyEntriesAttainChoicesOfBoundedRange) {
  constexpr double kShift = 0.8;
  double best = 0.0;
  for (const double w : {0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9}) {
    const double other = w * std::exp(-2.0 * kShift) / (1.0 - w + w * std::exp(-2.0 * kShift));
    const std::array p = {w, 1.0 - w};
    const std::array q = {other, 1.0 - other};
    const std::array terms = {PldTerm{loss_of::finite_pair(p, q).value(), 8},
                              PldTerm{loss_of::laplace(1.0 / kShift).value(), 8}};
    best = std::max(best, pld_delta(terms, Epsilon{4.0}).value().upper.value.value);
  }
  const double found = below(8, kShift, 0, 4.0);
  EXPECT_LE(found, best);
  EXPECT_GE(found, 0.98 * best);
}

// One choice from a group of one and one, and its value: both densities integrated.
TEST(PeelingComposition, OneOfTwoEntriesIsAnIntegral) {
  constexpr double kShift = 1.5;
  constexpr double kEps = 0.5;
  // Noise of scale 1: P(the higher one of two, h apart, is chosen) = 1 - (1/2 + h/4) e^-h.
  const double higher = 1.0 - (0.5 + kShift / 4.0) * std::exp(-kShift);
  double delta = 0.0;
  constexpr int kNodes = 400'000;
  for (int i = 0; i < kNodes; ++i) {
    const double y = -30.0 + 62.0 * (i + 0.5) / kNodes;
    const double up = 0.5 * std::exp(-std::fabs(y - kShift));
    const double down = 0.5 * std::exp(-std::fabs(y));
    delta += 62.0 / kNodes *
             (std::max(0.0, higher * up - std::exp(kEps) * (1.0 - higher) * down) +
              std::max(0.0, (1.0 - higher) * down - std::exp(kEps) * higher * up));
  }
  EXPECT_NEAR(below(1, kShift, 2, kEps), delta, 0.01 * delta);
  EXPECT_LE(below(1, kShift, 2, kEps), delta * (1.0 + 1e-6));
}

// Densities of peelings drawn under one side: a sampled delta of the pair for 12 entries. Its
// standard error is below 0.016.
TEST(PeelingComposition, TheBoundBelowIsBelowASampledPair) {
  constexpr double kShift = 1.0;
  constexpr int kRuns = 1'000;
  const auto peeling =
      idealized::PeelingMechanism::create({.coordinates = 12, .rounds = 3, .scale = 1.0}).value();
  std::array<double, 12> one{};
  std::array<double, 12> other{};
  for (std::size_t j = 0; j < 12; ++j) {
    one[j] = 20.0 + (j < 6 ? kShift : 0.0);
    other[j] = 20.0 + (j < 6 ? 0.0 : kShift);
  }
  ReplayStream random({.seed = 5});
  double sampled = 0.0;
  for (int run = 0; run < kRuns; ++run) {
    const auto output = peeling.release(one, random);
    const double loss = peeling.log_density(output, one) - peeling.log_density(output, other);
    sampled += std::max(0.0, 1.0 - std::exp(1.0 - loss)) / kRuns;
  }
  EXPECT_LT(below(3, kShift, 12, 1.0), sampled + 0.05);
  EXPECT_GT(above(3, kShift, 1.0), sampled - 0.05);
  EXPECT_GT(below(3, kShift, 12, 1.0), sampled - 0.08);
}

TEST(PeelingComposition, LossesThatCannotReachEpsCostNothing) {
  EXPECT_EQ(above(2, 0.1, 0.7), 0.0);
  EXPECT_EQ(below(2, 0.1, 0, 0.7), 0.0);
  EXPECT_GT(above(2, 0.1, 0.5), 0.0);
}

// The levels of FLIPHAT's peelings: what the table of the figure says, and that it follows from the
// calls as FLIPHAT makes them.

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
  FliphatConfig config{{.arms = 3,
                        .dimension = 400,
                        .horizon = 16'384,
                        .sparsity = 10,
                        .iterations = IterationRule::kCode,
                        .iteration_factor = 0.16,
                        .x_max = std::sqrt(2.0 * std::log(400.0)),
                        .b_max = 3.75,
                        .sigma = 1.0},
                       5.0};
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
