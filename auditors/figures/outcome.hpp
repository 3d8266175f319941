// Decides whether an outcome that a paper states holds in a run: it holds, it does not hold, or it is undecided.
//
// Confidence intervals that all hold together decide statements about means. "a < b" holds if a's interval lies
// below b's, fails if it lies at or above it, and is undecided otherwise. Statements are composed by Kleene's
// three-valued logic, so a decided statement holds or fails with the joint confidence of the intervals.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "assay/auditors/figures/experiment_report.hpp"

namespace assay {

// Bounds of a mean, in the units of the statement.
struct Bounds {
  double lower = 0.0;
  double upper = 0.0;
};

inline Outcome outcome_of(bool holds) { return holds ? Outcome::kHolds : Outcome::kFails; }

// a < b.
inline Outcome is_below(const Bounds& a, const Bounds& b) {
  if (a.upper < b.lower) return Outcome::kHolds;
  return a.lower >= b.upper ? Outcome::kFails : Outcome::kUndecided;
}

// Fails if one fails; holds if all hold, also if there are none.
inline Outcome all_of(const std::vector<Outcome>& parts) {
  const auto has = [&](Outcome o) { return std::count(parts.begin(), parts.end(), o) > 0; };
  if (has(Outcome::kFails)) return Outcome::kFails;
  return has(Outcome::kUndecided) ? Outcome::kUndecided : Outcome::kHolds;
}

// Holds if one holds; fails if all fail, also if there are none.
inline Outcome any_of(const std::vector<Outcome>& parts) {
  const auto has = [&](Outcome o) { return std::count(parts.begin(), parts.end(), o) > 0; };
  if (has(Outcome::kHolds)) return Outcome::kHolds;
  return has(Outcome::kUndecided) ? Outcome::kUndecided : Outcome::kFails;
}

// The observed numbers, and whether the statement holds.
struct OutcomeDecision {
  Outcome outcome = Outcome::kUndecided;
  std::string observed;
};

// A statement of several parts that all have to hold, with the observed numbers of each.
class JointDecision {
 public:
  explicit JointDecision(std::string separator = "; ") : separator_(std::move(separator)) {}

  void add(Outcome part) { parts_.push_back(part); }
  void add(Outcome part, const std::string& observed) {
    add(part);
    note(observed);
  }
  void note(const std::string& observed) {
    observed_ += (observed_.empty() ? "" : separator_) + observed;
  }
  OutcomeDecision decision() const { return {all_of(parts_), observed_}; }

 private:
  std::string separator_;
  std::vector<Outcome> parts_;
  std::string observed_;
};

// The largest of some numbers and its place; the first if several are equal.
struct Farthest {
  double value = 0.0;
  std::string where = {};  // empty if no number was larger

  template <class Where>
  void offer(double candidate, Where where_text) {
    if (candidate <= value) return;
    value = candidate;
    where = where_text();
  }
};

// A statement of a paper and the function that decides it on a run. OutcomeCheck describes the texts.
template <class Run>
struct StatedOutcome {
  std::string name;
  std::string stated;
  std::string rule;
  std::function<OutcomeDecision(const Run&)> decide;
};

template <class Run>
std::vector<std::string> names_of(const std::vector<StatedOutcome<Run>>& outcomes) {
  std::vector<std::string> names;
  for (const auto& one : outcomes) names.push_back(one.name);
  return names;
}

template <class Run>
std::vector<OutcomeCheck> checks_of(const std::vector<StatedOutcome<Run>>& outcomes,
                                    const Run& run) {
  std::vector<OutcomeCheck> checks;
  for (const auto& one : outcomes) {
    auto [outcome, observed] = one.decide(run);
    checks.push_back({one.name, one.stated, one.rule, std::move(observed), outcome});
  }
  return checks;
}

}  // namespace assay
