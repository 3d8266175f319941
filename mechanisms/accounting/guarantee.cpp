#include "assay/mechanisms/accounting/guarantee.hpp"

#include <cstdio>

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
  switch (relation) {
    case Relation::kReplaceOneReward:
      return "replace one reward";
    case Relation::kReplaceOneColumn:
      return "replace the rewards of one round";
    case Relation::kReplaceOneLossVector:
      return "replace one loss vector";
    case Relation::kReplaceOnePreferences:
      return "replace the preferences of one round";
    case Relation::kReplaceOneUser:
      return "replace the contexts and rewards of one round";
    case Relation::kReplaceOneRecord:
      return "replace one record";
    case Relation::kOneAnswer:
      return "one answer moves by at most 1";
    case Relation::kAllAnswers:
      return "every answer moves by at most 1";
    case Relation::kTwoInputs:
      return "these two inputs";
  }
  return "?";
}

std::string to_string(View view) {
  switch (view) {
    case View::kActions:
      return "actions";
    case View::kOtherActions:
      return "all actions but that of the changed round";
    case View::kAugmentedRelease:
      return "augmented release";
    case View::kOutput:
      return "output";
  }
  return "?";
}

std::string to_string(const PrivacyLevel& level) { return std::visit(LevelText{}, level); }

}  // namespace assay
