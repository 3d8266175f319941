// Modified Thompson sampling with Gaussian priors pulls every arm b times, then plays the arm with the
// largest of N Gaussian samples of variance c/(n_i + 1). With b = 0 and c = 1 it is the classical policy.
//
// Symbols: N arms, T horizon, b pre_pulls, c variance; n_i counts, m_i means, s_i scales.
//   m_i = (sum of the rewards of arm i) / (n_i + 1),   s_i = sqrt(c / (n_i + 1))        (1)
//   rounds 1..bN: arm 1 b times, then arm 2 b times, ...; afterwards
//   theta_i = m_i + s_i z_i, z_i ~ N(0, 1) independent; play the arm argmax theta_i     (2)
// A tie, which has probability below 2^-50 a round, goes to the lowest index.
//
// Privacy. Relation: replace one reward of the stream, in [0, 1]. View: the actions.
//   calibration = paper:     mu = sqrt(T/2) at b = 0, c = 1 (Lemma 4), else
//                            mu = sqrt(T/(c (b + 1)))       (Lemma 5)                   (3)
//   calibration = corrected: mu = sqrt((T - 1)/(2c))        for b = 0                   (4)
//                            mu = sqrt((T - bN)/(c (b + 1))) for b >= 1                 (5)
// docs/proofs/modified_thompson_sampling.md has the proofs, and says how a round uses its random bits (6).
//
// Reference: Ou, Avella Medina, Cummings, "Thompson Sampling Itself is Differentially Private",
// Algorithms 1 and 2, Lemmas 2 to 5. Line 7 of Algorithm 2 is read as an update of mean_i.
// Threads: a value; use one per thread. It gives the same bits on every x86-64 machine.
// Cost: about 30 ns a round at N = 10 (benchmarks/thompson_sampling_benchmark.cpp); a copy is two
// small arrays.
#pragma once

#include <emmintrin.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "assay/mechanisms/accounting/guarantee.hpp"
#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/noise/gaussian_word.hpp"
#include "assay/mechanisms/noisy_max/gaussian_argmax.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/policies/bandits/instance_privacy.hpp"
#include "assay/policies/concepts.hpp"

namespace assay {

struct ModifiedThompsonSamplingConfig {
  std::int64_t arms = 2;
  std::int64_t horizon = 100;
  std::int64_t pre_pulls = 0;
  double variance = 1.0;
  Calibration calibration = Calibration::kCorrected;

  static void fields(auto&& visit) {
    using C = ModifiedThompsonSamplingConfig;
    visit(field("arms", &C::arms, Range{2, 1024}, "N", "number of arms"));
    visit(field("horizon", &C::horizon, Range{1, 1e9}, "T", "number of rounds"));
    visit(field("pre_pulls", &C::pre_pulls, Range{0, 1e9}, "b",
                "rounds in which each arm is played before sampling begins"));
    visit(field("variance", &C::variance, Range{1, 1e12}, "c",
                "multiplier of the sampling variance"));
    visit(field("calibration", &C::calibration, Range{}, "",
                "the claimed guarantee: the paper's, or the sharper one proved here"));
  }

  Status check() const;  // Error: b N > T.
};

class ModifiedThompsonSampling : public BanditPolicy<ModifiedThompsonSamplingConfig> {
 public:
  static Result<ModifiedThompsonSampling> create(const Config& config);

  // The arm of the next round; observe() must follow.
  int choose(ReplayStream& random) { return choose_with(bits_ahead(random, 0), random); }

  // Takes a given action in place of choose(); observe() must follow. The action must be a possible one.
  void advance(int action) {
    ASSAY_CHECK(action >= 0 && action < config_.arms, "the action must be one of the arms");
    ASSAY_CHECK(!is_forced() || action == forced_arm(), "pre-pulls play the arms in order");
    action_ = action;
  }

  // The reward of the action just taken. Changes only the state of that arm.
  void observe(double reward) {
    ASSAY_CHECK(action_ >= 0 && round_ < config_.horizon, "observe follows an action, T times");
    ASSAY_CHECK(reward >= 0.0 && reward <= 1.0, "rewards lie in [0, 1]");
    const auto i = static_cast<std::size_t>(action_);
    const double shrunk = static_cast<double>(++counts_[i] + 1);
    double* const arm = state_.data() + i;
    arm[kSums * stride_] += reward;
    arm[kMeans * stride_] = arm[kSums * stride_] / shrunk;  // (1)
    arm[kScales * stride_] = arm[kNextScales * stride_];
    arm[kNextScales * stride_] = std::sqrt(config_.variance / (shrunk + 1.0));  // (1)
    action_ = -1;
    ++round_;
  }

  // Log-probability that the action of the next round is `action`; 0 or -inf in a pre-pull round.
  double log_probability(int action, ArgmaxPrecision precision = ArgmaxPrecision::kExact) const;

  Guarantee guarantee() const;
  std::int64_t round() const { return round_; }  // rounds completed
  bool is_forced() const { return round_ < forced_rounds_; }
  int forced_arm() const { return static_cast<int>(round_ / config_.pre_pulls); }  // if is_forced

