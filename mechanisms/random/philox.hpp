// Philox4x64-10: the counter-based generator of Salmon et al. (SC 2011).
//
// It is a bijection of the 256-bit counter for each 128-bit key, so every (key, counter) names four
// random 64-bit numbers. Tests compare it with Random123's published known answers.
#pragma once

#include <array>
#include <cstdint>

namespace assay {

using PhiloxCounter = std::array<std::uint64_t, 4>;
using PhiloxKey = std::array<std::uint64_t, 2>;

namespace detail {

inline constexpr std::uint64_t kPhiloxMultiplier0 = 0xD2E7470EE14C6C93u;
inline constexpr std::uint64_t kPhiloxMultiplier1 = 0xCA5A826395121157u;
inline constexpr std::uint64_t kPhiloxWeyl0 = 0x9E3779B97F4A7C15u;  // golden ratio
inline constexpr std::uint64_t kPhiloxWeyl1 = 0xBB67AE8584CAA73Bu;  // sqrt(3) - 1
inline constexpr int kPhiloxRounds = 10;

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
  for (int round = 0; round < detail::kPhiloxRounds; ++round) {
    const auto p0 = detail::multiply_wide(detail::kPhiloxMultiplier0, counter[0]);
    const auto p1 = detail::multiply_wide(detail::kPhiloxMultiplier1, counter[2]);
    counter = {p1.high ^ counter[1] ^ key[0], p1.low, p0.high ^ counter[3] ^ key[1], p0.low};
    key[0] += detail::kPhiloxWeyl0;
    key[1] += detail::kPhiloxWeyl1;
  }
  return counter;
}

}  // namespace assay
