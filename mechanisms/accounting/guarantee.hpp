// The guarantee of a mechanism or policy: a privacy level, the relation that defines neighbouring inputs,
// and the view, which is the part of a run that the adversary sees. Epsilon is in natural-log units.
#pragma once

#include <array>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "assay/mechanisms/core/quantities.hpp"

namespace assay {

// Which two inputs count as neighbours. In all relations but one the inputs have the same size
// ("replace"). The relations about answers are for mechanisms that read a vector of query answers and
// not the data.
enum class Relation {
  kReplaceOneReward,       // one r_t of a reward stream r_1..r_T, by any value in [0, 1]
  kReplaceOneCell,         // one entry of a reward table that holds the n-th reward of each arm
  kReplaceOneColumn,       // the rewards of all arms in one round of a reward table
  kReplaceOneLossVector,   // the losses of all experts in one round
  kReplaceOnePreferences,  // the outcomes of all duels in one round
  kReplaceOneUser,         // one round's contexts and rewards
  kReplaceOneRecord,       // one record of a database, for mechanisms
  kOneAnswer,              // one answer of the vector moves by at most 1 (a histogram's cell)
  kAllAnswers,             // every answer moves by at most 1, in any direction
  kAnswersTogether,        // the answers move together, by at most a stated Euclidean norm
  kAddOrRemoveOneRecord,   // one record more or fewer
  kTwoInputs,              // the two inputs of this audit alone; no rule relates them
};
constexpr std::array<std::pair<Relation, std::string_view>, 12> enum_names(Relation) {
  return {{{Relation::kReplaceOneReward, "replace-one-reward"},
           {Relation::kReplaceOneCell, "replace-one-cell"},
           {Relation::kReplaceOneColumn, "replace-one-column"},
           {Relation::kReplaceOneLossVector, "replace-one-loss-vector"},
           {Relation::kReplaceOnePreferences, "replace-one-preferences"},
           {Relation::kReplaceOneUser, "replace-one-user"},
           {Relation::kReplaceOneRecord, "replace-one-record"},
           {Relation::kOneAnswer, "one-answer"},
           {Relation::kAllAnswers, "all-answers"},
           {Relation::kAnswersTogether, "answers-together"},
           {Relation::kAddOrRemoveOneRecord, "add-or-remove-one-record"},
           {Relation::kTwoInputs, "two-inputs"}}};
}

// The part of a run that the adversary sees.
enum class View {
  kActions,           // the actions a_1..a_T
  kOtherActions,      // all actions except that of the changed round (joint DP)
  kAugmentedRelease,  // every internal noisy release; the actions are post-processing of it
  kOutput,            // a mechanism's output
};
constexpr std::array<std::pair<View, std::string_view>, 4> enum_names(View) {
  return {{{View::kOutput, "output"},
           {View::kActions, "actions"},
           {View::kOtherActions, "other-actions"},
           {View::kAugmentedRelease, "augmented-release"}}};
}

struct PureDp {
  Epsilon epsilon;
  friend bool operator==(const PureDp&, const PureDp&) = default;
};
struct ApproximateDp {
  Epsilon epsilon;
  Delta delta;
  friend bool operator==(const ApproximateDp&, const ApproximateDp&) = default;
};
struct GaussianDp {
  Mu mu;
  friend bool operator==(const GaussianDp&, const GaussianDp&) = default;
};

// Zero-concentrated DP: the Renyi divergence of order alpha is at most rho alpha for all alpha > 1.
struct ZeroConcentratedDp {
  Rho rho;
  friend bool operator==(const ZeroConcentratedDp&, const ZeroConcentratedDp&) = default;
};

// The level of a policy or mechanism that is not private.
inline constexpr PureDp kNotPrivate{Epsilon{std::numeric_limits<double>::infinity()}};

// A level that a policy can claim and an audit can decide. zCDP, Renyi curves (renyi.hpp) and trade-off
// curves (trade_off.hpp) are for accounting; convert them to one of these three for an audit.
using PrivacyLevel = std::variant<PureDp, ApproximateDp, GaussianDp>;

struct Guarantee {
  PrivacyLevel level;
  Relation relation = Relation::kReplaceOneReward;
  View view = View::kActions;
  std::string source;  // the theorem that proves it
  friend bool operator==(const Guarantee&, const Guarantee&) = default;
};

// Texts for people. Files use enum_names() instead.
std::string to_string(Relation relation);
std::string to_string(View view);
std::string to_string(const PrivacyLevel& level);  // "eps = 1, delta = 1e-06", "mu = 7.07107"

}  // namespace assay
