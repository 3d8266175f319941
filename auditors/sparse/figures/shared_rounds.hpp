// Sparse linear policies that run on the same rounds, as a series of a simulation (policies/simulation/series.hpp).
// Contexts, which cost more than all else, are drawn once for all policies.
//
// A policy makes the choices that it would make alone, in an environment with the same random numbers: the noise of a
// round's reward is one number for all policies. Results are those of every policy after the last round, then, with
// `halves`, those of every policy after half of the rounds, which differ only in their final regrets.
//
// Threads: a series is read-only. Cost: a round's contexts once, and 0.2 to 0.5 us for each policy at d = 400.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "assay/policies/simulation/series.hpp"
#include "assay/policies/sparse/fliphat.hpp"
#include "assay/policies/sparse/gaussian_contexts.hpp"
#include "assay/policies/sparse/iht_bandit.hpp"
#include "assay/policies/sparse/lasso_bandit.hpp"
#include "assay/policies/sparse/random_arm.hpp"

namespace assay::detail {

using SparsePolicy = std::variant<Fliphat, IhtBandit, LassoBandit, RandomArm>;

struct NamedPolicy {
  std::string name;
  SparsePolicy policy;
};

enum class Halves { kNo, kYes };

// The name of a policy's result after half of the rounds.
std::string half_name(const std::string& name);

// Random numbers: the policy of index k draws on lane 2 k of the series' policy purpose.
SimulatedSeries make_shared_series(std::string id, std::vector<NamedPolicy> policies,
                                   GaussianContexts environment, Halves halves);

}  // namespace assay::detail
