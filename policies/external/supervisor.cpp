#include "assay/policies/external/supervisor.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <string>
#include <utility>

namespace assay {
namespace {

// Blocks all signals during its lifetime, so that a process forked meanwhile runs no handler.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

// Closes all descriptors but these, which may have moved afterwards; 0, 1 and 2 then read and write
// nothing. A pipe of another child that stayed open here would never end there.
template <std::size_t n>
void keep_only(std::array<int*, n> kept) {
  std::array<int, n> sorted;
  for (std::size_t i = 0; i < n; ++i) {
    // Keeps clear of 0 to 2, which whoever runs Assay may have closed.
    if (*kept[i] <= STDERR_FILENO) *kept[i] = fcntl(*kept[i], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    sorted[i] = *kept[i];
  }
  std::sort(sorted.begin(), sorted.end());
  unsigned next = 0;
  for (const int descriptor : sorted) {
    const auto here = static_cast<unsigned>(descriptor);
    if (here > next) close_range(next, here - 1, 0);
    next = here + 1;
  }
  close_range(next, ~0U, 0);
  for (int i = STDIN_FILENO; i <= STDERR_FILENO; ++i) open("/dev/null", O_RDWR);
}

[[noreturn]] void run_child(const ChildEnds& ends, const ChildBody& body, pid_t supervisor,
                            int failed) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != supervisor) _exit(127);  // the supervisor ended before that took effect
  setpgid(0, 0);
  for (int number = 1; number < NSIG; ++number) std::signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const std::int32_t error = body(ends.in, ends.out, ends.err);
  static_cast<void>(!write(failed, &error, sizeof error));
  _exit(127);
}

void tell(int life, std::int32_t what, std::int32_t value) {
  const LifeMessage message{what, value, getpid()};
  send(life, &message, sizeof message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

// Kills this process's children, from the kernel's list. Returns false if there is no such list.
bool kill_children() {
  const int list = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
  if (list < 0) return false;
  std::array<char, 4096> text;
  pid_t number = 0;
  for (ssize_t got = 0; (got = read(list, text.data(), text.size())) > 0;) {
    for (ssize_t i = 0; i < got; ++i) {
      const char c = text[static_cast<std::size_t>(i)];
      if (c >= '0' && c <= '9') {
        number = 10 * number + (c - '0');
      } else if (number > 0) {
        kill(std::exchange(number, 0), SIGKILL);
      }
    }
  }
  if (number > 0) kill(number, SIGKILL);
  close(list);
  return true;
}

// Kills until there is no descendant, because the children of a killed process become ours. A
// leader of -1 (never forked) would stand for all processes.
void end_all(pid_t leader) {
  if (leader > 1) {
    kill(-leader, SIGKILL);
    kill(leader, SIGKILL);
  }
  for (int round = 0; round < 10'000; ++round) {
    const bool listed = kill_children();
    pid_t ended = 0;
    while ((ended = waitpid(-1, nullptr, WNOHANG)) > 0) {
    }
    if (ended < 0 || (!listed && round > 100)) return;
    const timespec pause{0, 1'000'000};
    nanosleep(&pause, nullptr);
  }
}

// Reaps orphans and reports how the leader ended. The leader stays unreaped until the end, so that
// no other process group gets its number.
void reap(pid_t leader, int life, bool& told) {
  while (true) {
    siginfo_t info{};
    if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) return;
    if (info.si_pid == leader) {
      if (std::exchange(told, true)) return;
      tell(life, info.si_code == CLD_EXITED ? LifeMessage::kExited : LifeMessage::kKilled,
           info.si_status);
      return;
    }
    waitpid(info.si_pid, nullptr, 0);
  }
}

// Called with all signals blocked.
[[noreturn]] void supervise(ChildEnds ends, const ChildBody& body) {
  setpgid(0, 0);  // so that only Assay gets a Ctrl-C
  std::signal(SIGCHLD, SIG_DFL);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  keep_only(std::array{&ends.in, &ends.out, &ends.err, &ends.life});
  std::array<int, 2> failed{-1, -1};
  if (pipe2(failed.data(), O_CLOEXEC) != 0) {
    tell(ends.life, LifeMessage::kStarted, errno);
    _exit(0);
  }
  const pid_t self = getpid();
  const pid_t leader = fork();
  if (leader == 0) {
    close(ends.life);
    close(failed[0]);
    run_child(ends, body, self, failed[1]);
  }
  const int fork_error = errno;
  for (const int descriptor : {failed[1], ends.in, ends.out, ends.err}) close(descriptor);
  std::int32_t error = leader < 0 ? fork_error : 0;
  if (leader > 0) {
    setpgid(leader, leader);  // parent or child, whichever is first; the group exists from here on
    static_cast<void>(!read(failed[0], &error, sizeof error));
  }
  close(failed[0]);
  tell(ends.life, LifeMessage::kStarted, error);
  if (leader < 0) _exit(0);
  sigset_t children;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  const int signals = signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
  bool told = false;
  while (error == 0) {
    reap(leader, ends.life, told);
    std::array<pollfd, 2> polled{{{ends.life, POLLIN, 0}, {signals, POLLIN, 0}}};
    poll(polled.data(), polled.size(), signals < 0 ? 100 : -1);
    if (polled[0].revents != 0) break;  // no one is left to wait for the child
    signalfd_siginfo ignored;
    while (read(signals, &ignored, sizeof ignored) > 0) {
    }
  }
  end_all(leader);
  _exit(0);
}

constexpr std::size_t kEnds = 4;

union EndsMessage {
  cmsghdr header;
  std::array<char, CMSG_SPACE(kEnds * sizeof(int))> space;
};

// The four ends as one message, with the byte that carries them.
msghdr ends_message(iovec& carrier, EndsMessage& control) {
  msghdr message{};
  message.msg_iov = &carrier;
  message.msg_iovlen = 1;
  message.msg_control = control.space.data();
  message.msg_controllen = control.space.size();
  return message;
}

[[noreturn]] void serve_forks(int control, const ChildBody& body) {
  setpgid(0, 0);
  std::signal(SIGCHLD, SIG_IGN);  // supervisors need no reaping
  keep_only(std::array{&control});
  while (true) {
    char byte = 0;
    iovec carrier{&byte, 1};
    EndsMessage space{};
    msghdr message = ends_message(carrier, space);
    const ssize_t got = recvmsg(control, &message, MSG_CMSG_CLOEXEC);
    if (got <= 0) _exit(0);
    const cmsghdr* header = CMSG_FIRSTHDR(&message);
    if (header == nullptr || header->cmsg_len != CMSG_LEN(kEnds * sizeof(int))) _exit(1);
    std::array<int, kEnds> ends;
    std::memcpy(ends.data(), CMSG_DATA(header), sizeof ends);
    // A failed fork closes `life`, which is report enough.
    fork_supervisor({ends[0], ends[1], ends[2], ends[3]}, body);
    for (const int end : ends) close(end);
  }
}

}  // namespace

pid_t fork_supervisor(const ChildEnds& ends, const ChildBody& body) {
  const SignalsBlocked blocked;
  const pid_t process = fork();
  if (process == 0) supervise(ends, body);
  return process;
}

Result<std::shared_ptr<const ForkServer>> ForkServer::start(const ChildBody& body) {
  std::array<int, 2> control{-1, -1};
  pid_t process = -1;
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control.data()) == 0) {
    const SignalsBlocked blocked;
    process = fork();
    if (process == 0) serve_forks(control[1], body);
  }
  const int error = errno;
  if (control[1] >= 0) close(control[1]);
  if (process < 0) {
    if (control[0] >= 0) close(control[0]);
    return fail(ErrorCode::kTarget, std::string("cannot fork: ") + std::strerror(error));
  }
  return std::shared_ptr<const ForkServer>(new ForkServer(control[0], process));
}

ForkServer::~ForkServer() {
  shutdown(control_, SHUT_RDWR);  // ends it even if another process holds a copy
  close(control_);
  waitpid(process_, nullptr, 0);
}

bool ForkServer::fork_child(const ChildEnds& ends) const {
  const std::array<int, kEnds> descriptors{ends.in, ends.out, ends.err, ends.life};
  char byte = 0;
  iovec carrier{&byte, 1};
  EndsMessage space{};
  msghdr message = ends_message(carrier, space);
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof descriptors);
  std::memcpy(CMSG_DATA(header), descriptors.data(), sizeof descriptors);
  return sendmsg(control_, &message, MSG_NOSIGNAL) >= 0;
}

}  // namespace assay
