#include "assay/policies/external/supervisor.hpp"

#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstring>
#include <ctime>
#include <string>
#include <string_view>
#include <utility>

#include "assay/policies/external/adapters.hpp"
#include "assay/policies/external/internal/descriptors.hpp"
#include "assay/policies/external/internal/process_tree.hpp"

namespace assay {
namespace {

using std::chrono::milliseconds;

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
  int next = 0;
  for (const int descriptor : sorted) {
    detail::close_between(next, descriptor);
    next = descriptor + 1;
  }
  closefrom(next);
  for (int i = STDIN_FILENO; i <= STDERR_FILENO; ++i) open("/dev/null", O_RDWR);
}

void lower_limit(decltype(RLIMIT_FSIZE) what, rlim_t most) {
  rlimit limit{};
  if (getrlimit(what, &limit) != 0) return;
  limit.rlim_max = std::min(limit.rlim_max, most);
  limit.rlim_cur = std::min(limit.rlim_cur, most);
  setrlimit(what, &limit);
}

[[noreturn]] void run_child(const ChildEnds& ends, const ChildBody& body, pid_t parent,
                            int failed) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);  // it ended before that took effect
  setpgid(0, 0);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  lower_limit(RLIMIT_FSIZE, kMostFileBytes);
  for (int number = 1; number < NSIG; ++number) std::signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const std::int32_t error = body(ends.in, ends.out, ends.err);
  static_cast<void>(!write(failed, &error, sizeof error));
  _exit(127);
}

// The supervisor's end of the socket to Assay.
struct Life {
  int socket = -1;
  bool contained = false;

  void tell(std::int32_t what, std::int32_t value) const {
    const LifeMessage message{what, value, getpid(), contained ? 1 : 0};
    send(socket, &message, sizeof message, MSG_NOSIGNAL | MSG_DONTWAIT);
  }
};

detail::ProcessTree& tree() {
  static detail::ProcessTree only;  // too large for a stack; a supervisor has one thread
  return only;
}

// Kills until there is no descendant, because the children of a killed process become ours. A
// leader of -1 (never forked) would stand for all processes.
void end_all(pid_t leader) {
  if (leader > 1) {
    kill(-leader, SIGKILL);
    kill(leader, SIGKILL);
  }
  for (int round = 0; round < 10'000; ++round) {
    const bool listed = tree().look(getpid());
    tree().kill_descendants();
    pid_t ended = 0;
    while ((ended = waitpid(-1, nullptr, WNOHANG)) > 0) {
    }
    if (ended < 0 || (!listed && round > 100)) return;
    const timespec pause{0, 1'000'000};
    nanosleep(&pause, nullptr);
  }
}

// How a process ended, in the words of LifeMessage.
struct ChildEnd {
  std::int32_t what = LifeMessage::kKilled;
  std::int32_t value = SIGKILL;
};
ChildEnd end_of(const siginfo_t& info) {
  return {info.si_code == CLD_EXITED ? LifeMessage::kExited : LifeMessage::kKilled, info.si_status};
}

// ---- a namespace of its own

