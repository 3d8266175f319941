// A child process that is not trusted: lines out, lines in, with limits on time and size.
//
// No shell: the words are the program and its arguments. The child leads a process group of its own,
// which is killed as a whole when the object ends, when a limit is passed, or on request. Its stdin
// is written and its stdout and stderr are read at the same time, so that neither side can block the
// other; of stderr only the end is kept. Nothing is left behind: every child is reaped.
// Errors are kTarget, in words that say what the child did ("ended with status 3 before answering").
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "assay/mechanisms/core/result.hpp"

namespace assay {

struct ChildLimits {
  std::chrono::milliseconds answer{60'000};          // from a request to the end of its answer
  std::size_t line_bytes = std::size_t{64} << 20;    // of one line of stdout
  std::size_t stderr_bytes = std::size_t{16} << 20;  // between two answers
};

// Splits a command at blanks; '...' and "..." keep words together, a backslash takes the next
// character as it is (not inside '...'). Nothing is expanded. Errors: no word, an open quote.
Result<std::vector<std::string>> split_command(std::string_view command);

class ChildProcess {
 public:
  // Errors: a program that cannot be started, with the system's reason.
  static Result<ChildProcess> start(const std::vector<std::string>& words,
                                    const ChildLimits& limits);
  ~ChildProcess();  // kills the group and reaps
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Sends a line (without its newline) and returns the next line of stdout. After an error the
  // child is dead.
  Result<std::string> ask(const std::string& line);

  // Closes stdin and waits a moment for the child to end by itself, then kills what is left.
  void finish();

  const std::string& stderr_end() const { return stderr_end_; }  // at most 2 KiB
  int id() const { return process_; }                            // -1 once it has ended

 private:
  ChildProcess() = default;
  using Clock = std::chrono::steady_clock;

  Result<std::string> broken(const std::string& what);
  bool pump(std::string_view& unsent, Clock::time_point deadline, std::string& trouble);
  void read_stderr();
  std::string ending();  // "ended with status 3", after stdout was closed
  void close_all();

  ChildLimits limits_;
  int process_ = -1;  // and its group
  int in_ = -1;       // our ends
  int out_ = -1;
  int err_ = -1;
  std::string received_;  // of stdout, beyond the last line
  std::size_t searched_ = 0;
  std::string stderr_end_;
  std::size_t stderr_seen_ = 0;
};

}  // namespace assay
