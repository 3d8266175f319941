#include "assay/policies/best_arm/reward_table.hpp"

#include <string>

#include "assay/mechanisms/core/configuration.hpp"

namespace assay {
namespace {

Status check_row(const InputTable& base, std::int64_t row, const char* name) {
  if (row >= 0 && row < base.rows) return {};
  return fail(ErrorCode::kInvalidArgument, std::string(name) + " must be 0 to " +
                                               std::to_string(base.rows - 1) + ", not " +
                                               std::to_string(row));
}

Status check_reward(double reward) {
  if (reward >= 0.0 && reward <= 1.0) return {};
  return fail(ErrorCode::kInvalidArgument, "a reward must be 0 to 1, not " + number_text(reward));
}

}  // namespace

Result<InputPair> replace_cell(std::shared_ptr<const InputTable> base, std::int64_t pull, int arm,
                               double reward) {
  ASSAY_TRY(check_row(*base, pull, "pull"));
  ASSAY_TRY(check_reward(reward));
  if (arm < 0 || arm >= base->columns) {
    return fail(
        ErrorCode::kInvalidArgument,
        "arm must be 0 to " + std::to_string(base->columns - 1) + ", not " + std::to_string(arm));
  }
  Edit edit{pull, {base->row(pull).begin(), base->row(pull).end()}};
  edit.values[static_cast<std::size_t>(arm)] = reward;
  return InputPair(std::move(base), std::move(edit));
}

Result<InputPair> replace_column(std::shared_ptr<const InputTable> base, std::int64_t round,
                                 std::vector<double> rewards) {
  ASSAY_TRY(check_row(*base, round, "round"));
  if (static_cast<std::int64_t>(rewards.size()) != base->columns) {
    return fail(ErrorCode::kInvalidArgument, "a column has " + std::to_string(base->columns) +
                                                 " rewards, not " + std::to_string(rewards.size()));
  }
  for (const double reward : rewards) ASSAY_TRY(check_reward(reward));
  return InputPair(std::move(base), {round, std::move(rewards)});
}

Transcript BestArmRun::actions() const {
  Transcript out;
  for (const auto& phase : phases) {
    for (std::size_t j = 0; j < phase.plan->pulled.size(); ++j) {
      out.insert(out.end(), static_cast<std::size_t>(phase.plan->pulls[j]), phase.plan->pulled[j]);
    }
  }
  return out;
}

double BestArmRun::log_density(std::span<const std::vector<double>> exact) const {
  ASSAY_CHECK(exact.size() == phases.size(), "one list of values per phase");
  double sum = 0.0;
  for (std::size_t p = 0; p < phases.size(); ++p) {
    sum += phases[p].plan->log_density(exact[p], phases[p].released);
  }
  return sum;
}

std::vector<std::vector<double>> exact_values_on(const BestArmRun& run, TableIndex index,
                                                 const InputPair& pair, TableSide side) {
  std::vector<std::vector<double>> out;
  for (const auto& phase : run.phases) {
    out.push_back(exact_values_on(phase, index, [&](std::int64_t row) {
      return side == TableSide::kNew ? pair.new_row(row) : pair.old_input().row(row);
    }));
  }
  return out;
}

double release_loss(const BestArmRun& run, TableIndex index, const InputPair& pair) {
  const auto before = exact_values_on(run, index, pair, TableSide::kOld);
  const auto after = exact_values_on(run, index, pair, TableSide::kNew);
  double loss = 0.0;
  for (std::size_t p = 0; p < run.phases.size(); ++p) {
    // Phases that do not read what changed lose nothing, to the bit.
    if (before[p] == after[p]) continue;
    const auto& plan = *run.phases[p].plan;
    const auto& released = run.phases[p].released;
    loss += plan.log_density(before[p], released) - plan.log_density(after[p], released);
  }
  return loss;
}

}  // namespace assay
