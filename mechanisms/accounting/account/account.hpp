// The cost of a chain of releases: eps at a delta and delta at an eps, between certified bounds,
// and what coarser accountings say of the same chain.
//
// Where every step has a dominating pair, all steps are composed as privacy-loss distributions
// (pld_composition.hpp), once with the record in P (remove) and once in Q (add):
//   max(lower_remove, lower_add) <= truth <= max(upper_remove, upper_add)                       (1)
// Both ends are bounds on the composed pairs: no analysis of them can answer below the lower end. A
// zCDP step has no such pair, and its chain gets only the upper bound (2). The answer is the
// intersection of these bounds with closed forms, (4), with other accountings and, from below, with
// (3). If one of them contradicts the interval, that is an internal error, never an answer.
// Proofs, and (2) to (4): docs/proofs/account.md.
//
// Steps are fixed in advance. Within them, the mechanisms may be chosen adaptively.
// Errors: no step, no target, a count outside 1 to 1e9 (also of all steps together), a target out
// of range, parameters without a pair; kInterrupted, within one transform after the cancel flag.
// Threads: pure functions. Cost: 5 to 500 ms a target, up to 3 s where distributions are long or
// isolated and releases are many (docs/benchmarks.md), since the number of grid points is bounded.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assay/mechanisms/accounting/account/step.hpp"
#include "assay/mechanisms/core/progress.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

inline constexpr std::int64_t kMostReleases = 1'000'000'000;

struct ChainStep {
  StepMechanism mechanism;
  std::int64_t count = 1;
  std::string label;  // for people; may be empty
};

struct AccountTarget {
  enum class Asked { kEpsilonAtDelta, kDeltaAtEpsilon };
  Asked asked = Asked::kEpsilonAtDelta;
  double given = 1e-6;  // the delta in [0, 1), or the eps, finite and at least 0

  bool asks_epsilon() const { return asked == Asked::kEpsilonAtDelta; }
};

struct ClosedForm {
  double lower = 0.0;
  double upper = 0.0;
  std::string source;
};

// An upper bound by another theorem, or the reason why the theorem gives none here.
struct OtherAccounting {
  std::string name;
  std::string source;
  std::optional<double> upper;
  std::string why_not;
};

struct AccountAnswer {
  AccountTarget target;
  std::optional<double> lower;  // none: only an upper bound exists
  double upper = 0.0;
  std::string why_infinite;  // given where upper is infinite
  std::string worse_order;   // "remove" or "add", where the two intervals are disjoint
  std::string route;         // the methods behind the bounds
  std::optional<ClosedForm> closed;
  std::vector<OtherAccounting> others;  // the tightest first, those without a bound last
};

// The privacy profile between bounds, by increasing eps. `lower` is 0 where no bound is known.
struct ProfileBand {
  double epsilon = 0.0;
  double lower = 0.0;
  double upper = 1.0;
};
// The trade-off function of the profile. It covers both orders of the neighbours.
struct TradeOffBand {
  double type_one = 0.0;
  double lower = 0.0;  // certified: no test does better
  double upper = 1.0;  // certified: some test does as well
};
struct AccountCurves {
  std::vector<ProfileBand> profile;
  std::vector<TradeOffBand> trade_off;
  bool two_sided = true;
};

Result<std::vector<AccountAnswer>> account_for(std::span<const ChainStep> chain,
                                               std::span<const AccountTarget> targets,
                                               const RunControl& control = {});

// Answers wherever account_for does. Cost: six compositions for each order.
Result<AccountCurves> account_curves(std::span<const ChainStep> chain,
                                     const RunControl& control = {});

// The other accountings of one target, in no particular order (other_accountings.cpp).
std::vector<OtherAccounting> other_accountings(std::span<const ChainStep> chain,
                                               const AccountTarget& target);

}  // namespace assay
