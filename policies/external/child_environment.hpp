// What of this process's environment a target gets to see: a stated set, and what is asked for by name.
//
// Passed on are variables that find programs, modules and files, say how text is written, and set up
// interpreters, sanitizers and threads (the list is in the source, and in docs/protocol.md). All others are
// withheld: a target whose result depends on one that nobody named is not the target of the next run. A name
// that is asked for is passed on as well; kAllVariables stands for everything. Variables of Assay's own, ASSAY_*, are
// never passed on; a target gets ASSAY_PROTOCOL=1, which tells it that it is played.
//
// Threads: reads the environment, which nobody may change meanwhile.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "assay/mechanisms/core/result.hpp"

namespace assay {

inline constexpr std::string_view kAllVariables = "all";

// Errors: a name that is none, that is Assay's own, or of a variable that is not set.
Status check_environment(const std::vector<std::string>& names);

// "NAME=value", sorted. `names`: passed on beside the stated set.
std::vector<std::string> child_environment(const std::vector<std::string>& names);

// The variables of `names` alone, all of them for kAllVariables, likewise.
std::vector<std::string> named_environment(const std::vector<std::string>& names);

// Their names without what is asked for; one that ends in "*" stands for all that begin so.
std::vector<std::string> passed_variables();

// What to say behind the error of a target that does not start: a variable may be missing. Empty where none can.
std::string environment_advice(const std::vector<std::string>& names);

}  // namespace assay
