#include "assay/policies/external/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <memory>
#include <utility>

#include "assay/policies/external/adapters.hpp"
#include "assay/policies/external/child_environment.hpp"
#include "assay/policies/external/containment.hpp"
#include "assay/policies/external/internal/answers.hpp"
#include "assay/policies/external/internal/process_tree.hpp"
#include "assay/policies/external/sandbox.hpp"

namespace assay {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kStderrKept = std::size_t{16} << 10;
constexpr int kStderrLines = 20;             // in an error
constexpr std::size_t kStderrColumns = 300;  // of each line
constexpr milliseconds kPollPause{100};      // between two checks of `cancel`
constexpr milliseconds kFirstPause{5};

std::string system_reason(int error) { return std::strerror(error); }

void close_descriptor(int& descriptor) {
  if (descriptor >= 0) close(descriptor);
  descriptor = -1;
}

// Our end and the far end of each stream.
struct Pipes {
  std::array<int, 2> in{-1, -1};
  std::array<int, 2> out{-1, -1};
  std::array<int, 2> err{-1, -1};
  std::array<int, 2> life{-1, -1};

  bool open() {
    if (pipe2(in.data(), O_CLOEXEC) != 0) return false;
    std::swap(in[0], in[1]);  // we write
    return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, life.data()) == 0 &&
           pipe2(out.data(), O_CLOEXEC) == 0 && pipe2(err.data(), O_CLOEXEC) == 0;
  }
  void close_all() {
    for (auto* ends : {&in, &out, &err, &life}) {
      for (int& end : *ends) close_descriptor(end);
    }
  }
};

std::string status_text(const LifeMessage& ended, std::size_t memory) {
  if (ended.what == LifeMessage::kTooLarge) {
    return "took more than " + memory_text(memory) + " of memory (--memory)";
  }
  if (ended.what == LifeMessage::kExited) return "ended with status " + std::to_string(ended.value);
  const char* name = strsignal(ended.value);
  return "was ended by signal " + std::to_string(ended.value) +
         (name != nullptr ? " (" + std::string(name) + ")" : "");
}

// The last lines as an error shows them: one line after its text, several lines below it.
std::string last_lines(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  if (text.empty()) return "";
  std::vector<std::string_view> lines;
  while (static_cast<int>(lines.size()) < kStderrLines && !text.empty()) {
    const auto end = text.rfind('\n');
    const auto from = end == std::string_view::npos ? 0 : end + 1;
    lines.push_back(text.substr(from).substr(0, kStderrColumns));
    text = text.substr(0, from == 0 ? 0 : end);
  }
  if (lines.size() == 1) return "; its last line on standard error: " + std::string(lines[0]);
  std::string out = "; its last lines on standard error:";
  for (auto line = lines.rbegin(); line != lines.rend(); ++line)
    out += "\n    " + std::string(*line);
  return out;
}

std::string last_line(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  const auto end = text.rfind('\n');
  return last_lines(end == std::string_view::npos ? text : text.substr(end + 1));
}

// Why a program does not start, as far as the file system shows, and how to correct it.
std::string start_advice(const std::string& program, int error) {
  struct stat file {};
  const bool is_path = program.find('/') != std::string::npos;
  const bool is_here = stat(program.c_str(), &file) == 0;
  const std::string here = [] {
    std::array<char, 4096> folder;
    return getcwd(folder.data(), folder.size()) != nullptr ? std::string(folder.data()) : "?";
  }();
  if (error == ENOENT && !is_path) {
    if (is_here) {
      return "; programs come from PATH: for the file in the current folder write ./" + program;
    }
    return "; it is in no folder of PATH, and there is no shell: for a shell command use "
           "sh -c '...'";
  }
  if (error == ENOENT && is_here)
    return "; the file exists: does its first line name a missing interpreter?";
  if ((error == ENOENT || error == ENOTDIR) && program.front() != '/')
    return "; the current folder is " + here;
  if (error == EACCES && is_here && S_ISDIR(file.st_mode)) return "; it is a folder";
  if (error == EACCES && is_here) {
    return "; it is not executable: run chmod +x, or name its interpreter, as in 'python3 " +
           program + "'";
  }
  if (error == EACCES && !is_path) {
    return "; it is not executable, or a folder of PATH is not readable";
  }
  return "";
}

