// Closes descriptors of a process between fork and exec: a loop for those between two that stay, which are few, and
// closefrom() for the rest. The C library's closefrom() closes them one by one where the kernel lacks close_range (Linux
// before 5.9, or a filter of system calls), and ends the process if it cannot. Safe after fork in a process with threads.
#pragma once

#include <unistd.h>

namespace assay::detail {

// From `first` to the one before `end`.
inline void close_between(int first, int end) {
  for (int descriptor = first; descriptor < end; ++descriptor) close(descriptor);
}

}  // namespace assay::detail
