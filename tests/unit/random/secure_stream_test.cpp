#include "assay/mechanisms/random/secure_stream.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "assay/mechanisms/noise/laplace.hpp"
#include "assay/mechanisms/random/random_source.hpp"
#include "assay/tests/support/child.hpp"
#include "assay/tests/support/repetitions.hpp"

namespace assay {
namespace {

static_assert(BlockSource<SecureStream> && !CounterSource<SecureStream>);
static_assert(!std::is_copy_constructible_v<SecureStream> &&
              !std::is_copy_assignable_v<SecureStream> &&
              std::is_nothrow_move_constructible_v<SecureStream>);

constexpr int kPage = 508;  // words

// Known bytes instead of the kernel's, to see what the stream makes of them: 0, 1, 2, ... as words.
std::uint64_t next_count = 0;
bool counting_entropy(std::span<std::byte> out) {
  for (std::size_t at = 0; at + 8 <= out.size(); at += 8, ++next_count) {
    std::memcpy(out.data() + at, &next_count, 8);
  }
  return out.size() % 8 == 0;
}
// The same page each time, so that two streams give the same words.
bool repeated_entropy(std::span<std::byte> out) {
  next_count = 0;
  return counting_entropy(out);
}
bool no_entropy(std::span<std::byte>) { return false; }
int calls_left = 0;
bool failing_entropy(std::span<std::byte> out) { return calls_left-- > 0 && counting_entropy(out); }

// No generator stands between: what the kernel gave is what the stream gives, so there is no key.
TEST(SecureStream, GivesTheWordsOfTheKernelEachOnce) {
  next_count = 0;
  auto stream = SecureStream::create(counting_entropy).value();
  for (std::uint64_t page = 0; page < 3; ++page) {
    for (std::uint64_t i = kPage; i-- > 0;) ASSERT_EQ(stream.next(), page * kPage + i);
  }
}

TEST(SecureStream, BlocksAreTheNextFourWords) {
  auto a = SecureStream::create(repeated_entropy).value();
  auto b = SecureStream::create(repeated_entropy).value();
  for (int round = 0; round < 300; ++round) {
    EXPECT_EQ(a.buffered(), 0);
    for (const std::uint64_t word : a.next_block()) ASSERT_EQ(word, b.next());
  }
  b.next();
  EXPECT_EQ(b.buffered(), 3);
}

TEST(SecureStream, FillsSpansAsRepeatedDrawsDo) {
  auto a = SecureStream::create(repeated_entropy).value();
  auto b = SecureStream::create(repeated_entropy).value();
  const auto noise = Laplace::create(0.0, 1.0).value();
  a.next(), b.next();
  std::vector<double> out(1003);
  noise.fill(a, out);
  for (const double x : out) ASSERT_EQ(x, noise.sample(b));
  EXPECT_EQ(a.next(), b.next());
}

TEST(SecureStream, MovesWithoutRepeatingAWord) {
  auto a = SecureStream::create(repeated_entropy).value();
  auto reference = SecureStream::create(repeated_entropy).value();
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
  constexpr std::size_t kCount = kPage + 100;  // beyond the page that both had
  Child child([&] {
    std::uint64_t words[kCount];
    for (std::uint64_t& word : words) word = stream.next();
    const ssize_t written = write(pipe_ends[1], words, sizeof(words));
    return written == static_cast<ssize_t>(sizeof(words)) ? 0 : 1;
  });
  close(pipe_ends[1]);
  std::set<std::uint64_t> mine;
  for (std::size_t i = 0; i < kCount; ++i) mine.insert(stream.next());
  std::uint64_t theirs[kCount];
  auto* at = reinterpret_cast<char*>(theirs);
  for (std::size_t left = sizeof(theirs); left > 0;) {
    const ssize_t got = read(pipe_ends[0], at, left);
    ASSERT_GT(got, 0);
    at += got, left -= static_cast<std::size_t>(got);
  }
  EXPECT_EQ(child.wait(), 0);
  for (const std::uint64_t word : theirs) EXPECT_FALSE(mine.contains(word));
  EXPECT_EQ(std::set<std::uint64_t>(theirs, theirs + kCount).size(), kCount);
  close(pipe_ends[0]);
}

TEST(SecureStream, WhatIsForgottenIsNotGiven) {
  next_count = 0;
  auto stream = SecureStream::create(counting_entropy).value();
  EXPECT_EQ(stream.next(), kPage - 1u);
  stream.forget();
  EXPECT_EQ(stream.buffered(), 0);
  EXPECT_EQ(stream.next(), 2 * kPage - 1u);
}

// The answers of a system that is interrupted, gives less than asked for, or fails.
std::vector<long> kernel_answers;  // bytes given, or -errno
long scripted(void* out, std::size_t bytes) {
  const long answer = kernel_answers.empty() ? -EIO : kernel_answers.front();
  if (!kernel_answers.empty()) kernel_answers.erase(kernel_answers.begin());
  if (answer < 0) {
    errno = static_cast<int>(-answer);
    return -1;
  }
  EXPECT_LE(static_cast<std::size_t>(answer), bytes);
  std::memset(out, 0x5a, static_cast<std::size_t>(answer));
  return answer;
}

TEST(KernelEntropy, AsksAgainUntilAllIsThere) {
  struct Case {
    std::vector<long> answers;
    bool filled;
  };
  const std::vector<Case> cases{{{100}, true},          {{-EINTR, -EINTR, 100}, true},
                                {{1, 60, 39}, true},    {{32, -EINTR, 68}, true},
                                {{-ENOSYS}, false},     {{-EPERM}, false},
                                {{99, -EFAULT}, false}, {{0}, false},
                                {{99, 0}, false}};
  for (const auto& [script, filled] : cases) {
    kernel_answers = script;
    std::vector<std::byte> out(100);
    EXPECT_EQ(detail::fill_by_requests(scripted, out), filled) << ::testing::PrintToString(script);
    EXPECT_TRUE(kernel_answers.empty());
    if (filled) {
      EXPECT_EQ(out, std::vector<std::byte>(100, std::byte{0x5a}));
    }
  }
}

// Looks for words in the memory of this process, by way of the kernel: what lies below the stack
// pointer is nobody's own.
class MemoryScan {
 public:
  MemoryScan() : memory_(open("/proc/self/mem", O_RDONLY | O_CLOEXEC)) { EXPECT_GE(memory_, 0); }
  ~MemoryScan() { close(memory_); }
  MemoryScan(const MemoryScan&) = delete;
  MemoryScan& operator=(const MemoryScan&) = delete;

