// A child process of a test, and nothing but it is signalled.
//
// kill(-1, ...) reaches every process of the user, kill(0, ...) the caller's group, and a number that was
// reaped may be another's by then. So the number stays in here: a signal goes to a child that was started
// and is not reaped yet, and whoever owns the object waits for its end.
#pragma once

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "assay/tests/support/testing.hpp"

namespace assay {

class Child {
 public:
  // Runs `body` in a fork; its status is what that returns. Where there is no fork the test fails, and
  // the object is no process.
  explicit Child(const std::function<int()>& body, pid_t (*fork_call)() = ::fork)
      : process_(fork_call()) {
    if (process_ == 0) run(body);
    if (process_ < 0) ADD_FAILURE() << "cannot fork: " << std::strerror(errno);
  }
  // A program, which writes into these files.
  Child(const std::vector<std::string>& words, const std::string& out, const std::string& err)
      : Child([&] { return execute(words, out, err); }) {}
  ~Child() {
    signal(SIGKILL);
    wait();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // -1: no process, or it was reaped.
  pid_t id() const { return process_; }

  // False where there is no process to signal.
  bool signal(int number) const { return process_ > 0 && kill(process_, number) == 0; }

  // Whether it has not ended; one that has is not reaped here.
  bool running() const {
    siginfo_t info{};
    return process_ > 0 &&
           waitid(P_PID, static_cast<id_t>(process_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == 0;
  }

  // Whether it has a handler for this signal.
  bool catches(int number) const {
    auto status = page("status");
    for (std::string word; status >> word;) {
      if (word != "SigCgt:") continue;
      std::uint64_t mask = 0;
      status >> std::hex >> mask;
      return (mask >> (number - 1) & 1) != 0;
    }
    return false;
  }

  // Of all its threads, also those that have ended, but not of its children; to a hundredth of a second.
  double processor_seconds() const {
    std::string text;
    std::getline(page("stat"), text);
    std::istringstream fields(text.substr(text.rfind(')') + 1));
    std::string skipped;
    for (int field = 3; field < 14; ++field) fields >> skipped;
    double user = 0.0, system = 0.0;
    fields >> user >> system;
    return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
  }

  // Its exit status, or 128 + the signal that ended it; -1: no process.
  int wait() {
    int status = 0;
    const pid_t child = process_;
    process_ = -1;
    if (child <= 0) return -1;
    while (waitpid(child, &status, 0) != child) {
      if (errno != EINTR) return -1;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  std::ifstream page(const char* name) const {
    return std::ifstream("/proc/" + std::to_string(process_) + "/" + name);
  }

  [[noreturn]] static void run(const std::function<int()>& body) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    try {
      _exit(body());
    } catch (...) {  // it would go on as the test
      _exit(125);
    }
  }

  static int execute(const std::vector<std::string>& words, const std::string& out,
                     const std::string& err) {
    std::vector<char*> argv;
    for (const auto& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    for (const auto& [file, stream] : {std::pair(&out, STDOUT_FILENO), {&err, STDERR_FILENO}}) {
      if (dup2(open(file->c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), stream) < 0) return 126;
    }
    execv(argv[0], argv.data());
    return 127;
  }

  pid_t process_;
};

}  // namespace assay
