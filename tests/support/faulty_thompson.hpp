// Thompson sampling with one planted fault each, for the audits that must convict it.
//
// Every fault keeps the reported probabilities true to the sampler, except kMisreported, whose
// sampler uses four fifths of the reported standard deviation.
#pragma once

#include <span>
#include <string_view>

#include "assay/mechanisms/noise/gaussian_word.hpp"
#include "assay/policies/bandits/modified_thompson_sampling.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {

enum class ThompsonFault {
  kNone,          // the correct twin, by this second implementation
  kHalfVariance,  // theta ~ N(mean, c/(2 (n + 1)))
  kNoShrinkage,   // mean = sum/n instead of sum/(n + 1)
  kRawReward,     // rewards declared in [0, 1] that range to 10 enter the mean unclipped
  kMisreported,   // the sampler is not the reported distribution
};

class FaultyThompsonSampling {
 public:
  using Config = ModifiedThompsonSamplingConfig;

  FaultyThompsonSampling(const Config& config, ThompsonFault fault)
      : config_(config), fault_(fault) {
    const auto arms = static_cast<std::size_t>(config.arms);
    counts_.assign(arms, 0.0);
    sums_.assign(arms, 0.0);
    means_.assign(arms, 0.0);
    scales_.assign(arms, scale_at(0.0));
  }

  int choose(ReplayStream& random) {
    const double shrink = fault_ == ThompsonFault::kMisreported ? 0.8 : 1.0;
    int best = 0;
    double best_theta = -INFINITY;
    for (std::size_t i = 0; i < means_.size(); ++i) {
      const double theta = means_[i] + shrink * scales_[i] * gaussian_from_word(random.next());
      if (theta > best_theta) {
        best_theta = theta;
        best = static_cast<int>(i);
      }
    }
    action_ = best;
    return best;
  }
  void advance(int action) { action_ = action; }
  void observe(double reward) {
    const auto i = static_cast<std::size_t>(action_);
    counts_[i] += 1.0;
    sums_[i] += fault_ == ThompsonFault::kRawReward ? 10.0 * reward : reward;
    means_[i] = sums_[i] / (counts_[i] + (fault_ == ThompsonFault::kNoShrinkage ? 0.0 : 1.0));
    scales_[i] = scale_at(counts_[i]);
  }

  std::span<const double> means() const { return means_; }
  std::span<const double> scales() const { return scales_; }
  const Config& config() const { return config_; }

 private:
  double scale_at(double count) const {
    const double variance =
        fault_ == ThompsonFault::kHalfVariance ? 0.5 * config_.variance : config_.variance;
    return std::sqrt(variance / (count + 1.0));
  }

  Config config_;
  ThompsonFault fault_;
  std::vector<double> counts_;
  std::vector<double> sums_;
  std::vector<double> means_;
  std::vector<double> scales_;
  int action_ = 0;
};

}  // namespace assay