  // Copies the dead stack, before later calls write over it.
  void keep_stack() {
    const auto top = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) & ~kPageMask;
    for (std::size_t at = 0; at < dead_stack_.size(); at += kPageMask + 1) {
      const auto from = static_cast<off_t>(top + kPageMask + 1 - dead_stack_.size() + at);
      kept_ += pread(memory_, dead_stack_.data() + at, kPageMask + 1, from) > 0 ? 1 : 0;
    }
  }
  int kept_pages() const { return kept_; }

  // In the copy, and in all memory that can be written, the stream's page included.
  std::size_t found(const std::vector<std::uint64_t>& masked, std::uint64_t mask) const {
    std::size_t count = found_in(dead_stack_, masked, mask);
    std::ifstream maps("/proc/self/maps");
    std::vector<unsigned char> piece(1 << 16);
    for (std::string line; std::getline(maps, line);) {
      std::uint64_t at = 0;
      std::uint64_t end = 0;
      char rights[5] = "";
      if (std::sscanf(line.c_str(), "%lx-%lx %4s", &at, &end, rights) != 3) continue;
      if (std::string_view(rights) != "rw-p" || end - at > kLargest) continue;
      for (; at < end; at += piece.size() - 8) {
        std::fill(piece.begin(), piece.end(), 0);
        const auto want = std::min<std::uint64_t>(piece.size(), end - at);
        if (pread(memory_, piece.data(), want, static_cast<off_t>(at)) <= 0) continue;
        count += found_in(piece, masked, mask);
      }
      std::fill(piece.begin(), piece.end(), 0);
    }
    return count;
  }

 private:
  static constexpr std::uintptr_t kPageMask = 4095;
  // A sanitizer maps terabytes of its own.
  static constexpr std::uint64_t kLargest = std::uint64_t{1} << (kSanitized ? 18 : 26);

  static std::size_t found_in(const std::vector<unsigned char>& bytes,
                              const std::vector<std::uint64_t>& masked, std::uint64_t mask) {
    std::size_t count = 0;
    for (std::size_t i = 0; i + 8 <= bytes.size(); i += 4) {
      std::uint64_t word;
      std::memcpy(&word, bytes.data() + i, 8);
      count += std::binary_search(masked.begin(), masked.end(), word ^ mask) ? 1 : 0;
    }
    return count;
  }

  int memory_;
  int kept_ = 0;
  std::vector<unsigned char> dead_stack_ = std::vector<unsigned char>(1 << 16);
};

// Draws words and keeps them only under a mask. The last few are drawn over what the caller's own
// frames may hold, and not looked for.
std::vector<std::uint64_t> drawn_words(SecureStream& stream, std::size_t count,
                                       std::uint64_t mask) {
  std::vector<std::uint64_t> masked(count + 8);
  for (std::uint64_t& word : masked) word = stream.next() ^ mask;
  masked.resize(count);
  return masked;
}

TEST(SecureStream, LeavesNoWordInMemoryThatItGave) {
  constexpr std::uint64_t kMask = 0xa5c3'96f0'1d2e'4b78u;
  constexpr std::size_t kGiven = 400;
  auto stream = SecureStream::create().value();
  for (int i = 0; i < kPage; ++i) stream.next();  // the next page is fetched by refill
  MemoryScan scan;
  auto masked = drawn_words(stream, kGiven, kMask);
  scan.keep_stack();
  std::sort(masked.begin(), masked.end());
  EXPECT_GE(scan.kept_pages(), 8);  // 32 KiB and more
  EXPECT_EQ(scan.found(masked, kMask), 0u);
  // The scan does find a word that is left.
  [[maybe_unused]] volatile std::uint64_t kept = masked[0] ^ kMask;
  EXPECT_GE(scan.found(masked, kMask), 1u);
}

TEST(SecureStream, IsNotMadeWithoutRandomness) {
  const auto error = error_of(SecureStream::create(no_entropy));
  EXPECT_EQ(error.code, ErrorCode::kIo);
  EXPECT_NE(error.message.find("no randomness"), std::string::npos);
}

TEST(SecureStreamDeathTest, StopsTheProcessWhenRandomnessEndsLater) {
  const auto draw = [] {
    calls_left = 1;
    auto stream = SecureStream::create(failing_entropy).value();
    for (int i = 0; i < kPage; ++i) stream.next();
    std::fputs("reached the end of the page\n", stderr);
    stream.next();
    std::_Exit(0);
  };
  EXPECT_DEATH(draw(), "reached the end of the page\nassay: .*no more randomness");
}

}  // namespace
}  // namespace assay
