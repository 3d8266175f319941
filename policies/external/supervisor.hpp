// A process between Assay and a program that is not trusted: it leaves nothing behind.
//
// The supervisor is forked by Assay and forks the child. Orphans of the child become its own
// (PR_SET_CHILD_SUBREAPER), so that grandchildren that leave the process group, or the session, are
// found. Once Assay closes its end of `life`, by will or by its own death of whatever kind, it kills
// and reaps the child and every descendant, and ends. Should the supervisor itself be killed, the
// child dies with it (PR_SET_PDEATHSIG), though not what the child had started. It reads and writes
// nothing of what the child says.
//
// Threads: forking is allowed with threads running; between fork and the child's body only system
// calls are made. A body that does more than to exec belongs into a ForkServer, which forks from a
// process of one thread. Cost: two forks a child.
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

// What the supervisor says over `life`: first how the start went, then how the child ended.
struct LifeMessage {
  enum What : std::int32_t { kStarted, kExited, kKilled };
  std::int32_t what = kStarted;
  std::int32_t value = 0;       // an errno, 0 for a good start; an exit status; a signal
  std::int32_t supervisor = 0;  // its process
};

// Runs in the child, leader of a process group of its own, signals as in a fresh program. Either
// execs or never returns; an errno returned says why there is no program to run. It has to close
// every descriptor beyond the three given, as exec does.
using ChildBody = std::function<int(int in, int out, int err)>;

// Forks the supervisor of a new child; the caller closes the ends and reaps it. -1: errno says why.
int fork_supervisor(const ChildEnds& ends, const ChildBody& body);

// Forks supervised children later as a process of one thread, as the caller was when it started it.
class ForkServer {
 public:
  static Result<std::shared_ptr<const ForkServer>> start(const ChildBody& body);
  ~ForkServer();
  ForkServer(const ForkServer&) = delete;
  ForkServer& operator=(const ForkServer&) = delete;

  // False, with errno: the server is gone.
  bool fork_child(const ChildEnds& ends) const;

 private:
  ForkServer(int control, int process) : control_(control), process_(process) {}
  int control_;
  int process_;
};

}  // namespace assay
