// The processes that run this command together: those of mpirun, in a build with ASSAY_MPI; otherwise this one alone.
//
// All of them execute the command with the same arguments and share its long loops (mechanisms/core/map_chunks.hpp). The
// first one alone prints, writes files and decides by the clock. What interrupts one of them interrupts all; one that
// dies ends the job.
#pragma once

#include <atomic>
#include <functional>

#include "assay/mechanisms/core/chunk_engine.hpp"

namespace assay::cli {

// Null if there is only this process.
ChunkEngine* other_processes();
// The interruption of all processes together, for `own`, the flag of this one's signals.
const std::atomic<bool>& shared_interruption(const std::atomic<bool>& own);
// From now on the first process works alone, and the others have nothing to do. Whether this one works.
bool continues_alone();
// How many processes of the job run on this machine.
int processes_here();

// The body of main() between joining the others and leaving them. Returns the exit status of this process.
int run_with_others(const std::function<int()>& run);
// Ends all processes of the job with this status. Returns only if there is just one.
void end_others(int status);

}  // namespace assay::cli
