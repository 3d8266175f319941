#include "assay/policies/simulation/round_grid.hpp"

#include <algorithm>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {

std::vector<std::int64_t> recorded_rounds(std::int64_t horizon) {
  ASSAY_CHECK(horizon >= 1 && horizon <= 1'000'000'000, "a horizon of 1 to 1e9 rounds");
  constexpr int kLogarithmic = 100;
  std::vector<std::int64_t> rounds;
  for (std::int64_t i = 1; i <= kEvenRounds; ++i) {
    rounds.push_back(horizon * i / kEvenRounds);
  }
  const double log_horizon = portable_log(static_cast<double>(horizon));
  for (int i = 0; i < kLogarithmic; ++i) {
    const double exact = portable_exp(log_horizon * i / kLogarithmic);
    rounds.push_back(static_cast<std::int64_t>(exact + 0.5));
  }
  std::sort(rounds.begin(), rounds.end());
  rounds.erase(std::unique(rounds.begin(), rounds.end()), rounds.end());
  if (rounds.front() == 0) rounds.erase(rounds.begin());
  return rounds;
}

}  // namespace assay
