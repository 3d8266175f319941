// Runs of best-arm policies on random reward tables.
#pragma once

#include "assay/policies/best_arm/reward_table.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {

inline std::shared_ptr<const InputTable> random_table(std::int64_t rounds, std::int64_t arms,
                                                      std::uint64_t seed) {
  ReplayStream random({.seed = seed, .purpose = 77});
  auto table = InputTable::zeros(rounds, arms);
  for (double& value : table.values) value = random.uniform();
  return std::make_shared<const InputTable>(std::move(table));
}

inline RewardTable reward_table(InputTable table, TableIndex index) {
  return RewardTable::create(std::make_shared<const InputTable>(std::move(table)), index).value();
}

template <class P>
BestArmRun run_on(const P& policy, std::shared_ptr<const InputTable> table, TableIndex index,
                  const ReplayStream& random) {
  return run_on_table(policy, RewardTable::create(std::move(table), index).value(), random).value();
}

inline std::vector<int> actions_of(const BestArmRun& run) {
  return {run.transcript.begin(), run.transcript.end() - 1};
}

}  // namespace assay
