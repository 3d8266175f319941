// The phases of a best-arm policy, as values: what a phase pulls, what it releases of the rewards,
// and which arms the release leaves. An audit works on these.
//
// Phase p reads rewards of its own only, through the sum S_j of each arm j that it pulls n_j times:
//   exact value   y_k = S_k / n_k (means), or sum_j m_kj S_j (moments)                          (1)
//   release       z_k = y_k + noise of scale b_k, independent; all that later phases see        (2)
//   survivors     the `keep` arms with the largest score, sum_k w_ik z_k; ties to lower index   (3)
// The plan of a phase (who is pulled how often, m, b, w) is a function of the active set alone. So
// along a given transcript the exact values of any other table follow from exact_values(), and the
// loss of the release is the difference of two log_density().
//
// In a phase arms are pulled in ascending order, each for all its pulls.
// Threads: values. Sums run in the order of the pulls: the same bits wherever nothing differs.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "assay/mechanisms/random/replay_stream.hpp"

namespace assay {

enum class PhaseNoise { kNone, kLaplace, kGaussian };

struct PhasePlan {
  std::vector<int> active;          // ascending
  std::vector<int> pulled;          // ascending
  std::vector<std::int64_t> pulls;  // n of each pulled arm, at least 1
  std::vector<double> moments;      // m, [k * pulled + j]; empty for means
  std::vector<double> weights;      // w, [i * values + k]; empty where y_k is the mean of active[k]
  PhaseNoise noise = PhaseNoise::kNone;
  std::vector<double> scales;  // b, a standard deviation if Gaussian; empty for no noise
  std::int64_t keep = 1;
  double certificate = 0.0;  // of a Max-Det collection or a design (linear_algebra.hpp); 0 for none

  std::size_t values() const {
    return moments.empty() ? pulled.size() : moments.size() / pulled.size();
  }
  std::int64_t rounds() const;  // sum of the pulls

  std::vector<double> exact_values(std::span<const double> sums) const;  // (1)
  // (2). One word a value, in order.
  std::vector<double> release(std::span<const double> exact, ReplayStream& random) const;
  std::vector<double> scores(std::span<const double> released) const;
  std::vector<int> survivors(std::span<const double> released) const;  // (3), ascending
  // Of (2) about `exact`. Without noise 0 where they agree and -inf where they do not.
  double log_density(std::span<const double> exact, std::span<const double> released) const;
};

// A phase that was played.
struct PlayedPhase {
  std::shared_ptr<const PhasePlan> plan;
  std::int64_t first_round = 0;           // rounds before it
  std::vector<std::int64_t> first_pulls;  // earlier pulls of each pulled arm
  std::vector<double> exact;
  std::vector<double> released;
  std::vector<int> survivors;
};

// The plans of a policy, phase 0 of all arms. The last phase keeps one arm; the rounds of a run add
// up to the budget.
class PhasePlanner {
 public:
  virtual ~PhasePlanner() = default;
  virtual std::int64_t phases() const = 0;
  virtual PhasePlan plan(std::int64_t phase, std::span<const int> active) const = 0;
};

}  // namespace assay
