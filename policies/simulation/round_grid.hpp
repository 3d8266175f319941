// The rounds that a simulation records.
//
// There are even steps of the logarithm, which show the start, and even steps of the round, which keep
// the shape of a curve on a linear axis: about 160 rounds, ascending, from 1 to the horizon, each once.
// The rounds are the same on every machine.
#pragma once

#include <cstdint>
#include <vector>

namespace assay {

inline constexpr int kEvenRounds = 80;  // even steps of the round

// horizon in [1, 1e9].
std::vector<std::int64_t> recorded_rounds(std::int64_t horizon);

}  // namespace assay
