// What a target says, read from bytes that nobody vouches for: a message of the kind that is waited
// for, or an error that says what is wrong with it ("must carry its \"name\""). Lines of the process
// protocol, and what the process of a plug-in answers (plugin_server.hpp) behind a length.
//
// Memory and time are bounded by the line and the shape. Threads: every function may run in any.
// Private to the library's sources and its fuzzers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "assay/policies/external/child_process.hpp"
#include "assay/policies/external/target.hpp"

namespace assay::detail {

struct Ready {
  std::string name;  // its first 200 bytes
  bool seeded = false;
  bool deterministic = false;
  std::optional<bool> keys = {};  // it takes them, or declines; where it says either
};

// What an answer without outputs says of the run that was asked for.
enum class RunFault {
  kNone,    // nothing: the answer is a fault of its own
  kFailed,  // it failed
  kMemory   // it took too much memory
};

// Whether that is what a run did, and so an output of it.
inline bool is_run_fault(RunFault fault, const ChildLimits& limits) {
  return fault == RunFault::kFailed || (fault == RunFault::kMemory && limits.memory_fails);
}
inline bool is_run_fault(ChildFault fault, const ChildLimits& limits) {
  return fault == ChildFault::kEnded || (fault == ChildFault::kLate && limits.late_fails) ||
         (fault == ChildFault::kKilled && limits.memory_fails);
}

// The answer to the greeting.
Result<Ready> read_ready(const InputShape& shape, const std::string& line);

// `count` outputs of this shape, in the answer to message `id`. Errors: kRefusedInput for one that says so.
Result<OutputBatch> read_plays(const InputShape& shape, const std::string& line, std::int64_t id,
                               std::int64_t count, RunFault* fault = nullptr);

// A number of 8 bytes, the length, then as many bytes of an answer.
inline constexpr std::size_t kLengthBytes = 8;
// How many of the bytes received are the length and the answer that they begin with; nothing until it
// is whole, and never where it is longer than `most`.
std::optional<std::size_t> framed_bytes(std::string_view received, std::size_t most);

// Of an answer without its length.
Result<Ready> read_plugin_ready(std::string_view answer);
Result<OutputBatch> read_plugin_plays(const InputShape& shape, std::string_view answer,
                                      std::int64_t count, RunFault* fault = nullptr);
// Whether another answer may follow one that was not read: not where the plug-in threw, nor where it
// wrote among the outputs, so that nobody knows where the next begins.
bool plugin_goes_on(const InputShape& shape, std::string_view answer, std::int64_t count);

}  // namespace assay::detail
