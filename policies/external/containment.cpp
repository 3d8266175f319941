#include "assay/policies/external/containment.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <mutex>
#include <utility>
#include <vector>

#include "assay/mechanisms/core/result.hpp"
#include "assay/policies/external/child_process.hpp"

namespace assay {
namespace {

constexpr std::string_view kUnits = "KMGT";
constexpr double kLeast = 0x1p20, kMost = 0x1p50;

// The least limit of a cgroup and of those above it. A file without a number ("max") limits nothing.
std::uint64_t limit_of_cgroup(const std::string& mount, std::string path, const char* file) {
  std::uint64_t least = UINT64_MAX;
  while (true) {
    std::uint64_t limit = 0;
    if (std::ifstream(mount + path + "/" + file) >> limit) least = std::min(least, limit);
    if (path.empty()) return least;
    path.resize(path.find_last_of('/'));
  }
}

std::uint64_t limit_of_cgroups() {
  std::uint64_t least = UINT64_MAX;
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos || second + 1 >= line.size() || line[second + 1] != '/')
      continue;
    const std::string controller = line.substr(first + 1, second - first - 1);
    std::string path = line.substr(second + 1);
    if (path == "/") path.clear();
    if (controller.empty()) {
      least = std::min(least, limit_of_cgroup("/sys/fs/cgroup", path, "memory.max"));
    } else if (controller == "memory") {
      least =
          std::min(least, limit_of_cgroup("/sys/fs/cgroup/memory", path, "memory.limit_in_bytes"));
    }
  }
  return least;
}

struct ReadOnlyPaths {
  std::mutex mutex;
  std::vector<const std::vector<std::string>*> lists;
};
ReadOnlyPaths& read_only_paths() {
  static ReadOnlyPaths only;
  return only;
}

}  // namespace

ReadOnlyForChildren::ReadOnlyForChildren(std::vector<std::string> paths)
    : paths_(std::move(paths)) {
  const std::scoped_lock lock(read_only_paths().mutex);
  read_only_paths().lists.push_back(&paths_);
}
ReadOnlyForChildren::~ReadOnlyForChildren() {
  const std::scoped_lock lock(read_only_paths().mutex);
  std::erase(read_only_paths().lists, &paths_);
}
std::vector<std::string> ReadOnlyForChildren::all() {
  const std::scoped_lock lock(read_only_paths().mutex);
  std::vector<std::string> all;
  for (const auto* list : read_only_paths().lists)
    all.insert(all.end(), list->begin(), list->end());
  return all;
}

std::size_t default_memory_limit() {
  static const std::size_t half = [] {
    const auto machine = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                         static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    return std::max(std::min(machine, limit_of_cgroups()) / 2, static_cast<std::uint64_t>(kLeast));
  }();
  return half;
}

std::size_t memory_limit_of(const ChildLimits& limits) {
  return limits.memory_bytes > 0 ? limits.memory_bytes : default_memory_limit();
}

Result<std::size_t> parse_memory(std::string_view text) {
  const auto unit = text.empty() ? std::string_view::npos : kUnits.find(text.back());
  double number = 0.0;
  const char* const last = text.data() + text.size() - (unit == std::string_view::npos ? 0 : 1);
  const auto [end, error] = std::from_chars(text.data(), last, number, std::chars_format::fixed);
  if (unit != std::string_view::npos && error == std::errc() && end == last) {
    const double bytes = std::ldexp(number, 10 * (static_cast<int>(unit) + 1));
    if (bytes >= kLeast && bytes <= kMost) return static_cast<std::size_t>(bytes);
  }
  return fail(ErrorCode::kInvalidArgument,
              "must be a size from 1M to 1024T, as 512M or 1.5G, not '" + std::string(text) + "'");
}

std::string memory_text(std::size_t bytes) {
  double size = static_cast<double>(bytes) / 1024.0;
  std::size_t unit = 0;
  for (; size >= 1024.0 && unit + 1 < kUnits.size(); ++unit) size /= 1024.0;
  return fmt::format("{:.{}g} {}iB", size, size < 9.95 ? 2 : 4, kUnits[unit]);
}

std::string containment_text(const ChildLimits& limits) {
  return fmt::format("{}, no new privileges, {} of memory; {}",
                     limits.uncontained->load() ? "no PID namespace" : "own PID namespace",
                     memory_text(memory_limit_of(limits)),
                     limits.sandbox ? "sandbox (bwrap)" : "no sandbox");
}

}  // namespace assay
