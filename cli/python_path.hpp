// Where programs in Python find the module assay_target (policies/external/assay_target.py).
#pragma once

namespace assay::cli {

// Ends this process's PYTHONPATH, and so that of every program it starts, with the folder of the module that
// belongs to this command; leaves it alone where that folder is not there. Before threads start.
void add_python_path();

}  // namespace assay::cli
