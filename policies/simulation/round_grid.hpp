// The rounds at which a simulation is recorded.
//
// Both even steps of the logarithm (a start-up shows) and even steps of the round itself (a curve
// keeps its shape on a linear axis): about 160 rounds, ascending, from 1 to the horizon, each once.
// Same rounds on every machine.
#pragma once

#include <cstdint>
#include <vector>

namespace assay {

inline constexpr int kEvenRounds = 80;  // even steps of the round

// horizon in [1, 1e9].
std::vector<std::int64_t> recorded_rounds(std::int64_t horizon);

}  // namespace assay
