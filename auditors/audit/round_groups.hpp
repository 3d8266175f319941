// The rounds of a long audit, in groups of equal length so that a plot or a table can show them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "assay/auditors/engine/audit_report.hpp"

namespace assay {

struct RoundGroup {
  std::int64_t first = 0;  // the first round; rounds count from 1
  std::int64_t last = 0;
  double reward_low = 0.0;  // this and the next two are of the base input
  double reward_mean = 0.0;
  double reward_high = 0.0;
  double loss_base = 0.0;         // sum of the mean losses of the rounds, on the base input
  double loss_neighbour = 0.0;    // the same on the neighbouring input
  double witness_loss = 0.0;      // at the end of the last round that the witness reaches
  bool witnessed = false;         // whether the witness reaches into the group
  std::vector<int> witness_arms;  // the arms that the witness chooses in the group, ascending
};

// At most `most` groups, in order. If there are no more rounds than that, each round is a group. The last group may be
// shorter.
std::vector<RoundGroup> group_rounds(const AuditReport& report, std::size_t most);

}  // namespace assay