std::vector<char*> pointers_to(const std::vector<std::string>& words) {
  std::vector<char*> out;
  for (const auto& word : words) out.push_back(const_cast<char*>(word.c_str()));
  out.push_back(nullptr);
  return out;
}

// The sandbox's own process ends in this way if a signal has ended the program.
LifeMessage message_from_sandbox(LifeMessage message) {
  constexpr std::int32_t kBySignal = 128;
  if (message.what != LifeMessage::kExited || message.value <= kBySignal) return message;
  message.what = LifeMessage::kKilled;
  message.value -= kBySignal;
  return message;
}

bool is_stopped(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string line;
  std::getline(file, line);
  const auto name_ends = line.rfind(") ");
  return name_ends != std::string::npos && line.substr(name_ends + 2, 1) == "T";
}

// Does a supervisor's work, which its child keeps from it.
void kill_for_stopped(pid_t supervisor) {
  const auto tree = std::make_unique<detail::ProcessTree>();
  tree->look(supervisor);
  tree->kill_descendants();
}

Error interrupted() { return {ErrorCode::kInterrupted, "interrupted", "", 0}; }
Error trouble(std::string what) { return {ErrorCode::kTarget, std::move(what), "", 0}; }

}  // namespace

Result<std::vector<std::string>> split_command(std::string_view command) {
  std::vector<std::string> words;
  std::string word;
  bool inside = false;  // inside a word
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
  auto environment = child_environment(limits.environment);
  add_python_adapter(environment);
  auto command = limits.sandbox ? sandbox_words() : std::vector<std::string>();
  command.insert(command.end(), words.begin(), words.end());
  const auto argv = pointers_to(command);
  const auto envp = pointers_to(environment);
  const ChildBody run = [&argv, &envp](int in, int out, int err) {
    dup2(in, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    execvpe(argv[0], argv.data(), envp.data());
    return errno;
  };
  const ChildTerms terms{memory_limit_of(limits), module_in_namespace(),
                         ReadOnlyForChildren::all()};
  return start([&](const ChildEnds& ends) { return fork_supervisor(ends, run, terms); }, limits,
               command[0]);
}

Result<ChildProcess> ChildProcess::start(const ForkServer& server, const ChildLimits& limits) {
  return start([&](const ChildEnds& ends) { return server.fork_child(ends) ? 0 : -1; }, limits, "");
}

Result<ChildProcess> ChildProcess::start(const std::function<pid_t(const ChildEnds&)>& fork_child,
                                         const ChildLimits& limits, const std::string& program) {
  const std::string name = program.empty() ? "a process for the plug-in" : "'" + program + "'";
  Pipes pipes;
  if (!pipes.open()) {
    const int error = errno;
    pipes.close_all();
    return fail(ErrorCode::kTarget, "cannot make a pipe: " + system_reason(error));
  }
  const pid_t process = fork_child({pipes.in[1], pipes.out[1], pipes.err[1], pipes.life[1]});
  if (process < 0) {
    const int error = errno;
    pipes.close_all();
    return fail(ErrorCode::kTarget, "cannot start " + name + ": " + system_reason(error));
  }
  ChildProcess child;
  child.limits_ = limits;
  child.limits_.memory_bytes = memory_limit_of(limits);
  child.supervisor_ = process > 0 ? process : -1;
  child.speaks_lines_ = !program.empty();
  child.life_ = std::exchange(pipes.life[0], -1);
  child.in_ = std::exchange(pipes.in[0], -1);
  child.in_reader_ = std::exchange(pipes.in[1], -1);
  child.out_ = std::exchange(pipes.out[0], -1);
  child.err_ = std::exchange(pipes.err[0], -1);
  pipes.close_all();
  for (const int descriptor : {child.life_, child.in_, child.out_, child.err_}) {
    fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK);
  }
  if (!child.wait_for_life(Clock::now() + limits.answer) || child.heard_->value != 0) {
    if (child.cancelled()) return tl::make_unexpected(interrupted());
    if (!child.heard_) {
      return fail(ErrorCode::kTarget, "cannot start " + name + ": its supervisor is gone");
    }
    const int error = child.heard_->value;
    return fail(ErrorCode::kTarget, "cannot start " + name + ": " + system_reason(error) +
                                        (program.empty()  ? ""
                                         : limits.sandbox ? sandbox_advice("")
                                                          : start_advice(program, error)));
  }
  if (child.heard_->contained == 0) limits.uncontained->store(true);
  return child;
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept { *this = std::move(other); }

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  if (this == &other) return *this;
  close_all();
  limits_ = other.limits_;
  supervisor_ = std::exchange(other.supervisor_, -1);
  speaks_lines_ = other.speaks_lines_;
  life_ = std::exchange(other.life_, -1);
  in_ = std::exchange(other.in_, -1);
  in_reader_ = std::exchange(other.in_reader_, -1);
  out_ = std::exchange(other.out_, -1);
  err_ = std::exchange(other.err_, -1);
  heard_ = other.heard_;
  lost_ = other.lost_;
  received_ = std::move(other.received_);
  answered_ = other.answered_;
  searched_ = other.searched_;
  stderr_end_ = std::move(other.stderr_end_);
  stderr_now_ = std::move(other.stderr_now_);
  fault_ = other.fault_;
  fault_text_ = std::move(other.fault_text_);
  stderr_seen_ = other.stderr_seen_;
  return *this;
}

