// A sweep over the domain finds values that a target treats unlike the values beside them.
#include "assay/auditors/methods/black_box/value_pairs.hpp"

#include <algorithm>

#include "assay/auditors/methods/black_box/input_pairs.hpp"
#include "assay/tests/support/function_target.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

constexpr std::int64_t kRounds = 12;

BoundaryPairs special_pairs(const FunctionTarget& target, int threads = 1,
                            std::int64_t runs = 1 << 20) {
  auto players = Players::create(std::make_unique<FunctionTarget>(target), threads).value();
  return pairs_at_special_values(players, 7, 9, runs, {}).value();
}

// Actions by randomised response to the rewards of the rounds before; the values from `least` to `most` always have the
// action 0.
FunctionTarget special_reward(double least, double most) {
  return {bandit_shape(2, kRounds),
          [=](const InputTable& input, ReplayStream& random, std::vector<double>& out) {
            out.push_back(random.uniform() < 0.5 ? 1.0 : 0.0);
            for (std::int64_t t = 0; t + 1 < kRounds; ++t) {
              const double v = input.row(t)[0], u = random.uniform();
              out.push_back(u < 0.4 + 0.2 * v && !(v >= least && v <= most) ? 1.0 : 0.0);
            }
          }};
}

TEST(ValuePairs, AreAtAValueWithinTheDomainThatIsTreatedInAnotherWay) {
  for (const double value : {0.01, 0.37, 0.5, 0.99}) {
    const auto found = special_pairs(special_reward(value, value));
    ASSERT_GE(found.pairs.size(), 3);
    EXPECT_EQ(found.runs, 32 * 101);
    // The first pair makes two of many different rows equal; then the value, against either end.
    for (const std::size_t i : {1, 2}) {
      EXPECT_EQ(found.pairs[i].neighbour_row()[0], value);
      EXPECT_EQ(found.pairs[i].base_row()[0], static_cast<double>(i - 1));
    }
  }
}

TEST(ValuePairs, AreAtARangeOfValues) {
  const auto found = special_pairs(special_reward(0.6, 0.7));
  const auto special =
      std::count_if(found.pairs.begin() + 1, found.pairs.end(), [](const auto& pair) {
        return pair.neighbour_row()[0] >= 0.6 && pair.neighbour_row()[0] <= 0.7;
      });
  EXPECT_GE(special, 4);
}

TEST(ValuePairs, OfOrdinaryTargetsAreNoneButThatOfEqualRows) {
  const auto found = special_pairs(special_reward(2.0, 2.0));
  ASSERT_EQ(found.pairs.size(), 1);
  const InputPair& equal = found.pairs[0];
  EXPECT_EQ(equal.neighbour_row()[0], equal.base_input().row(1)[0]);
  const InputTable& base = equal.base_input();
  EXPECT_EQ(std::set<double>(base.values.begin(), base.values.end()).size(), base.values.size());
}

TEST(ValuePairs, StayWithinTheBudgetAndDoNotDependOnThreads) {
  const auto target = special_reward(0.37, 0.37);
  EXPECT_EQ(special_pairs(target, 1).pairs, special_pairs(target, 3).pairs);
  EXPECT_EQ(special_pairs(target, 1, 800).runs, 0);
  EXPECT_EQ(special_pairs(target, 1, 1000).runs, 9 * 101);
}

TEST(ValuePairs, AreNeighboursOfEveryKindWithinTheDomain) {
  for (const auto& [kind, name] : enum_names(InputKind{})) {
    for (const char* neighbours : {"one", "all", "add-remove"}) {
      for (const char* domain : {"0:1", "integers", "0:100"}) {
        SCOPED_TRACE(fmt::format("{} {} {}", name, neighbours, domain));
        const bool mechanism = kind == InputKind::kMechanism;
        InputShape shape = table_shape(kind, 3, kRounds);
        if (mechanism) {
          shape = {.kind = kind, .inputs = 5};
          shape.neighbours = parse_neighbours(neighbours).value();
          shape.domain = parse_domain(domain).value();
        } else if (std::string(neighbours) != "one") {
          continue;
        } else if (std::string(domain) == "0:100") {
          if (kind == InputKind::kDueling || kind == InputKind::kContextual) continue;
          shape.domain = parse_domain(domain).value();
        }
        const FunctionTarget target(
            shape, [width = shape.width()](const InputTable& input, ReplayStream&,
                                           std::vector<double>& out) {
              const bool special = input.row(0).back() == 0.5 || input.row(0).back() == 50.0;
              out.assign(static_cast<std::size_t>(width), special ? 1.0 : 0.0);
            });
        for (const InputPair& pair : special_pairs(target).pairs) {
          EXPECT_TRUE(check_neighbours(shape, pair));
          if (!shape.domain) continue;
          for (const double value : pair.neighbour_input().values) {
            EXPECT_TRUE(shape.domain->contains(value));
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace assay
