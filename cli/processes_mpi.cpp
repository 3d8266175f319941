// The one source that knows MPI.
//
// A loop (run): the first process hands out ranges of chunks, larger while many are left, and takes results; in every
// process the main thread exchanges the messages and as many threads as asked compute. A request brings results and asks
// for more before the last chunk begins, so that no thread waits for a message. When all results are there, the first
// process sends them to all, with the time and whether anything was interrupted; so all leave the loop alike.
// Each message carries the number of its loop. Where two processes disagree on it, they would wait for each other for
// ever, and the job ends instead.
// A wait sleeps between looks, because processes may share a core with those they wait for.
#include "assay/cli/processes.hpp"

#include <fcntl.h>
#include <mpi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <exception>
#include <limits>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "assay/cli/exit_codes.hpp"
#include "assay/mechanisms/core/byte_form.hpp"
#include "assay/mechanisms/core/files.hpp"

namespace assay::cli {
namespace {

using Clock = ChunkEngine::Clock;

constexpr int kRequest = 1, kReply = 2, kNotice = 3;      // tags
constexpr std::size_t kPiece = std::size_t{1} << 28;      // bytes of one message
constexpr std::size_t kHeldBytes = std::size_t{1} << 26;  // of results that wait to be sent
constexpr std::uint64_t kEnd = std::numeric_limits<std::uint64_t>::max();  // the number of no loop
constexpr const char* kInside =
    "ASSAY_INSIDE_MPI";  // set for the programs that this process starts

// Chunks [first, first + count).
struct Range {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  static auto byte_fields(auto& self) { return std::tie(self.first, self.count); }
};

struct Request {
  std::uint64_t loop = 0;
  std::uint64_t chunks = 0;  // of the loop
  std::uint64_t wanted = 0;  // chunks
  bool is_last = false;      // no chunk of this process is left
  bool interrupted = false;
  std::int64_t now = 0;
  std::string failure;  // of a chunk; or empty
  std::vector<std::pair<std::uint64_t, std::string>> results;
  static auto byte_fields(auto& self) {
    return std::tie(self.loop, self.chunks, self.wanted, self.is_last, self.interrupted, self.now,
                    self.failure, self.results);
  }
};

struct Reply {
  Range range;
  bool is_spent = false;  // no chunk is left
  bool interrupted = false;
  bool disagrees = false;  // on the loop
  static auto byte_fields(auto& self) {
    return std::tie(self.range, self.is_spent, self.interrupted, self.disagrees);
  }
};

// What all processes know after a loop.
struct Ended {
  std::uint64_t bytes = 0;  // that follow
  std::int64_t now = 0;
  bool interrupted = false;
  static auto byte_fields(auto& self) { return std::tie(self.bytes, self.now, self.interrupted); }
};

// The sleeps of a wait: a small part of the time since it began, so that they neither cost much nor lose much.
class Nap {
 public:
  std::chrono::microseconds next() const {
    using std::chrono::microseconds;
    const auto since = std::chrono::duration_cast<microseconds>(Clock::now() - began_);
    return std::clamp(since / 32, microseconds(20), microseconds(1000));
  }
  void sleep() const { std::this_thread::sleep_for(next()); }

 private:
  Clock::time_point began_ = Clock::now();
};

// The chunks of this process, between the thread that gets them and those that compute them.
class Workers {
 public:
  Workers(int threads, const std::function<std::string(std::size_t)>& chunk) {
    try {
      for (int i = 0; i < std::max(threads, 1); ++i) {
        pool_.emplace_back([this, &chunk] { work(chunk); });
      }
    } catch (const std::exception&) {
      if (pool_.empty()) throw;  // fewer threads do the same work
    }
  }
  ~Workers() {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    filled_.notify_all();
  }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  void add(const Range& range) {
    if (range.count == 0) return;
    {
      const std::lock_guard lock(mutex_);
      for (std::uint64_t i = 0; i < range.count; ++i) waiting_.push_back(range.first + i);
      left_ += range.count;
    }
    filled_.notify_all();
  }
  // Waits until something changed, or until a time.
  void wait(std::chrono::microseconds most) {
    std::unique_lock lock(mutex_);
    needed_.wait_for(lock, most, [this] { return needs_; });
    needs_ = false;
  }
  struct State {
    std::uint64_t wanted = 0;  // further chunks
    std::uint64_t left = 0;    // that have no result yet
    std::vector<std::pair<std::uint64_t, std::string>> results;
    std::string failure;
    std::size_t held = 0;  // bytes of the results
  };
  // The results are taken away if there are many, or if `all`.
  State look(bool all) {
    constexpr double kAhead = 4e-3;  // seconds of work that wait
    constexpr double kLong = 20e-3;  // of a chunk, for which a thread rather waits
    const std::lock_guard lock(mutex_);
    State state;
    const double each = done_ == 0 ? 1.0 : seconds_ / static_cast<double>(done_);
    const double threads = static_cast<double>(pool_.size());
    const std::uint64_t waiting = waiting_.size();
    std::uint64_t ahead = pool_.size() - running_;
    if (each < kLong) {
      const auto enough =
          static_cast<std::uint64_t>(std::clamp(threads * kAhead / each, threads, 1e6));
      if (2 * waiting < enough) ahead = std::max(ahead, enough);
    }
    state.wanted = ahead > waiting && failure_.empty() ? ahead - waiting : 0;
    state.left = left_;
    state.failure = failure_;
    state.held = held_;
    if (all || waiting_.empty() || held_ > kHeldBytes) {
      state.results = std::exchange(results_, {});
      held_ = 0;
    }
    return state;
  }
  std::exception_ptr thrown() const { return thrown_; }  // after all ended

