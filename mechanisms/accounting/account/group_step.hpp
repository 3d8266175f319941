// A step whose neighbours differ by a group of k records, one change of a record after another.
//
// step without a sampler                      its cost for a group                                       bounds
//   gaussian, laplace, matrix-factorization   the same with k times the sensitivity                      exact
//   discrete-gaussian, discrete-laplace       noise shifted by k                                         exact
//   exponential, permute-and-flip, noisy-max  the same with k times the sensitivity of the scores        as for one record
//   pure, truncated-geometric                 discrete Laplace noise of scale 1/eps, shifted by k        exact
//   approximate                               the chain of group_loss.hpp, (1)                           exact
//   gdp, zcdp                                 k mu, k^2 rho                                              exact; above
//   randomized-response, unary-encoding,      k times as many releases: each record has a report         exact
//   rappor                                    of its own
//   above-threshold, Laplace noise            from above pure; from below the same with k times eps      between two pairs
//   above-threshold, Gaussian noise           the same with k times the sensitivity                      as for one record
//   finite-pair, loss-distribution            from above the chain of (1), from below one record         between two pairs
// gaussian-mixture and samplers other than poisson are refused: what they draw for one record does not say what they draw
// for several. So are discrete-gaussian-vector and repeat-and-select of a level; of a mechanism the group is that of a run. Errors
// say what to give instead.
// sampled_step.hpp has groups on Poisson samples. `moves` is for gaussian alone, since records of a group may
// move different answers, and only in L2 distance the same answers are proved to be the worst.
//
// Noise: P and Q are shifts of one distribution, whose likelihood ratio is monotone, and aligned records shift it
// furthest. Scores: k records move each by k times the sensitivity. Levels, and the proofs: docs/proofs/groups.md.
// Errors name `group`, its range, or the step that has no theorem and the nearest that has one. Threads: values.
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>

#include "assay/mechanisms/accounting/account/above_threshold_step.hpp"
#include "assay/mechanisms/accounting/account/release_step.hpp"
#include "assay/mechanisms/accounting/account/step_kinds.hpp"
#include "assay/mechanisms/core/configuration.hpp"

namespace assay {

inline constexpr Range kGroup{1, 1000};

// Those that are no step of their own for a group.
using GroupedMechanism =
    std::variant<DiscreteLaplaceStep, DiscreteGaussianStep, PureStep, ApproximateStep,
                 TruncatedGeometricStep, AboveThresholdStep, FinitePairStep, LossDistributionStep>;

// No kind that users name; `group` is above 1.
struct GroupStep {
  GroupedMechanism mechanism;
  std::int64_t group = 1;
};

}  // namespace assay
