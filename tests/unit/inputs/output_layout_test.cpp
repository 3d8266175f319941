#include "assay/policies/inputs/output_layout.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

// Two rounds of an action and two numbers, the recommendation, one estimate; it may stop.
InputShape rich() {
  return {.kind = InputKind::kBestArm,
          .arms = 3,
          .horizon = 2,
          .stops = true,
          .numbers = 2,
          .estimates = 1};
}

std::string trouble(const InputShape& shape, const std::vector<double>& told) {
  return refusal_of(laid_out(shape, told));
}

// NaN as itself.
std::vector<double> seen(std::vector<double> values) {
  for (double& value : values) {
    if (std::isnan(value)) value = 1e99;
  }
  return values;
}

TEST(OutputLayout, AKindByItselfIsWhatItWas) {
  const std::map<InputKind, std::int64_t> widths = {
      {InputKind::kBandit, 7},  {InputKind::kBestArm, 8},    {InputKind::kDueling, 14},
      {InputKind::kExperts, 7}, {InputKind::kContextual, 7}, {InputKind::kMechanism, 4}};
  for (const auto& [kind, width] : widths) {
    const InputShape shape{.kind = kind, .arms = 2, .horizon = 7, .outputs = 4};
    EXPECT_EQ(shape.width(), width);
    EXPECT_TRUE(OutputLayout(shape).is_plain());
    const std::vector<double> told(static_cast<std::size_t>(width), 1.0);
    EXPECT_EQ(laid_out(shape, told).value(), told);
    EXPECT_EQ(told_of(shape, told), told);
  }
}

TEST(OutputLayout, EveryEntryHasANameAndAMeaning) {
  const OutputLayout layout(rich());
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < layout.width(); ++i) names.push_back(layout.name(i));
  EXPECT_THAT(names, ElementsAre("action of round 1", "number 1 of round 1", "number 2 of round 1",
                                 "action of round 2", "number 1 of round 2", "number 2 of round 2",
                                 "recommendation", "estimate 1", "rounds completed"));
  EXPECT_THAT(layout.action_entries(), ElementsAre(0, 3, 6));
  EXPECT_THAT(layout.number_entries(), ElementsAre(1, 2, 4, 5, 7));
  const OutputLayout duel({.kind = InputKind::kDueling, .horizon = 2, .numbers = 1});
  EXPECT_EQ(duel.name(4), "action 2 of round 2");
  EXPECT_EQ(duel.name(5), "number of round 2");
  const OutputLayout mechanism({.kind = InputKind::kMechanism, .outputs = 3, .stops = true});
  EXPECT_EQ(mechanism.name(2), "number 3");
  EXPECT_EQ(mechanism.name(3), "numbers reported");
}

TEST(OutputLayout, WhatWasToldIsLaidOutAndReadBack) {
  const InputShape shape = rich();
  const std::vector<std::vector<double>> all = {
      {2, 0.5}, {1, kInfinity, -4, 0, kNaN}, {0, 1, 2, 2, 3, 4, 1, -kInfinity}};
  for (std::size_t played = 0; played < all.size(); ++played) {
    const auto laid = laid_out(shape, all[played]).value();
    EXPECT_EQ(laid.size(), 9U);
    EXPECT_EQ(laid.back(), static_cast<double>(played));
    EXPECT_EQ(OutputLayout(shape).played(laid), static_cast<std::int64_t>(played));
    EXPECT_EQ(seen(told_of(shape, laid)), seen(all[played]));
  }
  EXPECT_EQ(seen(laid_out(shape, all[1]).value()),
            seen({1, kInfinity, -4, kNoAction, kNaN, kNaN, 0, kNaN, 1}));
}