ChildProcess::~ChildProcess() { close_all(); }

void ChildProcess::hear() {
  LifeMessage message;
  const ssize_t got = recv(life_, &message, sizeof message, MSG_DONTWAIT);
  if (got == sizeof message) {
    heard_ = limits_.sandbox ? message_from_sandbox(message) : message;
  }
  if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) lost_ = true;
}

// Waits for the supervisor's first or next message. False: none came.
bool ChildProcess::wait_for_life(Clock::time_point deadline) {
  const auto before = heard_ ? std::optional(heard_->what) : std::nullopt;
  while (!lost_ && !cancelled()) {
    hear();
    if (heard_ && std::optional(heard_->what) != before) return true;
    const auto left = std::chrono::duration_cast<milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) return false;
    pollfd polled{life_, POLLIN, 0};
    poll(&polled, 1, static_cast<int>(std::min(left, kPollPause).count()));
  }
  return false;
}

void ChildProcess::close_all() {
  close_descriptor(in_);
  close_descriptor(in_reader_);
  close_descriptor(out_);
  close_descriptor(err_);
  if (life_ < 0) return;
  shutdown(life_, SHUT_WR);  // asks the supervisor to end everything; it hangs up when it has
  hear();
  // A child without a namespace may also stop its parent, again and again. If the supervisor is gone and is not ours to
  // reap, its number may by now belong to another process. A number below 2 never belongs to a supervisor.
  const pid_t watcher = supervisor_ > 0 ? supervisor_ : (heard_ ? heard_->supervisor : -1);
  const auto asked = Clock::now();
  for (; !lost_ && Clock::now() < asked + std::chrono::seconds(15); hear()) {
    const bool may_be_stopped = watcher > 1 && !(heard_ && heard_->contained != 0);
    if (may_be_stopped) {
      if (Clock::now() > asked + milliseconds(200) && is_stopped(watcher)) {
        kill_for_stopped(watcher);
        if (Clock::now() > asked + milliseconds(400)) break;
      }
      kill(watcher, SIGCONT);
    }
    pollfd polled{life_, POLLIN, 0};
    poll(&polled, 1, may_be_stopped ? 20 : 100);
  }
  if (!lost_ && watcher > 1) kill(watcher, SIGKILL);
  close_descriptor(life_);
  if (supervisor_ > 0) waitpid(std::exchange(supervisor_, -1), nullptr, 0);
}

void ChildProcess::finish() {
  close_descriptor(in_);
  const auto deadline = Clock::now() + milliseconds(500);
  if (life_ >= 0 && heard_ && heard_->what == LifeMessage::kStarted) wait_for_life(deadline);
  read_stderr();
  close_all();
}

