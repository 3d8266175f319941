// The kinds of private input. Each is described once: the content of a row, what a policy observes and which actions
// it has, how neighbours differ, and how a file is read (K actions, T rounds).
//
//   kind         input row (T of them)                        output of one run
//   bandit       the reward r_t in [0, 1] (2)                 T actions
//   best-arm     the rewards (2) of all K arms                T actions, then the recommendation
//   dueling      K x K outcomes in {0, 1}: i beats j (1)      T pairs of actions
//   experts      the losses in [0, 1] (2) of all K experts    T actions
//   contextual   K rewards, then K x d context entries        T actions
//   mechanism    one row of `inputs` values                   `outputs` numbers, any doubles
//
// (1): a tournament, o_ij + o_ji = 1 for i != j and o_ii = 0. One user's answer to "i or j?" is one bit, in either
// order of the question.
// (2): or in the interval of the shape's domain (neighbours.hpp).
//
// A new kind is a line of the enumeration with its name, and a description in input_kind.cpp. The code that audits
// inputs never asks for a kind by name; it asks for the description.
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
  kReward,  // one, in [0, 1]: the reward of the round, whatever the action
  kArms,    // one for each action, in [0, 1]
  kDuels,   // one for each pair of actions, 0 or 1 (1)
  kContexts,  // the reward of each action, in [0, 1], then its context of d entries, any finite numbers
  kValues,  // `inputs` values, any finite numbers: the only row
};

struct InputKindTraits {
  InputKind kind;
  RowContent row;
  std::string_view entry;   // what a number of a row belongs to: "arm"
  std::string_view lines;   // describes a file of T lines; empty if a file holds both inputs
  Relation relation;        // for a replaced row; kTwoInputs if it depends on the two rows
  std::int64_t actions;     // in each round of an output; 0 if the output has a number instead
  bool recommends = false;  // whether the output ends with one more action
  bool learns_row = false;  // whether a policy sees all numbers of a row, not only its reward
  // Whether only the round's own user sees the action of the round.
  bool hides_action = false;
  // Reads a file of this kind; `column` names a column of a CSV file. Null if the sizes determine how lines are read,
  // or if the file holds both inputs.
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

// "bandit, best-arm or mechanism": the kinds for which `takes` is true.
std::string kinds_text(bool (*takes)(const InputKindTraits&));

}  // namespace assay
