// Pairs of inputs: neighbours all, different, near the boundaries at which policies decide.
#include "assay/auditors/methods/black_box/input_pairs.hpp"

#include <cstdlib>

#include "assay/tests/support/function_target.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

std::vector<InputShape> shapes() {
  std::vector<InputShape> all;
  for (const auto& [kind, name] : enum_names(InputKind{})) {
    for (const std::int64_t arms : {2, 3, 5}) {
      for (const std::int64_t horizon : {1, 2, 7, 64}) {
        InputShape shape = bandit_shape(arms, horizon);
        shape.kind = kind;
        shape.dimension = 2;
        shape.inputs = arms - 1;
        all.push_back(shape);
      }
    }
  }
  return all;
}

void expect_neighbours(const InputShape& shape, const std::vector<InputPair>& pairs) {
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto& pair = pairs[i];
    for (const auto& input : {pair.base_input(), pair.neighbour_input()})
      must(check_input(shape, input));
    const auto again = must(pair_of(pair.base_input(), pair.neighbour_input()));
    EXPECT_EQ(again.changed_row(), pair.changed_row());
    EXPECT_EQ(std::count(pairs.begin(), pairs.end(), pair), 1) << i;
  }
}

TEST(StructuralPairs, AreDifferentNeighboursOfEveryShape) {
  for (const auto& shape : shapes()) {
    SCOPED_TRACE(detail::value_text(shape.kind) + " " + std::to_string(shape.arms) + " " +
                 std::to_string(shape.horizon));
    const auto pairs = structural_pairs(shape, 24);
    EXPECT_FALSE(pairs.empty());
    EXPECT_LE(pairs.size(), 24u);
    expect_neighbours(shape, pairs);
    // Fewer are the first of more.
    const auto few = structural_pairs(shape, 5);
    for (std::size_t i = 0; i < few.size(); ++i) EXPECT_EQ(few[i], pairs[i]);
  }
}

// What arm `arm` of two has earned once each was pulled `batch` times: in turns, or one after the other.
double earned(const InputTable& input, std::int64_t batch, bool in_turns, std::int64_t arm) {
  double sum = 0.0;
  for (std::int64_t i = 0; i < batch; ++i) {
    const std::int64_t row = in_turns ? 2 * i + arm : arm * batch + i;
    sum += input.values[static_cast<std::size_t>(row)];
  }
  return sum;
}

// Two arms that are compared after equally many pulls are tied on one side of a pair, and no longer on the
// other: for every batch of whole fours, one after the other or in turns, with the change in the first round.
TEST(StructuralPairs, TieTwoArmsWhateverTheirBatch) {
  const auto shape = bandit_shape(2, 128);
  const auto pairs = structural_pairs(shape, 24);
  for (const std::int64_t batch : {4, 8, 12, 16, 20, 32, 64}) {
    for (const bool in_turns : {false, true}) {
      const bool any = std::any_of(pairs.begin(), pairs.end(), [&](const InputPair& pair) {
        const auto gap = [&](const InputTable& input) {
          return earned(input, batch, in_turns, 0) - earned(input, batch, in_turns, 1);
        };
        const double before = gap(pair.base_input()), after = gap(pair.neighbour_input());
        return before == 0.0 && std::fabs(after) == 1.0 &&
               2.0 * earned(pair.base_input(), batch, in_turns, 1) == static_cast<double>(batch);
      });
      EXPECT_TRUE(any) << batch << in_turns;
    }
  }
}

// Eight against seven ones in batches, of which one more is taken away.
TEST(StructuralPairs, HaveEightAgainstSevenInBatches) {
  const auto pairs = structural_pairs(bandit_shape(2, 128), 24);
  for (const std::int64_t batch : {4, 8, 16}) {
    const bool any = std::any_of(pairs.begin(), pairs.end(), [&](const InputPair& pair) {
      const double half = static_cast<double>(batch) / 2.0;
      return earned(pair.base_input(), batch, false, 0) == half &&
             earned(pair.base_input(), batch, false, 1) == half - 1.0 &&
             earned(pair.neighbour_input(), batch, false, 0) == half - 1.0;
    });
    EXPECT_TRUE(any) << batch;
  }
}