  // The cost of a run that starts here, for simulations.
  InstancePrivacy odometer() const { return {counts_.size(), config_.variance, forced_rounds_}; }

  std::span<const double> means() const { return part(kMeans); }
  std::span<const double> scales() const { return part(kScales); }
  std::span<const std::int64_t> counts() const { return counts_; }

  // choose() in two steps, for loops that compute the random bits of a later round early:
  //   choose(random) == choose_with(bits_ahead(random, 0), random).
  struct RoundBits {
    ReplayStream::Block coarse;  // the first coarse block of the round
  };
  RoundBits bits_ahead(const ReplayStream& random, std::uint64_t rounds) const {
    return {random.block_ahead(rounds * blocks_per_round_)};
  }
  int choose_with(const RoundBits& bits, ReplayStream& random) {
    ASSAY_CHECK(round_ < config_.horizon, "all rounds of the horizon are done");
    if (is_forced()) {
      action_ = forced_arm();
    } else if (config_.arms <= kLanes) {
      action_ = choose_few(bits.coarse, random);
    } else {
      action_ = choose_many(random);
    }
    random.skip_blocks(blocks_per_round_);
    return action_;
  }

 private:
  static constexpr int kLanes = 16;  // arms per coarse block
  static constexpr int kBracketBits = 11;

  // Each arm keeps the scale after its next pull ready, because a square root would delay the next round.
  enum Part : std::size_t { kMeans, kScales, kNextScales, kSums, kParts };

  struct alignas(16) WideBracket {
    double low;
    double high;
  };
  static const WideBracket* coarse_brackets();

  explicit ModifiedThompsonSampling(const Config& config);

  std::span<const double> part(Part which) const {
    return {state_.data() + which * stride_, static_cast<std::size_t>(config_.arms)};
  }
  int choose_few(const ReplayStream::Block& coarse, const ReplayStream& random) const;
  int choose_many(const ReplayStream& random) const;
  // The best of the arms whose bit is set in `candidates`, by all 64 of their random bits.
  int best_of(unsigned candidates, const ReplayStream& random) const;

  std::int64_t forced_rounds_;      // bN
  std::uint64_t blocks_per_round_;  // of the stream, see (6)
  const WideBracket* brackets_;     // of z, for each value of the top random bits
  std::size_t stride_;              // arms, rounded up to even; the padding never wins
  std::vector<double> state_;       // kParts arrays of stride_ values
  std::vector<std::int64_t> counts_;
  std::int64_t round_ = 0;
  int action_ = -1;  // taken, but its reward is not yet observed
};

// For at most 16 arms: bounds theta_i for two arms at a time. Usually the upper bound of only one arm
// reaches the best lower bound.
inline int ModifiedThompsonSampling::choose_few(const ReplayStream::Block& coarse,
                                                const ReplayStream& random) const {
  constexpr std::size_t kPairs = kLanes / 2;
  alignas(16) double upper[kLanes] = {};
  __m128d best_lower = _mm_set1_pd(-HUGE_VAL);
  const double* const means = state_.data() + kMeans * stride_;
  const double* const scales = state_.data() + kScales * stride_;
  const auto bracket = [this](std::uint64_t lane) {
    constexpr std::uint64_t kMask = (1u << kBracketBits) - 1;
    return _mm_load_pd(&brackets_[(lane >> (16 - kBracketBits)) & kMask].low);  // (low, high)
  };
  for (std::size_t p = 0; p < kPairs && 2 * p < stride_; ++p) {
    const std::uint64_t lanes = coarse[p / 2] >> (32 * (p % 2));
    const __m128d even = bracket(lanes);
    const __m128d odd = bracket(lanes >> 16);
    const __m128d mean = _mm_loadu_pd(means + 2 * p);
    const __m128d scale = _mm_loadu_pd(scales + 2 * p);
    const __m128d lower = _mm_add_pd(mean, _mm_mul_pd(scale, _mm_unpacklo_pd(even, odd)));  // (2)
    const __m128d higher = _mm_add_pd(mean, _mm_mul_pd(scale, _mm_unpackhi_pd(even, odd)));
    _mm_store_pd(upper + 2 * p, higher);
    best_lower = _mm_max_pd(lower, best_lower);
  }
  best_lower = _mm_max_pd(best_lower, _mm_unpackhi_pd(best_lower, best_lower));
  best_lower = _mm_unpacklo_pd(best_lower, best_lower);
  int candidates = 0;
  for (std::size_t p = 0; p < kPairs && 2 * p < stride_; ++p) {
    candidates |= _mm_movemask_pd(_mm_cmpge_pd(_mm_load_pd(upper + 2 * p), best_lower)) << (2 * p);
  }
  const int first = std::countr_zero(static_cast<unsigned>(candidates));
  return candidates == 1 << first ? first : best_of(static_cast<unsigned>(candidates), random);
}

static_assert(TransparentPolicy<ModifiedThompsonSampling>);

}  // namespace assay
