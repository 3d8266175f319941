// Random losses of K experts, each from a distribution on two points.
//
//   expert j loses high_j with probability p_j, else low_j; independent over experts, rounds (1)
//   among n rounds, Binomial(n, p_j) have the high loss                                      (2)
// (1) draws one random number for each round and expert whose loss is not certain, and compares integers
// as bernoulli_arms.hpp does: p_j is floor(p_j 2^63)/2^63. (2) has exactly the same distribution and
// draws about 2 n bits (binomial_count.hpp).
// Threads: a value, read-only after create.
// Cost: (1) a quarter of a Philox block for each random loss, (2) 0.2 ns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"

namespace assay {

struct TwoPointDistribution {
  double low = 0.0;
  double high = 1.0;
  double probability = 0.5;  // of `high`

  double mean() const { return low + probability * (high - low); }
  friend bool operator==(const TwoPointDistribution&, const TwoPointDistribution&) = default;
};

// (2) of a block of rounds: all that is known of them.
struct LossCounts {
  std::span<const TwoPointDistribution> distributions;
  std::span<const std::int64_t> high;  // rounds in which each expert had its high loss
  std::int64_t rounds = 0;

  // The total loss of expert j.
  double total(std::size_t j) const {
    return distributions[j].low * static_cast<double>(rounds - high[j]) +
           distributions[j].high * static_cast<double>(high[j]);
  }
};

class TwoPointLosses {
 public:
  // Errors: fewer than two experts; a loss or a probability outside [0, 1]; low above high.
  static Result<TwoPointLosses> create(std::vector<TwoPointDistribution> distributions);

  std::int64_t actions() const { return static_cast<std::int64_t>(distributions_.size()); }
  std::span<const TwoPointDistribution> distributions() const { return distributions_; }
  std::span<const double> means() const { return means_; }
  // How far the expected loss of an expert exceeds the best one's.
  double gap(int action) const { return means_[static_cast<std::size_t>(action)] - least_mean_; }

  void losses(ReplayStream& random, std::span<double> out) const;  // (1), of one round
  void high_counts(std::int64_t rounds, ReplayStream& random,
                   std::span<std::int64_t> out) const;  // (2)

 private:
  explicit TwoPointLosses(std::vector<TwoPointDistribution> distributions);

  std::vector<TwoPointDistribution> distributions_;
  std::vector<std::uint64_t> thresholds_;
  std::vector<double> means_;
  std::vector<double> sure_losses_;  // certain losses; the low loss of all other experts
  std::vector<std::size_t> unsure_;  // experts whose losses are random
  double least_mean_ = 0.0;
};

}  // namespace assay