TEST(RefinedPairs, AreDifferentNeighboursOfTheSameRelation) {
  for (const auto& shape : shapes()) {
    SCOPED_TRACE(detail::value_text(shape.kind) + " " + std::to_string(shape.arms) + " " +
                 std::to_string(shape.horizon));
    for (const auto& best : structural_pairs(shape, 8)) {
      const auto pairs = refined_pairs(shape, best, 16);
      EXPECT_LE(pairs.size(), 16u);
      if (shape.rows() > 2) {
        EXPECT_GE(pairs.size(), 8u);
      }
      expect_neighbours(shape, pairs);
      EXPECT_EQ(std::count(pairs.begin(), pairs.end(), best), 0);
      for (const auto& pair : pairs) EXPECT_EQ(relation_of(shape, pair), relation_of(shape, best));
      EXPECT_EQ(pairs, refined_pairs(shape, best, 16));
    }
  }
}

// From a pair one step off a boundary, one refinement reaches it: a policy that compares the sums of two
// halves by a threshold in the middle between two counts.
TEST(RefinedPairs, ShiftATieByOne) {
  const auto shape = bandit_shape(2, 32);
  const auto gap = [](const InputTable& input) {
    return earned(input, 16, false, 0) - earned(input, 16, false, 1);
  };
  const auto best = structural_pairs(shape, 1).front();
  ASSERT_EQ(gap(best.base_input()), 0.0);
  std::vector<double> gaps;
  for (const auto& pair : refined_pairs(shape, best, 16)) gaps.push_back(gap(pair.base_input()));
  EXPECT_THAT(gaps, ::testing::Contains(1.0));
  EXPECT_THAT(gaps, ::testing::Contains(-1.0));
}

// ---- domains and neighbours

struct Told {
  const char* domain;
  const char* neighbours;
  Relation relation;
};

constexpr Told kTold[] = {{"", "one", Relation::kOneAnswer},
                          {"", "all", Relation::kAllAnswers},
                          {"", "l2:2.5", Relation::kAnswersTogether},
                          {"", "add-remove", Relation::kAddOrRemoveOneRecord},
                          {"integers", "one", Relation::kOneAnswer},
                          {"integers", "l2:2.5", Relation::kAnswersTogether},
                          {"18:90", "", Relation::kReplaceOneRecord},
                          {"18:90", "one", Relation::kReplaceOneRecord},
                          {"-0.3:0.4", "all", Relation::kAllAnswers},
                          {"-0.3:0.4", "l2:0.1", Relation::kAnswersTogether},
                          {"0:1", "add-remove", Relation::kAddOrRemoveOneRecord}};

InputShape told(const Told& told, std::int64_t inputs) {
  InputShape shape{.kind = InputKind::kMechanism, .inputs = inputs};
  if (*told.domain != 0) shape.domain = parse_domain(told.domain).value();
  if (*told.neighbours != 0) shape.neighbours = parse_neighbours(told.neighbours).value();
  return shape;
}

void expect_told(const InputShape& shape, const Told& told, const std::vector<InputPair>& pairs) {
  EXPECT_FALSE(pairs.empty());
  expect_neighbours(shape, pairs);
  for (const auto& pair : pairs) {
    must(check_neighbours(shape, pair));
    EXPECT_EQ(relation_of(shape, pair), told.relation);
  }
}

TEST(ToldPairs, KeepTheDomainAndTheRelation) {
  for (const Told& one : kTold) {
    for (const std::int64_t inputs : {2, 5}) {
      SCOPED_TRACE(std::string(one.domain) + " " + one.neighbours + " " + std::to_string(inputs));
      const auto shape = told(one, inputs);
      ASSERT_TRUE(validate(shape));
      const auto pairs = structural_pairs(shape, 24);
      expect_told(shape, one, pairs);
      for (const auto& best : pairs) expect_neighbours(shape, refined_pairs(shape, best, 16));
      const auto base = std::make_shared<const InputTable>(pairs.back().base_input());
      const auto beside = pairs_beside(shape, base, 24);
      expect_told(shape, one, beside);
      for (const auto& pair : beside) EXPECT_EQ(pair.base_input(), *base);
    }
  }
}

TEST(ToldPairs, MoveAllAnswersOneAgainstTheRest) {
  const auto pairs = structural_pairs(told({"", "all", {}}, 4), 24);
  EXPECT_EQ(pairs.front(), InputPair({0, 0, 0, 0}, {1, -1, -1, -1}));
}

