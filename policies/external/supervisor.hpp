// A process between Assay and an untrusted program, which leaves nothing behind.
//
// Assay forks the supervisor, which starts the child as the first program of a PID namespace of its own (for a user
// without privileges also a user namespace, which maps the user to itself, and in both a mount namespace with a /proc
// that shows the same processes). In between is the namespace's init, which reaps orphans and says how the child
// ended. The child can neither see nor signal Assay, the supervisor or another child. Once Assay closes its end of
// `life`, on purpose or because Assay has died, the supervisor kills init, and the kernel ends all processes of the
// namespace with it; the same if the supervisor is killed (PR_SET_PDEATHSIG of init). The child's process id is the
// supervisor's, so that it is not the same in every child.
//
// If the system refuses any of this, the child is started without: orphans of the child become the supervisor's own
// (PR_SET_CHILD_SUBREAPER), which finds and kills them in the end. A child that clears its parent-death signal and
// kills the supervisor then survives it.
//
// In both cases the child can gain no privileges by exec, writes no file beyond kMostFileBytes, and is killed if it and
// its descendants hold more memory than is allowed (process_tree.hpp; looked at every 50 ms). The supervisor never
// reads or writes the child's messages.
//
// Threads: forking is allowed while threads run, because only system calls happen between the fork and the child's
// body. A body that does more than exec needs a ForkServer, which forks from a process of one thread. Cost: three forks
// a child.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

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
  enum What : std::int32_t { kStarted, kExited, kKilled, kTooLarge };
  std::int32_t what = kStarted;
  std::int32_t value = 0;       // an errno, 0 for a good start; an exit status; a signal
  std::int32_t supervisor = 0;  // the process id of the supervisor
  std::int32_t contained = 0;   // 1 if the child is in a PID namespace of its own
};

inline constexpr std::uint64_t kMostFileBytes = std::uint64_t{16} << 30;

// The function that runs in the child, which leads a process group of its own and has the signals of a fresh program.
// It either execs or never returns. If it does return, its errno says why there is no program to run. It must close
// every descriptor except the three given ones, as exec does.
using ChildBody = std::function<int(int in, int out, int err)>;

struct ChildTerms {
  std::size_t memory = 0;        // the bytes that it may hold with its descendants; 0: no limit
  std::string_view module = {};  // adapters.hpp, module_in_namespace()
  std::vector<std::string> read_only =
      {};  // files and folders that it may only read, if it has a namespace
};

// Forks the supervisor of a new child; the caller closes the ends and reaps it. Returns -1 on failure, with errno.
int fork_supervisor(const ChildEnds& ends, const ChildBody& body, const ChildTerms& terms = {});

// A process of one thread that forks supervised children later. It is a copy of the caller at the time when the caller
// started it.
class ForkServer {
 public:
  static Result<std::shared_ptr<const ForkServer>> start(const ChildBody& body,
                                                         const ChildTerms& terms = {});
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
