// T rounds of randomised response as a pair process: everything about it has a closed form.
//
// Each round answers 0 with probability e^eps0/(1 + e^eps0) on the old side and 1/(1 + e^eps0) on
// the new one. Its privacy profile is the binomial sum
//     delta(eps) = sum_{k : (2k - T) eps0 > eps} C(T, k) e^{k eps0}/(1 + e^eps0)^T
//                  (1 - e^{eps - (2k - T) eps0}).
#pragma once

#include <cmath>

#include "assay/auditors/methods/pair_process.hpp"

namespace assay {

class RandomizedResponsePair final : public CopiedPairProcess<RandomizedResponsePair> {
 public:
  RandomizedResponsePair(std::int64_t horizon, double epsilon0)
      : horizon_(horizon),
        log_truth_(-std::log1p(std::exp(-epsilon0))),
        log_lie_(-std::log1p(std::exp(epsilon0))) {}

  std::int64_t horizon() const override { return horizon_; }
  int action_count() const override { return 2; }
  std::int64_t round() const override { return round_; }
  void restart() override { round_ = 0; }
  bool agrees() const override { return false; }
  bool forced() const override { return false; }

  int draw(Side side, ReplayStream& random) override {
    const bool truthful = random.uniform() < std::exp(log_truth_);
    return (side == Side::kBase) == truthful ? 0 : 1;
  }
  PairLogProbability log_probability(int action, ArgmaxPrecision) const override {
    return action == 0 ? PairLogProbability{log_truth_, log_lie_}
                       : PairLogProbability{log_lie_, log_truth_};
  }
  void log_probabilities(ArgmaxPrecision precision, std::span<double> log_p,
                         std::span<double> log_q) const override {
    for (int a = 0; a < 2; ++a) {
      const auto lp = log_probability(a, precision);
      log_p[static_cast<std::size_t>(a)] = lp.p;
      log_q[static_cast<std::size_t>(a)] = lp.q;
    }
  }
  void advance(int) override { ++round_; }

  // The closed form above.
  static double delta(std::int64_t horizon, double epsilon0, double epsilon) {
    double sum = 0.0;
    for (std::int64_t k = 0; k <= horizon; ++k) {
      const double loss = static_cast<double>(2 * k - horizon) * epsilon0;
      if (loss <= epsilon) continue;
      const double t = static_cast<double>(horizon);
      const double i = static_cast<double>(k);
      const double log_mass = std::lgamma(t + 1.0) - std::lgamma(i + 1.0) -
                              std::lgamma(t - i + 1.0) + i * epsilon0 -
                              t * std::log1p(std::exp(epsilon0));
      sum += std::exp(log_mass) * (1.0 - std::exp(epsilon - loss));
    }
    return sum;
  }

 private:
  std::int64_t horizon_;
  double log_truth_;
  double log_lie_;
  std::int64_t round_ = 0;
};

}  // namespace assay
