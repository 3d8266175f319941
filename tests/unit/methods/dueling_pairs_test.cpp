// Pairs of inputs for policies that duel are tournaments: what is private about one stays acquitted.
#include "assay/auditors/methods/black_box/black_box_audit.hpp"
#include "assay/mechanisms/noise/laplace.hpp"
#include "assay/tests/support/function_target.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

constexpr std::int64_t kArms = 3;
constexpr std::int64_t kCounted = 4;  // rounds; then one round for each arm
constexpr std::int64_t kLevels = 2 * kArms;

InputShape duels(std::int64_t arms, std::int64_t horizon) {
  InputShape shape = bandit_shape(arms, horizon);
  shape.kind = InputKind::kDueling;
  return shape;
}

// A Borda count: B_i is how often arm i won in the first rounds, against all others, with Laplace noise
// of the given scale; the pairs of the last rounds spell the noisy counts, in steps of 1.
//
// One row replaced moves B by s - s', two score vectors of tournaments on three arms. Those are the
// permutations of (0, 1, 2), and (1, 1, 1), and |s - s'|_1 <= |2 - 0| + |1 - 1| + |0 - 2| = 4: an order
// against its reverse. Hence the noisy counts are 4/scale-DP, what is spelled of them too, and no less:
// arms 0 and 2 both far out have e^4/scale times the probability. Rows that are no tournaments reach
// |(2, 2, 2) - 0|_1 = 6.
FunctionTarget borda(double scale) {
  return {duels(kArms, kCounted + kArms),
          [scale](const InputTable& input, ReplayStream& random, std::vector<double>& out) {
            const auto noise = Laplace::create(0.0, scale).value();
            out.assign(2 * kCounted, 0.0);
            for (std::int64_t i = 0; i < kArms; ++i) {
              double wins = noise.sample(random);
              for (std::int64_t t = 0; t < kCounted; ++t) {
                for (std::int64_t j = 0; j < kArms; ++j) {
                  wins += input.values[static_cast<std::size_t>((t * kArms + i) * kArms + j)];
                }
              }
              const double level =
                  std::clamp(std::floor(wins - kCounted + kArms + 0.5), 0.0, kLevels - 1.0);
              out.push_back(std::floor(level / kArms));
              out.push_back(level - kArms * std::floor(level / kArms));
            }
          }};
}

Verdict verdict(FunctionTarget target, double claim) {
  BlackBoxPlan plan{{.claim_text = "test", .claim = PureDp{Epsilon{claim}}}, 2000};
  plan.pairs = structural_pairs(target.shape(), 24);
  plan.pairs_text = "structural pairs";
  auto players = Players::create(std::make_unique<FunctionTarget>(std::move(target)), 1).value();
  return must(audit_black_box(players, true, plan, {})).decision->verdict;
}

TEST(DuelingPairs, ABordaCountAtItsLevelIsNotConvicted) {
  EXPECT_EQ(verdict(borda(1.0), 4.0), Verdict::kNotRefuted);
}

TEST(DuelingPairs, ABordaCountThatLeaksIs) {
  EXPECT_EQ(verdict(borda(0.25), 4.0), Verdict::kViolated);
  EXPECT_EQ(verdict(borda(1.0), 1.0), Verdict::kViolated);
}

TEST(DuelingPairs, AreTournamentsThatDifferInOneRow) {
  for (const std::int64_t arms : {2, 3, 4, 5}) {
    const auto shape = duels(arms, 40);
    const auto pairs = structural_pairs(shape, 24);
    EXPECT_EQ(pairs.size(), 24u);
    std::set<std::pair<std::vector<double>, std::vector<double>>> seen;
    std::set<std::size_t> differing;
    for (const auto& pair : pairs) {
      for (const auto& input : {pair.base_input(), pair.neighbour_input()}) {
        must(check_input(shape, input));
      }
      const auto again = must(pair_of(pair.base_input(), pair.neighbour_input()));
      EXPECT_EQ(again.changed_row(), pair.changed_row());
      seen.emplace(pair.base_input().values, pair.neighbour_input().values);
      differing.insert(static_cast<std::size_t>(pair.differing()) / 2);
    }
    EXPECT_EQ(seen.size(), pairs.size());
    const auto all = static_cast<std::size_t>(arms * (arms - 1) / 2);
    const std::set<std::size_t> expected =
        arms == 2 ? std::set<std::size_t>{1}
                  : std::set<std::size_t>{1, static_cast<std::size_t>(arms - 1), all};
    EXPECT_EQ(differing, expected);
  }
}

// A change that no arm's count of wins shows yet: in a circle all are tied, until the changed row.
TEST(DuelingPairs, OneBaseKeepsAllArmsTied) {
  const auto shape = duels(5, 40);
  const auto pair = structural_pairs(shape, 1).front();
  for (std::int64_t row = 0; row < 40; ++row) {
    if (row == pair.changed_row()) continue;
    for (std::int64_t i = 0; i < 5; ++i) {
      double wins = 0.0;
      for (std::int64_t j = 0; j < 5; ++j) {
        wins += pair.base_input().values[static_cast<std::size_t>((row * 5 + i) * 5 + j)];
      }
      EXPECT_EQ(wins, 2.0);
    }
  }
}

}  // namespace
}  // namespace assay
