// What holds a child process back (SECURITY.md): the memory that it may hold with all its descendants, and a phrase about
// the rest (supervisor.hpp, sandbox.hpp).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "assay/mechanisms/core/result.hpp"

namespace assay {

struct ChildLimits;

// Half of the memory that this process can have: of the machine, or of the cgroups it is in.
std::size_t default_memory_limit();
std::size_t memory_limit_of(const ChildLimits& limits);  // in bytes

// "8G", "512M", "1.5G": K, M, G and T stand for powers of 1024. Error: another text, less than 1M or more than 1024T.
Result<std::size_t> parse_memory(std::string_view text);
std::string memory_text(std::size_t bytes);  // "8 GiB", rounded to two digits or a whole number

// While it exists, children that start in a namespace of their own can only read these files and folders. Any thread.
class ReadOnlyForChildren {
 public:
  explicit ReadOnlyForChildren(std::vector<std::string> paths);
  ~ReadOnlyForChildren();
  ReadOnlyForChildren(const ReadOnlyForChildren&) = delete;
  ReadOnlyForChildren& operator=(const ReadOnlyForChildren&) = delete;

  static std::vector<std::string> all();  // of all such objects

 private:
  std::vector<std::string> paths_;
};

// What was in force for the children of these limits, as a phrase: "own PID namespace, no new privileges, 11 GiB of memory; no sandbox".
std::string containment_text(const ChildLimits& limits);
inline constexpr std::string_view kContainmentMeaning =
    "Only for a target: what held it back. It depends on what the system allows.";

}  // namespace assay
