#include "assay/policies/inputs/input_kind.hpp"

#include "assay/auditors/methods/black_box/input_pairs.hpp"
#include "assay/policies/inputs/output_layout.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

class EveryKind : public ::testing::TestWithParam<InputKind> {
 protected:
  static InputShape shape() {
    return {.kind = GetParam(), .arms = 3, .horizon = 8, .dimension = 2, .inputs = 3};
  }
};

TEST_P(EveryKind, IsDescribedUnderItsOwnName) { EXPECT_EQ(traits_of(GetParam()).kind, GetParam()); }

// What a search of a new kind would begin with, by its description alone.
TEST_P(EveryKind, HasPairsToBeginWithThatItsOwnRulesAllow) {
  const auto pairs = structural_pairs(shape(), 12);
  ASSERT_FALSE(pairs.empty());
  for (const InputPair& pair : pairs) {
    EXPECT_TRUE(check_input(shape(), pair.base_input()));
    EXPECT_TRUE(check_input(shape(), pair.neighbour_input()));
    for (const InputPair& near : refined_pairs(shape(), pair, 4)) {
      EXPECT_TRUE(check_input(shape(), near.neighbour_input()));
    }
    if (!traits_of(GetParam()).has_rounds()) continue;
    EXPECT_EQ(relation_of(shape(), pair), traits_of(GetParam()).relation);
  }
}

TEST_P(EveryKind, ThatIsReadFromAFileSaysWhatTheLinesHold) {
  const InputKindTraits& kind = traits_of(GetParam());
  EXPECT_EQ(kind.lines.empty(), !kind.has_rounds());
  EXPECT_EQ(kind.read == nullptr, kind.has_contexts() || !kind.has_rounds());
}

TEST_P(EveryKind, TellsActionsOfEachRoundOrNumbersAlone) {
  const OutputLayout layout(shape());
  EXPECT_TRUE(layout.is_plain());
  EXPECT_EQ(layout.action_entries().empty(), layout.actions == 0);
  EXPECT_EQ(layout.number_entries().empty(), layout.actions > 0);
  EXPECT_EQ(layout.actions == 0, !traits_of(GetParam()).has_rounds());
}

std::vector<InputKind> all_kinds() {
  std::vector<InputKind> kinds;
  for (const auto& named : enum_names(InputKind{})) kinds.push_back(named.first);
  return kinds;
}

INSTANTIATE_TEST_SUITE_P(Inputs, EveryKind, ::testing::ValuesIn(all_kinds()), [](const auto& kind) {
  std::string name = detail::value_text(kind.param);
  std::erase(name, '-');
  return name;
});

TEST(InputKinds, AreListedByWhatTheyTake) {
  EXPECT_EQ(kinds_text([](const InputKindTraits& kind) { return kind.has_duels(); }), "dueling");
  EXPECT_EQ(kinds_text([](const InputKindTraits& kind) { return kind.row == RowContent::kArms; }),
            "best-arm or experts");
}

}  // namespace
}  // namespace assay
