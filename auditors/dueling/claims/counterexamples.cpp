#include "assay/auditors/dueling/claims/counterexamples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "assay/auditors/dueling/claims/printed_counterexamples.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

Status BordaCounterexample::check() const {
  ASSAY_TRY(index_within(arm, scores.size(), "/counterexample/arm"));
  auto sorted = scores;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
    return out_of_range("/counterexample/scores", "must all differ: arms have a total order");
  }
  if (scores[static_cast<std::size_t>(arm)] != sorted.back()) return {};
  return out_of_range("/counterexample/arm", "must not be the best arm");
}

Status PhaseCounterexample::check() const {
  if (2 * plays <= horizon) return {};
  return out_of_range("/counterexample/plays",
                      "must be at most half of the horizon, not " + std::to_string(plays));
}

Status DuelRegretCounterexample::check() const {
  if (horizon % 2 == 0) return {};
  return out_of_range(
      "/counterexample/horizon",
      "must be even, so that both arms go first equally often, not " + std::to_string(horizon));
}

Status SampledDuelCounterexample::check() const {
  if (duels >= horizon) {
    return out_of_range("/counterexample/duels",
                        fmt::format("must be below the horizon {}, not {}", horizon, duels));
  }
  if (epsilon * static_cast<double>(horizon) >= 20.0) return {};
  return out_of_range(
      "/counterexample/horizon",
      fmt::format("must be at least 20/epsilon = {}, not {}", 20.0 / epsilon, horizon));
}

}  // namespace assay
