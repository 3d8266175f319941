#include "assay/cli/processes.hpp"

namespace assay::cli {

ChunkEngine* other_processes() { return nullptr; }
const std::atomic<bool>& shared_interruption(const std::atomic<bool>& own) { return own; }
bool continues_alone() { return true; }
int processes_here() { return 1; }
int run_with_others(const std::function<int()>& run) { return run(); }
void end_others(int) {}

}  // namespace assay::cli
