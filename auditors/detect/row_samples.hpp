// Draws samples of a row of the detection table, in chunks, on several threads.
//
// Seed, row, phase, stage and number identify the Philox stream of a sample. So a sample is the same every time, on any
// thread. A coupled stage gives all inputs the same streams (common random numbers), so that sample i of one input and
// sample i of another differ only by the inputs. Otherwise the samples of different inputs are independent.
// Threads: pure functions. Cost: that of the mechanism.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "assay/mechanisms/core/map_chunks.hpp"
#include "assay/mechanisms/core/progress.hpp"
#include "assay/mechanisms/faulty/detection_table.hpp"
#include "assay/policies/external/target.hpp"

namespace assay::detail {

inline constexpr std::int64_t kSamplesInChunk = 4096;

struct SampleStage {
  std::uint64_t seed = 0;
  Phase phase = Phase::kSearch;
  std::uint64_t number = 0;  // of the stage within its phase
  bool coupled = false;
};

inline std::size_t chunks_of(std::int64_t count) {
  return static_cast<std::size_t>((count + kSamplesInChunk - 1) / kSamplesInChunk);
}

// Chunk `chunk` of `count` samples.
std::vector<double> sample_chunk(const faulty::DetectionRow& row, std::size_t input,
                                 const SampleStage& stage, std::int64_t count, std::size_t chunk);

// All samples, one after another.
OutputBatch stored_samples(const faulty::DetectionRow& row, std::size_t input,
                           const SampleStage& stage, std::int64_t count, const RunControl& control);

}  // namespace assay::detail
