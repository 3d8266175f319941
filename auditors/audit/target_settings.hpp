// The settings of a target's free parameters that one audit tries.
//
//     --exec "python3 policy.py --rate {rate}" --vary rate=0.01:1 --claim "eps=2*rate"
//
// NAME=LOW:HIGH is a range, NAME=A,B,C a list; {NAME} in the command stands for the value, and the
// claim may use NAME. All combinations are tried, the values of a range as many as --settings allows,
// evenly spaced, by ratio where HIGH is at least ten times a positive LOW.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "assay/auditors/engine/level_expression.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

inline constexpr std::int64_t kMostSettings = 16;
inline constexpr std::int64_t kDefaultSettings = 8;

struct Setting {
  std::string command;               // with the values in their places
  std::vector<Variable> variables;   // for the claim
  std::vector<KeyValue> parameters;  // for the report
};

// One setting with the command as it is where nothing varies. Errors: words that do not read, a name
// given twice or not in the command, a range that does not rise, more combinations than `most`.
Result<std::vector<Setting>> target_settings(const std::string& command,
                                             const std::vector<std::string>& vary,
                                             std::int64_t most);

}  // namespace assay