 private:
  void work(const std::function<std::string(std::size_t)>& chunk) {
    const detail::InPlace inside(detail::Place::kChunk);
    std::unique_lock lock(mutex_);
    for (;;) {
      filled_.wait(lock, [this] { return ends_ || !waiting_.empty(); });
      if (ends_) return;
      const std::uint64_t i = waiting_.front();
      waiting_.pop_front();
      ++running_;
      const bool skips = !failure_.empty();
      lock.unlock();
      std::string bytes;
      std::exception_ptr thrown;
      std::string said;
      const auto started = Clock::now();
      try {
        if (!skips) bytes = chunk(static_cast<std::size_t>(i));
      } catch (const std::exception& error) {
        thrown = std::current_exception();
        said = error.what();
      } catch (...) {
        thrown = std::current_exception();
        said = "an exception of unknown type";
      }
      lock.lock();
      if (thrown && !thrown_) {
        thrown_ = thrown;
        failure_ = said.empty() ? "an exception" : said;
      }
      seconds_ += std::chrono::duration<double>(Clock::now() - started).count();
      ++done_;
      --running_;
      --left_;
      held_ += bytes.size();
      results_.emplace_back(i, std::move(bytes));
      if (waiting_.empty()) {
        needs_ = true;
        needed_.notify_one();
      }
    }
  }

