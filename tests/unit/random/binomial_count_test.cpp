// The exact binomial counter against what defines it: comparing each trial's uniform bit by bit.
#include "assay/mechanisms/random/binomial_count.hpp"

#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

// Gives out the given words, then zeros.
struct ScriptedWords {
  std::vector<std::uint64_t> words;
  std::size_t used = 0;
  std::uint64_t next() { return used < words.size() ? words[used++] : (++used, 0); }
};

TEST(BinomialCount, SureAndImpossibleTrialsDrawNothing) {
  ScriptedWords words;
  EXPECT_EQ(binomial_count(words, 77, kSureThreshold), 77);
  EXPECT_EQ(binomial_count(words, 77, 0), 0);
  EXPECT_EQ(binomial_count(words, 0, kSureThreshold / 3), 0);
  EXPECT_EQ(words.used, 0u);
}

TEST(BinomialCount, HalfIsOnePopcountOfTheZeros) {
  ScriptedWords words{{~std::uint64_t{0} << 60}};  // four ones among the top 10 bits
  EXPECT_EQ(binomial_count(words, 10, kSureThreshold / 2), 6);
  EXPECT_EQ(words.used, 1u);
}

TEST(BinomialCount, ThreeQuartersLooksAtOnlyTheUndecidedAgain) {
  // p = 0.11 in binary: zeros of the first bit succeed, of the 4 others those with a second bit 0.
  ScriptedWords words{{~std::uint64_t{0} << 60, ~std::uint64_t{0} << 63}};
  EXPECT_EQ(binomial_count(words, 10, kSureThreshold / 4 * 3), 6 + 3);
  EXPECT_EQ(words.used, 2u);
}

// The law, by enumeration of every word's top bits: three trials, p = j/8. Each level takes a word
// of which the top three bits matter at most.
TEST(BinomialCount, ItsDistributionIsBinomialToTheLastBit) {
  for (std::uint64_t eighths = 0; eighths <= 8; ++eighths) {
    std::map<std::int64_t, double> distribution;
    for (std::uint64_t bits = 0; bits < 512; ++bits) {
      ScriptedWords words{{bits << 61, (bits >> 3) << 61, (bits >> 6) << 61}};
      distribution[binomial_count(words, 3, kSureThreshold / 8 * eighths)] += 1.0 / 512.0;
    }
    const double p = static_cast<double>(eighths) / 8.0;
    for (int k = 0; k <= 3; ++k) {
      const double choose = k == 0 || k == 3 ? 1.0 : 3.0;
      EXPECT_EQ(distribution[k], choose * std::pow(p, k) * std::pow(1.0 - p, 3 - k))
          << eighths << " " << k;
    }
  }
}

TEST(BinomialCount, TheThresholdOfAProbabilityIsItsFloorOnTheGrid) {
  EXPECT_EQ(probability_threshold(0.0), 0u);
  EXPECT_EQ(probability_threshold(1.0), kSureThreshold);
  EXPECT_EQ(probability_threshold(0.375), kSureThreshold / 8 * 3);
}

}  // namespace
}  // namespace assay
