// assay detect --sequences: the fault zoo for sequences.
#pragma once

#include <string>
#include <vector>

namespace assay::cli {

struct SequenceWords {
  std::vector<std::string> patterns;
  std::string seed;
  std::string confidence;  // none: 0.999
  std::string threads;
  std::string format;
};

// The exit status: 0 when every fault is convicted and none of their correct twins is.
int run_detect_sequences(const SequenceWords& words);

}  // namespace assay::cli
