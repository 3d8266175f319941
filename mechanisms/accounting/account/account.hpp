// Computes the privacy cost of a chain of releases, eps at a given delta or delta at a given eps, with
// certified bounds on both sides. It also gives the bounds of coarser accountings for the same chain.
//
// A dominating pair is two distributions on which a step loses at least as much as on any neighbours.
// If every step has one, all steps are composed as privacy-loss distributions (pld_composition.hpp),
// once with the record in P (remove) and once with the record in Q (add):
//   max(lower_remove, lower_add) <= truth <= max(upper_remove, upper_add)                       (1)
// Both ends bound the composed pairs, which explicit data sets have. No analysis can give an answer below the lower
// end. Some steps have no such pair: the upper end is then of a pair above all data sets, and the lower end of
// explicit ones (sampled_step.hpp), so the truth is between two pairs and no computation makes them meet. Where no pair above is
// known (has_pair() of step.hpp), the upper bound is (2), and the lower one of explicit pairs, if there are any. The
// answer is the intersection of these bounds with closed forms (4), with other accountings and, from below, with
// (3). If one of them contradicts the interval, that is an internal error, never an answer.
// docs/proofs/account.md has (2) to (5) and the proofs. Equal steps are composed as one, and few outputs are summed up.
//
// The steps are fixed in advance. Within a step, the mechanism may be chosen adaptively.
// Errors: no step, no target, a count (times moves) outside 1 to 1e9 (also of all steps together), a target
// out of range, parameters without a pair; kInterrupted, at most one transform after the cancel flag.
// Threads: pure functions. Cost: 5 to 500 ms per target, up to 3 s if distributions are long or
// isolated and releases are many (docs/benchmarks.md); the number of grid points is bounded.
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
  // The answers with independent noise of each release that one record moves, each by the step's sensitivity. They are
  // composed as that many releases. Only for a step that has_independent_noise().
  std::int64_t moves = 1;
  // The records that neighbours differ by (group_step.hpp). A sampler has a parameter for them.
  std::int64_t group = 1;
};

struct AccountTarget {
  enum class Asked { kEpsilonAtDelta, kDeltaAtEpsilon };
  Asked asked = Asked::kEpsilonAtDelta;
  double given = 1e-6;  // the given delta, in [0, 1), or the given eps, finite and at least 0

  bool asks_epsilon() const { return asked == Asked::kEpsilonAtDelta; }
};

// Bounds by a formula that is exact for this chain, and its theorem.
struct ClosedForm {
  double lower = 0.0;
  double upper = 0.0;
  std::string source;
};

// An upper bound by another theorem, or the reason why that theorem gives none for this chain.
struct OtherAccounting {
  std::string name;
  std::string source;
  std::optional<double> upper;
  std::string why_not;
};

// The cost of a chain without one kind of its steps. Costs do not add up, so the differences to the whole need not sum to
// it.
struct WithoutStep {
  std::size_t step = 0;    // the first of the kind in the chain
  std::int64_t count = 1;  // of the releases left out, those of equal steps too
  std::optional<double> lower;
  double upper = 0.0;
};

struct AccountAnswer {
  AccountTarget target;
  std::optional<double> lower;  // none: only an upper bound exists
  double upper = 0.0;
  std::string why_infinite;  // the reason, if upper is infinite
  bool is_exact =
      true;  // both bounds are of the same pairs, which data sets have; else see `route`
  std::string worse_order;  // "remove" or "add" if its interval lies above the other; else empty
  std::string route;        // the methods that gave the bounds
  std::optional<ClosedForm> closed;
  std::vector<OtherAccounting> others;  // tightest first; those without a bound last
  std::vector<WithoutStep> without;     // of costs_without(); account_for() leaves it empty
};

// A point of the privacy profile: bounds on the delta at this eps. `lower` is 0 if no bound is known.
struct ProfileBand {
  double epsilon = 0.0;
  double lower = 0.0;
  double upper = 1.0;
};
// A point of the trade-off function of the profile, which covers both orders of the neighbours: bounds on the smallest
// type II error of a test with this type I error.
struct TradeOffBand {
  double type_one = 0.0;
  double lower = 0.0;  // certified: no test has a smaller type II error
  double upper = 1.0;  // certified: some test has a type II error at most this
};
struct AccountCurves {
  std::vector<ProfileBand> profile;
  std::vector<TradeOffBand> trade_off;
  std::vector<TradeOffBand> rates;  // the same at a type I error of 0.001, 0.01 and 0.1
  bool two_sided = true;  // whether lower bounds are known, since every step has an explicit pair
};

// One answer for each target, in the same order.
Result<std::vector<AccountAnswer>> account_for(std::span<const ChainStep> chain,
                                               std::span<const AccountTarget> targets,
                                               const RunControl& control = {});

// The certified answer without the other accountings, for searches. The interval aims at this width: of eps itself, or
// relative of delta, which it is if the answer is about `near_delta`.
Result<AccountAnswer> certified_cost(std::span<const ChainStep> chain, const AccountTarget& target,
                                     double width, double near_delta,
                                     const RunControl& control = {});

// What the target costs without each kind of step, in their order; empty for one kind. Of more than 20 kinds only the
// five whose Renyi divergences of order 8 are largest are left out, one by one, since each costs a composition. Empty
// for 512 kinds and more, too: one of them hardly shows beside the width of the interval, and would take seconds.
Result<std::vector<WithoutStep>> costs_without(std::span<const ChainStep> chain,
                                               const AccountTarget& target,
                                               const RunControl& control = {});

// The curves of a chain that account_for() accepts. Cost: six compositions for each order.
Result<AccountCurves> account_curves(std::span<const ChainStep> chain,
                                     const RunControl& control = {});

// The chain with equal steps (the same mechanism with the same parameters and moves) as one, of all their counts, at the
// place of the first. It costs the same: a composition does not depend on the order. Precondition: counts whose sum is
// at most kMostReleases.
std::vector<ChainStep> merged_steps(std::span<const ChainStep> chain);

// The bounds of other accountings for each target, in no particular order (other_accountings.cpp). Precondition: each
// step moves one answer. If the user interrupts it, the accountings left have no bound.
std::vector<std::vector<OtherAccounting>> other_accountings(std::span<const ChainStep> chain,
                                                            std::span<const AccountTarget> targets,
                                                            const RunControl& control = {});

}  // namespace assay
