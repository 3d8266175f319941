#include "assay/auditors/methods/black_box/boundaries.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "assay/auditors/methods/black_box/input_pairs.hpp"
#include "assay/tests/support/function_target.hpp"

namespace assay {
namespace {

double sum_of(const InputTable& input, std::int64_t first, std::int64_t end) {
  return std::accumulate(input.values.begin() + first, input.values.begin() + end, 0.0);
}

// Plays arm 0, and from round 24 on arm 1 where the rewards of rounds 9 to 24 are above 5.5, but for noise
// that no stream of equal or alternating rewards gets near.
PlayFunction threshold() {
  return [](const InputTable& input, ReplayStream& random, std::vector<double>& out) {
    const double noise = random.uniform() - 0.5;
    const bool above = sum_of(input, 8, 24) + noise > 5.5;
    out.assign(24, 0.0);
    out.insert(out.end(), 8, above ? 1.0 : 0.0);
  };
}

Players players_of(const FunctionTarget& target, int threads) {
  return *Players::create(std::make_unique<FunctionTarget>(target), threads);
}

TEST(Boundaries, OfAThresholdAreTheNeighboursOnItsTwoSides) {
  Players players = players_of({bandit_shape(2, 32), threshold()}, 1);
  const auto found = boundary_pairs(players, 2'000, 7, {});
  ASSERT_TRUE(found.has_value());
  ASSERT_GE(found->pairs.size(), 2U);
  // Of either path, forth and back, before all others.
  for (std::size_t i = 0; i < 2; ++i) {
    const InputPair& pair = found->pairs[i];
    EXPECT_THAT((std::array{sum_of(pair.old_input(), 8, 24), sum_of(pair.new_input(), 8, 24)}),
                ::testing::UnorderedElementsAre(5.0, 6.0));
  }
  EXPECT_LE(found->plays, 2'000);
  EXPECT_EQ(boundary_pairs(players, 400, 7, {})->plays, 0);
}

TEST(Boundaries, AreTheSameForAnyNumberOfThreads) {
  Players one = players_of({bandit_shape(2, 32), threshold()}, 1);
  Players two = players_of({bandit_shape(2, 32), threshold()}, 2);
  EXPECT_EQ(boundary_pairs(one, 9'000, 7, {})->pairs, boundary_pairs(two, 9'000, 7, {})->pairs);
}

// Whatever the policy: of every kind of actions neighbours, and inputs that its shape allows.
TEST(Boundaries, AreNeighboursOfTheirKind) {
  for (const InputKind kind :
       {InputKind::kBandit, InputKind::kBestArm, InputKind::kDueling, InputKind::kExperts,
        InputKind::kContextual, InputKind::kMechanism}) {
    InputShape shape = bandit_shape(3, 5);
    shape.kind = kind;
    shape.dimension = kind == InputKind::kContextual ? 2 : 0;
    if (kind == InputKind::kMechanism) shape.inputs = shape.outputs = 2;
    Players players =
        players_of({shape,
                    [&](const InputTable& input, ReplayStream&, std::vector<double>& out) {
                      out.assign(static_cast<std::size_t>(shape.width()), input.values.back());
                    }},
                   1);
    const auto found = boundary_pairs(players, 1'000, 7, {});
    ASSERT_TRUE(found.has_value());
    const bool has_paths = kind != InputKind::kContextual && kind != InputKind::kMechanism;
    EXPECT_EQ(!found->pairs.empty(), has_paths);
    for (const auto& pair : found->pairs) {
      EXPECT_TRUE(check_input(shape, pair.old_input()) && check_input(shape, pair.new_input()));
      EXPECT_TRUE(pair_of(pair.old_input(), pair.new_input()));
    }
  }
}

TEST(Boundaries, ATargetThatFailsIsItsError) {
  FunctionTarget target(bandit_shape(2, 32), threshold());
  target.plays_left = 100;
  Players players = *Players::create(std::make_unique<FunctionTarget>(target), 1);
  const auto found = boundary_pairs(players, 2'000, 7, {});
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().code, ErrorCode::kTarget);
}

}  // namespace
}  // namespace assay
