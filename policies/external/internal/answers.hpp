// Reads answers of a target from bytes that are not trusted. The result is a message of the expected kind, or an error
// that says what is wrong with it ("must carry its \"name\""). Answers are lines of the process protocol, or for the
// process of a plug-in (plugin_server.hpp) bytes after a length.
//
// Memory and time are bounded by the line and the shape. Any thread may call any function.
// Only for the library's sources and its fuzzers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/policies/external/child_process.hpp"
#include "assay/policies/external/target.hpp"

namespace assay::detail {

struct Ready {
  std::string name;  // its first 200 bytes
  bool seeded = false;
  bool deterministic = false;
  std::optional<bool> keys = {};  // whether it takes them, if it says so
  bool probabilities = false;     // whether it reports them
};

// The meaning of an answer without outputs for the requested run.
enum class RunFault {
  kNone,    // none: the answer itself is the fault
  kFailed,  // it failed
  kMemory   // it took too much memory
};

// Whether the run itself did this, so that it is the output of the run.
inline bool is_run_fault(RunFault fault, const ChildLimits& limits) {
  return fault == RunFault::kFailed || (fault == RunFault::kMemory && limits.memory_fails);
}
inline bool is_run_fault(ChildFault fault, const ChildLimits& limits) {
  return fault == ChildFault::kEnded || (fault == ChildFault::kLate && limits.late_fails) ||
         (fault == ChildFault::kKilled && limits.memory_fails);
}

// Reads the answer to the greeting.
Result<Ready> read_ready(const InputShape& shape, std::string_view line);

// Reads `count` outputs of this shape from the answer to message `id`. Error kRefusedInput if the answer says so.
Result<OutputBatch> read_runs(const InputShape& shape, std::string_view line, std::int64_t id,
                              std::int64_t count, RunFault* fault = nullptr);

// Reads the probabilities of `rounds` rounds after round `from` from the answer to message `id`. They are checked.
Result<std::vector<double>> read_probabilities(const PathShape& shape, std::string_view line,
                                               std::int64_t id, std::int64_t from,
                                               std::int64_t rounds);

// An answer comes after its length, a number of 8 bytes.
inline constexpr std::size_t kLengthBytes = 8;
// How many of the received bytes are the length and the answer after it. Nothing until the answer is
// complete, and never if it is longer than `most`.
std::optional<std::size_t> framed_bytes(std::string_view received, std::size_t most);

// Reads an answer without its length.
Result<Ready> read_plugin_ready(std::string_view answer);
Result<OutputBatch> read_plugin_runs(const InputShape& shape, std::string_view answer,
                                     std::int64_t count, RunFault* fault = nullptr);
Result<std::vector<double>> read_plugin_probabilities(const PathShape& shape,
                                                      std::string_view answer, std::int64_t from,
                                                      std::int64_t rounds);
// Whether another answer may follow an unreadable one. None may if the plug-in threw an exception, or if it wrote
// among the outputs, so that the start of the next answer is unknown.
bool plugin_goes_on(const InputShape& shape, std::string_view answer, std::int64_t count);

}  // namespace assay::detail
