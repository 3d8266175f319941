#include "assay/policies/external/internal/process_tree.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace assay::detail {
namespace {

// The path of a file about a process, or of one about a thread of it.
class ProcPath {
 public:
  ProcPath(pid_t process, std::string_view name) {
    add("/proc/");
    add(process);
    add(name);
  }
  ProcPath(pid_t process, std::string_view thread, std::string_view name)
      : ProcPath(process, "/task/") {
    add(thread);
    add(name);
  }
  int open(int flags) const { return ::open(text_.data(), flags | O_RDONLY | O_CLOEXEC); }

 private:
  void add(std::string_view part) {
    std::copy(part.begin(), part.end(), text_.begin() + static_cast<std::ptrdiff_t>(size_));
    size_ += part.size();
  }
  void add(pid_t number) {
    const auto end = std::to_chars(text_.data() + size_, text_.data() + size_ + 16, number).ptr;
    size_ = static_cast<std::size_t>(end - text_.data());
  }
  std::array<char, 80> text_{};
  std::size_t size_ = 0;
};

// The beginning of a file, which ends with a 0. Empty if it cannot be read.
std::string_view beginning(const ProcPath& path, std::array<char, 2048>& text) {
  const int file = path.open(0);
  if (file < 0) return {};
  const ssize_t got = read(file, text.data(), text.size());
  close(file);
  return {text.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))};
}

std::optional<std::uint64_t> take_number(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_of("0123456789"), text.size()));
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

struct Resident {
  std::uint64_t all = 0, own = 0;  // bytes; `own` is without those of files and shared memory
};

Resident resident_of(pid_t process) {
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  std::array<char, 2048> text;
  std::string_view rest = beginning(ProcPath(process, "/statm"), text);
  take_number(rest);
  const std::uint64_t all = take_number(rest).value_or(0);
  return {all * page, (all - std::min(all, take_number(rest).value_or(0))) * page};
}

// The resident bytes, with each page divided among the processes that share it.
std::uint64_t proportional_bytes(pid_t process) {
  std::array<char, 2048> text;
  std::string_view rest = beginning(ProcPath(process, "/smaps_rollup"), text);
  const auto at = rest.find("\nPss:");
  if (at == std::string_view::npos) return resident_of(process).own;
  rest.remove_prefix(at);
  return take_number(rest).value_or(0) * 1024;
}

// Whether the numbers in /proc are those by which this process calls others.
bool proc_is_ours() {
  std::array<char, 32> text;
  const ssize_t got = readlink("/proc/self", text.data(), text.size());
  if (got <= 0) return false;
  std::string_view rest(text.data(), static_cast<std::size_t>(got));
  return take_number(rest) == static_cast<std::uint64_t>(getpid());
}

}  // namespace

bool ProcessTree::look(pid_t root) {
  count_ = 0;
  if (root <= 1 || !proc_is_ours()) return false;
  found_[count_++] = root;
  const bool listed = add_children(root);
  for (std::size_t i = 1; i < count_; ++i) add_children(found_[i]);
  return listed;
}

// The kernel lists children by the thread that forked them.
bool ProcessTree::add_children(pid_t process) {
  const int folder = ProcPath(process, "/task").open(O_DIRECTORY);
  if (folder < 0) return false;
  bool listed = false;
  alignas(std::uint64_t) std::array<char, 4096> entries;
  for (long got = 0; (got = syscall(SYS_getdents64, folder, entries.data(), entries.size())) > 0;) {
    // An entry: inode and offset (8 bytes each), its size (2), its type (1), its name.
    constexpr std::size_t kSizeAt = 16, kNameAt = 19;
    for (std::size_t at = 0; at < static_cast<std::size_t>(got);) {
      std::uint16_t size = 0;
      std::memcpy(&size, entries.data() + at + kSizeAt, sizeof size);
      const std::string_view name(entries.data() + at + kNameAt);
      at += size;
      if (name.empty() || name.front() == '.' || name.size() > 10) continue;
      const int list = ProcPath(process, name, "/children").open(0);
      if (list < 0) continue;
      listed = true;
      add_numbers(list);
      close(list);
    }
  }
  close(folder);
  return listed;
}

void ProcessTree::add_numbers(int list) {
  std::array<char, 4096> text;
  pid_t number = 0;
  for (ssize_t got = 0; (got = read(list, text.data(), text.size())) > 0;) {
    for (const char c : std::string_view(text.data(), static_cast<std::size_t>(got))) {
      if (c >= '0' && c <= '9') {
        number = 10 * number + (c - '0');
      } else {
        if (number > 1 && count_ < kMost) found_[count_++] = number;
        number = 0;
      }
    }
  }
}

bool ProcessTree::holds_more_than(std::size_t bytes, bool with_root) const {
  const std::size_t first = with_root ? 0 : 1;
  std::uint64_t sum = 0;
  for (std::size_t i = first; i < count_; ++i) sum += resident_of(found_[i]).all;
  if (sum <= bytes) return false;
  sum = 0;  // forked workers share most of their pages; this costs more to find out
  for (std::size_t i = first; i < count_; ++i) sum += proportional_bytes(found_[i]);
  return sum > bytes;
}

void ProcessTree::kill_descendants() const {
  for (std::size_t i = 1; i < count_; ++i) kill(found_[i], SIGKILL);
}

}  // namespace assay::detail
