// Who is signalled where a process could not be forked, or is gone: nobody.
#include <fcntl.h>
#include <grp.h>
#include <gtest/gtest-spi.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "assay/policies/external/child_process.hpp"
#include "assay/tests/support/child.hpp"
#include "assay/tests/support/no_namespaces.hpp"
#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

int wait_to_be_killed() {
  for (;;) pause();
}

// Signal 0 asks whether there is somebody: kill(-1, 0) would find the witness, and say so.
TEST(ChildOfATest, ThatWasNotForkedIsNobodyToSignal) {
  Child witness(wait_to_be_killed);
  Child* none = nullptr;
  EXPECT_NONFATAL_FAILURE(none = new Child([] { return 0; },
                                           [] {
                                             errno = EAGAIN;
                                             return pid_t{-1};
                                           }),
                          "cannot fork: Resource temporarily unavailable");
  EXPECT_FALSE(none->signal(0));
  EXPECT_FALSE(none->running());
  EXPECT_EQ(none->wait(), -1);
  delete none;
  EXPECT_TRUE(witness.signal(0));
  EXPECT_TRUE(witness.running());
}

TEST(ChildOfATest, ThatWasReapedIsNobodyToSignal) {
  Child child([] { return 7; });
  EXPECT_EQ(child.wait(), 7);
  EXPECT_EQ(child.id(), -1);
  EXPECT_FALSE(child.signal(0));
  EXPECT_EQ(child.wait(), -1);
}

TEST(ChildOfATest, EndsWithTheObject) {
  pid_t number = 0;
  {
    const Child child(wait_to_be_killed);
    number = child.id();
    EXPECT_TRUE(child.running());
  }
  EXPECT_EQ(read_file("/proc/" + std::to_string(number) + "/stat"), "");
}

// A user of no other process, who may have ever more processes: first the supervisor cannot be forked,
// then the child below it, then both can.
TEST(FailedForks, OfAChildAndItsSupervisorAreErrorsAndSignalNobody) {
  if (geteuid() != 0) GTEST_SKIP() << "the limit is for other users than this one";
  constexpr int kNoOtherUser = 77;
  Child user([] {
    constexpr uid_t kUser = 61'234;
    if (setgroups(0, nullptr) != 0 || setresgid(kUser, kUser, kUser) != 0 ||
        setresuid(kUser, kUser, kUser) != 0) {
      return kNoOtherUser;
    }
    Child witness(wait_to_be_killed);  // whom this user may signal
    int failed = 0;
    for (rlim_t most = 2; most < 20; ++most) {
      const rlimit limit{most, 20};
      if (setrlimit(RLIMIT_NPROC, &limit) != 0) return 2;
      const auto child = ChildProcess::start({"/bin/true"}, {});
      if (!witness.running()) return 3;
      if (child) return failed >= 2 ? 0 : 4;
      ++failed;
      if (child.error().message != "cannot start '/bin/true': Resource temporarily unavailable") {
        return 5;
      }
    }
    return 6;
  });
  const int status = user.wait();
  if (status == kNoOtherUser) GTEST_SKIP() << "no other user can be had here";
  EXPECT_EQ(status, 0);
}

bool waited_for(const std::string& file) {
  for (int i = 0; i < 400 && !fs::exists(file); ++i) usleep(25'000);
  return fs::exists(file);
}

volatile sig_atomic_t was_continued = 0;

// Becomes the process with that number, and tells whether it was sent SIGCONT until it is to end.
void take_number(pid_t number, const TemporaryFolder& folder) {
  while (kill(number, 0) == 0) usleep(1000);
  for (int i = 0; i < 100; ++i) {
    if (!(std::ofstream("/proc/sys/kernel/ns_last_pid") << number - 1).flush()) break;
    const pid_t process = fork();
    if (process != 0) continue;
    if (getpid() != number) _exit(0);
    std::signal(SIGCONT, [](int) { was_continued = 1; });
    folder.write("taken", "");
    waited_for(folder.file("end"));
    folder.write(was_continued != 0 ? "continued" : "left alone", "");
    folder.write("told", "");
    _exit(0);
  }
}

// A child kills the process that watches it, and another process gets its number before Assay looks: only
// a fork server's children can, for Assay does not reap their supervisors.
void expect_nobody_signalled_by_number() {
  const TemporaryFolder folder;
  const ChildBody body = [&](int in, int out, int err) -> int {
    dup2(in, STDIN_FILENO), dup2(out, STDOUT_FILENO), dup2(err, STDERR_FILENO);
    close_range(STDERR_FILENO + 1, ~0U, 0);
    const pid_t watcher = getppid();
    if (fork() == 0) {
      setsid();
      take_number(watcher, folder);
      _exit(0);
    }
    char request = 0;
    if (read(STDIN_FILENO, &request, 1) != 1 || write(STDOUT_FILENO, "here\n", 5) != 5) return 1;
    waited_for(folder.file("go"));
    if (watcher > 1 && getppid() == watcher) kill(watcher, SIGKILL);
    return wait_to_be_killed();
  };
  const auto server = must(ForkServer::start(body));
  {
    auto child = must(ChildProcess::start(*server, {}));
    EXPECT_EQ(child.ask("?").value_or("nothing"), "here");
    folder.write("go", "");
    if (!waited_for(folder.file("taken"))) GTEST_SKIP() << "no number can be chosen here";
  }
  folder.write("end", "");
  ASSERT_TRUE(waited_for(folder.file("told")));
  EXPECT_TRUE(fs::exists(folder.file("left alone")));
}

TEST(Supervisors, WhoIsGoneIsNotSignalledByItsNumber) {
  if (std::getenv("ASSAY_TEST_NAMESPACE") == nullptr) {
    GTEST_SKIP() << "numbers are chosen in a namespace of its own alone";
  }
  without_namespaces(expect_nobody_signalled_by_number);
}

}  // namespace
}  // namespace assay
