// The settings of the free parameters of a target. One audit tries all of them.
//
//     --exec "python3 policy.py --rate {rate}" --vary rate=0.01:1 --claim "eps=2*rate"
//
// NAME=LOW:HIGH is a range, and NAME=A,B,C is a list. {NAME} in the command stands for the value, and the
// claim may use NAME. The audit tries all combinations. A range has as many values as --settings allows. The values
// are evenly spaced, or have a constant ratio if LOW is positive and HIGH is at least ten times LOW.
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
  std::string command;               // with the values filled in
  std::vector<Variable> variables;   // for the claim
  std::vector<KeyValue> parameters;  // for the report
};

// The settings. If nothing varies, there is one, with the command as it is. Errors: an option that cannot be read, a
// name that is given twice or is not in the command, a range that does not rise, more combinations than `most`.
Result<std::vector<Setting>> target_settings(const std::string& command,
                                             const std::vector<std::string>& vary,
                                             std::int64_t most);

}  // namespace assay
