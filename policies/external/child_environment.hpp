// The part of this process's environment that a target sees: a stated set, and the variables named by the user.
//
// The stated set (in the source, and in docs/protocol.md) has variables that locate programs, modules and files,
// that choose language and encoding, and that configure interpreters, sanitizers and threads. All others are
// withheld, because a target that depends on a variable that nobody named could behave differently the next time.
// The user can name more variables; kAllVariables stands for all of them. Assay's own variables, ASSAY_*, are never
// passed on, except that a target gets ASSAY_PROTOCOL=1, which shows that Assay runs it.
//
// Threads: the functions read the environment, which no thread may change at the same time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "assay/mechanisms/core/result.hpp"

namespace assay {

inline constexpr std::string_view kAllVariables = "all";

// Errors: a name that is not that of a variable, a variable of Assay's own, or one that is not set.
Status check_environment(const std::vector<std::string>& names);

// "NAME=value" each, sorted: the stated set and the variables `names`.
std::vector<std::string> child_environment(const std::vector<std::string>& names);

// The same for the variables `names` alone; all of them for kAllVariables.
std::vector<std::string> named_environment(const std::vector<std::string>& names);

// The names of the stated set. A name that ends in "*" stands for all names that begin with the part before it.
std::vector<std::string> passed_variables();

// Advice to append when a target does not start, since a variable may be missing. Empty if none can be.
std::string environment_advice(const std::vector<std::string>& names);

}  // namespace assay