  std::mutex mutex_;
  std::condition_variable filled_, needed_;
  std::deque<std::uint64_t> waiting_;
  std::uint64_t left_ = 0;
  std::size_t running_ = 0;
  std::vector<std::pair<std::uint64_t, std::string>> results_;
  std::size_t held_ = 0;
  double seconds_ = 0.0;
  std::uint64_t done_ = 0;
  std::exception_ptr thrown_;
  std::string failure_;
  bool needs_ = false, ends_ = false;
  std::vector<std::jthread> pool_;  // last, so that it ends first
};

class Processes final : public ChunkEngine {
 public:
  Processes() {
    int level = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_dup(MPI_COMM_WORLD, &all_);
    MPI_Comm_rank(all_, &rank_);
    MPI_Comm_size(all_, &size_);
    MPI_Comm here = MPI_COMM_NULL;
    MPI_Comm_split_type(all_, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
    MPI_Comm_size(here, &here_);
    MPI_Comm_free(&here);
    setenv(kInside, "1", 1);
    if (!is_first()) silence();
    tell({});
  }
  ~Processes() override {
    MPI_Comm_free(&all_);
    MPI_Finalize();
  }

  int processes() const override { return size_; }
  bool is_first() const override { return rank_ == 0; }
  int here() const { return here_; }
  const std::atomic<bool>& interruption(const std::atomic<bool>& own) {
    own_ = &own;
    return interrupted_;
  }

  std::vector<std::string> run(
      int threads, std::size_t count, const std::function<std::string(std::size_t)>& chunk,
      const std::function<void(std::size_t, std::string_view)>& done) override {
    ++loop_;
    std::vector<std::string> results;
    std::string failure;
    std::exception_ptr thrown;
    if (count > 0) {
      const detail::InPlace inside(detail::Place::kChunk);
      Workers workers(threads, chunk);
      workers.add(first_range(static_cast<std::uint64_t>(rank_), count));
      if (is_first()) {
        results.resize(count);
        failure = serve(workers, results, done);
      } else {
        ask(workers, count);
      }
      thrown = workers.thrown();
    }
    auto all = from_first(std::pair(std::move(failure), std::move(results)));
    if (!all.first.empty() && thrown) std::rethrow_exception(thrown);
    if (!all.first.empty()) throw std::runtime_error(all.first);
    all.second.resize(count);
    return std::move(all.second);
  }

  std::string agree(std::string bytes) override { return tell(std::move(bytes)); }
  std::int64_t total(std::int64_t number) override {
    std::int64_t sum = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallreduce(&number, &sum, 1, MPI_INT64_T, MPI_SUM, all_, &request);
    wait_for(request);
    return sum;
  }
  Clock::time_point here(Clock::time_point time) const override {
    return time - Clock::duration(offset_.load());
  }

  Clock::time_point now() override {
    constexpr int kLooks = 4096;
    if (detail::place_of_thread == detail::Place::kChunk) return own_time();
    // A long computation between loops looks at the clock of the first process now and then.
    if (detail::place_of_thread == detail::Place::kTop && ++looks_ % kLooks == 0) tell({});
    return Clock::time_point(Clock::duration(now_.load()));
  }

  // All processes are about to end. Returns the status of this one.
  int leave(int status) {
    ++loop_;
    const Nap nap;
    // Another process that waits for anything else would never come.
    const auto latest = Clock::now() + std::chrono::minutes(10);
    if (is_first()) {
      for (int left = size_ - 1; left > 0;) {
        if (const auto request = next_request()) {
          const bool leaves = request->second.chunks == kEnd && request->second.loop == loop_;
          reply(request->first, disagreeing(!leaves));
          if (!leaves) end_disagreeing();
          --left;
        } else if (Clock::now() > latest) {
          end_disagreeing();
        } else {
          nap.sleep();
        }
      }
    } else {
      Request request;
      request.loop = loop_;
      request.chunks = kEnd;
      send(0, kRequest, to_bytes(request));
      while (true) {
        if (const auto bytes = received(0, kReply)) {
          if (read<Reply>(*bytes).disagrees) end(kInternalError);
          break;
        }
        nap.sleep();
      }
    }
    finish_sends();
    return is_first() ? status : 0;
  }

  // What this process had to say, and the end of all.
  [[noreturn]] void end(int status) {
    if (said_ >= 0) {
      std::string text(static_cast<std::size_t>(std::max<off_t>(0, lseek(said_, 0, SEEK_END))),
                       '\0');
      const auto got = pread(said_, text.data(), text.size(), 0);
      text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, got)));
      write_all(stderr_, text);
    }
    MPI_Abort(all_, status);
    std::abort();
  }

