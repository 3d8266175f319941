// A process and its descendants, as /proc lists them, and the memory that they hold.
//
// Only system calls: a process that was forked while threads ran may use it. What starts or ends during a look may be
// missed. Without CONFIG_PROC_CHILDREN, or if /proc shows another PID namespace, only the root is found, or nothing.
// Cost: three files a process and one a thread.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>

namespace assay::detail {

class ProcessTree {
 public:
  // Returns false if there is no list of the root's children.
  bool look(pid_t root);
  // Whether the processes of the last look, with or without the root, hold more than `bytes`. Pages that several of
  // them share count once.
  bool holds_more_than(std::size_t bytes, bool with_root) const;
  // Kills all but the root.
  void kill_descendants() const;

 private:
  static constexpr std::size_t kMost = 32'768;
  bool add_children(pid_t process);
  void add_numbers(int list);

  std::array<pid_t, kMost> found_;
  std::size_t count_ = 0;
};

}  // namespace assay::detail
