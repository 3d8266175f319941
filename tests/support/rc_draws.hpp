// Numbers that RapidCheck draws.
#pragma once

#include <rapidcheck.h>

#include <cstdint>

#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/mechanisms/random/philox.hpp"

namespace assay {

inline double uniform(double low, double high) {
  const auto step = *rc::gen::inRange<std::int64_t>(0, 1'000'000'001);
  return low + (high - low) * (static_cast<double>(step) / 1e9);
}

inline double log_uniform(double low, double high) {
  return portable_exp(uniform(portable_log(low), portable_log(high)));
}

// A number of 53 random bits; what RapidCheck shrinks is the word they come from.
inline double arbitrary_between(double low, double high) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto bits = philox4x64({seed, 1, 0, 0}, {0, 0})[0] >> 11;
  return low + (high - low) * (static_cast<double>(bits) * 0x1p-53);
}

}  // namespace assay
