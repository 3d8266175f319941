// Domains and neighbours: what is read, what is refused, what an input is held against.
#include "assay/policies/inputs/neighbours.hpp"

#include "assay/policies/inputs/input_table.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

TEST(Domain, IsReadAndWrittenBack) {
  for (const char* text : {"integers", "0:1", "-2.5:10", "0.25:0.75"}) {
    const auto domain = parse_domain(text);
    ASSERT_TRUE(domain) << text;
    EXPECT_EQ(domain->text(), text);
  }
  EXPECT_TRUE(parse_domain("0:1")->bounded());
  EXPECT_FALSE(parse_domain("integers")->bounded());
  EXPECT_TRUE(parse_domain("integers")->contains(-3.0));
  EXPECT_FALSE(parse_domain("integers")->contains(0.5));
}

TEST(Domain, WhatIsNoneIsRefused) {
  for (const char* text : {"", ":", "1", "1:1", "2:1", "0:inf", "0:1:2", "nan:1", "integer"}) {
    const auto domain = parse_domain(text);
    ASSERT_FALSE(domain) << text;
    EXPECT_THAT(domain, IsRefused("domain must be integers or LOW:HIGH")) << text;
  }
}

TEST(Neighbours, AreReadAndWrittenBack) {
  for (const char* text : {"one", "all", "add-remove", "l2:2.5"}) {
    const auto neighbours = parse_neighbours(text);
    ASSERT_TRUE(neighbours) << text;
    EXPECT_EQ(neighbours->text(), text);
  }
  for (const char* text : {"", "two", "l2", "add"}) {
    EXPECT_THAT(parse_neighbours(text), IsRefused("must be one, all, l2:S or add-remove"));
  }
  for (const char* text : {"l2:", "l2:0", "l2:-1", "l2:inf", "l2:x"}) {
    EXPECT_THAT(parse_neighbours(text), IsRefused("a distance S above 0"));
  }
}

InputShape shape_with(InputKind kind, const char* domain, const char* neighbours) {
  InputShape shape{.kind = kind, .arms = 2, .horizon = 2, .inputs = 2};
  if (*domain != 0) shape.domain = parse_domain(domain).value();
  if (*neighbours != 0) shape.neighbours = parse_neighbours(neighbours).value();
  return shape;
}

TEST(ToldShape, RefusesWhatItsKindDoesNotHave) {
  const auto refused = [](const InputShape& shape) { return validate(shape).error().message; };
  EXPECT_THAT(refused(shape_with(InputKind::kDueling, "0:1", "")),
              HasSubstr("outcomes are 0 or 1"));
  EXPECT_THAT(refused(shape_with(InputKind::kExperts, "", "all")),
              HasSubstr("neighbours of kind experts must be one, not all"));
  EXPECT_THAT(refused(shape_with(InputKind::kMechanism, "integers", "l2:0.5")),
              HasSubstr("S of at least 1, not 0.5"));
  InputShape alone = shape_with(InputKind::kMechanism, "", "add-remove");
  alone.inputs = 1;
  EXPECT_THAT(refused(alone), HasSubstr("inputs of at least 2"));
  EXPECT_TRUE(validate(shape_with(InputKind::kBandit, "integers", "one")));
  EXPECT_TRUE(validate(shape_with(InputKind::kBandit, "-5:5", "one")));
  EXPECT_TRUE(validate(shape_with(InputKind::kContextual, "-2:2", "one")));
  EXPECT_TRUE(validate(shape_with(InputKind::kMechanism, "18:90", "add-remove")));
}

TEST(ToldShape, HoldsInputsAgainstTheDomainByRowAndColumn) {
  const auto bandit = shape_with(InputKind::kBandit, "0.25:0.75", "");
  EXPECT_TRUE(check_input(bandit, InputTable::column({0.25, 0.75})));
  EXPECT_EQ(check_input(bandit, InputTable::column({0.25, 1.0})).error().message,
            "row 2 must be in [0.25, 0.75], not 1");
  EXPECT_EQ(
      check_input(shape_with(InputKind::kBandit, "integers", ""), InputTable::column({0.5, 1.0}))
          .error()
          .message,
      "row 1 must be 0 or 1, not 0.5");
  EXPECT_EQ(check_input(shape_with(InputKind::kMechanism, "integers", ""),
                        InputTable::one_row({3.0, -0.5}))
                .error()
                .message,
            "row 1, column 2 must be an integer, not -0.5");
}

TEST(ToldShape, AnIntervalReplacesTheRangeOfRewardsAndLosses) {
  for (const auto kind : {InputKind::kBandit, InputKind::kBestArm, InputKind::kExperts}) {
    const auto shape = shape_with(kind, "-5:5", "");
    InputTable input = InputTable::zeros(shape.rows(), shape.columns());
    input.values.front() = -5.0;
    input.values.back() = 5.0;
    EXPECT_TRUE(check_input(shape, input));
    input.values.back() = 5.5;
    EXPECT_THAT(check_input(shape, input), IsRefused("must be in [-5, 5], not 5.5"));
    EXPECT_THAT(check_input(shape_with(kind, "", ""), input), IsRefused("must be in [0, 1], not"));
  }
  // The domain of a contextual target is that of its contexts.
  EXPECT_THAT(check_input(shape_with(InputKind::kContextual, "-5:5", ""),
                          InputTable{2, 4, {2, 0, 5, 5, 0, 0, 5, 5}}),
              IsRefused("row 1, column 1 must be in [0, 1], not 2"));
}

TEST(Domain, HasExactEnds) {
  for (const char* text : {"-5:5", "-0.3:0.4", "0.1:0.7", "0:1"}) {
    const Domain domain = parse_domain(text).value();
    EXPECT_EQ(domain.at(0.0), domain.low) << text;
    EXPECT_EQ(domain.at(1.0), domain.high) << text;
    EXPECT_EQ(domain.opposite(domain.low), domain.high) << text;
    EXPECT_EQ(domain.opposite(domain.high), domain.low) << text;
    EXPECT_TRUE(domain.contains(domain.at(0.7))) << text;
    EXPECT_TRUE(domain.contains(domain.opposite(domain.at(0.999)))) << text;
  }
}

TEST(ToldShape, TakesOneValueFewerWhereOneIsAddedOrRemoved) {
  const auto shape = shape_with(InputKind::kMechanism, "", "add-remove");
  EXPECT_TRUE(check_input(shape, InputTable::one_row({1.0, 2.0})));
  EXPECT_TRUE(check_input(shape, InputTable::one_row({1.0})));
  EXPECT_THAT(check_input(shape, InputTable::one_row({1.0, 2.0, 3.0})),
              IsRefused("1 rows of 2 values, or one fewer, not 1 of 3"));
  EXPECT_FALSE(
      check_input(shape_with(InputKind::kMechanism, "", "one"), InputTable::one_row({1.0})));
}

TEST(InputPair, OfRowsOfDifferentLengths) {
  const InputPair shorter({1.0, 2.0, 3.0}, {1.0, 3.0});
  EXPECT_EQ(shorter.neighbour_input(), InputTable::one_row({1.0, 3.0}));
  EXPECT_EQ(shorter.differing(), 1);
  EXPECT_EQ(shorter.first_changed(), 1);
  const InputPair last({1.0, 2.0}, {1.0});
  EXPECT_EQ(last.first_changed(), 1);
}

}  // namespace
}  // namespace assay
