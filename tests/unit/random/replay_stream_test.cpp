// ReplayStream: what its words are, that identities name distinct streams, and random access.
#include "assay/mechanisms/random/replay_stream.hpp"

#include "assay/mechanisms/core/parallel.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

std::vector<std::uint64_t> first_words(const StreamId& id, std::size_t count) {
  ReplayStream stream(id);
  std::vector<std::uint64_t> words(count);
  for (auto& word : words) word = stream.next();
  return words;
}

const StreamId kId{1, hash_purpose("test"), 3, 4, Phase::kSearch};

TEST(ReplayStream, WordsAreThePhiloxBlocksOfItsIdentityInOrder) {
  const auto words = first_words(kId, 12);
  for (std::uint64_t block = 0; block < 3; ++block) {
    const auto expected = philox4x64({block, 3, 4, 0}, {1, hash_purpose("test")});
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(words[4 * block + i], expected[i]);
  }
}

TEST(ReplayStream, TheSameIdentityReplaysTheSameWords) {
  EXPECT_EQ(first_words(kId, 1000), first_words(kId, 1000));
}

TEST(ReplayStream, EachFieldOfTheIdentityNamesAnotherStream) {
  std::vector<StreamId> ids(6, kId);
  ids[1].seed += 1;
  ids[2].purpose = hash_purpose("test2");
  ids[3].replicate += 1;
  ids[4].lane += 1;
  ids[5].phase = Phase::kCertify;
  constexpr std::size_t kWords = 4096;
  std::set<std::uint64_t> seen;
  for (const auto& id : ids) {
    for (const auto word : first_words(id, kWords)) seen.insert(word);
  }
  // Independent words of 64 bits collide with probability below (6 x 4096)^2 / 2^65 = 2e-11.
  EXPECT_EQ(seen.size(), ids.size() * kWords);
}

// Sample correlation of the uniforms of two streams: |z| < 6 for each of five pairs (alpha = 1e-8).
TEST(ReplayStream, StreamsThatDifferInOneFieldAreUncorrelated) {
  const StreamId others[] = {{2, hash_purpose("test"), 3, 4, Phase::kSearch},
                             {1, hash_purpose("tesu"), 3, 4, Phase::kSearch},
                             {1, hash_purpose("test"), 2, 4, Phase::kSearch},
                             {1, hash_purpose("test"), 3, 5, Phase::kSearch},
                             {1, hash_purpose("test"), 3, 4, Phase::kPilot}};
  constexpr int kDraws = 100'000;
  for (const auto& id : others) {
    ReplayStream a(kId);
    ReplayStream b(id);
    double sum = 0.0;
    for (int i = 0; i < kDraws; ++i) sum += (a.uniform() - 0.5) * (b.uniform() - 0.5);
    EXPECT_LT(std::abs(sum) * 12.0 / std::sqrt(kDraws), 6.0);
  }
}

TEST(ReplayStream, BlockAheadIsTheBlockThatNextReachesWhateverIsLeftOfTheCurrentOne) {
  const auto words = first_words(kId, 40);
  for (std::size_t used = 0; used < 9; ++used) {
    ReplayStream stream(kId);
    for (std::size_t i = 0; i < used; ++i) stream.next();
    const std::size_t next_block = (used + 3) / 4;
    for (std::uint64_t offset = 0; offset < 5; ++offset) {
      const auto block = stream.block_ahead(offset);
      for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(block[i], words[4 * (next_block + offset) + i]) << used << " " << offset;
      }
    }
  }
}

TEST(ReplayStream, SkipBlocksDropsTheRestOfTheCurrentBlockAndThenWholeBlocks) {
  const auto words = first_words(kId, 40);
  for (std::size_t used = 0; used < 9; ++used) {
    for (std::uint64_t count = 0; count < 4; ++count) {
      ReplayStream stream(kId);
      for (std::size_t i = 0; i < used; ++i) stream.next();
      const auto expected = stream.block_ahead(count);
      stream.skip_blocks(count);
      const std::size_t start = 4 * ((used + 3) / 4 + count);
      for (std::size_t i = 0; i < 8; ++i) {
        const auto word = stream.next();
        EXPECT_EQ(word, words[start + i]);
        if (i < 4) {
          EXPECT_EQ(word, expected[i]);
        }
      }
    }
  }
}

TEST(ReplayStream, UniformIsTheMidpointOfTheTopBitsAndNeverAnEndpoint) {
  ReplayStream words(kId);
  ReplayStream uniforms(kId);
  for (int i = 0; i < 10'000; ++i) {
    const double u = uniforms.uniform();
    const double cell = u * 0x1p52 - 0.5;
    EXPECT_EQ(static_cast<std::uint64_t>(cell), words.next() >> 12);
    EXPECT_GT(u, 0.0);
    EXPECT_LT(u, 1.0);
  }
}

TEST(ReplayStream, PurposesHashToFnv1a) {
  static_assert(hash_purpose("") == 0xcbf29ce484222325u);
  static_assert(hash_purpose("a") == 0xaf63dc4c8601ec8cu);
  static_assert(hash_purpose("foobar") == 0x85944171f73967e8u);
}

TEST(ReplayStream, ReplicatesHaveTheSameWordsForAnyNumberOfThreads) {
  const auto run = [](int threads) {
    std::vector<std::uint64_t> sums(500);
    parallel_for(threads, sums.size(), [&](std::size_t i) {
      ReplayStream stream({9, hash_purpose("threads"), i, 0, Phase::kCertify});
      for (int k = 0; k < 100; ++k) sums[i] = sums[i] * 31 + stream.next();
    });
    return sums;
  };
  const auto one = run(1);
  EXPECT_EQ(run(2), one);
  EXPECT_EQ(run(7), one);
}

}  // namespace
}  // namespace assay
