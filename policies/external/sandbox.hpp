// A sandbox around a program: bubblewrap, a program of its own (package bubblewrap), which is put before the command.
//
// The program has no network and no capabilities, and all files are read-only. What it may write is a folder in memory
// of at most 1 GiB, which TMPDIR names and which ends with it. /run is empty, and of the devices there are those of
// every machine and those of GPUs. It may read whatever its user may.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay {

std::vector<std::string> sandbox_words();

// What to do if a program does not start in the sandbox, from the text of the error: empty if that is not the
// sandbox's fault. An empty text: there is no bubblewrap.
std::string sandbox_advice(std::string_view error);

}  // namespace assay
