// The same checks of what is broken, without GoogleTest: prints the counterexamples, and ends with their number.
#include <assay/check.hpp>

#include <iostream>
#include <numeric>

#include "own_mechanism.hpp"
#include "own_policy.hpp"

using namespace assay;

int main() {
  const auto mean = [](const InputTable& input) {
    return std::accumulate(input.values.begin(), input.values.end(), 0.0) /
           static_cast<double>(input.values.size());
  };
  const auto largest = [](std::span<const PureDp> levels) {  // which is parallel composition
    return *std::max_element(levels.begin(), levels.end(), [](const PureDp& a, const PureDp& b) {
      return a.epsilon.value < b.epsilon.value;
    });
  };
  const auto too_low = [](const StayConfig&, const RegretSetting&) { return 1.0; };
  const CheckOutcome outcomes[] = {
      check_privacy_level<StayPolicy<true>>(),
      check_privacy_level<NoisySum<true>>({.cases = 20, .runs = 4000}),
      check_sensitivity(
          neighbouring_pairs({.kind = InputKind::kBandit, .horizon = 10}, PairLength::kUpToShape),
          mean, StatisticNorm::kL1, 0.2),
      check_composition<PureDp>(largest),
      check_regret_bound<StayPolicy<true>>(too_low, {.cases = 20})};
  int failed = 0;
  for (const CheckOutcome& outcome : outcomes) {
    std::cout << outcome.message << "\n";
    failed += outcome ? 0 : 1;
  }
  return failed;
}
