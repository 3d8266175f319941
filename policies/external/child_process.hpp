// A child process that is not trusted: messages out, answers in, with limits on time and size.
//
// No shell: the words are the program and its arguments. The child leads a process group of its own
// below a supervisor (supervisor.hpp), which ends it and all its descendants when the object ends,
// when a limit is passed, on request, or when this process dies. Its stdin is written and its stdout
// and stderr are read at the same time, so that neither side can block the other; of stderr the last lines
// are kept. Its environment is child_environment(limits.environment). A wait ends within 0.1 s of `cancel` or
// `deadline`, as kInterrupted. Other errors are kTarget, in words that say what the child did ("ended with
// status 3 before it answered"), what to do about it, and the last that it wrote to stderr, at most 20 lines.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/mechanisms/core/result.hpp"
#include "assay/policies/external/supervisor.hpp"

namespace assay {

// What a child did instead of an answer.
enum class ChildFault {
  kNone,
  kEnded,   // it exited, or a signal that nobody outside sends ended it: what a run may do
  kLate,    // it did not answer in time
  kKilled,  // by SIGKILL, which is how the kernel ends what takes too much memory
  kOther    // nothing that a run does by itself: what it sent, or its streams, are not as agreed
};

struct ChildLimits {
  std::chrono::milliseconds answer{60'000};          // from a request to the end of its answer
  std::size_t line_bytes = std::size_t{64} << 20;    // of one line of stdout
  std::size_t stderr_bytes = std::size_t{16} << 20;  // between two answers
  std::size_t data_bytes = std::size_t{8}
                           << 30;             // of a plug-in's process, beside what it starts with
  const std::atomic<bool>* cancel = nullptr;  // polled while waiting,
  std::optional<std::chrono::steady_clock::time_point> deadline;  // as is this, of a whole run
  std::function<void(std::string_view)> hear_stderr;  // told all that comes, as it is read
  std::vector<std::string>
      environment;  // variables passed on beside the usual (child_environment.hpp)
  // A run that takes too long, or too much memory, has failed (target.hpp); otherwise it is an error.
  bool late_fails = false, memory_fails = false;
};

// Splits a command at blanks; '...' and "..." keep words together, a backslash takes the next
// character as it is (not inside '...'). Nothing is expanded. Errors: no word, an open quote.
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

  // Sends a line (without its newline) and returns the next line of stdout. After an error the
  // child is dead.
  Result<std::string> ask(const std::string& line);

  // The same in bytes: a message, whose answer is its length in 8 bytes, then at most `most` bytes.
  Result<std::string> ask_bytes(std::string_view message, std::size_t most);

  // Of the error that the last ask() returned; and its words without all of standard error but its last line
  // since then.
  ChildFault fault() const { return fault_; }
  const std::string& fault_text() const { return fault_text_; }
  // Of a child that goes on: the last lines of standard error, as they end an error's words.
  std::string last_words();

  // Closes stdin and waits a moment for the child to end by itself, then ends what is left.
  void finish();

  // finish(), and the error with the last lines of stderr behind its words; of a kTarget error alone.
  Error finish_with(Error error);

 private:
  ChildProcess() = default;
  using Clock = std::chrono::steady_clock;
  // How many of the bytes received are the next answer; nothing until it is whole.
  using Framing = std::function<std::optional<std::size_t>()>;

  static Result<ChildProcess> start(const std::function<int(const ChildEnds&)>& fork_child,
                                    const ChildLimits& limits, const std::string& program);
  Result<std::string> exchange(std::string_view message, std::size_t most, const Framing& framing);
  Error broken(Error error);
  std::optional<Error> pump(std::string_view& unsent, std::size_t most, const Framing& framing);
  void send_some(std::string_view& unsent);
  std::optional<Error> read_some(std::size_t most);
  void read_stderr();
  bool wait_for_life(Clock::time_point deadline);
  void hear();  // what the supervisor said
  bool gone() const { return lost_ || heard_->what != LifeMessage::kStarted; }
  bool cancelled() const {
    return (limits_.cancel != nullptr && limits_.cancel->load()) ||
           (limits_.deadline && Clock::now() >= *limits_.deadline);
  }
  std::string ending();                // "ended with status 3", after stdout was closed;
  ChildFault fault_of_ending() const;  // then
  void close_all();

  ChildLimits limits_;
  int supervisor_ = -1;       // if it is ours to reap
  bool speaks_lines_ = true;  // a program, and no plug-in
  int life_ = -1;             // our ends
  int in_ = -1;
  int out_ = -1;
  int err_ = -1;
  std::optional<LifeMessage> heard_;  // the last that the supervisor said
  bool lost_ = false;                 // it is gone
  std::string received_;              // of stdout, beyond the last answer
  std::size_t searched_ = 0;
  std::string stderr_end_;  // at most 16 KiB
  std::string stderr_now_;  // of it, what came since the last request
  ChildFault fault_ = ChildFault::kNone;
  std::string fault_text_;
  std::size_t stderr_seen_ = 0;
};

}  // namespace assay
