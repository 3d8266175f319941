// Draws an exactly uniform integer in 0..bound - 1, by rejection on the fewest bits that hold bound - 1.
//
// Cost: fewer than two random numbers on average; one for a power of two. Same values on every machine.
#pragma once

#include <bit>
#include <cstdint>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/random/random_source.hpp"

namespace assay {

template <RandomSource R>
std::uint64_t uniform_below(R& random, std::uint64_t bound) {
  ASSAY_CHECK(bound > 0, "uniform_below of at least one value");
  if (bound == 1) return random.next() & 0;  // takes one random number here, too
  const int unused = std::countl_zero(bound - 1);
  std::uint64_t draw;
  do {
    draw = random.next() >> unused;
  } while (draw >= bound);
  return draw;
}

}  // namespace assay