 private:
  // stdout goes nowhere, and stderr is kept for end().
  void silence() {
    stderr_ = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0) dup2(nowhere, STDOUT_FILENO);
    said_ = memfd_create("stderr", MFD_CLOEXEC);
    dup2(said_ >= 0 ? said_ : nowhere, STDERR_FILENO);
  }

  Clock::time_point own_time() const {
    return Clock::now() + Clock::duration(offset_.load(std::memory_order_relaxed));
  }
  bool own_interruption() const { return own_ != nullptr && own_->load(); }

  // The first chunks of each process, before any message.
  Range first_range(std::uint64_t rank, std::uint64_t count) const {
    const auto processes = static_cast<std::uint64_t>(size_);
    const std::uint64_t each = std::clamp<std::uint64_t>(count / (4 * processes), 1, 4);
    const std::uint64_t from = std::min(count, rank * each);
    return {from, std::min(each, count - from)};
  }

  // Of the first process: until all results are here and the others have nothing left. Returns the failure of a chunk.
  std::string serve(Workers& workers, std::vector<std::string>& results,
                    const std::function<void(std::size_t, std::string_view)>& done) {
    const std::uint64_t count = results.size();
    const auto processes = static_cast<std::uint64_t>(size_);
    std::uint64_t next = 0;
    for (std::uint64_t r = 0; r < processes; ++r) next += first_range(r, count).count;
    std::uint64_t missing = count;
    int active = size_ - 1;
    std::string failure;
    const auto keep = [&](std::vector<std::pair<std::uint64_t, std::string>>& made) {
      for (auto& [i, bytes] : made) {
        --missing;
        if (i >= count) end_disagreeing();
        if (done && failure.empty()) done(static_cast<std::size_t>(i), bytes);
        results[i] = std::move(bytes);
      }
    };
    const auto take = [&](std::uint64_t wanted) {
      if (!failure.empty()) next = count;
      const std::uint64_t share = std::max<std::uint64_t>(1, (count - next) / (4 * processes));
      const Range range{next, std::min({wanted, share, count - next})};
      next += range.count;
      return range;
    };
    const Nap nap;
    const auto fails = [&](const std::string& why) {
      if (failure.empty()) failure = why;
    };
    while (active > 0 || missing > 0) {
      if (own_interruption()) interrupted_ = true;
      if (interrupted_ && !noticed_) notify();
      auto state = workers.look(true);
      fails(state.failure);
      keep(state.results);
      workers.add(take(state.wanted));
      while (auto request = next_request()) {
        auto& [from, asked] = *request;
        if (asked.loop != loop_ || asked.chunks != count) {
          reply(from, disagreeing(true));
          end_disagreeing();
        }
        interrupted_ = interrupted_ || asked.interrupted;
        latest_ = std::max(latest_, asked.now);
        fails(asked.failure);
        keep(asked.results);
        if (asked.is_last) --active;
        const Range range = take(asked.wanted);
        Reply answer;
        answer.range = range;
        answer.is_spent = next == count;
        answer.interrupted = interrupted_;
        reply(from, answer);
      }
      // Where a chunk failed, the others that were not handed out are not made.
      if (!failure.empty() && active == 0 && state.left == 0) break;
      workers.wait(nap.next());
    }
    return failure;
  }

  // Of the others: until no chunk is left for this process.
  void ask(Workers& workers, std::uint64_t count) {
    bool waits = false, is_spent = false, told = false;
    Nap nap;
    for (;;) {
      if (own_interruption()) interrupted_ = true;
      if (received(0, kNotice)) interrupted_ = true;
      if (waits) {
        if (const auto bytes = received(0, kReply)) {
          const auto answer = read<Reply>(*bytes);
          if (answer.disagrees) wait_for_end();
          waits = false;
          interrupted_ = interrupted_ || answer.interrupted;
          is_spent = answer.is_spent;
          workers.add(answer.range);
          if (told) return;
        }
      }
      if (!waits) {
        auto state = workers.look(false);
        Request request;
        request.wanted = is_spent ? 0 : state.wanted;
        request.is_last = is_spent && state.left == 0;
        if (request.is_last || request.wanted > 0 || !state.results.empty() ||
            (interrupted_ && !noticed_)) {
          if (interrupted_) noticed_ = true;
          request.loop = loop_;
          request.chunks = count;
          request.interrupted = interrupted_;
          request.now = own_time().time_since_epoch().count();
          request.failure = state.failure;
          request.results = std::move(state.results);
          told = request.is_last;
          send(0, kRequest, to_bytes(request));
          waits = true;
          nap = Nap();
        }
      }
      workers.wait(nap.next());
    }
  }

  void notify() {
    noticed_ = true;
    for (int rank = 1; rank < size_; ++rank) send(rank, kNotice, "!");
  }

  // ---- messages ---------------------------------------------------------------------------------

  template <class T>
  T read(const std::string& bytes) {
    T value;
    if (!from_bytes(bytes, value)) end_disagreeing();
    return value;
  }

  void send(int to, int tag, std::string bytes) {
    if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
      throw std::length_error("the results of a chunk exceed 2 GiB");
    }
    finish_sends(false);
    auto& one = sends_.emplace_back(std::move(bytes), MPI_REQUEST_NULL);
    MPI_Isend(one.first.data(), static_cast<int>(one.first.size()), MPI_BYTE, to, tag, all_,
              &one.second);
  }
  void finish_sends(bool all = true) {
    const Nap nap;
    while (!sends_.empty()) {
      int sent = 0;
      MPI_Test(&sends_.front().second, &sent, MPI_STATUS_IGNORE);
      if (sent != 0) {
        sends_.pop_front();
      } else if (all) {
        nap.sleep();
      } else {
        return;
      }
    }
  }
  static Reply disagreeing(bool disagrees) {
    Reply answer;
    answer.disagrees = disagrees;
    return answer;
  }
  void reply(int to, const Reply& answer) { send(to, kReply, to_bytes(answer)); }

  std::optional<std::string> received(int from, int tag, int* sender = nullptr) {
    int is_here = 0;
    MPI_Status status;
    MPI_Iprobe(from, tag, all_, &is_here, &status);
    if (is_here == 0) return std::nullopt;
    int size = 0;
    MPI_Get_count(&status, MPI_BYTE, &size);
    std::string bytes(static_cast<std::size_t>(size), '\0');
    MPI_Recv(bytes.data(), size, MPI_BYTE, status.MPI_SOURCE, tag, all_, MPI_STATUS_IGNORE);
    if (sender != nullptr) *sender = status.MPI_SOURCE;
    return bytes;
  }
  std::optional<std::pair<int, Request>> next_request() {
    int sender = 0;
    const auto bytes = received(MPI_ANY_SOURCE, kRequest, &sender);
    if (!bytes) return std::nullopt;
    return std::pair(sender, read<Request>(*bytes));
  }

  void broadcast(void* bytes, std::size_t size) {
    auto* at = static_cast<char*>(bytes);
    for (std::size_t done = 0; done < size; done += kPiece) {
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Ibcast(at + done, static_cast<int>(std::min(kPiece, size - done)), MPI_BYTE, 0, all_,
                 &request);
      wait_for(request);
    }
  }
  static void wait_for(MPI_Request& request) {
    const Nap nap;
    for (int is_here = 0;;) {
      MPI_Test(&request, &is_here, MPI_STATUS_IGNORE);
      if (is_here != 0) return;
      nap.sleep();
    }
  }

  // The bytes of the first process, and its clock.
  std::string tell(std::string bytes) {
    Ended ended;
    ended.bytes = bytes.size();
    latest_ = std::max(latest_, Clock::now().time_since_epoch().count());
    ended.now = latest_;
    ended.interrupted = interrupted_ || (is_first() && own_interruption());
    std::string header = to_bytes(ended);
    broadcast(header.data(), header.size());
    ended = read<Ended>(header);
    bytes.resize(ended.bytes);
    broadcast(bytes.data(), bytes.size());
    interrupted_ = ended.interrupted;
    now_ = ended.now;
    offset_ = ended.now - Clock::now().time_since_epoch().count();
    return bytes;
  }
  template <class T>
  T from_first(T value) {
    return read<T>(tell(is_first() ? to_bytes(value) : std::string()));
  }

  [[noreturn]] void end_disagreeing() {
    write_all(is_first() ? STDERR_FILENO : stderr_,
              "assay: internal error: the processes do not execute the same command\n");
    wait_for_end();
  }
  // Leaves time for the process that knows more to say it.
  [[noreturn]] void wait_for_end() {
    finish_sends();
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    end(kInternalError);
  }

  MPI_Comm all_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1, here_ = 1;
  std::uint64_t loop_ = 0;
  std::deque<std::pair<std::string, MPI_Request>> sends_;  // not yet sent
  const std::atomic<bool>* own_ = nullptr;
  std::atomic<bool> interrupted_{false};
  bool noticed_ = false;  // the others know of the interruption
  std::int64_t latest_ = 0;
  std::atomic<std::int64_t> now_{0}, offset_{0};
  int looks_ = 0;
  int stderr_ = STDERR_FILENO, said_ = -1;
};

