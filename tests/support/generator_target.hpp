// A program that draws its noise from several generators, which Assay's adapter for it seeds: exactly 1-DP where
// no two of them are one stream, far from it where two are.
#pragma once

#include "assay/auditors/methods/black_box/black_box_audit.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/policies/external/target.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {

struct OneStream {
  bool by_seeds = false, by_keys = false;  // in which seeding all generators are one
};

// Optimised unary encoding of one category of two, as libraries write it: the bits by one generator, the true bit
// by another; where there are three, a coin of the third beside them. P(1 | true) = 1/2, else 1/(e + 1).
class GeneratorTarget final : public Target {
 public:
  GeneratorTarget(std::int64_t generators, OneStream faults)
      : faults_(faults), generators_(generators) {
    shape_.kind = InputKind::kMechanism;
    shape_.outputs = generators;
  }
  const InputShape& shape() const override { return shape_; }
  std::string name() const override { return "unary encoding"; }
  TakesKeys takes_keys() const override { return TakesKeys::kTaken; }
  Result<OutputBatch> play(const InputTable& input, std::span<const std::uint64_t> seeds) override {
    OutputBatch batch{static_cast<std::int64_t>(seeds.size()), shape_.width(), {}};
    for (const std::uint64_t seed : seeds) one(input, seed, "seeded ", faults_.by_seeds, batch);
    return batch;
  }
  Result<OutputBatch> play_keyed(const InputTable& input, std::span<const std::uint64_t> seeds,
                                 std::span<const RunKey> keys) override {
    OutputBatch batch{static_cast<std::int64_t>(seeds.size()), shape_.width(), {}};
    for (const RunKey& key : keys) one(input, key[0], "filled ", faults_.by_keys, batch);
    return batch;
  }
  Result<std::unique_ptr<Target>> clone() const override {
    return std::unique_ptr<Target>(std::make_unique<GeneratorTarget>(generators_, faults_));
  }

 private:
  void one(const InputTable& input, std::uint64_t seed, const std::string& how, bool same,
           OutputBatch& batch) const {
    std::vector<ReplayStream> random;
    for (std::int64_t g = 0; g < generators_; ++g) {
      random.emplace_back(StreamId{seed, hash_purpose(how + std::to_string(same ? 0 : g))});
    }
    double bits[2];
    for (double& bit : bits) bit = random[0].uniform() < 1.0 / (std::exp(1.0) + 1.0) ? 1.0 : 0.0;
    bits[input.values[0] >= 0.5 ? 1 : 0] = random[1].uniform() < 0.5 ? 1.0 : 0.0;
    batch.values.insert(batch.values.end(), bits, bits + 2);
    if (generators_ > 2) batch.values.push_back(random[2].uniform() < 0.5 ? 1.0 : 0.0);
  }

  InputShape shape_;
  OneStream faults_;
  std::int64_t generators_;
};

// An audit of it that claims eps = 1.
inline BlackBoxOutcome audit_generators(std::int64_t generators, OneStream faults,
                                        const BlackBoxPlan& plan, int threads = 1) {
  RunControl control;
  control.threads = threads;
  auto players =
      Players::create(std::make_unique<GeneratorTarget>(generators, faults), threads).value();
  return audit_black_box(players, true, plan, control).value();
}

inline BlackBoxPlan plan_of_generators(std::uint64_t seed, std::int64_t samples,
                                       double confidence) {
  const PureDp claim{Epsilon{1.0}};
  BlackBoxPlan plan{{.claim_text = "eps=1", .claim = claim, .confidence = confidence, .seed = seed},
                    samples};
  plan.say_visible = false;
  plan.pairs = {pair_of({1, 1, {0.0}}, {1, 1, {1.0}}).value()};
  return plan;
}

}  // namespace assay
