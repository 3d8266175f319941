
#include <bit>
#include <random>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"  // it is C
#include "assay/policies/external/assay_target.h"
#include "assay/tests/support/testing.hpp"
#pragma GCC diagnostic pop

namespace assay {
namespace {

// What a target sends comes from seeds of 53 bits, of which neighbours differ in one bit.
const std::vector<std::uint64_t> kSeeds{0, 1, 2, 1U << 31, 1ULL << 32, (1ULL << 53) - 1};
const std::vector<std::string> kNames{"", "a", "b", "ab", "ba", "noise", "noise ", "explore"};

TEST(SeedFor, MakesAnUnrelatedStreamForEveryName) {
  std::set<std::uint64_t> drawn;
  std::size_t streams = 0;
  const auto draw = [&](std::uint64_t seed) {
    std::mt19937_64 random(seed);
    for (int i = 0; i < 400; ++i) drawn.insert(random());
    ++streams;
  };
  for (const std::uint64_t seed : kSeeds) {
    draw(seed);
    for (const auto& name : kNames) draw(assay_seed_for(seed, name.c_str()));
  }
  EXPECT_EQ(drawn.size(),
            400 * streams);  // no value twice, so no stream is another one's at any lag
}

TEST(SeedFor, MovesHalfOfTheBitsWithEverySeedAndName) {
  double moved = 0.0;
  int compared = 0;
  const auto compare = [&](std::uint64_t one, std::uint64_t other) {
    const int bits = std::popcount(one ^ other);
    EXPECT_GT(bits, 10);
    EXPECT_LT(bits, 54);
    moved += bits;
    ++compared;
  };
  for (std::uint64_t seed = 0; seed < 64; ++seed) {
    const std::uint64_t key = assay_seed_for(seed, "noise");
    compare(key, seed);
    compare(key, assay_seed_for(seed, "noise2"));
    compare(key, assay_seed_for(seed, "moise"));
    for (int bit = 0; bit < 53; ++bit) {
      compare(key, assay_seed_for(seed ^ std::uint64_t{1} << bit, "noise"));
    }
  }
  EXPECT_NEAR(moved / compared, 32.0, 0.5);  // five standard errors are 0.34
}

}  // namespace
}  // namespace assay
