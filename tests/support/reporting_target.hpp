// A bandit of two arms that reports its probabilities, in this process, with every fault that a report may have.
#pragma once

#include <cmath>
#include <memory>

#include "assay/tests/support/function_target.hpp"

namespace assay {

// Says each reward of the round before by randomised response, as teller() does. Exactly eps-DP.
struct Reporter {
  double epsilon = 1.0;
  double reported_epsilon = 1.0;  // of the probabilities that it reports
  bool says_uniform = false;      // reports 1/2 for every arm
  double seed_share = 0.0;        // of a bit of the seed in what it reports
  bool reads_ahead = false;       // reports by the number of forced actions
  bool fails = false;             // in every hundredth run
  double first_arm = 1.0;         // the probability of arm 0 in round 1
};

class ReportingTarget final : public Target {
 public:
  ReportingTarget(std::int64_t horizon, Reporter how)
      : shape_(bandit_shape(2, horizon)), how_(how) {}
  const InputShape& shape() const override { return shape_; }
  std::string name() const override { return "reporter"; }
  bool reports_probabilities() const override { return true; }

  Result<OutputBatch> play(const InputTable& input, std::span<const std::uint64_t> seeds) override {
    OutputBatch batch{0, shape_.width(), {}};
    for (const std::uint64_t seed : seeds) {
      ReplayStream random({seed, hash_purpose("tests/reporting-target")});
      if (how_.fails && random.uniform() < 0.01) {
        batch.add_failed("it fails at times");
        continue;
      }
      for (std::int64_t t = 0; t < shape_.horizon; ++t) {
        batch.values.push_back(random.uniform() < arm_one(input, t, how_.epsilon) ? 1.0 : 0.0);
      }
      ++batch.count;
    }
    return batch;
  }
  Result<std::vector<double>> probabilities(const InputTable& input, std::uint64_t seed,
                                            std::span<const int> actions,
                                            std::int64_t from) override {
    std::vector<double> out;
    const auto forced = static_cast<std::int64_t>(actions.size());
    for (std::int64_t t = from; t <= forced && t < shape_.horizon; ++t) {
      double one = how_.says_uniform ? 0.5 : arm_one(input, t, how_.reported_epsilon);
      if (t > 0) {
        one += how_.seed_share * static_cast<double>(seed >> 63);
        if (how_.reads_ahead) one += 0.01 * static_cast<double>(forced % 2);
      }
      out.push_back(1.0 - one);
      out.push_back(one);
    }
    return out;
  }
  Result<std::unique_ptr<Target>> clone() const override {
    return std::unique_ptr<Target>(std::make_unique<ReportingTarget>(shape_.horizon, how_));
  }

 private:
  double arm_one(const InputTable& input, std::int64_t t, double epsilon) const {
    if (t == 0) return 1.0 - how_.first_arm;
    const double truth = 1.0 / (1.0 + std::exp(-epsilon));
    return input.values[static_cast<std::size_t>(t - 1)] >= 0.5 ? truth : 1.0 - truth;
  }

  InputShape shape_;
  Reporter how_;
};

// A reward of 0 or 1 in the first round, then zeros.
inline InputPair first_reward_pair(std::int64_t horizon) {
  return InputPair::of(InputTable::zeros(horizon, 1), {0, {1.0}});
}

}  // namespace assay
