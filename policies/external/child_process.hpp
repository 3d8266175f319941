// A child process that is not trusted: sends messages and receives answers, with limits on time and size.
//
// No shell is involved: the words are the program and its arguments. The child leads a process group of its own
// below a supervisor (supervisor.hpp). The supervisor ends the child and all its descendants when the object
// ends, when a limit is exceeded, on request, or when this process dies. Assay writes the child's stdin and reads
// its stdout and stderr at the same time, so that neither side can block the other, and keeps the last lines of
// stderr. Its environment is child_environment(limits.environment). A wait ends within 0.1 s of `cancel` or
// `deadline`, as kInterrupted. Other errors are kTarget. They say what the child did ("ended with status 3 before
// it answered") and what to do about it, and quote at most the last 20 lines of its stderr.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/mechanisms/core/result.hpp"
#include "assay/policies/external/supervisor.hpp"

namespace assay {

// The event that came instead of an answer.
enum class ChildFault {
  kNone,
  kEnded,  // it exited, or crashed: a run may do this
  kLate,   // it did not answer in time
  kKilled,  // it took more memory than it may, or SIGKILL ended it, as the kernel does to such a process
  kOther  // no run may do this: its output or its streams break the protocol
};

struct ChildLimits {
  std::chrono::milliseconds answer{60'000};          // from a request to the end of its answer
  std::size_t line_bytes = std::size_t{64} << 20;    // of one line of stdout
  std::size_t stderr_bytes = std::size_t{16} << 20;  // between two answers
  std::size_t data_bytes = std::size_t{8}
                           << 30;  // of a plug-in's process, in addition to its size at the start
  // Resident, of a child with all its descendants; 0: default_memory_limit() (containment.hpp).
  std::size_t memory_bytes = 0;
  const std::atomic<bool>* cancel = nullptr;                      // polled while waiting
  std::optional<std::chrono::steady_clock::time_point> deadline;  // also polled; of a whole audit
  std::function<void(std::string_view)> hear_stderr;              // gets all output as it is read
  std::vector<std::string>
      environment;       // variables to pass on besides the usual ones (child_environment.hpp)
  bool sandbox = false;  // whether a program runs in one (sandbox.hpp)
  // Whether a run that takes too long, or too much memory, has failed (target.hpp); if not, it is an error.
  bool late_fails = false, memory_fails = false;
  // Set once a child starts without a PID namespace of its own. Copies share it.
  std::shared_ptr<std::atomic<bool>> uncontained = std::make_shared<std::atomic<bool>>(false);
};

// Splits a command at blanks. '...' and "..." keep words together, and a backslash takes the next
// character literally (not inside '...'). Nothing is expanded. Errors: no word, an open quote.
Result<std::vector<std::string>> split_command(std::string_view command);

class ChildProcess {
 public:
  // Errors: a program that cannot be started, with the system's reason.
  static Result<ChildProcess> start(const std::vector<std::string>& words,
                                    const ChildLimits& limits);
  static Result<ChildProcess> start(const ForkServer& server, const ChildLimits& limits);
  ~ChildProcess();  // ends the child and its descendants
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Sends a line, with or without its newline, and returns the next line of stdout, which lasts until the next request.
  // After an error the child is dead.
  Result<std::string_view> ask(std::string_view line);

  // The same in bytes: sends a message; the answer is its length in 8 bytes, then at most `most` bytes.
  Result<std::string_view> ask_bytes(std::string_view message, std::size_t most);

  // For a program that speaks unasked: the complete lines of stdout that are there, at least one, which last until the
  // next call. If it ends by itself with status 0: what is left, perhaps nothing or without an end of line; has_ended()
  // then holds. Any other end is an error.
  Result<std::string_view> listen();
  bool has_ended() const { return life_ < 0; }

  // The fault of the last ask() that returned an error; and the text of that error with only the last line that the
  // child wrote to standard error since the request.
  ChildFault fault() const { return fault_; }
  const std::string& fault_text() const { return fault_text_; }
  // For a child that goes on: the last lines of standard error, in the form that ends an error's text.
  std::string last_words();

  // Closes stdin, waits a moment for the child to end by itself, then ends all that is left.
  void finish();

  // Calls finish() and returns the error, followed by the last lines of stderr if it is a kTarget error.
  Error finish_with(Error error);

 private:
  ChildProcess() = default;
  using Clock = std::chrono::steady_clock;
  // How many of the received bytes are the next answer; nothing until it is complete.
  using Framing = std::function<std::optional<std::size_t>()>;

  static Result<ChildProcess> start(const std::function<int(const ChildEnds&)>& fork_child,
                                    const ChildLimits& limits, const std::string& program);
  Result<std::string_view> exchange(std::string_view message, std::size_t most,
                                    const Framing& framing);
  Error broken(Error error);
  std::optional<Error> pump(std::string_view& unsent, std::size_t most, const Framing& framing);
  void send_some(std::string_view& unsent);
  std::optional<Error> read_some(std::size_t most);
  void read_stderr();
  bool wait_for_life(Clock::time_point deadline);
  void hear();  // reads the supervisor's messages
  bool gone() const { return lost_ || heard_->what != LifeMessage::kStarted; }
  bool cancelled() const {
    return (limits_.cancel != nullptr && limits_.cancel->load()) ||
           (limits_.deadline && Clock::now() >= *limits_.deadline);
  }
  std::string end_text() const;
  std::string ending();                // "ended with status 3", after stdout was closed
  ChildFault fault_of_ending() const;  // of that end
  void close_all();

  ChildLimits limits_;
  int supervisor_ = -1;       // if it is ours to reap
  bool speaks_lines_ = true;  // true for a program, false for a plug-in
  int life_ = -1;             // our ends
  int in_ = -1;
  int in_reader_ = -1;  // the child's end of it: while it is open, writing raises no SIGPIPE
  int out_ = -1;
  int err_ = -1;
  std::optional<LifeMessage> heard_;  // the supervisor's last message
  bool lost_ = false;                 // the supervisor is gone
  std::string received_;              // of stdout: the last answer, then what came after it
  std::size_t answered_ = 0;          // bytes of that answer
  std::size_t searched_ = 0;
  std::string stderr_end_;  // at most 16 KiB
  std::string stderr_now_;  // the part since the last request
  ChildFault fault_ = ChildFault::kNone;
  std::string fault_text_;
  std::size_t stderr_seen_ = 0;
};

}  // namespace assay