Error ChildProcess::finish_with(Error error) {
  finish();
  if (error.code == ErrorCode::kTarget) error.message += last_lines(stderr_end_);
  return error;
}

void ChildProcess::read_stderr() {
  std::array<char, 65536> buffer;
  ssize_t got = 0;
  while (err_ >= 0 && (got = read(err_, buffer.data(), buffer.size())) > 0) {
    stderr_seen_ += static_cast<std::size_t>(got);
    if (limits_.hear_stderr) {
      limits_.hear_stderr(std::string_view(buffer.data(), static_cast<std::size_t>(got)));
    }
    for (std::string* kept : {&stderr_end_, &stderr_now_}) {
      kept->append(buffer.data(), static_cast<std::size_t>(got));
      if (kept->size() > kStderrKept) kept->erase(0, kept->size() - kStderrKept);
    }
    if (stderr_seen_ > limits_.stderr_bytes) return;
  }
  if (got == 0) close_descriptor(err_);
}

ChildFault ChildProcess::fault_of_ending() const {
  if (heard_->what == LifeMessage::kStarted) return ChildFault::kOther;
  if (heard_->what == LifeMessage::kExited) return ChildFault::kEnded;
  if (heard_->what == LifeMessage::kTooLarge || heard_->value == SIGKILL) {
    return ChildFault::kKilled;
  }
  return heard_->value == SIGXCPU ? ChildFault::kLate : ChildFault::kEnded;
}

std::string ChildProcess::ending() {
  // The child closes stdout a moment before it ends, or by a fault of its own.
  if (heard_->what == LifeMessage::kStarted) wait_for_life(Clock::now() + milliseconds(200));
  read_stderr();
  if (heard_->what != LifeMessage::kStarted) return status_text(*heard_, limits_.memory_bytes);
  return lost_ ? "lost the process that watches it" : "closed its standard output";
}

std::string ChildProcess::last_words() {
  read_stderr();
  return last_lines(stderr_end_);
}

Error ChildProcess::broken(Error error) {
  read_stderr();
  close_all();
  fault_text_ = error.message + last_line(stderr_now_);
  if (error.code == ErrorCode::kTarget) error.message += last_lines(stderr_end_);
  return error;
}

void ChildProcess::send_some(std::string_view& unsent) {
  const ssize_t sent = write(in_, unsent.data(), unsent.size());
  if (sent > 0) unsent.remove_prefix(static_cast<std::size_t>(sent));
  if (sent < 0 && errno != EAGAIN && errno != EINTR) {
    unsent = {};  // its output or its end gives the better message
  }
}

// Reads what stdout has now, up to `most` bytes. An error means that no more will come.
std::optional<Error> ChildProcess::read_some(std::size_t most) {
  std::array<char, 65536> buffer;
  ssize_t got = 0;
  while (received_.size() <= most && (got = read(out_, buffer.data(), buffer.size())) > 0) {
    received_.append(buffer.data(), static_cast<std::size_t>(got));
    if (static_cast<std::size_t>(got) < buffer.size() && !gone()) return std::nullopt;
  }
  if (received_.size() > most || (got != 0 && !gone())) return std::nullopt;
  const bool partial = !received_.empty();
  const std::string how = ending();
  fault_ = fault_of_ending();
  return trouble(how + (partial ? " in the middle of a line" : " before it answered"));
}

