// What a mechanism or policy promises: a level, for a neighbouring relation, over a view.
#pragma once

#include <string>
#include <variant>

#include "assay/mechanisms/core/quantities.hpp"

namespace assay {

// Which two inputs count as neighbours. The substitution ("replace") relation throughout; the last
// two are about a mechanism that reads a vector of query answers, whose data it never sees.
enum class Relation {
  kReplaceOneReward,  // one r_t of a reward stream r_1..r_T, any new value in [0, 1]
  kReplaceOneRecord,  // one record of a database, for mechanisms
  kOneAnswer,         // one answer of the vector moves by at most 1 (a histogram's cell)
  kAllAnswers,        // every answer moves by at most 1, in any direction
};

// What the adversary sees.
enum class View {
  kActions,           // the actions a_1..a_T
  kAugmentedRelease,  // every internal noisy release; the actions are post-processing of it
  kOutput,            // a mechanism's output
};

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

using PrivacyLevel = std::variant<PureDp, ApproximateDp, GaussianDp>;

struct Guarantee {
  PrivacyLevel level;
  Relation relation = Relation::kReplaceOneReward;
  View view = View::kActions;
  std::string source;  // the theorem it rests on
  friend bool operator==(const Guarantee&, const Guarantee&) = default;
};

std::string to_string(Relation relation);
std::string to_string(View view);
std::string to_string(const PrivacyLevel& level);  // "eps = 1, delta = 1e-06", "mu = 7.07107"

}  // namespace assay
