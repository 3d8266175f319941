// The process of a plug-in, which loads the plug-in and serves runs until its standard input ends.
//
// A request is a PluginRequest, `count` seeds, the input's numbers, then the forced actions if it asks for
// probabilities. Its answer is a length, the kind of the
// answer, then the content for that kind. Both ends are the same program, so numbers travel as bytes. A message is
// written by one call and read by one, as far as the pipe takes it: a run costs little else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "assay/policies/external/target.hpp"

namespace assay::detail {

struct PluginRequest {
  std::int64_t count = 0;  // the number of runs; 0 is the greeting
  std::int64_t actions =
      -1;                 // if not negative, asks for probabilities after so many forced actions
  std::int64_t from = 0;  // of the rounds after this one
};

enum class PluginAnswer : char {
  kReady,        // 1 if it is seeded, plus 2 if it reports probabilities, then its name
  kRuns,         // the outputs, or the probabilities
  kRefused,      // a sentence; the process goes on
  kThrew,        // a sentence; the process ends
  kMemory,       // the same, because of too little memory
  kRefusedInput  // a sentence about an invalid input; the process goes on
};

inline constexpr std::size_t kPluginTextBytes = 1024;  // of a sentence or name, at most

// Never returns. `environment` ("NAME=value" each) is all that the plug-in sees of it. `data_bytes` limits the memory
// in addition to the size of the process at the start.
[[noreturn]] void serve_plugin(const std::string& path, const InputShape& shape,
                               const std::vector<std::string>& environment, std::size_t data_bytes,
                               int in, int out, int err);

}  // namespace assay::detail