Processes* joined = nullptr;
bool alone = false;  // the first process works without the others

// Started by mpirun or the like, and not by such a process.
bool is_started_by_mpi() {
  if (std::getenv(kInside) != nullptr) return false;
  constexpr std::array kNames = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_SIZE"};
  return std::any_of(kNames.begin(), kNames.end(),
                     [](const char* name) { return std::getenv(name) != nullptr; });
}

}  // namespace

ChunkEngine* other_processes() { return alone ? nullptr : joined; }

const std::atomic<bool>& shared_interruption(const std::atomic<bool>& own) {
  return other_processes() == nullptr ? own : joined->interruption(own);
}

bool continues_alone() {
  if (joined == nullptr) return true;
  alone = true;
  detail::engine_of_process = nullptr;
  return joined->is_first();
}

int processes_here() { return other_processes() == nullptr ? 1 : joined->here(); }

void end_others(int status) {
  if (joined != nullptr) joined->end(status);
}

int run_with_others(const std::function<int()>& run) {
  if (!is_started_by_mpi()) return run();
  Processes processes;
  if (processes.processes() == 1) return run();
  joined = &processes;
  detail::engine_of_process = &processes;
  const detail::InPlace top(detail::Place::kTop);
  const int status = processes.leave(run());
  detail::engine_of_process = nullptr;
  joined = nullptr;
  return status;
}

}  // namespace assay::cli
