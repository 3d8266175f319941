// Philox4x64-10: the counter-based generator of Salmon et al. (SC 2011).
//
// A bijection of the 256-bit counter for each 128-bit key, so every (key, counter) names four 64-bit
// words. Tested against Random123's published known answers.
#pragma once

#include <array>
#include <cstdint>

namespace assay {

using PhiloxCounter = std::array<std::uint64_t, 4>;
using PhiloxKey = std::array<std::uint64_t, 2>;

namespace detail {

struct WideProduct {
  std::uint64_t high;
  std::uint64_t low;
};

constexpr WideProduct multiply_wide(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return {static_cast<std::uint64_t>(product >> 64), static_cast<std::uint64_t>(product)};
}

}  // namespace detail

constexpr PhiloxCounter philox4x64(PhiloxCounter counter, PhiloxKey key) {
  constexpr std::uint64_t kMultiplier0 = 0xD2E7470EE14C6C93u;
  constexpr std::uint64_t kMultiplier1 = 0xCA5A826395121157u;
  constexpr std::uint64_t kWeyl0 = 0x9E3779B97F4A7C15u;  // golden ratio
  constexpr std::uint64_t kWeyl1 = 0xBB67AE8584CAA73Bu;  // sqrt(3) - 1
  constexpr int kRounds = 10;
  for (int round = 0; round < kRounds; ++round) {
    const auto p0 = detail::multiply_wide(kMultiplier0, counter[0]);
    const auto p1 = detail::multiply_wide(kMultiplier1, counter[2]);
    counter = {p1.high ^ counter[1] ^ key[0], p1.low, p0.high ^ counter[3] ^ key[1], p0.low};
    key[0] += kWeyl0;
    key[1] += kWeyl1;
  }
  return counter;
}

}  // namespace assay
