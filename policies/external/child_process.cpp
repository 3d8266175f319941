#include "assay/policies/external/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <thread>
#include <utility>

extern char** environ;

namespace assay {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kStderrKept = 2048;

std::string system_reason(int error) { return std::strerror(error); }

void close_descriptor(int& descriptor) {
  if (descriptor >= 0) close(descriptor);
  descriptor = -1;
}

// Ours and the child's end of each stream.
struct Pipes {
  std::array<int, 2> in{-1, -1};  // a socket pair: writing to a dead child raises no signal
  std::array<int, 2> out{-1, -1};
  std::array<int, 2> err{-1, -1};

  bool open() {
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in.data()) == 0 &&
           pipe2(out.data(), O_CLOEXEC) == 0 && pipe2(err.data(), O_CLOEXEC) == 0;
  }
  void close_all() {
    for (auto* ends : {&in, &out, &err}) {
      for (int& end : *ends) close_descriptor(end);
    }
  }
};

int spawn(const std::vector<std::string>& words, const Pipes& pipes, pid_t& process) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_adddup2(&actions, pipes.in[1], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, pipes.out[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, pipes.err[1], STDERR_FILENO);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setpgroup(&attributes, 0);
  sigset_t signals;
  sigemptyset(&signals);
  posix_spawnattr_setsigmask(&attributes, &signals);
  for (const int number : {SIGINT, SIGTERM, SIGPIPE}) sigaddset(&signals, number);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  std::vector<char*> argv;
  for (const auto& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const int error = posix_spawnp(&process, argv[0], &actions, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

std::string status_text(int status) {
  if (WIFEXITED(status)) return "ended with status " + std::to_string(WEXITSTATUS(status));
  const char* name = strsignal(WTERMSIG(status));
  return "was ended by signal " + std::to_string(WTERMSIG(status)) +
         (name != nullptr ? " (" + std::string(name) + ")" : "");
}

}  // namespace

Result<std::vector<std::string>> split_command(std::string_view command) {
  std::vector<std::string> words;
  std::string word;
  bool inside = false;  // of a word
  char quote = 0;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    if (c == '\\' && quote != '\'' && i + 1 < command.size()) {
      word += command[++i];
      inside = true;
    } else if (quote != 0) {
      if (c == quote) {
        quote = 0;
      } else {
        word += c;
      }
    } else if (c == '\'' || c == '"') {
      quote = c;
      inside = true;
    } else if (c == ' ' || c == '\t' || c == '\n') {
      if (inside) words.push_back(std::exchange(word, {}));
      inside = false;
    } else {
      word += c;
      inside = true;
    }
  }
  if (quote != 0) {
    return fail(ErrorCode::kParse, std::string("the command has an open ") + quote + " quote");
  }
  if (inside) words.push_back(word);
  if (words.empty() || words[0].empty()) {
    return fail(ErrorCode::kParse, "the command names no program");
  }
  return words;
}

Result<ChildProcess> ChildProcess::start(const std::vector<std::string>& words,
                                         const ChildLimits& limits) {
  Pipes pipes;
  if (!pipes.open()) {
    const int error = errno;
    pipes.close_all();
    return fail(ErrorCode::kTarget, "cannot make a pipe: " + system_reason(error));
  }
  pid_t process = -1;
  const int error = spawn(words, pipes, process);
  if (error != 0) {
    pipes.close_all();
    return fail(ErrorCode::kTarget, "cannot start '" + words[0] + "': " + system_reason(error));
  }
  ChildProcess child;
  child.limits_ = limits;
  child.process_ = process;
  child.in_ = std::exchange(pipes.in[0], -1);
  child.out_ = std::exchange(pipes.out[0], -1);
  child.err_ = std::exchange(pipes.err[0], -1);
  pipes.close_all();
  for (const int descriptor : {child.in_, child.out_, child.err_}) {
    fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK);
  }
  return child;
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept { *this = std::move(other); }

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  if (this == &other) return *this;
  close_all();
  limits_ = other.limits_;
  process_ = std::exchange(other.process_, -1);
  in_ = std::exchange(other.in_, -1);
  out_ = std::exchange(other.out_, -1);
  err_ = std::exchange(other.err_, -1);
  received_ = std::move(other.received_);
  searched_ = other.searched_;
  stderr_end_ = std::move(other.stderr_end_);
  stderr_seen_ = other.stderr_seen_;
  return *this;
}

ChildProcess::~ChildProcess() { close_all(); }

void ChildProcess::close_all() {
  close_descriptor(in_);
  close_descriptor(out_);
  close_descriptor(err_);
  if (process_ < 0) return;
  kill(-process_, SIGKILL);  // the group: a grandchild too
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
  process_ = -1;
}

