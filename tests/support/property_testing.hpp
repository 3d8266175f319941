// What every test of a property starts from: testing.hpp and RapidCheck, and numbers that it draws.
#pragma once

#include <cassert>

#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/mechanisms/random/philox.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/tests/support/testing.hpp"

// After GoogleTest, which they expect; they leave out <cassert>.
#include <rapidcheck.h>
#include <rapidcheck/detail/Configuration.h>
#include <rapidcheck/gtest.h>

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

inline ReplayStream arbitrary_stream() {
  return ReplayStream({.seed = *rc::gen::arbitrary<std::uint64_t>()});
}

// One type for all properties, so that RapidCheck's templates are compiled once.
inline void expect_property(const std::function<void()>& property,
                            const rc::detail::TestParams& params) {
  const auto result = rc::detail::checkTestable(property, rc::detail::TestMetadata{}, params);
  std::ostringstream text;
  rc::detail::printResultMessage(result, text);
  EXPECT_TRUE(result.is<rc::detail::SuccessResult>()) << text.str();
}

}  // namespace assay
