#include "assay/mechanisms/random/secure_stream.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "assay/mechanisms/noise/laplace.hpp"
#include "assay/mechanisms/random/chacha20.hpp"
#include "assay/mechanisms/random/random_source.hpp"

namespace assay {
namespace {

static_assert(BlockSource<SecureStream> && !CounterSource<SecureStream>);
static_assert(!std::is_copy_constructible_v<SecureStream> &&
              !std::is_copy_assignable_v<SecureStream> &&
              std::is_nothrow_move_constructible_v<SecureStream>);

std::string block_hex(const detail::ChaChaKey& key, std::uint64_t counter) {
  std::vector<std::uint32_t> out(4 * detail::kChaChaWords);
  detail::chacha20_blocks(key, counter, out);
  std::string hex;
  for (std::size_t i = 0; i < detail::kChaChaWords; ++i) {
    for (int byte = 0; byte < 4; ++byte) {
      const std::uint32_t value = out[i] >> (8 * byte) & 0xFFu;
      hex += "0123456789abcdef"[value >> 4];
      hex += "0123456789abcdef"[value & 15];
    }
  }
  return hex;
}

TEST(ChaCha20, GivesTheKnownAnswersOfRfc8439) {
  const detail::ChaChaKey zero{};
  EXPECT_EQ(block_hex(zero, 0),
            "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"
            "da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586");
  EXPECT_EQ(block_hex(zero, 1),
            "9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed"
            "29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f");
  EXPECT_EQ(block_hex({0, 0, 0, 0, 0, 0, 0, 0x01000000u}, 1),
            "3aeb5224ecf849929b9d828db1ced4dd832025e8018b8160b82284f3c949aa5a"
            "8eca00bbb4a73bdad192b5c42f73f2fd4e273644c8b36125a64addeb006c13a0");
  EXPECT_EQ(block_hex({0xff00u, 0, 0, 0, 0, 0, 0, 0}, 2),
            "72d54dfbf12ec44b362692df94137f328fea8da73990265ec1bbbea1ae9af0ca"
            "13b25aa26cb4a648cb9b9d1be65b2c0924a66c54d545ec1b7374f4872e99f096");
}

TEST(ChaCha20, CountsAcrossTheLanesAndPast32Bits) {
  detail::ChaChaKey key{};
  for (std::uint32_t i = 0; i < 8; ++i) key[i] = 0x01020304u * (i + 1);
  const std::uint64_t first = 0xFFFFFFFEu;
  std::vector<std::uint32_t> many(8 * detail::kChaChaWords);
  detail::chacha20_blocks(key, first, many);
  std::set<std::uint32_t> heads;
  for (std::uint64_t b = 0; b < 8; ++b) {
    std::vector<std::uint32_t> one(4 * detail::kChaChaWords);
    detail::chacha20_blocks(key, first + b, one);
    for (std::size_t i = 0; i < detail::kChaChaWords; ++i) {
      EXPECT_EQ(many[detail::kChaChaWords * b + i], one[i]);
    }
    heads.insert(one[0]);
  }
  EXPECT_EQ(heads.size(), 8u);
}

// Known bytes instead of the kernel's, to see what the stream makes of them.
bool constant_entropy(std::span<std::byte> out) {
  for (std::byte& x : out) x = std::byte{0x5a};
  return true;
}
bool no_entropy(std::span<std::byte>) { return false; }
int calls_left = 0;
bool failing_entropy(std::span<std::byte> out) { return calls_left-- > 0 && constant_entropy(out); }

TEST(SecureStream, IsTheKeyStreamOfTheKernelsKeyWithTheKeyReplacedEachPage) {
  auto stream = SecureStream::create(constant_entropy).value();
  detail::ChaChaKey key;
  key.fill(0x5a5a5a5au);
  for (int page = 0; page < 3; ++page) {
    std::vector<std::uint32_t> words(64 * detail::kChaChaWords);
    detail::chacha20_blocks(key, 0, words);
    std::copy_n(words.begin(), 8, key.begin());
    for (std::size_t i = 500; i-- > 0;) {
      const std::uint64_t expected = words[8 + 2 * i] | std::uint64_t{words[9 + 2 * i]} << 32;
      ASSERT_EQ(stream.next(), expected) << page << " " << i;
    }
  }
}

TEST(SecureStream, BlocksAreTheNextFourWords) {
  auto a = SecureStream::create(constant_entropy).value();
  auto b = SecureStream::create(constant_entropy).value();
  for (int round = 0; round < 300; ++round) {
    EXPECT_EQ(a.buffered(), 0);
    for (const std::uint64_t word : a.next_block()) ASSERT_EQ(word, b.next());
  }
  b.next();
  EXPECT_EQ(b.buffered(), 3);
}

TEST(SecureStream, FillsSpansAsRepeatedDrawsDo) {
  auto a = SecureStream::create(constant_entropy).value();
  auto b = SecureStream::create(constant_entropy).value();
  const auto noise = Laplace::create(0.0, 1.0).value();
  a.next(), b.next();
  std::vector<double> out(1003);
  noise.fill(a, out);
  for (const double x : out) ASSERT_EQ(x, noise.sample(b));
  EXPECT_EQ(a.next(), b.next());
}

TEST(SecureStream, MovesWithoutRepeatingAWord) {
  auto a = SecureStream::create(constant_entropy).value();
  auto reference = SecureStream::create(constant_entropy).value();
  EXPECT_EQ(a.next(), reference.next());
  SecureStream b = std::move(a);
  EXPECT_EQ(b.next(), reference.next());
  auto c = SecureStream::create().value();
  c = std::move(b);
  EXPECT_EQ(c.next(), reference.next());
}

TEST(SecureStream, TwoStreamsShareNoWord) {
  auto a = SecureStream::create().value();
  auto b = SecureStream::create().value();
  std::set<std::uint64_t> words;
  for (int i = 0; i < 2000; ++i) {
    words.insert(a.next());
    words.insert(b.next());
  }
  EXPECT_EQ(words.size(), 4000u);  // fails by chance once in 2^41
}

// Each bit of the words is set half of the time: alpha = 64 * 2 exp(-2 * 7^2/4 ...) below 1e-9.
TEST(SecureStream, BitsAreBalanced) {
  auto stream = SecureStream::create().value();
  constexpr int kDraws = 1 << 16;
  std::vector<int> ones(64, 0);
  for (int i = 0; i < kDraws; ++i) {
    const std::uint64_t word = stream.next();
    for (std::size_t bit = 0; bit < 64; ++bit) ones[bit] += static_cast<int>(word >> bit & 1);
  }
  // Hoeffding: P(|ones - n/2| > t) <= 2 exp(-2 t^2/n) = 1e-9/64.
  const double t = std::sqrt(0.5 * kDraws * std::log(2.0 * 64.0 / 1e-9));
  for (const int count : ones) EXPECT_LE(std::abs(count - kDraws / 2), t);
}

TEST(SecureStream, AForkedChildDrawsOtherWordsThanItsParent) {
  auto stream = SecureStream::create().value();
  stream.next();
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  constexpr std::size_t kCount = 600;  // beyond the page that both had
  if (child == 0) {
    std::uint64_t words[kCount];
    for (std::uint64_t& word : words) word = stream.next();
    const ssize_t written = write(pipe_ends[1], words, sizeof(words));
    _exit(written == static_cast<ssize_t>(sizeof(words)) ? 0 : 1);
  }
  std::set<std::uint64_t> mine;
  for (std::size_t i = 0; i < kCount; ++i) mine.insert(stream.next());
  std::uint64_t theirs[kCount];
  auto* at = reinterpret_cast<char*>(theirs);
  for (std::size_t left = sizeof(theirs); left > 0;) {
    const ssize_t got = read(pipe_ends[0], at, left);
    ASSERT_GT(got, 0);
    at += got, left -= static_cast<std::size_t>(got);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  for (const std::uint64_t word : theirs) EXPECT_FALSE(mine.contains(word));
  EXPECT_EQ(std::set<std::uint64_t>(theirs, theirs + kCount).size(), kCount);
  close(pipe_ends[0]), close(pipe_ends[1]);
}

TEST(SecureStream, IsNotMadeWithoutRandomness) {
  const auto stream = SecureStream::create(no_entropy);
  ASSERT_FALSE(stream);
  EXPECT_EQ(stream.error().code, ErrorCode::kIo);
  EXPECT_NE(stream.error().message.find("no randomness"), std::string::npos);
}

TEST(SecureStreamDeathTest, StopsTheProcessWhenRandomnessEndsLater) {
  const auto draw = [] {
    calls_left = 1;
    auto stream = SecureStream::create(failing_entropy).value();
    for (int i = 0; i < 256 * 500; ++i) stream.next();  // what one key may give
    std::fputs("reached the end of the key\n", stderr);
    stream.next();
    std::_Exit(0);
  };
  EXPECT_DEATH(draw(), "reached the end of the key\nassay: .*no more randomness");
}

}  // namespace
}  // namespace assay
