// The detection table: laws that sum to one, stated truths against recomputed ones, and the best
// events against what DP-Sniper found.
#include "assay/mechanisms/faulty/detection_table.hpp"
#include "assay/mechanisms/faulty/output_cells.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay::faulty {
namespace {

const std::vector<DetectionRow>& known_rows() {
  static const auto rows = detection_table();
  return rows;
}

const DetectionRow& row(const std::string& name) {
  return *std::find_if(known_rows().begin(), known_rows().end(),
                       [&](const auto& r) { return r.name == name; });
}

// The laws of every row's pairs, made once.
const std::vector<OutputCells>& distributions(const DetectionRow& r) {
  static std::map<std::string, std::vector<OutputCells>> made;
  auto& cells = made[r.name];
  for (std::size_t k = cells.size(); k < r.pairs.size(); ++k) cells.push_back(r.cells(k));
  return cells;
}

// The best event of both directions of every pair.
double best(const DetectionRow& r, double least, LeastOf side) {
  double most = 0.0;
  for (const auto& cells : distributions(r)) {
    most = std::max({most, best_event_epsilon(cells, least, side),
                     best_event_epsilon(exchanged(cells), least, side)});
  }
  return most;
}

TEST(OutputCells, BestEventsOfRandomisedResponse) {
  const OutputCells cells{{0.75, 0.25}, {0.25, 0.75}};
  EXPECT_NEAR(best_event_epsilon(cells, 0.1, LeastOf::kLarger), std::log(3.0), 1e-15);
  EXPECT_NEAR(best_event_epsilon(cells, 0.25, LeastOf::kSmaller), std::log(3.0), 1e-15);
  // Half of the second output has to come along.
  EXPECT_NEAR(best_event_epsilon(cells, 0.875, LeastOf::kLarger), std::log(0.875 / 0.625), 1e-15);
  EXPECT_NEAR(best_event_epsilon(cells, 1.0, LeastOf::kLarger), 0.0, 1e-15);
  EXPECT_NEAR(largest_loss(cells), std::log(3.0), 1e-15);
}

TEST(OutputCells, ImpossibleOutputsGiveInfiniteLossesUpToTheirProbability) {
  const OutputCells cells{{0.25, 0.0}, {0.75, 1.0}, {0.0, 0.0}};
  EXPECT_EQ(largest_loss(cells), kInfinity);
  EXPECT_EQ(best_event_epsilon(cells, 0.25, LeastOf::kLarger), kInfinity);
  EXPECT_NEAR(best_event_epsilon(cells, 0.5, LeastOf::kLarger), std::log(0.5 / (1.0 / 3)), 1e-15);
  EXPECT_NEAR(best_event_epsilon(cells, 0.5, LeastOf::kSmaller), std::log(0.625 / 0.5), 1e-15);
}

TEST(OutputCells, MergingKeepsProbabilitiesAndLowersLossesByAWidthAtMost) {
  const auto noise = Laplace::create(0.0, 2.0).value();
  const std::vector<double> x{0, 0, 1}, y{1, -1, 1};
  const auto cells = laplace_cells(x, y, noise, 1e-4);
  double p = 0.0;
  double q = 0.0;
  for (const auto& cell : cells) p += cell.p, q += cell.q;
  EXPECT_NEAR(p, 1.0, 1e-13);
  EXPECT_NEAR(q, 1.0, 1e-13);
  EXPECT_NEAR(largest_loss(cells), 1.0, 2e-4);
  // Two answers that move by 1 at scale 2: both tails have probability 1/4 under x.
  EXPECT_NEAR(best_event_epsilon(cells, 0.25, LeastOf::kLarger), 1.0, 2e-4);
}

TEST(OutputCells, LaplaceCellsAboveAFloor) {
  const auto noise = Laplace::create(0.0, 2.0).value();
  for (const double floor : {-3.0, 0.4, 5.0}) {
    double p = 0.0;
    double q = 0.0;
    for (const auto& cell : laplace_cells_above(0.0, 1.0, noise, floor)) p += cell.p, q += cell.q;
    EXPECT_NEAR(p, noise.ccdf(floor), 1e-14);
    EXPECT_NEAR(q, noise.ccdf(floor - 1.0), 1e-14);
  }
}

TEST(DetectionTable, HasTwentyRowsWithStatDpsPatterns) {
  ASSERT_EQ(known_rows().size(), 20u);
  std::set<std::string> names;
  for (const auto& r : known_rows()) {
    names.insert(r.name);
    EXPECT_TRUE(r.pairs.size() == 2 || r.pairs.size() == 8) << r.name;
    for (const auto& pair : r.pairs) {
      double one = 0.0;
      double most = 0.0;
      for (std::size_t i = 0; i < r.inputs[0].size(); ++i) {
        const double gap = std::abs(r.inputs[pair[0]][i] - r.inputs[pair[1]][i]);
        one += gap;
        most = std::max(most, gap);
      }
      EXPECT_EQ(most, 1.0) << r.name;
      if (r.pairs.size() == 2) {
        EXPECT_EQ(one, 1.0) << r.name;
      }
    }
  }
  EXPECT_EQ(names.size(), 20u);
  using Vector = std::vector<double>;
  const auto& svt = row("sparse-vector-1");
  EXPECT_EQ(svt.inputs[svt.pairs[2][1]], (Vector{2, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(svt.inputs[svt.pairs[4][1]], (Vector{2, 2, 2, 2, 2, 0, 0, 0, 0, 0}));
  EXPECT_EQ(svt.inputs[svt.pairs[7][0]], (Vector{1, 1, 1, 1, 1, 0, 0, 0, 0, 0}));
  EXPECT_EQ(row("noisy-max-1").inputs[5], (Vector{2, 2, 0, 0, 0}));
}

// All that reads every row's laws: they take seconds to make, and every test is a process of its own.
// DP-Sniper's lower bounds, at confidence 0.9, are held against the best event of the probability it
// looks for, 0.01 on the smaller side; it sets the threshold on an estimate, so up to 5% below.
TEST(DetectionTable, DistributionsSumToOneAndHaveTheStatedTruthsAndEventsAsGoodAsDpSniperFound) {
  for (const auto& r : known_rows()) {
    double most = 0.0;
    for (const auto& cells : distributions(r)) {
      double p = 0.0;
      double q = 0.0;
      for (const auto& cell : cells) p += cell.p, q += cell.q;
      EXPECT_NEAR(p, 1.0, 1e-9) << r.name;
      EXPECT_NEAR(q, 1.0, 1e-9) << r.name;
      most = std::max({most, largest_loss(cells), largest_loss(exchanged(cells))});
    }
    if (std::isinf(r.true_epsilon)) {
      EXPECT_EQ(most, kInfinity) << r.name;
    } else {
      // parallel-sparse-vectors: the supremum lies between quadrature nodes.
      const double slack = r.name == "parallel-sparse-vectors" ? 1e-4 : 1e-9;
      EXPECT_NEAR(most, r.true_epsilon, slack) << r.name;
    }
    EXPECT_LE(r.sniper_lower, best(r, 0.0095, LeastOf::kSmaller)) << r.name;
  }
}

// A guarantee covers more than these pairs. Where the pair's relation is wider than the guarantee's
// (prefix-sum: every answer moves), it does not apply.
TEST(DetectionTable, TruthsLieBelowTheGuarantees) {
  int above_claim = 0;
  for (const auto& r : known_rows()) {
    above_claim += r.true_epsilon > r.claim * (1 + 1e-9);
    if (r.name == "prefix-sum") continue;
    EXPECT_LE(r.true_epsilon, std::get<PureDp>(r.guarantee.level).epsilon.value * (1 + 1e-12))
        << r.name;
  }
  EXPECT_EQ(above_claim, 12);
}

TEST(DetectionTable, RareEventsTellMoreThanDpSnipersProbability) {
  EXPECT_NEAR(best(row("noisy-histogram-2"), 0.01, LeastOf::kSmaller), std::log(99.85), 0.01);
  EXPECT_NEAR(best(row("noisy-histogram-2"), 1e-3, LeastOf::kLarger), 10.0, 1e-9);
  EXPECT_NEAR(best(row("noisy-max-4"), 1e-3, LeastOf::kLarger), 0.8294, 1e-3);
  EXPECT_NEAR(best(row("sparse-vector-6"), 1e-3, LeastOf::kLarger), 0.3654, 1e-3);
  EXPECT_NEAR(best(row("sparse-vector-3"), 1e-3, LeastOf::kLarger), 0.2900, 1e-3);
  EXPECT_EQ(best(row("sparse-vector-5"), 1e-3, LeastOf::kLarger), kInfinity);
}

TEST(DetectionTable, OutputsAreWhatTheHeaderSays) {
  for (const auto& r : known_rows()) {
    ReplayStream random({9, hash_purpose(r.name), 0, 0, Phase::kPilot});
    std::vector<double> out(200 * r.output_size);
    r.sample(0, random, out);
    const bool flags = r.name.starts_with("sparse-vector") && r.name != "sparse-vector-3";
    for (const double x : out) {
      if (flags) {
        EXPECT_TRUE(x == 0.0 || x == 1.0 || std::isnan(x)) << r.name << " " << x;
      }
      if (r.name.ends_with("rappor")) {
        EXPECT_TRUE(x == 0.0 || x == 1.0) << r.name;
      }
      if (r.name.starts_with("noisy-h")) {
        EXPECT_TRUE(std::isfinite(x)) << r.name;
      }
    }
  }
  const auto& third = row("sparse-vector-3");
  ReplayStream random({9, hash_purpose("third"), 0, 0, Phase::kPilot});
  std::vector<double> out(200 * 10);
  third.sample(0, random, out);
  for (std::size_t first = 0; first < out.size(); first += 10) {
    bool stopped = false;
    for (std::size_t i = first; i < first + 10; ++i) {
      EXPECT_EQ(std::isnan(out[i]), stopped);
      if (std::isfinite(out[i])) stopped = true;
    }
  }
}

}  // namespace
}  // namespace assay::faulty