TEST(ToldPairs, OfStreamsKeepTheirDomain) {
  for (auto shape : shapes()) {
    if (shape.kind == InputKind::kDueling || shape.kind == InputKind::kMechanism) continue;
    for (const char* domain : {"integers", "0.25:0.75", "-5:5", "-0.3:0.4"}) {
      if (shape.kind == InputKind::kContextual && std::string(domain) == "integers") continue;
      shape.domain = parse_domain(domain).value();
      const auto pairs = structural_pairs(shape, 24);
      EXPECT_FALSE(pairs.empty());
      expect_neighbours(shape, pairs);
      expect_neighbours(shape, refined_pairs(shape, pairs.front(), 16));
    }
  }
}

// A leak may show only at the ends of the range of the rewards.
TEST(ToldPairs, ChangeRewardsFromOneEndOfTheDomainToTheOther) {
  for (const auto kind : {InputKind::kBandit, InputKind::kBestArm, InputKind::kExperts}) {
    for (const char* text : {"-5:5", "-0.3:0.4"}) {
      SCOPED_TRACE(detail::value_text(kind) + " " + text);
      InputShape shape{.kind = kind, .arms = 3, .horizon = 20};
      shape.domain = parse_domain(text).value();
      for (const auto& pair : structural_pairs(shape, 24)) {
        for (std::size_t c = 0; c < pair.base_row().size(); ++c) {
          const double from = pair.base_row()[c], to = pair.neighbour_row()[c];
          if (from == to) continue;
          EXPECT_EQ(std::min(from, to), shape.domain->low);
          EXPECT_EQ(std::max(from, to), shape.domain->high);
        }
      }
      const auto middle = std::make_shared<const InputTable>(
          InputTable{20, shape.columns(),
                     std::vector<double>(static_cast<std::size_t>(20 * shape.columns()))});
      bool low = false, high = false;
      const auto beside = pairs_beside(shape, middle, 24);
      expect_neighbours(shape, beside);
      for (const auto& pair : beside) {
        low = low || pair.neighbour_row()[0] == shape.domain->low;
        high = high || pair.neighbour_row()[0] == shape.domain->high;
      }
      EXPECT_TRUE(low && high);
    }
  }
  InputShape shape{.kind = InputKind::kBandit, .arms = 2, .horizon = 4};
  EXPECT_EQ(neighbours_text(shape, Relation::kReplaceOneReward),
            "one reward replaced by any other within 0:1");
  shape.domain = parse_domain("-5:5").value();
  EXPECT_EQ(neighbours_text(shape, Relation::kReplaceOneReward),
            "one reward replaced by any other within -5:5");
}

TEST(ToldPairs, WhatIsNoNeighbourIsNamed) {
  const auto why = [](const char* neighbours, const InputPair& pair) {
    return check_neighbours(told({"", neighbours, {}}, 2), pair).error().message;
  };
  EXPECT_EQ(why("one", {{0, 0}, {1, 1}}),
            "the two inputs are not neighbours by one: 2 values differ, not one");
  EXPECT_EQ(
      why("all", {{0, 0}, {1, -1.5}}),
      "the two inputs are not neighbours by all: value 2 moves from 0 to -1.5, by more than 1");
  EXPECT_EQ(why("l2:2", {{0, 0}, {3, 4}}),
            "the two inputs are not neighbours by l2:2: they are 5 apart");
  EXPECT_EQ(
      why("add-remove", InputPair(std::vector<double>{0, 1}, std::vector<double>{2})),
      "the two inputs are not neighbours by add-remove: one must equal the other without one of its "
      "values");
}

TEST(PairsBeside, ReplaceRowsOfTheGivenInput) {
  for (const auto& shape : shapes()) {
    SCOPED_TRACE(detail::value_text(shape.kind) + " " + std::to_string(shape.arms) + " " +
                 std::to_string(shape.horizon));
    const auto base =
        std::make_shared<const InputTable>(structural_pairs(shape, 24).back().neighbour_input());
    const auto pairs = pairs_beside(shape, base, 24);
    EXPECT_FALSE(pairs.empty());
    expect_neighbours(shape, pairs);
    for (const auto& pair : pairs) EXPECT_EQ(pair.base_input(), *base);
    std::set<std::int64_t> rows;
    for (const auto& pair : pairs) rows.insert(pair.changed_row());
    EXPECT_GE(static_cast<std::int64_t>(rows.size()), std::min<std::int64_t>(shape.rows(), 6));
  }
}

}  // namespace
}  // namespace assay
