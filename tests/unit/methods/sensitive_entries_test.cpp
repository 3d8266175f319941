// Under one seed, the entry that matters shows, wherever it is; and a value that is passed on shows in its copies.
#include "assay/auditors/methods/black_box/sensitive_entries.hpp"

#include "assay/auditors/methods/black_box/input_pairs.hpp"
#include "assay/auditors/methods/black_box/score.hpp"
#include "assay/tests/support/function_target.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

InputShape values_shape(std::int64_t inputs, Domain domain) {
  return {.kind = InputKind::kMechanism, .inputs = inputs, .domain = domain};
}

// A noisy sum in which value `at` has weight 5.
FunctionTarget weighted_sum(std::int64_t inputs, std::int64_t at) {
  return {values_shape(inputs, {0.0, 1.0}),
          [at](const InputTable& input, ReplayStream& random, std::vector<double>& out) {
            double sum = random.uniform() - 0.5;
            for (const double value : input.values) sum += value;
            out.push_back(sum + 4.0 * input.values[static_cast<std::size_t>(at)]);
          }};
}

// Plays its arm by the reward of one round alone, from the next round on.
FunctionTarget one_round_counts(std::int64_t horizon, std::int64_t at) {
  return {bandit_shape(2, horizon),
          [=](const InputTable& input, ReplayStream& random, std::vector<double>& out) {
            for (std::int64_t t = 0; t < horizon; ++t) {
              const bool decided = t > at && input.values[static_cast<std::size_t>(at)] > 0.5;
              out.push_back(decided ? 1.0 : random.uniform() < 0.5 ? 1.0 : 0.0);
            }
          }};
}

BoundaryPairs sensitive_pairs(const FunctionTarget& target, int threads = 1,
                              std::int64_t runs = 1 << 20) {
  auto players = Players::create(std::make_unique<FunctionTarget>(target), threads).value();
  return pairs_at_sensitive_entries(players, 7, 4, runs, {}).value();
}

TEST(SensitiveEntries, AHeavyValueIsFoundWhereverItIs) {
  for (const std::int64_t at : {0, 1, 17, 40, 63}) {
    const auto found = sensitive_pairs(weighted_sum(64, at));
    ASSERT_FALSE(found.pairs.empty()) << at;
    EXPECT_EQ(found.pairs.front().first_changed(), at);
    EXPECT_EQ(found.runs, 3 * 64 * 65);
  }
}

TEST(SensitiveEntries, BisectionFindsItAmongMany) {
  for (const std::int64_t at : {3, 999, 5000}) {
    const auto found = sensitive_pairs(weighted_sum(6000, at), 1, 700);
    ASSERT_FALSE(found.pairs.empty()) << at;
    EXPECT_EQ(found.pairs.front().first_changed(), at);
    EXPECT_LT(found.runs, 700);
  }
}

TEST(SensitiveEntries, RoundsOfAPolicyAreEntriesToo) {
  for (const std::int64_t at : {2, 30, 200}) {
    const auto found = sensitive_pairs(one_round_counts(300, at));
    ASSERT_FALSE(found.pairs.empty()) << at;
    EXPECT_EQ(found.pairs.front().changed_row(), at);
  }
}

TEST(SensitiveEntries, ValuesThatAllCountAlikeGiveNoPair) {
  const FunctionTarget sum(values_shape(16, {0.0, 1.0}),
                           [](const InputTable& input, ReplayStream& random, auto& out) {
                             double of = random.uniform();
                             for (const double value : input.values) of += value;
                             out.push_back(std::round(of * 1024.0) / 1024.0);
                           });
  for (const InputPair& pair : sensitive_pairs(sum).pairs) {
    // Among different values the ones in the middle move less than those at the ends.
    EXPECT_NE(pair.base_input().values[0], pair.base_input().values[1]);
  }
}

TEST(SensitiveEntries, ResultsDoNotDependOnThreadsAndKeepTheBudget) {
  const auto target = weighted_sum(64, 40);
  EXPECT_EQ(sensitive_pairs(target, 1).pairs, sensitive_pairs(target, 3).pairs);
  EXPECT_EQ(sensitive_pairs(target, 1, 100).runs, 0);
  EXPECT_EQ(sensitive_pairs(target, 1, 300).runs, 2 * 2 * 65);
}

TEST(SensitiveEntries, EveryPairIsOfNeighbours) {
  for (auto shape :
       {values_shape(5, {-3.0, 3.0, true}), values_shape(70, {}), bandit_shape(3, 40)}) {
    const std::int64_t width = shape.width();
    const FunctionTarget target(
        shape, [width](const InputTable& input, ReplayStream& random, auto& out) {
          out.assign(static_cast<std::size_t>(width),
                     random.uniform() + 7.0 * input.values[2] > 1.0 ? 1.0 : 0.0);
        });
    for (const InputPair& pair : sensitive_pairs(target).pairs) {
      EXPECT_TRUE(check_neighbours(shape, pair));
    }
  }
}

TEST(StructuralPairs, TryChangesAmongValuesThatAllDiffer) {
  const InputShape shape = values_shape(7, {0.0, 5.0});
  const std::vector<double> spread = {0, 1, 2, 3, 4, 5, 0};
  bool found = false;
  for (const InputPair& pair : structural_pairs(shape, 24)) {
    found |= pair.base_input().values == spread && pair.neighbour_row()[6] == 5.0;
  }
  EXPECT_TRUE(found);
}

TEST(StructuralPairs, CrossTheLimitsOfMachineIntegers) {
  const InputShape shape = values_shape(2, {0.0, 0x1p40, true});
  const auto holds = [&](double from, double to) {
    const auto pairs = structural_pairs(shape, 24);
    return std::any_of(pairs.begin(), pairs.end(), [&](const InputPair& pair) {
      return pair.base_row()[0] == from && pair.neighbour_row()[0] == to;
    });
  };
  EXPECT_TRUE(holds(0x1p31 - 1.0, 0x1p31));
  EXPECT_TRUE(holds(0x1p40, 0x1p40 - 1.0));
  EXPECT_FALSE(holds(0x1p53 - 1.0, 0x1p53));
}

TEST(OutputScores, CopiesOfAValueCountWithNoNeedToLearn) {
  OutputView view;
  view.shape = values_shape(2, {0.0, 1.0});
  view.shape.outputs = 2;
  view.only_base = {0.25};
  view.only_neighbour = {0.75};
  const OutputBatch runs{2, 2, {0.1, 0.2, 0.3, 0.4}};
  const auto scores = learn_scores(view, {runs, runs}, {});
  const auto copies = std::find_if(scores.begin(), scores.end(), [](const auto& score) {
    return score->name() == "numbers of the base input less the neighbour's";
  });
  ASSERT_NE(copies, scores.end());
  EXPECT_EQ((*copies)->score(std::vector{0.25, 0.25}), 2.0);
  EXPECT_EQ((*copies)->score(std::vector{0.75, 0.5}), -1.0);
  EXPECT_EQ((*copies)->score(std::vector{std::nextafter(0.25, 1.0), 0.5}), 0.0);
  view.only_base.clear();
  view.only_neighbour.clear();
  for (const auto& score : learn_scores(view, {runs, runs}, {})) {
    EXPECT_EQ(score->name().find("numbers of the base"), std::string::npos);
  }
}

}  // namespace
}  // namespace assay
