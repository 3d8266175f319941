// The process in which a plug-in runs: loads it, and serves plays until its standard input ends.
//
// A request is a PluginRequest, `count` seeds, then the input's numbers; its answer a length, an
// answer's kind, then what follows from it. Both ends are one program: numbers travel as they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "assay/policies/external/target.hpp"

namespace assay::detail {

struct PluginRequest {
  std::int64_t count = 0;  // of plays; 0 greets
};

enum class PluginAnswer : char {
  kReady,        // 1 if it is seeded, then its name
  kPlays,        // the outputs
  kRefused,      // a sentence; it goes on
  kThrew,        // a sentence; it ends
  kMemory,       // the same, for want of memory
  kRefusedInput  // a sentence, of an input that is none; it goes on
};

inline constexpr std::size_t kPluginTextBytes = 1024;  // of a sentence or name, at most

// Never returns. `environment`: "NAME=value", all that the plug-in gets to see of it; `data_bytes` of memory
// beside what the process starts with.
[[noreturn]] void serve_plugin(const std::string& path, const InputShape& shape,
                               const std::vector<std::string>& environment, std::size_t data_bytes,
                               int in, int out, int err);

}  // namespace assay::detail