// Moves bytes until an answer is complete or there is a fault.
std::optional<Error> ChildProcess::pump(std::string_view& unsent, std::size_t most,
                                        const Framing& framing) {
  const auto deadline = Clock::now() + limits_.answer;
  std::optional<Error> ended;
  for (bool first = true;; first = false) {
    if (framing()) return std::nullopt;
    if (cancelled()) return interrupted();
    if (received_.size() > most) {
      fault_ = ChildFault::kOther;
      return trouble("sent a line of more than " + std::to_string(most) + " bytes");
    }
    if (ended) return ended;
    // Most messages fit into the pipe, and most answers are short and come soon. The first wait therefore leaves the
    // supervisor out, and is brief.
    if (first) send_some(unsent);
    const auto left =
        first ? limits_.answer : std::chrono::duration_cast<milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) {
      fault_ = ChildFault::kLate;
      const std::string allowed =
          std::to_string(std::chrono::duration<double>(limits_.answer).count()).substr(0, 5);
      return trouble("did not answer within " + allowed + " s: " +
                     (!speaks_lines_ ? "allow more time (--answer-time), or find out where it hangs"
                      : received_.empty()
                          ? "flush standard output after each answer, print(..., flush=True) in "
                            "Python, or allow more time (--answer-time)"
                          : "its answer has no end of line yet; an answer is one complete line"));
    }
    std::array<pollfd, 4> polled{{{out_, POLLIN, 0},
                                  {err_, POLLIN, 0},
                                  {unsent.empty() ? -1 : in_, POLLOUT, 0},
                                  {first ? -1 : life_, POLLIN, 0}}};
    const auto pause = std::min(left, first ? kFirstPause : kPollPause);
    if (poll(polled.data(), polled.size(), gone() ? 0 : static_cast<int>(pause.count())) < 0 &&
        errno != EINTR) {
      return trouble("cannot be waited for: " + system_reason(errno));
    }
    if (polled[1].revents != 0) read_stderr();
    if (stderr_seen_ > limits_.stderr_bytes) {
      return trouble("wrote more than " + std::to_string(limits_.stderr_bytes) +
                     " bytes to standard error before it answered");
    }
    if (polled[2].revents != 0) send_some(unsent);
    // Hears of its end before reading its last output, because a grandchild may hold the pipe open.
    if (polled[3].revents != 0) hear();
    if (polled[0].revents != 0 || gone()) ended = read_some(most);
  }
}

Result<std::string_view> ChildProcess::exchange(std::string_view message, std::size_t most,
                                                const Framing& framing) {
  fault_ = ChildFault::kOther;
  if (life_ < 0) return fail(ErrorCode::kTarget, "has ended");
  received_.erase(0, std::exchange(answered_, 0));
  searched_ = 0;
  stderr_seen_ = 0;
  stderr_now_.clear();
  if (auto error = pump(message, most, framing)) {
    if (error->code == ErrorCode::kInterrupted) fault_ = ChildFault::kNone;
    return tl::make_unexpected(broken(std::move(*error)));
  }
  answered_ = *framing();
  if (!message.empty()) {
    return tl::make_unexpected(broken(trouble("answered before it had read the request")));
  }
  fault_ = ChildFault::kNone;
  return std::string_view(received_).substr(0, answered_);
}

Result<std::string_view> ChildProcess::ask(std::string_view line) {
  if (!line.ends_with('\n')) return ask(std::string(line) + '\n');
  auto answer = exchange(line, limits_.line_bytes, [this]() -> std::optional<std::size_t> {
    const auto newline = received_.find('\n', searched_);
    searched_ = newline == std::string::npos ? received_.size() : newline;
    if (newline == std::string::npos) return std::nullopt;
    return newline + 1;
  });
  while (answer && !answer->empty() && (answer->back() == '\n' || answer->back() == '\r')) {
    answer->remove_suffix(1);
  }
  return answer;
}

Result<std::string_view> ChildProcess::listen() {
  auto lines = exchange({}, limits_.line_bytes, [this]() -> std::optional<std::size_t> {
    const auto newline = received_.rfind('\n');
    if (newline == std::string::npos) return std::nullopt;
    return newline + 1;
  });
  const bool ended_well = !lines && fault_ == ChildFault::kEnded &&
                          heard_->what == LifeMessage::kExited && heard_->value == 0;
  if (!ended_well) return lines;
  answered_ = received_.size();
  return std::string_view(received_);
}

Result<std::string_view> ChildProcess::ask_bytes(std::string_view message, std::size_t most) {
  auto answer = exchange(message, most + detail::kLengthBytes,
                         [&] { return detail::framed_bytes(received_, most); });
  if (answer) answer->remove_prefix(detail::kLengthBytes);
  return answer;
}

}  // namespace assay
