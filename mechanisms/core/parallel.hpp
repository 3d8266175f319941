// Deterministic parallel loops: chunk i does the same work and writes the same slot whichever
// thread runs it, so results do not depend on the number of threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace assay {

// Calls body(i) once for each i in [0, count), from up to `threads` threads. Rethrows the first
// exception after all threads have ended. `body` must only write what belongs to i.
template <class Body>
void parallel_for(int threads, std::size_t count, Body&& body) {
  const std::size_t workers = std::min<std::size_t>(std::max(threads, 1), count);
  if (workers <= 1) {
    for (std::size_t i = 0; i < count; ++i) body(i);
    return;
  }
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex failure_mutex;
  auto work = [&] {
    try {
      for (std::size_t i = next++; i < count; i = next++) body(i);
    } catch (...) {
      const std::lock_guard lock(failure_mutex);
      if (!failure) failure = std::current_exception();
      next = count;
    }
  };
  std::vector<std::thread> pool;
  for (std::size_t w = 1; w < workers; ++w) pool.emplace_back(work);
  work();
  for (auto& thread : pool) thread.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace assay
