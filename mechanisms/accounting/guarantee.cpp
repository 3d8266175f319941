#include "assay/mechanisms/accounting/guarantee.hpp"

#include <cstdio>

#include "assay/mechanisms/core/enum_table.hpp"

namespace assay {
namespace {

// Six significant digits, for people; files carry the numbers themselves.
std::string short_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

struct LevelText {
  std::string operator()(const PureDp& level) const {
    return "eps = " + short_number(level.epsilon.value);
  }
  std::string operator()(const ApproximateDp& level) const {
    return "eps = " + short_number(level.epsilon.value) +
           ", delta = " + short_number(level.delta.value);
  }
  std::string operator()(const GaussianDp& level) const {
    return "mu = " + short_number(level.mu.value);
  }
};

}  // namespace

std::string to_string(Relation relation) {
  constexpr EnumTable<Relation, std::string_view, 12> kWords{
      {{Relation::kReplaceOneReward, "replace one reward"},
       {Relation::kReplaceOneCell, "replace one reward of one arm"},
       {Relation::kReplaceOneColumn, "replace the rewards of one round"},
       {Relation::kReplaceOneLossVector, "replace one loss vector"},
       {Relation::kReplaceOnePreferences, "replace the preferences of one round"},
       {Relation::kReplaceOneUser, "replace the contexts and rewards of one round"},
       {Relation::kReplaceOneRecord, "replace one record"},
       {Relation::kOneAnswer, "one answer moves by at most 1"},
       {Relation::kAllAnswers, "every answer moves by at most 1"},
       {Relation::kAnswersTogether, "all answers move, together by at most the stated distance"},
       {Relation::kAddOrRemoveOneRecord, "add or remove one record"},
       {Relation::kTwoInputs, "these two inputs"}}};
  return std::string(entry_of(kWords, relation));
}

std::string to_string(View view) {
  constexpr EnumTable<View, std::string_view, 4> kWords{
      {{View::kActions, "the actions"},
       {View::kOtherActions, "all actions but that of the changed round"},
       {View::kAugmentedRelease, "the augmented release"},
       {View::kOutput, "the output"}}};
  return std::string(entry_of(kWords, view));
}

std::string to_string(const PrivacyLevel& level) { return std::visit(LevelText{}, level); }

}  // namespace assay
