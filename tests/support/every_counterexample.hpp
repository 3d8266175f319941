// The structs behind the kinds of registry/certificates.hpp, for tests that look into their fields.
#pragma once

#include "assay/auditors/bandits/claims/counterexamples.hpp"
#include "assay/auditors/best_arm/claims/counterexamples.hpp"
#include "assay/auditors/dueling/claims/counterexamples.hpp"
#include "assay/auditors/dueling/claims/printed_counterexamples.hpp"
#include "assay/auditors/experts/claims/counterexamples.hpp"
#include "assay/auditors/sparse/claims/counterexamples.hpp"
#include "assay/auditors/sparse/claims/joint_dp_counterexamples.hpp"

namespace assay::testing {

// Calls f<C>() for each, in the order of the registry.
template <class F>
void each_counterexample(F f) {
  const auto call = [&]<class... C>() { (f.template operator()<C>(), ...); };
  call.template operator()<
      RoundCounterexample, NoisyMaxCounterexample, DistributionMismatch, EpochCounterexample,
      RegretCounterexample, IntegralMismatch, GrowthCounterexample, VotesCounterexample,
      FirstRoundCounterexample, GaussianCounterexample, MomentsCounterexample,
      LaterBasisCounterexample, MeasureCounterexample, BudgetCounterexample,
      OneDimensionCounterexample, BordaCounterexample, ScoreGapCounterexample, PhaseCounterexample,
      PullsCounterexample, DuelRegretCounterexample, ConfidenceCounterexample,
      EmptyCounterCounterexample, RemovalCounterexample, CoverageCounterexample,
      OneCountCounterexample, SampledDuelCounterexample, GradientCounterexample,
      ClippingCounterexample, PeelingCounterexample, LowerCounterexample, LeftOutCounterexample,
      GreedySignCounterexample, NormalizedContextsCounterexample, ExperimentsCounterexample>();
}

}  // namespace assay::testing
