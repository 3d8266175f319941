// What a target says by the process protocol, read from lines that nobody vouches for: a message of the
// kind that is waited for, or an error that says what is wrong with it ("must carry its \"name\"").
//
// Memory and time are bounded by the line and the shape. Threads: every function may run in any.
// Private to the library's sources and its fuzzers.
#pragma once

#include <cstdint>
#include <string>

#include "assay/policies/external/target.hpp"

namespace assay::detail {

struct Ready {
  std::string name;  // its first 200 bytes
  bool seeded = false;
  bool deterministic = false;
};

// The answer to the greeting.
Result<Ready> read_ready(const TargetShape& shape, const std::string& line);

// `count` outputs of this shape, in the answer to message `id`.
Result<OutputBatch> read_plays(const TargetShape& shape, const std::string& line, std::int64_t id,
                               std::int64_t count);

}  // namespace assay::detail
