// The kinds of private input, each described once: what a row holds, what a policy sees and plays, how neighbours
// differ, and how a file is read (K actions, T rounds).
//
//   kind         input row (T of them)                        output of one play
//   bandit       the reward r_t in [0, 1]                     T actions
//   best-arm     the rewards of all K arms                    T actions, then the recommendation
//   dueling      K x K outcomes in {0, 1}: i beats j (1)      T pairs of actions
//   experts      the losses in [0, 1] of all K experts        T actions
//   contextual   K rewards, then K x d context entries        T actions
//   mechanism    one row of `inputs` values                   `outputs` numbers, any doubles
//
// (1): a tournament, o_ij + o_ji = 1 for i != j and o_ii = 0; one user's answer to "i or j?" is one bit, whichever
// way it is asked.
//
// A new kind is a line of the enumeration with its name, and a description in input_kind.cpp. Nothing that audits
// inputs asks for a kind by name: it asks what its description says.
// Threads: constants.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "assay/mechanisms/accounting/guarantee.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

struct InputTable;

enum class InputKind { kBandit, kBestArm, kDueling, kExperts, kContextual, kMechanism };
constexpr std::array<std::pair<InputKind, std::string_view>, 6> enum_names(InputKind) {
  return {{{InputKind::kBandit, "bandit"},
           {InputKind::kBestArm, "best-arm"},
           {InputKind::kDueling, "dueling"},
           {InputKind::kExperts, "experts"},
           {InputKind::kContextual, "contextual"},
           {InputKind::kMechanism, "mechanism"}}};
}

// The numbers of a row.
enum class RowContent {
  kReward,  // one, in [0, 1]: what the round pays, whatever was played
  kArms,    // one for each action, in [0, 1]
  kDuels,   // one for each pair of actions, 0 or 1 (1)
  kContexts,  // the reward of each action, in [0, 1], then its context of d entries, any finite numbers
  kValues,  // `inputs` values, any finite numbers: the only row
};

struct InputKindTraits {
  InputKind kind;
  RowContent row;
  std::string_view entry;   // what a number of a row is of: "arm"
  std::string_view lines;   // a file of it, of T lines; nothing where it holds both neighbours
  Relation relation;        // by another row; kTwoInputs where it depends on the two rows
  std::int64_t actions;     // that a play tells of each round; 0: it tells a number
  bool recommends = false;  // an action at the end
  bool learns_row = false;  // a policy sees all numbers of a row, not only what its action pays
  // The action of a round is its own user's, and no one else sees it.
  bool hides_action = false;
  // A file of it, of which CSV may name a column. None where the sizes say how its lines are read, or where it holds both
  // neighbours.
  Result<InputTable> (*read)(const std::string& path, std::string_view column) = nullptr;

  bool has_rounds() const { return row != RowContent::kValues; }
  bool is_stream() const { return row == RowContent::kReward; }
  bool has_duels() const { return row == RowContent::kDuels; }
  bool has_contexts() const { return row == RowContent::kContexts; }
};

extern const std::array<InputKindTraits, enum_names(InputKind{}).size()> kInputKinds;
inline const InputKindTraits& traits_of(InputKind kind) {
  return kInputKinds[static_cast<std::size_t>(kind)];
}

// "bandit, best-arm or mechanism": the kinds that `takes` takes.
std::string kinds_text(bool (*takes)(const InputKindTraits&));

}  // namespace assay
