// Reward tables: the private input of best-arm identification, T rows of K rewards, and its
// neighbours.
//
//   by pull   row n, column i is the n-th reward of arm i; neighbours differ in one cell        (1)
//   by time   row t, column i is what arm i pays in round t; neighbours differ in a row, the
//             paper's column: all arms in one round                                             (2)
// A policy has the same level under both (its Corollary C.6): given the actions, the rewards that
// are read are the same in number and order, and either neighbour changes at most one of them.
// Reference: Chen, Karthik, Chee, Tan, "Fixed-Budget Differentially Private Best Arm
// Identification" (ICLR 2024), Definitions 2.1 and C.1. Threads: values.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/policies/best_arm/phases.hpp"
#include "assay/policies/concepts.hpp"
#include "assay/policies/inputs/input_table.hpp"

namespace assay {

enum class TableIndex { kPull, kTime };
constexpr std::array<std::pair<TableIndex, std::string_view>, 2> enum_names(TableIndex) {
  return {{{TableIndex::kPull, "pull"}, {TableIndex::kTime, "time"}}};
}

// (1) and (2) of a base. Errors: a row or arm that the base does not have, a reward outside [0, 1].
Result<InputPair> replace_cell(std::shared_ptr<const InputTable> base, std::int64_t pull, int arm,
                               double reward);
Result<InputPair> replace_column(std::shared_ptr<const InputTable> base, std::int64_t round,
                                 std::vector<double> rewards);

// A table as an environment, with the pulls it has paid. The arm after the last pays 0: the
// auxiliary one of early_stopping.hpp.
class RewardTable {
 public:
  RewardTable(std::shared_ptr<const InputTable> table, TableIndex index)
      : table_(std::move(table)),
        index_(index),
        pulls_(static_cast<std::size_t>(table_->columns) + 1, 0) {}

  double feedback(std::int64_t round, int arm, ReplayStream&) {
    ASSAY_CHECK(arm >= 0 && arm <= table_->columns, "the table has no such arm");
    const std::int64_t row =
        index_ == TableIndex::kTime ? round : pulls_[static_cast<std::size_t>(arm)]++;
    ASSAY_CHECK(row < table_->rows, "the table has no more rewards");
    return arm == table_->columns ? 0.0 : table_->row(row)[static_cast<std::size_t>(arm)];
  }

 private:
  std::shared_ptr<const InputTable> table_;
  TableIndex index_;
  std::vector<std::int64_t> pulls_;
};

// What a run on a table made: the actions and the recommendation are functions of the plans and
// survivors, `released` of every phase is what the augmented adversary sees.
struct BestArmRun {
  std::vector<PlayedPhase> phases;
  int recommendation = -1;

  Transcript actions() const;  // A_1..A_T
  // Of all that was released, had its exact values been `exact`, one list a phase.
  double log_density(std::span<const std::vector<double>> exact) const;
};

template <class P>
BestArmRun run_on_table(P policy, std::shared_ptr<const InputTable> table, TableIndex index,
                        ReplayStream random) {
  RewardTable rewards(std::move(table), index);
  while (!policy.is_done()) {
    const auto round = policy.round();
    policy.observe(rewards.feedback(round, policy.choose(random), random), random);
  }
  return {{policy.phases().begin(), policy.phases().end()}, policy.recommendation()};
}

// The exact values of the same pulls on another table, phase by phase; `row(r)` is its row r. Those
// that read nothing else come out with the same bits.
template <class RowOf>
std::vector<double> exact_values_on(const PlayedPhase& phase, TableIndex index, const RowOf& row) {
  const PhasePlan& plan = *phase.plan;
  std::vector<double> sums;
  std::int64_t round = phase.first_round;
  for (std::size_t j = 0; j < plan.pulled.size(); ++j) {
    double sum = 0.0;
    for (std::int64_t n = 0; n < plan.pulls[j]; ++n, ++round) {
      const std::int64_t at = index == TableIndex::kTime ? round : phase.first_pulls[j] + n;
      sum += row(at)[static_cast<std::size_t>(plan.pulled[j])];
    }
    sums.push_back(sum);
  }
  return plan.exact_values(sums);
}

enum class TableSide { kOld, kNew };
// Of every phase of a run, on one side of a pair.
std::vector<std::vector<double>> exact_values_on(const BestArmRun& run, TableIndex index,
                                                 const InputPair& pair, TableSide side);

// log of density under the old table over that under the new one, of all that the run released.
double release_loss(const BestArmRun& run, TableIndex index, const InputPair& pair);

}  // namespace assay
