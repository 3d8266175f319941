// The rounds that a simulation records.
//
// Half of them have even steps of the logarithm, which show the start. The others have even steps of the
// round, which keep the shape of a curve on a linear axis. There are about 160, ascending, from 1 to the
// horizon, each once.
// The rounds are the same on every machine.
#pragma once

#include <cstdint>
#include <vector>

namespace assay {

inline constexpr int kEvenRounds = 80;  // even steps of the round

// Precondition: horizon in [1, 1e9].
std::vector<std::int64_t> recorded_rounds(std::int64_t horizon);

}  // namespace assay
