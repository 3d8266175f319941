// The phases of a best-arm policy, as values: the arms that a phase pulls, its release of the rewards,
// and the arms that survive it. Audits work on these.
//
// Phase p reads only rewards of its own, through the sum S_j of each arm j that it pulls n_j times:
//   exact value   y_k = S_k / n_k (means), or sum_j m_kj S_j (moments)                          (1)
//   release       z_k = y_k + noise of scale b_k, independent; later phases see nothing else    (2)
//   survivors     the `keep` arms with the largest score, sum_k w_ik z_k; ties to lower index   (3)
// The plan of a phase (the pulls of each arm, m, b, w) is a function of the active set alone. So along
// a given transcript, exact_values() computes the exact values of any other table, and loss() computes
// the loss of the release.
//
// A phase pulls its arms in ascending order, each for all its pulls.
// Threads: values. Sums run in the order of the pulls, so equal rewards give the same bits.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/policies/linear/features.hpp"

namespace assay {

enum class PhaseNoise { kNone, kLaplace, kGaussian };

// Planted faults, which no correct policy has. The runs of a policy have them, and so does its loss.
struct PhaseFaults {
  bool reuses_data = false;   // S_j and n_j of (1) count all pulls so far
  bool shares_noise = false;  // one draw of noise for all values of (2)
  bool ranks_exact = false;   // (3) uses y in place of z
  friend bool operator==(const PhaseFaults&, const PhaseFaults&) = default;
};

struct PhasePlan {
  std::vector<int> active;          // ascending
  std::vector<int> pulled;          // ascending
  std::vector<std::int64_t> pulls;  // n of each pulled arm, at least 1
  std::vector<double> moments;      // m, [k * pulled + j]; empty for means
  std::vector<double> weights;      // w, [i * values + k]; empty where y_k is the mean of active[k]
  PhaseNoise noise = PhaseNoise::kNone;
  std::vector<double> scales;  // b, a standard deviation if Gaussian; empty for no noise
  std::int64_t keep = 1;
  double certificate = 0.0;  // of its collection or design (linear_algebra.hpp); 0 for none
  PhaseFaults faults;

  std::size_t values() const {
    return moments.empty() ? pulled.size() : moments.size() / pulled.size();
  }

  // The y of (1). `counts` are the numbers of pulls in the sums.
  std::vector<double> exact_values(std::span<const double> sums,
                                   std::span<const std::int64_t> counts) const;
  // Draws the release (2), with one random number for each value, in order.
  std::vector<double> release(std::span<const double> exact, ReplayStream& random) const;
  std::vector<double> scores(std::span<const double> values) const;
  std::vector<int> survivors(std::span<const double> values) const;  // (3), ascending
};

// A completed phase of a run.
struct PlayedPhase {
  std::shared_ptr<const PhasePlan> plan;
  std::vector<std::int64_t> first_rounds;  // of each pulled arm, in this phase
  std::vector<std::int64_t> first_pulls;   // earlier pulls of each pulled arm
  std::vector<double> sums;                // S of (1)
  std::vector<double> exact;
  std::vector<double> released;
  std::vector<int> survivors;

  // The number of pulls that are in the sum of arm j of the plan.
  std::int64_t count(std::size_t j) const {
    return plan->pulls[j] + (plan->faults.reuses_data ? first_pulls[j] : 0);
  }
  // The loss of the release: the logarithm of its density around the exact values `before`, divided by that
  // around `after`. One of the two must be `exact`. Only values that differ count. If the release is possible
  // around one of them only, the loss is +infinity if `before` is `exact`, and -infinity otherwise.
  double loss(std::span<const double> before, std::span<const double> after) const;
};

// Makes the plans of a policy. Phase 0 has all arms, and phase p as many as the schedule states, ascending.
// The last phase keeps one arm. The rounds of all phases add up to the budget.
class PhasePlanner {
 public:
  virtual ~PhasePlanner() = default;
  virtual std::int64_t phases() const = 0;
  // Returns an equal plan on every call, from any thread.
  virtual std::shared_ptr<const PhasePlan> plan(std::int64_t phase,
                                                std::span<const int> active) const = 0;
};

namespace detail {
using Planner = Result<std::shared_ptr<const PhasePlanner>>;
}

}  // namespace assay
