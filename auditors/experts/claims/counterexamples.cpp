#include "assay/auditors/experts/claims/counterexamples.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "assay/mechanisms/core/configuration.hpp"

namespace assay {

Status EpochCounterexample::check() const {
  const std::size_t actions = others.size();
  for (const auto& [vector, name] : {std::pair{&before, "/before"}, std::pair{&after, "/after"}}) {
    if (vector->size() == actions) continue;
    return out_of_range(
        kCounterexampleRoot + name,
        fmt::format("must have {} losses, one for each action, not {}", actions, vector->size()));
  }
  return index_within(action, actions, kCounterexampleRoot + "/action");
}

Status RegretCounterexample::check() const {
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    const double times = gaps[i].times;
    if (times >= 1.0 && times <= 1e15 && times == std::floor(times)) continue;
    return out_of_range(fmt::format("{}/gaps/{}/times", kCounterexampleRoot, i),
                        "must be a whole number 1 to 1e15, not " + number_text(times));
  }
  return {};
}

Status IntegralMismatch::check() const {
  for (std::size_t i = 0; i < levels.size(); ++i) {
    // 0 = a_1 < a_2 <= ...
    const bool ordered = i == 0   ? levels[0] == 0.0
                         : i == 1 ? levels[1] > 0.0
                                  : levels[i] >= levels[i - 1];
    if (ordered) continue;
    return out_of_range(fmt::format("{}/levels/{}", kCounterexampleRoot, i),
                        i == 0 ? "must be 0"
                               : "must not be below the level before it, the second must be "
                                 "positive");
  }
  return {};
}

Status GrowthCounterexample::check() const {
  if (gap > epsilon) return {};
  return out_of_range(kCounterexampleRoot + "/gap",
                      "must be above epsilon: the conjecture does not cover other gaps");
}

}  // namespace assay
