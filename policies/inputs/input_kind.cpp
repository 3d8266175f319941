#include "assay/policies/inputs/input_kind.hpp"

#include <vector>

#include "assay/mechanisms/core/messages.hpp"
#include "assay/policies/inputs/input_table.hpp"
#include "assay/policies/inputs/loss_sequence.hpp"
#include "assay/policies/inputs/reward_stream.hpp"

namespace assay {
namespace {

// Adapts a reader of tables, whose columns have no names.
template <Result<InputTable> (*kRead)(const std::string&)>
Result<InputTable> read_whole(const std::string& path, std::string_view) {
  return kRead(path);
}

}  // namespace

// In the order of the enumeration.
constexpr std::array<InputKindTraits, enum_names(InputKind{}).size()> kInputKinds{{
    {.kind = InputKind::kBandit,
     .row = RowContent::kReward,
     .entry = "arm",
     .lines = "a reward stream: one reward in [0, 1] per round",
     .relation = Relation::kReplaceOneReward,
     .actions = 1,
     .read = read_rewards},
    {.kind = InputKind::kBestArm,
     .row = RowContent::kArms,
     .entry = "arm",
     .lines = "a reward table: a line per round, with the rewards of all arms in [0, 1]",
     .relation = Relation::kReplaceOneColumn,
     .actions = 1,
     .recommends = true,
     .read = read_whole<read_reward_table>},
    {.kind = InputKind::kDueling,
     .row = RowContent::kDuels,
     .entry = "arm",
     .lines =
         "outcomes: a line per round, with 1 or 0 for each of arms x arms: whether the first wins",
     .relation = Relation::kReplaceOnePreferences,
     .actions = 2,
     .read = read_whole<read_outcomes>},
    {.kind = InputKind::kExperts,
     .row = RowContent::kArms,
     .entry = "expert",
     .lines = "losses: a line per round, with the losses of all experts in [0, 1]",
     .relation = Relation::kReplaceOneLossVector,
     .actions = 1,
     .learns_row = true,
     .read = read_whole<read_losses>},
    {.kind = InputKind::kContextual,
     .row = RowContent::kContexts,
     .entry = "arm",
     .lines = "a line per round: the rewards of all arms in [0, 1], then their contexts",
     .relation = Relation::kReplaceOneUser,
     .actions = 1,
     .hides_action = true},
    {.kind = InputKind::kMechanism,
     .row = RowContent::kValues,
     .entry = "value",
     .lines = "",
     .relation = Relation::kTwoInputs,
     .actions = 0},
}};
static_assert([] {
  for (std::size_t i = 0; i < kInputKinds.size(); ++i) {
    if (kInputKinds[i].kind != static_cast<InputKind>(i)) return false;
  }
  return true;
}());

std::string kinds_text(bool (*takes)(const InputKindTraits&)) {
  std::vector<std::string> names;
  for (const auto& [kind, name] : enum_names(InputKind{})) {
    if (takes(traits_of(kind))) names.emplace_back(name);
  }
  return either(names);
}

}  // namespace assay
