// DP successive elimination works in epochs. Each epoch plays every surviving arm equally often, then drops
// the arms whose noisy mean is too low. A baseline for Thompson sampling.
//
// Symbols: N arms, T horizon, S the surviving arms, e = 1, 2, ... the epoch, D_e = 2^-e.
//   L_8 = log(8 |S| e^2 / beta),  L_4 = log(4 |S| e^2 / beta)                                  (1)
//   R_e = floor(epoch_scale max(32 L_8 / D_e^2, 8 L_4 / (eps D_e))) + 1                        (2)
//   epoch e plays the arms of S in ascending order, R_e times over; m_a is the mean reward of a in it
//   y_a = m_a + Laplace(1 / (eps R_e)), independent over arms and epochs                       (3)
//   w = 2 h_e + 2 c_e,  h_e = sqrt(L_8 / (2 R_e)),  c_e = L_4 / (eps R_e)                      (4)
//   drop every a with max_S y - y_a > w                                                        (5)
// The last remaining arm is played forever. The rewards of epoch e enter (3) once and are forgotten.
//
// Readings. (1) to (5) with epoch_scale = 1 are the paper's algorithm as two independent public
// implementations agree on it; the paper's own text was not available to us. beta = 1/T makes the regret
// logarithmic. epoch_scale < 1 is our addition: shorter epochs eliminate arms within small horizons.
// The regret bound needs epoch_scale = 1; privacy does not depend on it.
//
// Privacy. Relation: replace one reward of the stream, in [0, 1]. View: the actions. With noise in
// real numbers the policy is eps-DP: docs/proofs/dp_successive_elimination.md. The probability of a
// transcript has a closed form: log_likelihood below.
//
// Reference: Sajed, Sheffet, "An Optimal Private Stochastic-MAB Algorithm Based on an Optimal
// Private Stopping Rule" (ICML 2019), algorithm "DP Successive Elimination".
// Threads: a value; use one per thread. It gives the same bits on every machine.
// Cost: about 4 ns a round (benchmarks/baselines_benchmark.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "assay/mechanisms/accounting/guarantee.hpp"
#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/policies/concepts.hpp"

namespace assay {

struct DpSuccessiveEliminationConfig {
  std::int64_t arms = 2;
  std::int64_t horizon = 100'000;
  double epsilon = 1.0;
  double beta = 0.0;
  double epoch_scale = 1.0;

  static void fields(auto&& visit) {
    using C = DpSuccessiveEliminationConfig;
    visit(field("arms", &C::arms, Range{2, 1e5}, "N", "number of arms"));
    visit(field("horizon", &C::horizon, Range{1, 1e9}, "T", "number of rounds"));
    visit(field("epsilon", &C::epsilon, Range{1e-6, 1e6}, "eps", "privacy level"));
    visit(field("beta", &C::beta, Range{0, 1}, "beta",
                "probability that some confidence interval fails; 0 for 1/T"));
    visit(field("epoch_scale", &C::epoch_scale, Range{1e-9, 1}, "",
                "multiplier of the paper's epoch lengths"));
  }
};

namespace detail {

// The length, noise and width of epoch `epoch` (from 1) with `survivors` arms.
struct EliminationEpoch {
  std::int64_t pulls;  // R_e, the pulls of each arm; more than T for an epoch that cannot end
  double noise_scale;  // 1 / (eps R_e)
  double width;        // w
};
EliminationEpoch elimination_epoch(const DpSuccessiveEliminationConfig& config, std::int64_t epoch,
                                   std::int64_t survivors);

}  // namespace detail

class DpSuccessiveElimination : public BanditPolicy<DpSuccessiveEliminationConfig> {
 public:
  static Result<DpSuccessiveElimination> create(const Config& config);

  // The arm of the next round; observe() must follow. The first round after an epoch draws that
  // epoch's noise, one random number per arm in ascending order. No other round draws any.
  int choose(ReplayStream& random) {
    ASSAY_CHECK(round_ < config_.horizon, "all rounds of the horizon are done");
    if (rotations_left_ == 0) finish_epoch(random);
    return active_[slot_];
  }

  // The reward of the action just taken.
  void observe(double reward) {
    ASSAY_CHECK(round_ < config_.horizon, "observe follows an action, T times");
    ASSAY_CHECK(reward >= 0.0 && reward <= 1.0, "rewards lie in [0, 1]");
    sums_[slot_] += reward;
    ++round_;
    if (++slot_ == active_.size()) {
      slot_ = 0;
      --rotations_left_;
    }
  }

  Guarantee guarantee() const;

  std::int64_t round() const { return round_; }            // rounds completed
  std::int64_t epoch() const { return epoch_; }            // the current one, from 1
  std::int64_t epoch_pulls() const { return now_.pulls; }  // its R_e; 0 with one arm left
  std::span<const int> active() const { return active_; }  // S, ascending

  // The means (3) of the last completed epoch, and its width; empty in epoch 1.
  struct PrivateMean {
    int arm;
    double value;
  };
  struct Release {
    detail::EliminationEpoch epoch{};
    std::vector<PrivateMean> means;
  };
  const Release& last_release() const { return release_; }

 private:
  explicit DpSuccessiveElimination(const Config& config);

  void start_epoch();
  void finish_epoch(ReplayStream& random);

  std::vector<int> active_;
  std::vector<double> sums_;  // of this epoch's rewards, in the order of active_
  std::size_t slot_ = 0;      // index of the next arm in active_
  std::int64_t rotations_left_ = 0;
  std::int64_t round_ = 0;
  std::int64_t epoch_ = 1;
  detail::EliminationEpoch now_{};
  Release release_;
};

static_assert(Policy<DpSuccessiveElimination>);

// The log-probability that the first actions of the policy are `actions` if round t pays rewards[t].
// It is the sum, over the epochs that ended before the last action, of the logarithm of
//   P(S') = sum over m of integral f_m(x) prod over j != m of p_j(x) dx                        (6)
//   p_j(x) = F_j(x) - F_j(x - w) for j in S', F_j(x - w) for j not in S'
// with f_m and F_m the density and distribution function of y_m. If the transcript ends before it has
// shown all of S', then p_j(x) = F_j(x), and m may be j, for the arms j that it leaves open. The
// result is -inf for a transcript that the policy cannot produce.
// Accuracy: about 1e-13 (1 + |result|), for the rounded means.
// Errors: an invalid configuration, more than 64 arms, lengths that differ or exceed the horizon, an
// action or reward out of range.
// Cost: 0.2 ms per epoch at N = 5; 2N pieces of at most 80 max(1, N/16) panels of 24 points, with N
// terms each.
Result<double> log_likelihood(const DpSuccessiveEliminationConfig& config,
                              const Transcript& actions, std::span<const double> rewards);

namespace detail {

enum class ArmFate { kSurvives, kDropped, kOpen };

// The logarithm of (6) for Laplace variables centred at `means`.
double log_survivor_probability(std::span<const double> means, double noise_scale, double width,
                                std::span<const ArmFate> fates);

}  // namespace detail
}  // namespace assay
