// Targets that tell what a test writes, in the order in which it is told.
#pragma once

#include "assay/tests/support/function_target.hpp"

namespace assay {

// One play: what a program would answer (output_layout.hpp).
using TellFunction =
    std::function<std::vector<double>(const InputTable& input, ReplayStream& random)>;

inline FunctionTarget telling(const InputShape& shape, TellFunction tell) {
  return {shape, [shape, tell = std::move(tell)](const InputTable& input, ReplayStream& random,
                                                 std::vector<double>& out) {
            out = laid_out(shape, tell(input, random)).value();
          }};
}

}  // namespace assay
