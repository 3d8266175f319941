// Deterministic parallel loops: chunk i does the same work and writes the same slot whichever
// thread runs it, so results do not depend on the number of threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace assay {
namespace detail {

// More threads than this, or than the machine has cores, would only fill the address space with
// their stacks.
inline constexpr std::size_t kMostThreads = 256;

// parallel_for with threads from start(work), which throws where it cannot start one.
template <class Start, class Body>
void parallel_for_started_by(Start&& start, int threads, std::size_t count, Body&& body) {
  const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
  const std::size_t workers = std::min(
      {count, static_cast<std::size_t>(std::max(threads, 1)), std::max(kMostThreads, cores)});
  if (workers <= 1) {
    for (std::size_t i = 0; i < count; ++i) body(i);
    return;
  }
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto work = [&] {
    try {
      for (std::size_t i = next++; i < count; i = next++) body(i);
    } catch (...) {
      const std::lock_guard lock(failure_mutex);
      if (!failure) failure = std::current_exception();
      next = count;
    }
  };
  // Once it is known how many threads there are, 0 before, those beyond `used_by` end; the others begin when
  // these are gone and their memory with them.
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
    // No more threads: those that started do all the work. Where it is memory that ended, what they
    // do needs some, so that those beyond the cores are let go.
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

// Calls body(i) once for each i in [0, count), from up to `threads` threads: fewer where the system
// starts no more, the calling one at least. Rethrows the first exception after all threads have
// ended. `body` must only write what belongs to i.
template <class Body>
void parallel_for(int threads, std::size_t count, Body&& body) {
  detail::parallel_for_started_by([](auto work) { return std::jthread(std::move(work)); }, threads,
                                  count, body);
}

}  // namespace assay
