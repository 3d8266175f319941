// A simulation of a few seconds' worth of chunks that takes none: very short, with several chunks; and runs that are cut.
#pragma once

#include <atomic>

#include "assay/policies/bandits/modified_thompson_sampling.hpp"
#include "assay/policies/environments/bernoulli_arms.hpp"
#include "assay/policies/simulation/simulation.hpp"

namespace assay::testing {

// Two series of three chunks each.
inline Simulation chunked_simulation() {
  constexpr std::int64_t kHorizon = 5;
  Simulation simulation{.id = "chunked",
                        .horizon = kHorizon,
                        .repetitions = 2 * chunk_repetitions(kHorizon) + 100,
                        .seed = 11};
  for (const std::int64_t pre_pulls : {0, 1}) {
    ModifiedThompsonSamplingConfig config{.horizon = kHorizon, .pre_pulls = pre_pulls};
    simulation.series.push_back(make_series("b=" + std::to_string(pre_pulls),
                                            ModifiedThompsonSampling::create(config).value(),
                                            BernoulliArms::create({0.75, 0.5}).value()));
  }
  return simulation;
}

inline std::vector<KeyValue> chunked_identity() {
  return {{"program", "assay test"}, {"ts-test", "horizon=5, seed=11"}};
}

// A run that cancels itself once that much of it is done.
struct CutRun {
  std::atomic<bool> cancel{false};

  RunControl after(double share) {
    RunControl control{.cancel = &cancel};
    control.progress = [this, share](const Progress& made) {
      if (made.fraction > share) cancel = true;
    };
    return control;
  }
};

}  // namespace assay::testing