// All outputs of small shapes, told in turn: no two of them lie alike in memory.
TEST(OutputLayout, NoTwoOutputsLieAlike) {
  const std::vector<InputShape> shapes = {
      {.kind = InputKind::kBestArm, .horizon = 3, .stops = true},
      {.kind = InputKind::kBandit, .horizon = 2, .stops = true, .numbers = 1},
      {.kind = InputKind::kDueling, .horizon = 2, .stops = true, .estimates = 1},
      {.kind = InputKind::kMechanism, .outputs = 4, .stops = true}};
  // What may stand anywhere, NaN and what padding looks like among it.
  const std::vector<double> values = {0.0, 1.0, -1.0, kNaN};
  for (const InputShape& shape : shapes) {
    const OutputLayout layout(shape);
    std::map<std::vector<double>, std::vector<double>> told_by;
    std::vector<std::vector<double>> level = {{}};
    for (std::int64_t length = 0; length <= layout.longest(); ++length) {
      std::vector<std::vector<double>> next;
      for (const auto& told : level) {
        if (const auto laid = laid_out(shape, told)) {
          EXPECT_TRUE(check_output(shape, *laid));
          EXPECT_TRUE(told_by.emplace(seen(*laid), seen(told)).second);
          EXPECT_EQ(seen(told_of(shape, *laid)), seen(told));
        }
        for (const double value : values) {
          next.push_back(told);
          next.back().push_back(value);
        }
      }
      level = std::move(next);
    }
    EXPECT_GT(told_by.size(), 10U);
  }
}

TEST(OutputLayout, TroubleIsNamed) {
  const InputShape shape = rich();
  EXPECT_EQ(trouble(shape, {1}),
            "has 1 entries, not 3 for each completed round, at most 2, and 2 at the end");
  EXPECT_EQ(trouble(shape, {1, 0.5, 2, 0}),
            "has 4 entries, not 3 for each completed round, at most 2, and 2 at the end");
  EXPECT_EQ(trouble(shape, {3, 0.5, 0.5, 0, 0.5}),
            "must have as action of round 1 an action from 0 to 2, not 3");
  EXPECT_EQ(trouble(shape, {0, 0.5, 0.5, kNaN, 0.5}),
            "must have as recommendation an action from 0 to 2, not nan");
  InputShape whole = shape;
  whole.stops = false;
  EXPECT_EQ(trouble(whole, {0, 0.5, 0.5, 1, 0.5}),
            "has 5 entries, not 3 for each of 2 rounds, and 2 at the end");
  const InputShape plain{.arms = 2, .horizon = 2};
  EXPECT_EQ(trouble(plain, {1}), "has 1 actions, not 2");
  EXPECT_EQ(trouble(plain, {0, 2}), "entry 2 must be an action from 0 to 1, not 2");
  EXPECT_EQ(trouble({.kind = InputKind::kMechanism, .outputs = 2}, {1}), "has 1 numbers, not 2");
}

// As a plug-in writes: the last entry says how many rounds count.
TEST(OutputLayout, RoundsThatWereNotPlayedAreBlanked) {
  const InputShape shape{.kind = InputKind::kBandit, .arms = 2, .horizon = 3, .stops = true};
  const OutputLayout layout(shape);
  std::vector<double> output = {1, 1, 77, 2};
  blank_unplayed(layout, output);
  EXPECT_THAT(output, ElementsAre(1, 1, kNoAction, 2));
  for (const double played : {-1.0, 4.0, 1.5, kNaN, 1e300}) {
    output = {1, 1, 0, played};
    blank_unplayed(layout, output);
    EXPECT_THAT(
        check_output(shape, output).error().message,
        ::testing::StartsWith("must have as rounds completed a whole number from 0 to 3, not"));
  }
}

TEST(InputShape, WhatItTellsBesideIsCheckedWithIt) {
  EXPECT_EQ(validate(InputShape{.kind = InputKind::kMechanism, .numbers = 1}).error().message,
            "numbers must be 0 for a mechanism: its outputs are numbers");
  EXPECT_EQ(validate(InputShape{.kind = InputKind::kMechanism, .estimates = 1}).error().message,
            "estimates must be 0 for a mechanism: its outputs are numbers");
  EXPECT_EQ(validate(InputShape{.numbers = 2000}).error().message,
            "numbers must be 0 to 1024, not 2000");
  EXPECT_EQ(validate(InputShape{.horizon = 1'000'000, .numbers = 4}).error().message,
            "horizon 1000000, numbers 4 and estimates 0 make an output of 5000000 numbers; all "
            "together must be at most 4000000");
  EXPECT_THAT(InputShape{.arms = 2}.used_fields(), ElementsAre("kind", "arms", "horizon"));
  EXPECT_THAT(rich().used_fields(),
              ElementsAre("kind", "arms", "horizon", "stops", "numbers", "estimates"));
}

}  // namespace
}  // namespace assay
