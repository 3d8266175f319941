// Our own mechanism: the sum of whole numbers, of which one person changes one by at most 1, with geometric noise:
// P(noise = k) = (1 - q)/(1 + q) q^|k|, q = e^-eps. It is eps-DP.
//
// kBroken is the same with a mistake: it clips the output at 0, and its noise is for a sum that moves by 1/2.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "assay/mechanisms/release/concepts.hpp"

struct SumConfig {
  double epsilon = 1.0;
  static void fields(auto&& visit) {
    visit(assay::field("epsilon", &SumConfig::epsilon, assay::Range{1e-2, 20}, "eps", "the level"));
  }
};

template <bool kBroken>
class NoisySum {
 public:
  using Config = SumConfig;
  using Input = std::span<const std::int64_t>;
  using Output = std::int64_t;

  static assay::Result<NoisySum> create(const Config& config) { return NoisySum(config); }
  assay::Status check_input(Input input) const {
    if (!input.empty()) return {};
    return assay::fail(assay::ErrorCode::kInvalidArgument, "an empty input");
  }
  Output release(Input input, auto& random) const {
    std::int64_t sum = 0;
    for (const auto value : input) sum += value;
    // The difference of two geometric numbers.
    const auto geometric = [&] {
      const double scale = config_.epsilon * (kBroken ? 2.0 : 1.0);
      return static_cast<std::int64_t>(-std::log(random.uniform()) / scale);
    };
    const std::int64_t noisy = sum + geometric() - geometric();
    return kBroken ? std::max<std::int64_t>(noisy, 0) : noisy;
  }
  // Only the correct one states its probabilities; the other is audited by counting.
  double log_density(Output output, Input input) const requires(!kBroken) {
    std::int64_t sum = 0;
    for (const auto value : input) sum += value;
    const double q = std::exp(-config_.epsilon);
    return std::log((1.0 - q) / (1.0 + q)) -
           config_.epsilon * static_cast<double>(std::abs(output - sum));
  }
  assay::Guarantee guarantee() const {
    return {assay::PureDp{assay::Epsilon{config_.epsilon}}, assay::Relation::kOneAnswer,
            assay::View::kOutput, "own_mechanism.hpp"};
  }
  const Config& config() const { return config_; }

 private:
  explicit NoisySum(const Config& config) : config_(config) {}
  Config config_;
};
