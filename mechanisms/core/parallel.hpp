// Deterministic parallel loops. Chunk i does the same work and writes to the same place on any thread, so
// results do not depend on the number of threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "assay/mechanisms/core/chunk_engine.hpp"

namespace assay {
namespace detail {

// More threads than this, or than the machine has cores, would only use up address space for their
// stacks.
inline constexpr std::size_t kMostThreads = 256;

// parallel_for with threads from start(work), which throws if it cannot start one.
template <class Start, class Body>
void parallel_for_started_by(Start&& start, int threads, std::size_t count, Body&& body) {
  const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
  const std::size_t workers = std::min(
      {count, static_cast<std::size_t>(std::max(threads, 1)), std::max(kMostThreads, cores)});
  const InPlace inside(place_of_thread == Place::kTop ? Place::kCopied : place_of_thread);
  if (workers <= 1) {
    for (std::size_t i = 0; i < count; ++i) body(i);
    return;
  }
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto work = [&, here = place_of_thread] {
    const InPlace inside(here);
    try {
      for (std::size_t i = next++; i < count; i = next++) body(i);
    } catch (...) {
      const std::lock_guard lock(failure_mutex);
      if (!failure) failure = std::current_exception();
      next = count;
    }
  };
  // Once the number of threads is known (0 before), those beyond `used_by` end. The others begin when
  // these have ended and freed their memory.
  std::atomic<std::size_t> used_by{0};
  std::atomic<bool> begun{false};
  std::vector<std::jthread> pool;
  std::size_t used = workers;
  try {
    pool.reserve(workers - 1);
    while (pool.size() < workers - 1) {
      pool.push_back(start([&work, &used_by, &begun, w = pool.size() + 1] {
        used_by.wait(0);
        if (w >= used_by) return;
        begun.wait(false);
        work();
      }));
    }
  } catch (...) {
    // The system starts no more threads, so those that started do all the work. If memory ran out, the
    // work needs some, so the threads beyond the cores end.
    used = std::min(pool.size(), cores) + 1;
  }
  used_by = used;
  used_by.notify_all();
  pool.erase(pool.begin() + static_cast<std::ptrdiff_t>(used - 1), pool.end());
  begun = true;
  begun.notify_all();
  work();
  pool.clear();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace detail

// Calls body(i) once for each i in [0, count), from up to `threads` threads, one of which is the caller's.
// There are fewer if the system starts no more. After all threads have ended it rethrows the first
// exception. body(i) must only write to what belongs to i. Where several processes run the command, each makes all
// calls: for short loops, and for those whose results have no byte form (map_chunks.hpp).
template <class Body>
void parallel_for(int threads, std::size_t count, Body&& body) {
  detail::parallel_for_started_by([](auto work) { return std::jthread(std::move(work)); }, threads,
                                  count, body);
}

}  // namespace assay
