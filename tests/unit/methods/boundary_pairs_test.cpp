// Bisection finds the step at which a policy decides, wherever its threshold is.
#include "assay/auditors/methods/black_box/boundary_pairs.hpp"

#include "assay/auditors/methods/black_box/input_pairs.hpp"
#include "assay/tests/support/function_target.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

BoundaryPairs found_pairs(const FunctionTarget& target, int threads = 1, std::uint64_t seed = 7) {
  auto players = Players::create(std::make_unique<FunctionTarget>(target), threads).value();
  return boundary_pairs(players, seed, 6, 1 << 20, 0.1, {}).value();
}

// Two arms, a batch each, then the better one where it leads by more than `width`; else both in turns.
struct Elimination {
  std::int64_t batch = 16;
  bool in_turns = false;
  double width = 0.0;

  double gap(const InputTable& input) const {
    double sum = 0.0;
    for (std::int64_t i = 0; i < 2 * batch; ++i) {
      const bool first = in_turns ? i % 2 == 0 : i < batch;
      sum += (first ? 1.0 : -1.0) * input.values[static_cast<std::size_t>(i)];
    }
    return sum;
  }
  // The arm that stays: 0, 1, or 2 for both, without noise.
  int decision(const InputTable& input) const {
    return gap(input) > width ? 0 : gap(input) < -width ? 1 : 2;
  }
  FunctionTarget target(std::int64_t horizon) const {
    return {
        bandit_shape(2, horizon),
        [self = *this, horizon](const InputTable& input, ReplayStream& random,
                                std::vector<double>& out) {
          for (std::int64_t t = 0; t < 2 * self.batch; ++t) {
            out.push_back(self.in_turns ? static_cast<double>(t % 2) : t < self.batch ? 0.0 : 1.0);
          }
          const double noise = 0.1 * (random.uniform() - 0.5);
          const double gap = self.gap(input) + noise;
          while (static_cast<std::int64_t>(out.size()) < horizon) {
            const double turn = static_cast<double>(out.size() % 2);
            out.push_back(gap > self.width ? 0.0 : gap < -self.width ? 1.0 : turn);
          }
        }};
  }
};

TEST(BoundaryPairs, StraddleAThresholdThatNobodyTold) {
  for (const std::int64_t batch : {4, 7, 16}) {
    for (const bool in_turns : {false, true}) {
      for (const double width : {0.5, 2.5, 3.5}) {
        const Elimination policy{batch, in_turns, width};
        const auto pairs = found_pairs(policy.target(64)).pairs;
        ASSERT_FALSE(pairs.empty());
        EXPECT_NE(policy.decision(pairs[0].base_input()),
                  policy.decision(pairs[0].neighbour_input()))
            << batch << in_turns << width;
      }
    }
  }
}

TEST(BoundaryPairs, OfAMechanismFindTheValueAtWhichItTurns) {
  InputShape shape{.kind = InputKind::kMechanism};
  const FunctionTarget above(
      shape, [](const InputTable& input, ReplayStream& random, std::vector<double>& out) {
        out.push_back(input.values[0] + 0.01 * random.uniform() > 36.5 ? 1.0 : 0.0);
      });
  EXPECT_EQ(found_pairs(above).pairs.front(), InputPair({36.0}, {37.0}));
}

TEST(BoundaryPairs, AreNeighboursOfEveryKindForAnyNumberOfThreads) {
  for (const auto& [kind, name] : enum_names(InputKind{})) {
    for (const char* neighbours : {"one", "all", "l2:2", "add-remove"}) {
      InputShape shape = bandit_shape(3, 20);
      shape.kind = kind;
      shape.dimension = 2;
      shape.inputs = 4;
      shape.neighbours = parse_neighbours(neighbours).value();
      if (!validate(shape)) continue;
      SCOPED_TRACE(std::string(name) + neighbours);
      const FunctionTarget target(
          shape, [shape](const InputTable& input, ReplayStream& random, std::vector<double>& out) {
            double sum = random.uniform();
            for (std::int64_t r = 0; r < input.rows; ++r) {
              // The duel of arms 0 and 1, say: all numbers of a tournament add up to the same.
              sum += input.row(r)[input.columns > 1 ? 1 : 0];
            }
            out.assign(static_cast<std::size_t>(shape.width()), 0.0);
            out.front() = std::fmod(std::floor(std::fabs(sum)), 2.0);
          });
      const auto one = found_pairs(target), two = found_pairs(target, 2);
      EXPECT_EQ(one.pairs, two.pairs);
      EXPECT_EQ(one.runs, two.runs);
      EXPECT_LE(one.runs, 12 * (2 + 7) * 64);
      EXPECT_EQ(one.pairs.empty(), std::string(neighbours) == "add-remove");
      for (const auto& pair : one.pairs) {
        EXPECT_TRUE(check_input(shape, pair.base_input()));
        EXPECT_TRUE(check_input(shape, pair.neighbour_input()));
        must(check_neighbours(shape, pair));
        EXPECT_TRUE(pair_of(pair.base_input(), pair.neighbour_input()));
      }
    }
  }
}

TEST(BoundaryPairs, AreNoneWhereTheInputIsNotRead) {
  const FunctionTarget deaf(bandit_shape(2, 8),
                            [](const InputTable&, ReplayStream& random, std::vector<double>& out) {
                              for (int t = 0; t < 8; ++t)
                                out.push_back(random.uniform() < 0.5 ? 1.0 : 0.0);
                            });
  EXPECT_TRUE(found_pairs(deaf).pairs.empty());
}

TEST(BoundaryPairs, HandOnWhatTheTargetDid) {
  auto target = std::make_unique<FunctionTarget>(Elimination{}.target(64));
  target->runs_left = 100;
  auto players = Players::create(std::move(target), 1).value();
  const auto none = error_of(boundary_pairs(players, 7, 6, 1 << 20, 0.1, {}));
  EXPECT_EQ(none.code, ErrorCode::kTarget);
}

}  // namespace
}  // namespace assay
