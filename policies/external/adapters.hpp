// The adapters between Assay and a policy (docs/protocol.md, "Adapters"). The library contains them, so that the
// command has them even if only its executable was copied.
//
// Programs in Python find their module through PYTHONPATH. A command in an installation or a build uses the folder
// there, if the module in it is the same as its own. Otherwise it uses a file in memory (memfd_create), an archive for
// Python's zipimport. Only this process can write it, and seals it before anyone reads it. So nothing is
// left behind however the process ends, and no folder for temporary files has to exist or be trusted. The file exists
// as long as this process, in /proc, for programs of the same user that see the same /proc. A program in a PID
// namespace of its own (supervisor.hpp) sees another one; it has the module in kModuleInNamespace.
//
// Threads: any thread may call any function at any time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay {

// The text of assay_target.py.
std::string_view python_adapter();

// The text of assay_target.h with assay_policy_v1.h inside: one file for C and C++, which needs no other.
std::string_view c_adapter();

// A folder of /proc that is empty and of no use, over which a namespace of its own mounts one with the module.
inline constexpr const char* kModuleInNamespace = "/proc/tty/ldisc";
// The text to put there, as assay_target.py; empty if programs have a folder that every namespace sees.
std::string_view module_in_namespace();

// Appends the folder of the module to the PYTHONPATH of an environment ("NAME=value" each), after the user's own
// folders. Without such a folder the environment does not change.
void add_python_adapter(std::vector<std::string>& environment);

}  // namespace assay
