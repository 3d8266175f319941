// Deterministic parallel loops: chunk i does the same work and writes the same slot whichever
// thread runs it, so results do not depend on the number of threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

namespace assay {
namespace detail {

// More threads than this, or than the machine has cores, would only fill the address space with
// their stacks.
inline constexpr std::size_t kMostThreads = 256;

// parallel_for with threads from start(work), which throws where it cannot start one.
template <class Start, class Body>
void parallel_for_started_by(Start&& start, int threads, std::size_t count, Body&& body) {
  const std::size_t most = std::max<std::size_t>(kMostThreads, std::thread::hardware_concurrency());
  const std::size_t asked =
      std::min<std::size_t>(static_cast<std::size_t>(std::max(threads, 1)), most);
  const std::size_t workers = std::min(asked, count);
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
  std::vector<std::jthread> pool;  // joins on every way out, before what `work` refers to ends
  try {
    pool.reserve(workers - 1);
    while (pool.size() < workers - 1) pool.push_back(start(work));
  } catch (const std::system_error&) {  // no more threads: those that started do all the work
  } catch (const std::bad_alloc&) {
  }
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
  detail::parallel_for_started_by([](const auto& work) { return std::jthread(std::cref(work)); },
                                  threads, count, body);
}

}  // namespace assay
