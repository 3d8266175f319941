#include "assay/policies/best_arm/reward_table.hpp"

#include <algorithm>
#include <string>

#include "assay/mechanisms/core/configuration.hpp"

namespace assay {
namespace {

Status check_row(const RewardTable& base, std::int64_t row, const char* name) {
  if (row >= 0 && row < base.held_rows()) return {};
  return fail(ErrorCode::kInvalidArgument, std::string(name) + " must be 0 to " +
                                               std::to_string(base.held_rows() - 1) + ", not " +
                                               std::to_string(row));
}

Status check_reward(double reward) {
  if (reward >= 0.0 && reward <= 1.0) return {};
  return fail(ErrorCode::kInvalidArgument, "a reward must be 0 to 1, not " + number_text(reward));
}

Status check_index(TableIndex index, TableIndex wanted) {
  if (index == wanted) return {};
  return fail(ErrorCode::kInvalidArgument, "the table must be by " + detail::value_text(wanted) +
                                               ", not by " + detail::value_text(index));
}

std::vector<double> row_of(const RewardTable& table, std::int64_t row) {
  std::vector<double> out;
  for (int arm = 0; arm < table.arms(); ++arm) out.push_back(table.reward(row, arm));
  return out;
}

// The rows of one arm that one phase read: `count` rows from `first` on.
struct Block {
  std::int64_t first = 0;
  std::int64_t count = 0;
  bool holds(std::int64_t row) const { return row >= first && row < first + count; }
};

// The rows that enter the sum of pulled arm j of phase p, phase by phase.
std::vector<Block> blocks(const BestArmRun& run, std::size_t p, std::size_t j) {
  const int arm = run.phases[p].plan->pulled[j];
  std::vector<Block> out;
  for (std::size_t q = run.phases[p].plan->faults.reuses_data ? 0 : p; q <= p; ++q) {
    const PlayedPhase& phase = run.phases[q];
    const auto& pulled = phase.plan->pulled;
    const auto found = std::lower_bound(pulled.begin(), pulled.end(), arm);
    if (found == pulled.end() || *found != arm) continue;
    const auto slot = static_cast<std::size_t>(found - pulled.begin());
    const auto& first = run.index == TableIndex::kTime ? phase.first_rounds : phase.first_pulls;
    out.push_back({first[slot], phase.plan->pulls[slot]});
  }
  return out;
}

// In the order in which the engine adds them up.
double sum_over(const std::vector<Block>& read, const RewardTable& table, int arm) {
  double total = 0.0;
  for (const Block& block : read) {
    double sum = 0.0;
    for (std::int64_t n = 0; n < block.count; ++n) sum += table.reward(block.first + n, arm);
    total += sum;
  }
  return total;
}

std::vector<double> exact_of(const PlayedPhase& phase, std::span<const double> sums) {
  std::vector<std::int64_t> counts;
  for (std::size_t j = 0; j < sums.size(); ++j) counts.push_back(phase.count(j));
  return phase.plan->exact_values(sums, counts);
}

Status check_replay(const BestArmRun& run, const RewardTable& table) {
  ASSAY_TRY(check_index(table.index(), run.index));
  if (run.phases.empty()) return {};
  return detail::check_table(table, static_cast<std::int64_t>(run.phases[0].plan->active.size()),
                             static_cast<std::int64_t>(run.transcript.size()) - 1);
}

}  // namespace

namespace detail {

Status check_table(const RewardTable& table, std::int64_t arms, std::int64_t rounds) {
  if (table.arms() == arms && table.rows() >= rounds) return {};
  return fail(ErrorCode::kInvalidArgument, "the table must have " + std::to_string(arms) +
                                               " columns and at least " + std::to_string(rounds) +
                                               " rows, not " + std::to_string(table.arms()) +
                                               " and " + std::to_string(table.rows()));
}

}  // namespace detail

Result<RewardTable> RewardTable::create(std::shared_ptr<const InputTable> table, TableIndex index,
                                        std::int64_t rows) {
  if (table->rows < 1 || table->columns < 1) {
    return fail(ErrorCode::kInvalidArgument, "a reward table needs at least one row and column");
  }
  const InputShape shape{
      .kind = InputKind::kBestArm, .arms = table->columns, .horizon = table->rows};
  ASSAY_TRY(check_input(shape, *table));
  rows = std::max(rows, table->rows);
  return RewardTable(InputPair(std::move(table), Edit{}), Side::kBase, index, rows);
}

RewardPair::RewardPair(const RewardTable& base, Edit edit)
    : index_(base.index_), rows_(base.rows_) {
  input_ = base.side_ == Side::kNeighbour
               ? InputPair::of(base.input_.neighbour_input(), std::move(edit))
               : InputPair(base.input_.base(), std::move(edit));
}

Result<RewardPair> RewardPair::replace_cell(const RewardTable& base, std::int64_t pull, int arm,
                                            double reward) {
  ASSAY_TRY(check_index(base.index(), TableIndex::kPull));
  ASSAY_TRY(check_row(base, pull, "pull"));
  ASSAY_TRY(check_reward(reward));
  if (arm < 0 || arm >= base.arms()) {
    return fail(ErrorCode::kInvalidArgument, "arm must be 0 to " + std::to_string(base.arms() - 1) +
                                                 ", not " + std::to_string(arm));
  }
  Edit edit{pull, row_of(base, pull)};
  edit.values[static_cast<std::size_t>(arm)] = reward;
  return RewardPair(base, std::move(edit));
}

Result<RewardPair> RewardPair::replace_column(const RewardTable& base, std::int64_t round,
                                              std::vector<double> rewards) {
  ASSAY_TRY(check_index(base.index(), TableIndex::kTime));
  ASSAY_TRY(check_row(base, round, "round"));
  if (static_cast<std::int64_t>(rewards.size()) != base.arms()) {
    return fail(ErrorCode::kInvalidArgument, "a column has " + std::to_string(base.arms()) +
                                                 " rewards, not " + std::to_string(rewards.size()));
  }
  for (const double reward : rewards) ASSAY_TRY(check_reward(reward));
  return RewardPair(base, {round, std::move(rewards)});
}

Result<std::vector<std::vector<double>>> exact_values_on(const BestArmRun& run,
                                                         const RewardTable& table) {
  ASSAY_TRY(check_replay(run, table));
  std::vector<std::vector<double>> out;
  for (std::size_t p = 0; p < run.phases.size(); ++p) {
    const auto& pulled = run.phases[p].plan->pulled;
    std::vector<double> sums;
    for (std::size_t j = 0; j < pulled.size(); ++j) {
      sums.push_back(sum_over(blocks(run, p, j), table, pulled[j]));
    }
    out.push_back(exact_of(run.phases[p], sums));
  }
  return out;
}

Result<double> release_loss(const BestArmRun& run, const RewardPair& pair) {
  const RewardTable before = pair.table(Side::kBase);
  const RewardTable after = pair.table(Side::kNeighbour);
  ASSAY_TRY(check_replay(run, before));
  const std::int64_t row = pair.input().changed_row();
  double loss = 0.0;
  for (std::size_t p = 0; p < run.phases.size(); ++p) {
    const PlayedPhase& phase = run.phases[p];
    auto sums_before = phase.sums;
    auto sums_after = phase.sums;
    for (std::size_t j = 0; j < sums_before.size(); ++j) {
      const int arm = phase.plan->pulled[j];
      if (before.reward(row, arm) == after.reward(row, arm)) continue;
      const auto read = blocks(run, p, j);
      if (std::none_of(read.begin(), read.end(), [&](auto& s) { return s.holds(row); })) continue;
      sums_before[j] = sum_over(read, before, arm);
      sums_after[j] = sum_over(read, after, arm);
    }
    // A phase that does not read the changed rewards loses exactly nothing.
    if (sums_before == sums_after) continue;
    loss += phase.loss(exact_of(phase, sums_before), exact_of(phase, sums_after));
  }
  return loss;
}

}  // namespace assay
