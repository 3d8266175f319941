#include "assay/auditors/audit/round_groups.hpp"

#include <algorithm>

#include "assay/auditors/audit/audit_summary.hpp"

namespace assay {
namespace {

RoundGroup group_of(const InputTable& input, const RoundRow* begin, const RoundRow* end) {
  RoundGroup group;
  group.first = begin->round;
  group.last = (end - 1)->round;
  group.reward_low = group.reward_high = input.row(begin->round - 1)[0];
  for (const RoundRow* row = begin; row != end; ++row) {
    const double reward = input.row(row->round - 1)[0];
    group.reward_low = std::min(group.reward_low, reward);
    group.reward_high = std::max(group.reward_high, reward);
    group.reward_mean += reward / static_cast<double>(end - begin);
    group.loss_base += row->mean_loss_base;
    group.loss_neighbour += row->mean_loss_neighbour;
    if (row->witness_action < 0) continue;
    group.witnessed = true;
    group.witness_loss = row->witness_loss;
    group.witness_arms.push_back(row->witness_action);
  }
  auto& arms = group.witness_arms;
  std::sort(arms.begin(), arms.end());
  arms.erase(std::unique(arms.begin(), arms.end()), arms.end());
  return group;
}

}  // namespace

std::vector<RoundGroup> group_rounds(const AuditReport& report, std::size_t most) {
  const auto& rounds = report.evidence.rounds;
  std::vector<RoundGroup> groups;
  if (rounds.empty() || most == 0) return groups;
  const std::size_t length = (rounds.size() + most - 1) / most;
  for (std::size_t begin = 0; begin < rounds.size(); begin += length) {
    const std::size_t end = std::min(begin + length, rounds.size());
    groups.push_back(
        group_of(report.pair.inputs.base_input(), rounds.data() + begin, rounds.data() + end));
  }
  return groups;
}

}  // namespace assay
