// Reward tables are the private input of best-arm identification: T rows of K rewards. This header defines
// them, their neighbours, and runs on them.
//
//   by pull   row n, column i is the n-th reward of arm i; neighbours differ in one cell        (1)
//   by time   row t, column i is the reward of arm i in round t; neighbours differ in one row, the
//             paper's column: all arms in one round                                             (2)
// A table may hold only its first rows; all rewards below them are 0.
// A policy has the same level under both (its Corollary C.6): given the actions, it reads the same
// number of rewards in the same order, and either neighbour changes at most one of them.
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
#include "assay/policies/best_arm/early_stopping.hpp"
#include "assay/policies/best_arm/phases.hpp"
#include "assay/policies/concepts.hpp"
#include "assay/policies/inputs/input_table.hpp"
#include "assay/policies/simulation/play.hpp"

namespace assay {

enum class TableIndex { kPull, kTime };
constexpr std::array<std::pair<TableIndex, std::string_view>, 2> enum_names(TableIndex) {
  return {{{TableIndex::kPull, "pull"}, {TableIndex::kTime, "time"}}};
}

// A table as an environment. It counts the pulls of each arm.
class RewardTable {
 public:
  // The result has `rows` rows, or as many as `table` if that has more. Errors: no rows or columns, a number of
  // values that does not fit them, a reward outside [0, 1].
  static Result<RewardTable> create(std::shared_ptr<const InputTable> table, TableIndex index,
                                    std::int64_t rows = 0);

  double feedback(std::int64_t round, int arm, ReplayStream&) {
    ASSAY_CHECK(arm >= 0 && arm < arms(), "the table has no such arm");
    return reward(index_ == TableIndex::kTime ? round : pulls_[static_cast<std::size_t>(arm)]++,
                  arm);
  }
  double reward(std::int64_t row, int arm) const {
    ASSAY_CHECK(row >= 0 && row < rows(), "the table has no more rewards");
    if (row >= held_rows()) return 0.0;
    const auto rewards =
        side_ == Side::kNeighbour ? input_.neighbour_row(row) : input_.base_input().row(row);
    return rewards[static_cast<std::size_t>(arm)];
  }
  std::int64_t rows() const { return rows_; }
  std::int64_t held_rows() const { return input_.base_input().rows; }
  std::int64_t arms() const { return input_.base_input().columns; }
  TableIndex index() const { return index_; }

 private:
  friend class RewardPair;
  RewardTable(InputPair input, Side side, TableIndex index, std::int64_t rows)
      : input_(std::move(input)),
        side_(side),
        index_(index),
        rows_(rows),
        pulls_(static_cast<std::size_t>(arms()), 0) {}

  InputPair input_;  // with no edit if the table is not part of a pair
  Side side_;
  TableIndex index_;
  std::int64_t rows_;
  std::vector<std::int64_t> pulls_;
};

// Two neighbouring tables with the same index.
class RewardPair {
 public:
  // (1) for a table by pull, (2) for one by time. Errors: a table of the other index, a row or arm
  // that it does not have, a reward outside [0, 1].
  static Result<RewardPair> replace_cell(const RewardTable& base, std::int64_t pull, int arm,
                                         double reward);
  static Result<RewardPair> replace_column(const RewardTable& base, std::int64_t round,
                                           std::vector<double> rewards);

  RewardTable table(Side side) const { return {input_, side, index_, rows_}; }
  const InputPair& input() const { return input_; }
  TableIndex index() const { return index_; }

 private:
  RewardPair(const RewardTable& base, Edit edit);

  InputPair input_;
  TableIndex index_;
  std::int64_t rows_;
};

// The result of a run on a table. The adversary sees the transcript. In the augmented view it also sees
// `released` of every completed phase.
struct BestArmRun {
  TableIndex index = TableIndex::kPull;
  Transcript transcript;  // A_1..A_T, then the recommendation
  std::vector<PlayedPhase> phases;

  int recommendation() const { return transcript.back(); }
};

// Errors: a table with another number of arms than the policy, or with fewer rows than its budget.
template <class P>
Result<BestArmRun> run_on_table(P policy, RewardTable table, ReplayStream random);

// The exact values of the same pulls on another table, phase by phase. Equal rewards give the same
// bits. Errors: a table of the other index, with another number of arms, or with fewer rows than the
// run has rounds.
Result<std::vector<std::vector<double>>> exact_values_on(const BestArmRun& run,
                                                         const RewardTable& table);

// The privacy loss of all releases of a run on one of the two tables: the logarithm of their density on
// D over that on D'. Errors: as above. Cost: that of the pulls whose sums read the change.
Result<double> release_loss(const BestArmRun& run, const RewardPair& pair);

namespace detail {

Status check_table(const RewardTable& table, std::int64_t arms, std::int64_t rounds);

}  // namespace detail

template <class P>
Result<BestArmRun> run_on_table(P policy, RewardTable table, ReplayStream random) {
  ASSAY_TRY(detail::check_table(table, policy.arms(), policy.budget()));
  BestArmRun run{table.index(), {}, {}};
  ReplayStream unused({});
  const auto play_in = [&](auto environment) {
    play(policy, environment, policy.budget(), random, unused,
         [&](std::int64_t, int action, double) { run.transcript.push_back(action); });
  };
  if constexpr (requires { policy.auxiliary_arm(); }) {
    play_in(WithAuxiliaryArm<RewardTable>{std::move(table), policy.auxiliary_arm()});
  } else {
    play_in(std::move(table));
  }
  run.transcript.push_back(policy.recommendation());
  run.phases.assign(policy.phases().begin(), policy.phases().end());
  return run;
}

}  // namespace assay
