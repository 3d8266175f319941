#include "assay/auditors/bandits/claims/counterexamples.hpp"

#include <fmt/format.h>

#include <set>
#include <string>

#include "assay/mechanisms/core/configuration.hpp"

namespace assay {
namespace {

Status check_arms(int arms, const std::vector<ArmPlays>& history) {
  for (std::size_t i = 0; i < history.size(); ++i) {
    ASSAY_TRY(index_within(history[i].arm, static_cast<std::size_t>(arms),
                           fmt::format("{}/history/{}/arm", kCounterexampleRoot, i)));
  }
  return {};
}

}  // namespace

Status EventNumbers::check(std::size_t arms) const {
  std::set<int> seen;
  for (std::size_t i = 0; i < event.size(); ++i) {
    const std::string path = fmt::format("/numbers/event/{}", i);
    ASSAY_TRY(index_within(event[i], arms, path));
    if (!seen.insert(event[i]).second) {
      return out_of_range(path, fmt::format("names arm {} twice", event[i]));
    }
  }
  if (!(delta > 0.0 && delta < 1.0)) {
    return out_of_range("/numbers/delta",
                        "must lie between 0 and 1, both excluded, not " + number_text(delta));
  }
  const double largest = 0.5 * static_cast<double>(arms - 1);
  if (delta > largest) {
    return out_of_range("/numbers/delta",
                        fmt::format("must be at most {}, where the claimed eps is 0, not {}",
                                    number_text(largest), number_text(delta)));
  }
  return {};
}

Status RoundCounterexample::check() const {
  ASSAY_TRY(check_arms(arms, history));
  if (changed >= history.size()) {
    return out_of_range(
        kCounterexampleRoot + "/changed",
        fmt::format("must be an entry of the history, 0 to {}", history.size() - 1));
  }
  const std::int64_t times = history[changed].times;
  if (times != 1) {
    return out_of_range(fmt::format("{}/history/{}/times", kCounterexampleRoot, changed),
                        fmt::format("must be 1, not {}: neighbours differ in a single reward, and "
                                    "this is the changed entry",
                                    times));
  }
  return numbers.check(static_cast<std::size_t>(arms));
}

Status NoisyMaxCounterexample::check() const {
  const std::size_t arms = values.size();
  for (const auto& [list, name] :
       {std::pair{&deviations, "/deviations"}, std::pair{&sensitivities, "/sensitivities"}}) {
    if (list->size() == arms) continue;
    return out_of_range(kCounterexampleRoot + name,
                        fmt::format("must have {} numbers, one for each of the values, not {}",
                                    arms, list->size()));
  }
  if (changed >= arms) {
    return out_of_range(kCounterexampleRoot + "/changed",
                        fmt::format("must be one of the values, 0 to {}", arms - 1));
  }
  return numbers.check(arms);
}

Status DistributionMismatch::check() const {
  ASSAY_TRY(check_arms(arms, history));
  return index_within(arm, static_cast<std::size_t>(arms), kCounterexampleRoot + "/arm");
}

}  // namespace assay
