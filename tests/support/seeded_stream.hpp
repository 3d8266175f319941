// Streams of tests that need no purpose of their own.
#pragma once

#include <cstdint>

#include "assay/mechanisms/random/replay_stream.hpp"

namespace assay {

inline ReplayStream seeded_stream(std::uint64_t seed, std::uint64_t lane = 0) {
  return ReplayStream({.seed = seed, .lane = lane});
}

// Of a play of a pair.
inline ReplayStream pair_stream(std::uint64_t seed, std::uint64_t play = 0) {
  return ReplayStream({.seed = seed, .purpose = 7, .replicate = play});
}

}  // namespace assay
