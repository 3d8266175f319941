// A system that grants no namespaces, for a part of a test: children of Assay then start without (supervisor.hpp).
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <functional>

#include "assay/tests/support/child.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {

// From now on clone() for a new PID namespace fails in this process and its children, as in most containers.
inline bool refuse_namespaces() {
  constexpr auto kArgument = offsetof(seccomp_data, args);
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kArgument),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_NEWPID, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{sizeof code / sizeof code[0], code};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

// Makes the checks in a fork, for which `prepare` returns true. Their failures fail the test.
inline void in_a_fork(const std::function<bool()>& prepare, const std::function<void()>& checks) {
  Child child([&] {
    if (!prepare()) return 77;
    checks();
    std::fflush(stdout);
    return ::testing::Test::HasFailure() ? 1 : 0;
  });
  const int status = child.wait();
  if (status == 77) GTEST_SKIP() << "it cannot be prepared here";
  EXPECT_EQ(status, 0);
}
inline void without_namespaces(const std::function<void()>& checks) {
  in_a_fork(refuse_namespaces, checks);
}

}  // namespace assay
