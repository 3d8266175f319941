// The processes that run one command together: all execute the same code with the same arguments, share the chunks of
// its long loops (map_chunks.hpp), and so hold the same values after each loop.
//
// Whatever may differ between the processes is decided by the first one and told to the others: the time, an
// interruption, measured speeds, files. Place says where a thread is, because only the thread that joined the others
// may exchange messages, and only between chunks.
// Threads: run() and agree() belong to that thread; now() may be called by any.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

class ChunkEngine {
 public:
  using Clock = std::chrono::steady_clock;

  virtual ~ChunkEngine() = default;
  virtual int processes() const = 0;
  virtual bool is_first() const = 0;  // the process that prints and writes
  // The bytes of chunk(i) for i = 0, ..., count - 1, each from one of the processes, on `threads` threads of each. The
  // first process calls done(i, bytes) as they arrive, unless it is empty. If a chunk throws, so does this in all
  // processes.
  virtual std::vector<std::string> run(
      int threads, std::size_t count, const std::function<std::string(std::size_t)>& chunk,
      const std::function<void(std::size_t, std::string_view)>& done) = 0;
  // The bytes of the first process.
  virtual std::string agree(std::string bytes) = 0;
  // The sum over the processes.
  virtual std::int64_t total(std::int64_t number) = 0;
  // This time of the first process by the clock of this one.
  virtual Clock::time_point here(Clock::time_point time) const = 0;
  // The time by the clock of the first process. Between chunks, the same in all processes.
  virtual Clock::time_point now() = 0;
};

namespace detail {

enum class Place {
  kTop,     // in the thread that joined the others, between chunks
  kCopied,  // work that every process does
  kChunk,   // work of this process alone
};
inline thread_local Place place_of_thread = Place::kCopied;

class InPlace {
 public:
  explicit InPlace(Place inside) : before_(place_of_thread) { place_of_thread = inside; }
  ~InPlace() { place_of_thread = before_; }
  InPlace(const InPlace&) = delete;
  InPlace& operator=(const InPlace&) = delete;

 private:
  Place before_;
};

// Of this process, if it has joined others; for what has no control.
inline ChunkEngine* engine_of_process = nullptr;

}  // namespace detail
}  // namespace assay
