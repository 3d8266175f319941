// A process between Assay and an untrusted program, which leaves nothing behind.
//
// Assay forks the supervisor, which forks the child. Orphans of the child become the supervisor's own
// (PR_SET_CHILD_SUBREAPER), so that it also finds grandchildren that leave the process group or the session. Once
// Assay closes its end of `life`, on purpose or because Assay has died, the supervisor kills and reaps the child and
// every descendant, and ends. If the supervisor itself is killed, the child dies with it (PR_SET_PDEATHSIG), but
// processes that the child had started do not. The supervisor never reads or writes the child's messages.
//
// Threads: forking is allowed while threads run, because only system calls happen between the fork and the child's
// body. A body that does more than exec needs a ForkServer, which forks from a process of one thread. Cost: two forks
// a child.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "assay/mechanisms/core/result.hpp"

namespace assay {

// The far ends of a child's streams, and of the socket to its supervisor (SOCK_SEQPACKET).
struct ChildEnds {
  int in = -1;
  int out = -1;
  int err = -1;
  int life = -1;
};

// A message of the supervisor over `life`: first how the start went, then how the child ended.
struct LifeMessage {
  enum What : std::int32_t { kStarted, kExited, kKilled };
  std::int32_t what = kStarted;
  std::int32_t value = 0;       // an errno, 0 for a good start; an exit status; a signal
  std::int32_t supervisor = 0;  // the process id of the supervisor
};

// The function that runs in the child, which leads a process group of its own and has the signals of a fresh program.
// It either execs or never returns. If it does return, its errno says why there is no program to run. It must close
// every descriptor except the three given ones, as exec does.
using ChildBody = std::function<int(int in, int out, int err)>;

// Forks the supervisor of a new child; the caller closes the ends and reaps it. Returns -1 on failure, with errno.
int fork_supervisor(const ChildEnds& ends, const ChildBody& body);

// A process of one thread that forks supervised children later. It is a copy of the caller at the time when the caller
// started it.
class ForkServer {
 public:
  static Result<std::shared_ptr<const ForkServer>> start(const ChildBody& body);
  ~ForkServer();
  ForkServer(const ForkServer&) = delete;
  ForkServer& operator=(const ForkServer&) = delete;

  // Returns false, with errno, if the server has ended.
  bool fork_child(const ChildEnds& ends) const;

 private:
  ForkServer(int control, int process) : control_(control), process_(process) {}
  int control_;
  int process_;
};

}  // namespace assay
