// Targets whose plays are a function in the test: no process, any fault.
#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/policies/external/target.hpp"

namespace assay {

// One play: writes shape.width() numbers, drawing from `random` alone; none where the play fails.
using PlayFunction =
    std::function<void(const InputTable& input, ReplayStream& random, std::vector<double>& out)>;

class FunctionTarget final : public Target {
 public:
  FunctionTarget(const InputShape& shape, PlayFunction play)
      : shape_(shape), play_(std::move(play)) {}
  const InputShape& shape() const override { return shape_; }
  std::string name() const override { return "function"; }
  Result<OutputBatch> play(const InputTable& input, std::span<const std::uint64_t> seeds) override {
    OutputBatch batch{0, shape_.width(), {}};
    for (const std::uint64_t seed : seeds) {
      if (runs_left == 0) return fail(ErrorCode::kTarget, "gave up");
      if (runs_left > 0) --runs_left;
      ReplayStream random({seed, hash_purpose("tests/function-target")});
      std::vector<double> out;
      play_(input, random, out);
      if (out.empty()) {
        batch.add_failed("the function fails");
        continue;
      }
      batch.values.insert(batch.values.end(), out.begin(), out.end());
      ++batch.count;
    }
    return batch;
  }
  Result<std::unique_ptr<Target>> clone() const override {
    auto copy = std::make_unique<FunctionTarget>(shape_, play_);
    copy->runs_left = runs_left;
    return std::unique_ptr<Target>(std::move(copy));
  }

  std::int64_t runs_left = -1;  // of this and of a clone; fails afterwards; -1: never

 private:
  InputShape shape_;
  PlayFunction play_;
};

inline InputShape bandit_shape(std::int64_t arms, std::int64_t horizon) {
  return InputShape{.arms = arms, .horizon = horizon};
}

inline InputShape table_shape(InputKind kind, std::int64_t arms, std::int64_t horizon) {
  return {.kind = kind, .arms = arms, .horizon = horizon};
}

// Of a play that may stop, and that tells numbers in each round and estimates at the end.
inline InputShape telling_shape(InputKind kind, std::int64_t arms, std::int64_t horizon,
                                std::int64_t estimates = 1) {
  InputShape shape = table_shape(kind, arms, horizon);
  shape.stops = true;
  shape.numbers = 1;
  shape.estimates = estimates;
  return shape;
}

// Numbers in [0, 1].
inline InputShape numbers_shape(std::int64_t inputs, std::int64_t outputs = 1) {
  InputShape shape{.kind = InputKind::kMechanism, .inputs = inputs, .outputs = outputs};
  shape.domain = parse_domain("0:1").value();
  return shape;
}

// A bandit of two arms that says each reward, once it is known, by an action: arm 2 for a reward of 1,
// told truthfully with probability e^eps/(1 + e^eps). Exactly eps-DP (randomised response).
inline FunctionTarget teller(std::int64_t horizon, double epsilon) {
  return {bandit_shape(2, horizon),
          [epsilon](const InputTable& input, ReplayStream& random, std::vector<double>& out) {
            const double truth = 1.0 / (1.0 + std::exp(-epsilon));
            out.push_back(0.0);
            for (std::size_t t = 0; t + 1 < input.values.size(); ++t) {
              const bool told = (input.values[t] >= 0.5) == (random.uniform() < truth);
              out.push_back(told ? 1.0 : 0.0);
            }
          }};
}

}  // namespace assay
