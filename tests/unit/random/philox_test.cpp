// Philox4x64-10 against the published known answers and against Random123's own header.
#include "assay/mechanisms/random/philox.hpp"

#include <Random123/philox.h>
#undef philox4x64  // its macro hides ours

#include <bit>
#include <random>

#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

struct KnownAnswer {
  PhiloxCounter counter;
  PhiloxKey key;
  PhiloxCounter output;
};

// The rows "philox4x64 10" of kat_vectors in Random123's distribution.
constexpr KnownAnswer kKnownAnswers[] = {
    {{0, 0, 0, 0},
     {0, 0},
     {0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b, 0x7e68b68aec7ba23b}},
    {{0xffffffffffffffff, 0xffffffffffffffff, 0xffffffffffffffff, 0xffffffffffffffff},
     {0xffffffffffffffff, 0xffffffffffffffff},
     {0x87b092c3013fe90b, 0x438c3c67be8d0224, 0x9cc7d7c69cd777b6, 0xa09caebf594f0ba0}},
    {{0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89},
     {0x452821e638d01377, 0xbe5466cf34e90c6c},
     {0xa528f45403e61d95, 0x38c72dbd566e9788, 0xa5a1610e72fd18b5, 0x57bd43b5e52b7fe6}},
};

TEST(Philox, GivesThePublishedKnownAnswers) {
  for (const auto& row : kKnownAnswers) EXPECT_EQ(philox4x64(row.counter, row.key), row.output);
}

TEST(Philox, IsUsableInConstantExpressions) {
  static_assert(philox4x64({0, 0, 0, 0}, {0, 0})[0] == 0x16554d9eca36314c);
}

TEST(Philox, AgreesWithRandom123OnRandomCountersAndKeys) {
  std::mt19937_64 words(1);
  r123::Philox4x64 reference;
  for (int i = 0; i < 200'000; ++i) {
    const PhiloxCounter counter{words(), words(), words(), words()};
    const PhiloxKey key{words(), words()};
    const auto expected =
        reference({{counter[0], counter[1], counter[2], counter[3]}}, {{key[0], key[1]}});
    const auto output = philox4x64(counter, key);
    for (unsigned lane = 0; lane < 4; ++lane) ASSERT_EQ(output[lane], expected[lane]);
  }
}

// Flipping any one bit of the counter or the key flips each of the 256 output bits with
// probability near 1/2: over 384 input bits the mean number of flips is within 6
// standard errors (alpha = 2e-9).
TEST(Philox, OneInputBitFlipsHalfOfTheOutputBits) {
  std::mt19937_64 words(2);
  constexpr int kTrials = 50;
  double flips = 0.0;
  for (int trial = 0; trial < kTrials; ++trial) {
    const PhiloxCounter counter{words(), words(), words(), words()};
    const PhiloxKey key{words(), words()};
    const auto base = philox4x64(counter, key);
    for (unsigned bit = 0; bit < 384; ++bit) {
      auto other_counter = counter;
      auto other_key = key;
      const std::uint64_t mask = std::uint64_t{1} << (bit % 64);
      if (bit < 256) {
        other_counter[bit / 64] ^= mask;
      } else {
        other_key[(bit - 256) / 64] ^= mask;
      }
      const auto other = philox4x64(other_counter, other_key);
      for (unsigned lane = 0; lane < 4; ++lane) flips += std::popcount(base[lane] ^ other[lane]);
    }
  }
  const double bits = kTrials * 384.0 * 256.0;
  EXPECT_NEAR(flips / bits, 0.5, 6.0 * 0.5 / std::sqrt(bits));
}

}  // namespace
}  // namespace assay
