// Certificates: refutations small enough to check by hand, as plain values.
//
// A certificate carries the counterexample itself (inputs, their neighbours, an event) and the
// numbers that its finder computed. A check (check_certificate.hpp) computes every number
// again from the inputs alone. Arms count from 0 here and from 1 in files and texts.
#pragma once

#include <string>
#include <variant>

#include "assay/auditors/bandits/claims/counterexamples.hpp"
#include "assay/auditors/best_arm/claims/counterexamples.hpp"
#include "assay/auditors/dueling/claims/counterexamples.hpp"
#include "assay/auditors/experts/claims/counterexamples.hpp"
#include "assay/auditors/sparse/claims/counterexamples.hpp"
#include "assay/auditors/sparse/claims/joint_dp_counterexamples.hpp"

namespace assay {

// The list of all kinds.
using Counterexample = std::variant<
    RoundCounterexample, NoisyMaxCounterexample, LawMismatch, EpochCounterexample,
    RegretCounterexample, IntegralMismatch, GrowthCounterexample, GaussianCounterexample,
    MomentsCounterexample, LaterBasisCounterexample, MeasureCounterexample, BudgetCounterexample,
    BordaCounterexample, ScoreGapCounterexample, PhaseCounterexample, PullsCounterexample,
    DuelRegretCounterexample, ConfidenceCounterexample, GradientCounterexample,
    ClippingCounterexample, PeelingCounterexample, LowerCounterexample, GreedySignCounterexample,
    NormalizedContextsCounterexample, ExperimentsCounterexample>;

// Calls f<C>() for every kind C of the list.
template <class F>
void each_counterexample(F f) {
  [&]<class... C>(const std::variant<C...>*) {
    (f.template operator()<C>(), ...);
  }(static_cast<const Counterexample*>(nullptr));
}

struct Certificate {
  std::string claim;  // id of the refuted claim
  Counterexample counterexample;
  friend bool operator==(const Certificate&, const Certificate&) = default;
};

}  // namespace assay