void ChildProcess::finish() {
  close_descriptor(in_);
  for (int i = 0; i < 50 && process_ >= 0; ++i) {
    read_stderr();
    siginfo_t info{};
    // WNOWAIT: the leader stays a zombie, so its group id cannot be taken by another before the
    // kill.
    if (waitid(P_PID, static_cast<id_t>(process_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        info.si_pid != 0) {
      break;
    }
    std::this_thread::sleep_for(milliseconds(10));
  }
  close_all();
}

void ChildProcess::read_stderr() {
  std::array<char, 65536> buffer;
  ssize_t got = 0;
  while (err_ >= 0 && (got = read(err_, buffer.data(), buffer.size())) > 0) {
    stderr_seen_ += static_cast<std::size_t>(got);
    stderr_end_.append(buffer.data(), static_cast<std::size_t>(got));
    if (stderr_end_.size() > kStderrKept) {
      stderr_end_.erase(0, stderr_end_.size() - kStderrKept);
    }
    if (stderr_seen_ > limits_.stderr_bytes) return;
  }
  if (got == 0) close_descriptor(err_);
}

std::string ChildProcess::ending() {
  siginfo_t info{};
  // Closing stdout comes a moment before the end, or is a fault of its own.
  for (int i = 0; i < 20; ++i) {
    if (waitid(P_PID, static_cast<id_t>(process_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        info.si_pid != 0) {
      break;
    }
    std::this_thread::sleep_for(milliseconds(10));
  }
  read_stderr();
  kill(-process_, SIGKILL);
  int status = 0;
  const bool by_itself = info.si_pid != 0;
  waitpid(process_, &status, 0);
  process_ = -1;
  return by_itself ? status_text(status) : "closed its standard output";
}

Result<std::string> ChildProcess::broken(const std::string& what) {
  std::string message = what;
  close_all();
  if (!stderr_end_.empty()) {
    std::string last = stderr_end_;
    while (!last.empty() && (last.back() == '\n' || last.back() == '\r')) last.pop_back();
    const auto line = last.rfind('\n');
    if (line != std::string::npos) last.erase(0, line + 1);
    message += "; its last line on standard error: " + last.substr(0, 300);
  }
  return fail(ErrorCode::kTarget, message);
}

// Moves bytes until a line of stdout is complete (true) or something is wrong (false, `trouble`).
bool ChildProcess::pump(std::string_view& unsent, Clock::time_point deadline,
                        std::string& trouble) {
  std::array<char, 65536> buffer;
  while (true) {
    const auto newline = received_.find('\n', searched_);
    if (newline != std::string::npos) return true;
    searched_ = received_.size();
    if (received_.size() > limits_.line_bytes) {
      trouble = "sent a line of more than " + std::to_string(limits_.line_bytes) + " bytes";
      return false;
    }
    const auto left = std::chrono::duration_cast<milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) {
      trouble = "did not answer within " +
                std::to_string(std::chrono::duration<double>(limits_.answer).count()).substr(0, 5) +
                " s";
      return false;
    }
    std::array<pollfd, 3> polled{
        {{out_, POLLIN, 0}, {err_, POLLIN, 0}, {unsent.empty() ? -1 : in_, POLLOUT, 0}}};
    if (poll(polled.data(), polled.size(), static_cast<int>(std::min<long long>(left, 1000))) < 0 &&
        errno != EINTR) {
      trouble = "cannot be waited for: " + system_reason(errno);
      return false;
    }
    if (polled[1].revents != 0) read_stderr();
    if (stderr_seen_ > limits_.stderr_bytes) {
      trouble = "wrote more than " + std::to_string(limits_.stderr_bytes) +
                " bytes to standard error before it answered";
      return false;
    }
    if (polled[2].revents != 0) {
      const ssize_t sent = send(in_, unsent.data(), unsent.size(), MSG_NOSIGNAL);
      if (sent > 0) unsent.remove_prefix(static_cast<std::size_t>(sent));
      if (sent < 0 && errno != EAGAIN && errno != EINTR) {
        unsent = {};  // it no longer reads; what it says or how it ends is the better message
      }
    }
    if (polled[0].revents != 0) {
      const ssize_t got = read(out_, buffer.data(), buffer.size());
      if (got > 0) received_.append(buffer.data(), static_cast<std::size_t>(got));
      if (got == 0) {
        const bool partial = !received_.empty();
        trouble = ending() + (partial ? " in the middle of a line" : " before it answered");
        return false;
      }
    }
  }
}

Result<std::string> ChildProcess::ask(const std::string& line) {
  if (process_ < 0) return fail(ErrorCode::kTarget, "has ended");
  const std::string message = line + "\n";
  std::string_view unsent = message;
  std::string trouble;
  stderr_seen_ = 0;
  if (!pump(unsent, Clock::now() + limits_.answer, trouble)) return broken(trouble);
  const auto newline = received_.find('\n', searched_);
  std::string answer = received_.substr(0, newline);
  received_.erase(0, newline + 1);
  searched_ = 0;
  if (!answer.empty() && answer.back() == '\r') answer.pop_back();
  if (!unsent.empty()) return broken("answered before it had read the request");
  return answer;
}

}  // namespace assay
