// RNM-FTNL(B, Q) follows the noisy leader of the previous epoch, which report noisy max chooses.
//
// Symbols: K actions, T horizon, eps epsilon, B resample, b scale of the noise Q; t counts from 1.
//   epoch r = 1, 2, ... is the rounds 2^(r-1) .. 2^r - 1, cut at T: floor(log2 T) + 1 epochs (the
//   listing's ceil(log2(T - 1)) + 1 is one short at T = 2, one too many at T = 6, 7, 10, ...) (1)
//   all rounds of epoch r play the expert J_(r-1), J_0 uniform; G_(r,j) sums the losses of expert j in
//   epoch r, or, with B, independent Bernoulli(l_j) resamples of them                          (2)
//   J_r = argmax_j -G_(r,j) + Q_(r,j), the first if several are equal                          (3)
//   b = 2/eps for Laplace and Gumbel noise; for exponential noise 1/eps with calibration = paper,
//   2/eps with calibration = corrected (permute-and-flip), rounded up                          (4)
//
// Privacy, for noise in real numbers. Relation: replace one loss vector. View: the actions. The
// policy is (2/b)-DP.
//   calibration = corrected: eps, and 0 at T = 1.                                              (5)
// calibration = paper: eps as printed, Theorems 1, 2 and 4. This is false with exponential noise, for
// which the level is 2 eps.                                                                    (6)
// Proofs: docs/proofs/rnm_ftnl.md.
//
// Reference: Wu, Wang, "Improved Regret in Stochastic Decision-Theoretic Online Learning under
// Differential Privacy", Algorithm 1; Hu, Huang, Mehta (arXiv:2102.07929) for B = 0 and Laplace
// noise. Lap(b) has density e^(-|x|/b)/(2 b); their text misprints the factor.
// Threads: a value; use one per thread. It gives the same bits on every machine.
// Cost: K noises an epoch; K additions a round, or one popcount per 32 rounds and expert when whole
// epochs are simulated (benchmarks/experts_benchmark.cpp).
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "assay/mechanisms/accounting/guarantee.hpp"
#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/policies/concepts.hpp"
#include "assay/policies/environments/two_point_losses.hpp"
#include "assay/policies/experts/leader_noise.hpp"

namespace assay {

struct RnmFtnlConfig {
  std::int64_t actions = 2;
  std::int64_t horizon = 3;
  double epsilon = 1.0;
  LeaderNoise noise = LeaderNoise::kLaplace;
  bool resample = false;
  Calibration calibration = Calibration::kCorrected;

  static void fields(auto&& visit) {
    using C = RnmFtnlConfig;
    visit(field("actions", &C::actions, Range{2, 1e4}, "K", "number of experts"));
    visit(field("horizon", &C::horizon, Range{1, 1e9}, "T", "number of rounds"));
    visit(field("epsilon", &C::epsilon, Range{1e-3, 1e3}, "eps", "privacy level"));
    visit(field("noise", &C::noise, Range{}, "", "distribution of the noise on the experts' sums"));
    visit(field("resample", &C::resample, Range{}, "",
                "sum Bernoulli resamples of the losses (the paper's B = 1)"));
    visit(field("calibration", &C::calibration, Range{}, "",
                "scale of exponential noise: as printed (paper), or the private one"));
  }
};

class RnmFtnl : public ExpertPolicy<RnmFtnlConfig> {
 public:
  using Block = LossCounts;

  static Result<RnmFtnl> create(const Config& config);

  // The action of the next round; observe() or observe_rounds() must follow. Draws one random number in
  // round 1, K in the first round of each later epoch, and none otherwise.
  int choose(ReplayStream& random) {
    ASSAY_CHECK(round_ < config_.horizon, "all rounds of the horizon are done");
    if (starts_epoch()) start_epoch(draw_leader(random));
    return action_;
  }
  // Takes a given action in place of choose(). The action must be a possible one.
  void advance(int action) {
    ASSAY_CHECK(action >= 0 && action < config_.actions, "the action must be one of the experts");
    ASSAY_CHECK(starts_epoch() || action == action_, "an epoch repeats its action");
    if (starts_epoch()) start_epoch(action);
  }

  // The losses of all experts in this round. Resampling draws one random number for each.
  void observe(std::span<const double> losses, ReplayStream& random);

  // The rounds from now on that repeat the action of choose(): to the end of the epoch or the horizon.
  std::int64_t rounds_left() const;
  // Observes several rounds at once. Resampling draws the number of ones exactly (binomial_count.hpp).
  void observe_rounds(const LossCounts& block, ReplayStream& random);

  // Whether the next round begins an epoch and draws its action; all other rounds repeat the last one.
  bool starts_epoch() const { return std::has_single_bit(static_cast<std::uint64_t>(round_ + 1)); }

  Guarantee guarantee() const;         // the claim: (5), or the paper's level as printed
  Guarantee proved_guarantee() const;  // 2/b, whatever the claim
  const LeaderNoiseDistribution& noise() const { return noise_; }
  double noise_scale() const;
  std::int64_t round() const { return round_; }           // rounds completed
  std::span<const double> sums() const { return sums_; }  // G of the epoch so far

 private:
  RnmFtnl(const Config& config, const LeaderNoiseDistribution& noise);

  int draw_leader(ReplayStream& random) const;
  void start_epoch(int action);

  LeaderNoiseDistribution noise_;
  std::vector<double> sums_;
  std::int64_t round_ = 0;
  int action_ = -1;
};

static_assert(EpochPolicy<RnmFtnl>);

// The epoch (2^(r-1) <= t < 2^r) of a round counted from 1; and the last epoch whose losses affect a
// later action, the largest r with 2^r <= T, or 0 for none.
constexpr int epoch_of(std::int64_t t) { return std::bit_width(static_cast<std::uint64_t>(t)); }
constexpr int last_read_epoch(std::int64_t horizon) { return epoch_of(horizon) - 1; }

}  // namespace assay
