// The adapters that stand between Assay and a policy (docs/protocol.md, "Adapters"). They are part of the
// library, so that a command that was copied alone has them.
//
// Programs in Python find their module through PYTHONPATH. Where the command lies in an installation or a build,
// that is its folder, if the module there is this one. Otherwise it is a file that no disk has (memfd_create), an
// archive of Python's zipimport, which only this process can write, sealed before anyone reads it: nothing is left
// behind however the process ends, and no folder for temporary files has to exist or be trusted. It is there for
// as long as this process is, in /proc, for programs of the same user that see the same /proc.
//
// Threads: all functions may be called at once.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay {

// assay_target.py.
std::string_view python_adapter();

// assay_target.h with assay_policy_v1.h in it: one file for C and C++, which needs no other.
std::string_view c_adapter();

// Ends the PYTHONPATH of an environment ("NAME=value" each) with the place of the module; what is the user's own
// comes first. Without such a place the environment stays as it is.
void add_python_adapter(std::vector<std::string>& environment);

}  // namespace assay
