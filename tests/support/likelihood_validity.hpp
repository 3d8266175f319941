// Whole audits by the likelihood method, repeated on pairs of Thompson sampling whose truth is
// known by enumeration.
//
// No interval may miss the truth more often than the 99.9% quantile of Binomial(audits, its share of
// alpha), adjusted for the number of intervals tested (Bonferroni). Exact paths and the augmented bound
// are left out, so that nothing but the sampled statements is on trial.
#pragma once

#include "assay/auditors/methods/exact.hpp"
#include "assay/auditors/methods/likelihood.hpp"
#include "assay/mechanisms/core/parallel.hpp"
#include "assay/tests/support/binomial_limit.hpp"
#include "assay/tests/support/enumerated_pair.hpp"
#include "assay/tests/support/testing.hpp"
#include "assay/tests/support/thompson_pairs.hpp"

namespace assay::validity {

inline constexpr int kThreads = 2;

struct ValidityCase {
  std::string name;
  std::int64_t arms;
  InputPair pair;
  double epsilon;
};

inline std::vector<ValidityCase> cases() {
  return {
      {"TwoArmsFirstReward", 2, stream_pair({0.0, 0.0, 0.0, 0.0, 0.0, 0.0}, 1, 1.0), 0.2},
      {"TwoArmsMiddleReward", 2, stream_pair({1.0, 0.0, 0.5, 1.0, 0.0, 1.0, 0.0}, 3, 0.0), 0.05},
      {"ThreeArms", 3, stream_pair({0.0, 1.0, 0.0, 1.0}, 1, 1.0), 0.3}};
}

struct Truth {
  EnumeratedDistributions distributions;
  ExactLoss exact;
  double delta(double epsilon) const {
    return std::max(exact.delta(Epsilon{epsilon}, Orientation::kBaseToNeighbour).upper.value.value,
                    exact.delta(Epsilon{epsilon}, Orientation::kNeighbourToBase).upper.value.value);
  }
  double epsilon(double delta_value) const {
    return std::max(
        exact.epsilon(Delta{delta_value}, Orientation::kBaseToNeighbour).upper.value.value,
        exact.epsilon(Delta{delta_value}, Orientation::kNeighbourToBase).upper.value.value);
  }
};

inline Truth enumerate_truth(const ValidityCase& c) {
  auto distributions = enumerate_transcripts(thompson_pair(c.arms, c.pair), kThreads).value();
  auto exact = ExactLoss::create(distributions).value();
  return {std::move(distributions), std::move(exact)};
}

inline LikelihoodPlan plan_for(const ValidityCase& c, double claimed_delta, double alpha, int run) {
  LikelihoodPlan plan{{.claim = ApproximateDp{Epsilon{c.epsilon}, Delta{claimed_delta}},
                       .confidence = 1.0 - alpha,
                       .delta0 = Delta{1e-3},
                       .seed = static_cast<std::uint64_t>(run) + 1},
                      200};
  plan.pilot = 64;
  plan.tilt_pilot = 16;
  plan.least_tilted = 128;
  plan.checked = 16;
  plan.band_points = 2;
  plan.trade_off_points = 1;
  plan.with_power = false;
  plan.augmented_mu = {Mu{std::numeric_limits<double>::infinity()}};
  return plan;
}

// What the ledger gives to the statements about a quantity that bound it on one side.
inline double share_of(const PairEvidence& evidence, const std::string& quantity,
                       const std::string& side) {
  double alpha = 0.0;
  for (const auto& entry : evidence.ledger) {
    if (entry.purpose.rfind(quantity, 0) == 0 && entry.purpose.find(side) != std::string::npos) {
      alpha += entry.alpha;
    }
  }
  return alpha;
}

using Misses = std::map<std::string, int>;

// What a quantity of a plan is in truth: the same in all of its audits.
using TrueValues = std::map<std::pair<QuantityKind, double>, double>;

inline TrueValues true_values_of(const PairEvidence& e, const Truth& truth) {
  TrueValues values;
  for (const auto& q : e.quantities) {
    double& value = values[{q.kind, q.at}];
    if (q.kind == QuantityKind::kDeltaAtEpsilon) {
      value = truth.delta(q.at);
    } else if (q.kind == QuantityKind::kEpsilonAtDelta) {
      value = truth.epsilon(q.at);
    } else if (q.kind == QuantityKind::kMuAboveDelta0) {
      value = truth.exact.mu_above(Delta{q.at}).upper.value.value;
    } else {
      value = truth.exact.mu().upper.value.value;
    }
  }
  return values;
}

inline std::string name_of(QuantityKind kind) {
  if (kind == QuantityKind::kDeltaAtEpsilon) return "delta at the claimed eps";
  if (kind == QuantityKind::kEpsilonAtDelta) return "eps at delta";
  if (kind == QuantityKind::kMuAboveDelta0) return "mu over delta >= delta_0";
  return "mu";
}

// Which statements of one audit are false.
inline Misses misses_of(const PairEvidence& e, const Truth& truth, const TrueValues& values) {
  Misses misses;
  for (const auto& point : e.profile) {
    const double delta = truth.delta(point.epsilon);
    misses["delta(eps), lower"] |= point.lower > delta;
    misses["delta(eps), upper"] |= point.upper < delta - 1e-11;
  }
  for (const auto& q : e.quantities) {
    const double value = values.at({q.kind, q.at});
    const std::string name = name_of(q.kind);
    misses[name + ", lower"] += q.lower.value > value;
    misses[name + ", upper"] += q.upper.value < value - 1e-9;
  }
  return misses;
}

// No interval of `audits` whole audits misses the truth more often than its share of alpha allows.
inline void expect_valid_intervals(const ValidityCase& c, double alpha, int audits) {
  const Truth truth = enumerate_truth(c);
  const EnumeratedPair fresh(truth.distributions);
  const double claimed = 0.5 * truth.delta(c.epsilon);
  std::vector<Misses> runs(static_cast<std::size_t>(audits));
  const auto evidence_of = [&](std::size_t run) {
    const auto plan = plan_for(c, claimed, alpha, static_cast<int>(run));
    return audit_by_likelihood(fresh, PathSearchResult{}, plan, RunControl{}).value();
  };
  const PairEvidence first = evidence_of(0);
  const TrueValues values = true_values_of(first, truth);
  parallel_for(kThreads, audits,
               [&](std::size_t run) { runs[run] = misses_of(evidence_of(run), truth, values); });
  Misses total;
  for (const auto& run : runs) {
    for (const auto& [name, miss] : run) total[name] += miss;
  }
  constexpr int kCells = 3 * 2 * 10;
  for (const auto& [name, count] : total) {
    const std::string quantity = name.substr(0, name.find(", "));
    const std::string side = name.substr(name.find(", ") + 2);
    double share = share_of(first, quantity, side);
    // mu over delta_0 reads the upper band from above, and may read eps at delta from below.
    if (name == "mu over delta >= delta_0, upper") share = share_of(first, "delta(eps)", side);
    if (name == "mu over delta >= delta_0, lower") share += share_of(first, "eps at delta", side);
    // mu has no sampled upper bound, and from below reads the restricted mu too.
    if (name == "mu, upper") share = 1e-12;
    if (name == "mu, lower") {
      share += share_of(first, "mu over", side) + share_of(first, "eps at delta", side);
    }
    ASSERT_GT(share, 0.0) << name;
    EXPECT_LE(count, binomial_limit(audits, share, kCells))
        << c.name << ", " << name << ", share " << share;
  }
}

}  // namespace assay::validity
