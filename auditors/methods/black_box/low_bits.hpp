// A score from the low bits of floating-point outputs. If noise is added in double precision, the last bits
// of the sum have traces of the hidden answer.
//
// A double y is an odd multiple of 2^b, b its lowest bit. Noise drawn near 0 has small b. Added to an
// answer x, the sum is rounded to, or stays on, the grid of the larger of the two: with x = 1 and noise
// between -1 and -1/2 the sum lies in (0, 1/2) and is a multiple of 2^-53, while with x = 0 half of the
// outputs there are not. Such an event has probability 0 on one input, whatever scale the noise has.
//
// The score of an output is the sum over its numbers of the log ratio of add-1/2 frequencies of the
// cell (exponent of y, b). Its events are certified like any other. It finds nothing in a mechanism whose
// outputs lie on a grid that does not depend on the input (integers, a snapped grid).
//
// Reference: Mironov, "On significance of the least significant bits for differential privacy" (CCS
// 2012); Haney, Desfontaines, Hartman, Shrestha, Hay, "Precision-based attacks and interval refining:
// how to break, then fix, differential privacy on finite computers" (2022).
// Threads: immutable. Same bits on every machine. Cost: 20 ns a number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "assay/auditors/methods/black_box/score.hpp"

namespace assay {

inline constexpr const char* kLowBitsName = "lowest bits of the outputs";  // of the score

// b of y = odd * 2^b: from -1074 to 1023; 2000 for 0 and values that are not finite.
int lowest_bit(double y);

// Learns from these entries of the outputs. Null if all of them, on both inputs, are whole numbers.
std::shared_ptr<const OutputScore> learn_low_bits(const SideRuns& runs,
                                                  const std::vector<std::size_t>& entries);

}  // namespace assay
