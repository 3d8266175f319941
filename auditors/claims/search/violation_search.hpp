// Searches for a counterexample within a budget, by random points, local ascent and shrinking.
//
// A margin says how far a point violates the claim. It is positive at a violation, and NaN if the claim does not cover
// the point. The search draws points, climbs from the best of them, and shrinks the best point to the simplest one that
// keeps a good part of the margin, so that a person can check it.
//
// The seed determines the result, for any number of threads. A point with a margin above the tolerance is a
// candidate and no verdict; the caller certifies it by other means.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "assay/auditors/claims/search/parameter_space.hpp"
#include "assay/mechanisms/core/progress.hpp"

namespace assay {

using Margin = std::function<double(const Point&)>;  // called from several threads at once

// A claim as a search problem: the space, and how far a point of it violates the claim. Checks,
// their budgets and RapidCheck share it.
struct SearchedClaim {
  std::vector<Parameter> space;
  Margin margin;
  double tolerance = 0.0;  // the error of the margin's arithmetic
};

struct SearchPlan {
  std::int64_t points = 20'000;  // random points
  int climbs = 12;               // local ascents, from the best points
  double keep = 0.5;             // share of the margin that shrinking keeps, in (0, 1]
  std::uint64_t seed = 1;
  std::string_view purpose;  // the id of the claim, which determines the random streams
};

struct SearchOutcome {
  std::int64_t evaluations = 0;
  Point best;  // empty if no point was admissible
  double margin = 0.0;
  std::optional<Point> violation;  // a shrunk point at which the margin exceeds the tolerance
  double violation_margin = 0.0;
};

SearchOutcome search_violation(const SearchedClaim& claim, const SearchPlan& plan,
                               const RunControl& control);

}  // namespace assay
