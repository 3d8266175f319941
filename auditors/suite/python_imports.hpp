// The files of a Python program that its import statements name.
//
// Nothing runs: the statements are read line by line, and a module counts if its file is in the folder of the program or,
// for a relative import, in its package. Not seen: modules of a changed sys.path, importlib, and data.
#pragma once

#include <string>
#include <vector>

namespace assay {

// The files, sorted, without the script itself and with those that they import in turn; at most 1,000. None if the script
// cannot be read.
std::vector<std::string> python_imports(const std::string& script);

}  // namespace assay