bool write_text(const char* file, std::string_view text) {
  const int opened = open(file, O_WRONLY | O_CLOEXEC);
  if (opened < 0) return false;
  const bool written = write(opened, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  close(opened);
  return written;
}

// Maps an id to itself. Those of others stay what they are for the rights to files.
bool map_to_itself(const char* file, unsigned id) {
  std::array<char, 32> text{};
  char* at = std::to_chars(text.data(), text.data() + 10, id).ptr;
  *at++ = ' ';
  at = std::to_chars(at, at + 10, id).ptr;
  *at++ = ' ';
  *at++ = '1';
  return write_text(file, {text.data(), static_cast<std::size_t>(at - text.data())});
}

struct Capabilities {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> sets{};

  bool none() {  // of this process
    if (syscall(SYS_capget, &header, sets.data()) != 0) return false;
    return std::all_of(sets.begin(), sets.end(), [](const __user_cap_data_struct& set) {
      return (set.effective | set.permitted | set.inheritable) == 0;
    });
  }
};

// A /proc that shows the processes of the new namespace alone, as the one before was mounted.
bool mount_proc() {
  constexpr decltype(std::declval<struct statfs>().f_type) kProc = 0x9fa0;
  struct statfs before {};
  if (statfs("/proc", &before) != 0 || before.f_type != kProc) return false;
  if (mount("none", "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0) return false;
  unsigned long flags = MS_NOSUID | MS_NODEV | MS_NOEXEC;
  if ((before.f_flags & ST_RDONLY) != 0) flags |= MS_RDONLY;
  if ((before.f_flags & ST_NOATIME) != 0) flags |= MS_NOATIME;
  return mount("proc", "/proc", "proc", flags, nullptr) == 0;
}

// Mounts a file or folder over itself, as it is but read-only. What does not exist stays as it is.
bool make_read_only(const char* path) {
  struct statvfs before {};
  if (statvfs(path, &before) != 0) return errno == ENOENT;
  if (mount(path, path, nullptr, MS_BIND | MS_REC, nullptr) != 0) return false;
  unsigned long flags = MS_REMOUNT | MS_BIND | MS_RDONLY;
  constexpr std::pair<unsigned long, unsigned long> kKept[] = {{ST_NOSUID, MS_NOSUID},
                                                               {ST_NODEV, MS_NODEV},
                                                               {ST_NOEXEC, MS_NOEXEC},
                                                               {ST_NOATIME, MS_NOATIME},
                                                               {ST_NODIRATIME, MS_NODIRATIME}};
  for (const auto& [had, keeps] : kKept) flags |= (before.f_flag & had) != 0 ? keeps : 0;
  return mount(nullptr, path, nullptr, flags, nullptr) == 0;
}

// Mounts a folder with the module for Python, which nobody can write.
bool place_module(std::string_view text) {
  constexpr unsigned long kFlags = MS_NOSUID | MS_NODEV | MS_NOEXEC;
  if (mount("tmpfs", kModuleInNamespace, "tmpfs", kFlags, "size=1m,mode=755") != 0) return false;
  const int folder = open(kModuleInNamespace, O_PATH | O_DIRECTORY | O_CLOEXEC);
  const int file = openat(folder, "assay_target.py", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  const bool written = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  close(file);
  close(folder);
  return written && mount(nullptr, kModuleInNamespace, nullptr,
                          kFlags | MS_REMOUNT | MS_BIND | MS_RDONLY, nullptr) == 0;
}

// The supervisor as its child's init sees it, from before the namespace.
struct Outside {
  uid_t user = geteuid();
  gid_t group = getegid();
  pid_t process = getpid();
  int dumpable = prctl(PR_GET_DUMPABLE);
};

// From here on init says what follows over `reports`: an errno (0: the child was forked), then a ChildEnd. It ends
// without a word if the system refuses the namespace.
[[noreturn]] void be_init(const Outside& outside, bool new_user, const ChildEnds& ends,
                          const ChildBody& body, const ChildTerms& terms, int reports, int failed) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  pollfd readers{reports, 0, 0};
  if (poll(&readers, 1, 0) != 0) _exit(1);  // the supervisor ended before that took effect
  if (new_user && !(write_text("/proc/self/setgroups", "deny") &&
                    map_to_itself("/proc/self/uid_map", outside.user) &&
                    map_to_itself("/proc/self/gid_map", outside.group))) {
    _exit(1);
  }
  if (!mount_proc() || !(terms.module.empty() || place_module(terms.module))) _exit(1);
  for (const std::string& path : terms.read_only) {
    if (!make_read_only(path.c_str())) _exit(1);
  }
  std::array<char, 16> last{};
  const auto digits = std::to_chars(last.data(), last.data() + last.size(), outside.process - 1);
  if (!write_text("/proc/sys/kernel/ns_last_pid",
                  {last.data(), static_cast<std::size_t>(digits.ptr - last.data())})) {
    _exit(1);
  }
  prctl(PR_SET_DUMPABLE, 0);  // no process of the same user may attach to it
  const pid_t leader = fork();
  if (leader == 0) {
    prctl(PR_SET_DUMPABLE, outside.dumpable);
    if (new_user) {  // those of a plug-in; exec would drop them anyway
      Capabilities empty;
      syscall(SYS_capset, &empty.header, empty.sets.data());
    }
    run_child(ends, body, 1, failed);
  }
  const std::int32_t error = leader < 0 ? errno : 0;
  if (leader > 0) setpgid(leader, leader);
  if (write(reports, &error, sizeof error) != sizeof error) _exit(1);
  detail::close_between(0, reports);
  closefrom(reports + 1);
  siginfo_t info{};
  while (waitid(P_ALL, 0, &info, WEXITED) == 0 || errno == EINTR) {
    if (info.si_pid != leader) continue;
    const ChildEnd end = end_of(info);
    if (write(reports, &end, sizeof end) != sizeof end) _exit(1);
  }
  while (true) pause();  // until it is killed, with all that is left
}

// ---- the supervisor

class Supervisor {
 public:
  Supervisor(const ChildEnds& ends, const ChildBody& body, const ChildTerms& terms)
      : ends_(ends), body_(body), terms_(terms), life_{ends.life} {}

  // Called with all signals blocked.
  [[noreturn]] void run() {
    std::array<int, 2> failed{-1, -1};
    if (pipe2(failed.data(), O_CLOEXEC) != 0) {
      life_.tell(LifeMessage::kStarted, errno);
      _exit(0);
    }
    std::int32_t error = 0;
    life_.contained = fork_contained(failed[1], error);
    if (!life_.contained) error = fork_plain(failed[1]);
    for (const int descriptor : {failed[1], ends_.in, ends_.out, ends_.err}) close(descriptor);
    if (error == 0) static_cast<void>(!read(failed[0], &error, sizeof error));
    close(failed[0]);
    life_.tell(LifeMessage::kStarted, error);
    if (error == 0) watch();
    end();
    _exit(0);
  }

 private:
  std::int32_t fork_plain(int failed) {
    const pid_t self = getpid();
    root_ = fork();
    if (root_ == 0) {
      close(ends_.life);
      run_child(ends_, body_, self, failed);
    }
    if (root_ < 0) return errno;
    setpgid(root_, root_);  // parent or child, whichever is first; the group exists from here on
    return 0;
  }

  // Returns false if the system refuses a namespace.
  bool fork_contained(int failed, std::int32_t& error) {
    std::array<int, 2> reports{-1, -1};
    if (pipe2(reports.data(), O_CLOEXEC) != 0) return false;
    const Outside outside;
    constexpr unsigned long kFlags = CLONE_NEWPID | CLONE_NEWNS | SIGCHLD;
    bool new_user = false;
    long init = syscall(SYS_clone, kFlags, nullptr, nullptr, nullptr, nullptr);
    // A user namespace takes away the rights that go with capabilities.
    if (init < 0 && errno == EPERM && Capabilities().none()) {
      new_user = true;
      init = syscall(SYS_clone, kFlags | CLONE_NEWUSER, nullptr, nullptr, nullptr, nullptr);
    }
    if (init == 0) {
      close(ends_.life);
      close(reports[0]);
      be_init(outside, new_user, ends_, body_, terms_, reports[1], failed);
    }
    close(reports[1]);
    if (init > 0 && read(reports[0], &error, sizeof error) == sizeof error) {
      root_ = static_cast<pid_t>(init);
      reports_ = reports[0];
      fcntl(reports_, F_SETFL, O_NONBLOCK);
      return true;
    }
    close(reports[0]);
    if (init > 0) waitpid(static_cast<pid_t>(init), nullptr, 0);
    return false;
  }

  // Until nobody is left to wait for the child.
  void watch() {
    sigset_t children;
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    const int signals = signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
    std::array<pollfd, 3> polled{};
    while (polled[0].revents == 0) {
      life_.contained ? hear_of_end() : reap();
      milliseconds pause = look_at_memory();
      if (signals < 0) pause = std::min(pause, milliseconds(100));
      polled = {{{life_.socket, POLLIN, 0}, {signals, POLLIN, 0}, {reports_, POLLIN, 0}}};
      poll(polled.data(), polled.size(), pause == kNever ? -1 : static_cast<int>(pause.count()));
      signalfd_siginfo ignored;
      while (read(signals, &ignored, sizeof ignored) > 0) {
      }
    }
  }

  void tell_end(const ChildEnd& end) {
    if (!std::exchange(told_, true)) life_.tell(end.what, end.value);
  }

  // Reaps orphans. The leader stays unreaped until the end, so that no other process group gets its number.
  void reap() {
    while (true) {
      siginfo_t info{};
      if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) return;
      if (info.si_pid == root_) return tell_end(end_of(info));
      waitpid(info.si_pid, nullptr, 0);
    }
  }

  void hear_of_end() {
    ChildEnd end;
    const ssize_t got = reports_ < 0 ? -1 : read(reports_, &end, sizeof end);
    if (got < 0) return;
    tell_end(got == sizeof end ? end : ChildEnd{});  // without a word somebody killed init
    if (got == 0) close(std::exchange(reports_, -1));
  }

  // Ends everything if it holds too much. Returns the time until the next look.
  milliseconds look_at_memory() {
    constexpr milliseconds kSoonest{50}, kLatest{250};
    constexpr int kOfTheTime = 100;  // a look may take a part of it
    if (terms_.memory == 0 || root_ <= 0) return kNever;
    const auto now = Clock::now();
    if (now >= next_look_) {
      tree().look(root_);
      if (tree().holds_more_than(terms_.memory, !life_.contained)) {
        tell_end({LifeMessage::kTooLarge, 0});
        end();
        return kNever;
      }
      const auto cost = std::chrono::duration_cast<milliseconds>(kOfTheTime * (Clock::now() - now));
      next_look_ = now + std::clamp(cost, kSoonest, kLatest);
    }
    return std::chrono::ceil<milliseconds>(next_look_ - now);
  }

  void end() {
    const pid_t root = std::exchange(root_, -1);
    if (!life_.contained) return end_all(root);
    if (root <= 0) return;
    kill(root, SIGKILL);
    waitpid(root, nullptr, 0);  // returns once all processes of the namespace have ended
  }

  using Clock = std::chrono::steady_clock;
  static constexpr milliseconds kNever = milliseconds::max();

  const ChildEnds& ends_;
  const ChildBody& body_;
  const ChildTerms& terms_;
  Life life_;
  pid_t root_ = -1;   // the child, or init in its namespace
  int reports_ = -1;  // of init
  bool told_ = false;
  Clock::time_point next_look_ = Clock::now() + milliseconds(50);
};

[[noreturn]] void supervise(ChildEnds ends, const ChildBody& body, const ChildTerms& terms) {
  setpgid(0, 0);  // so that only Assay gets a Ctrl-C
  std::signal(SIGCHLD, SIG_DFL);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  keep_only(std::array{&ends.in, &ends.out, &ends.err, &ends.life});
  Supervisor(ends, body, terms).run();
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

[[noreturn]] void serve_forks(int control, const ChildBody& body, const ChildTerms& terms) {
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
    fork_supervisor({ends[0], ends[1], ends[2], ends[3]}, body, terms);
    for (const int end : ends) close(end);
  }
}

}  // namespace

pid_t fork_supervisor(const ChildEnds& ends, const ChildBody& body, const ChildTerms& terms) {
  const SignalsBlocked blocked;
  const pid_t process = fork();
  if (process == 0) supervise(ends, body, terms);
  return process;
}

Result<std::shared_ptr<const ForkServer>> ForkServer::start(const ChildBody& body,
                                                            const ChildTerms& terms) {
  std::array<int, 2> control{-1, -1};
  pid_t process = -1;
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control.data()) == 0) {
    const SignalsBlocked blocked;
    process = fork();
    if (process == 0) serve_forks(control[1], body, terms);
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
