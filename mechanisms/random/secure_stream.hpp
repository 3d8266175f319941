// SecureStream: random words that nobody can predict, for releasing real data.
//
// ChaCha20 keyed by the operating system's generator (getrandom), in pages of 4 KiB:
//   a page is the key stream of the page's key: the next key first, then 500 words            (1)
// The key of a page is overwritten by the next one as the page is made, and each word as it is
// given, so whoever reads the process's memory learns no word given before (forward secrecy). Every
// 256 pages (1 MB) fresh kernel randomness enters the key, so what was learnt is soon useless.
//
// One word, one use: the stream moves and cannot be copied. A child of fork does not repeat its
// parent's words: the page is one that the kernel wipes in the child (MADV_WIPEONFORK), which also
// says that no word is left, and the child takes a new key. The page is left out of core dumps.
// Failure: `create` fails where the kernel gives no randomness or no such page; later, no
// randomness ends the process (a word is never weak).
//
// Not erased: what a caller copies, the noise it draws included, and what the processor's registers
// or a swap file keep. Not secret: how many words were drawn (rejection samplers take a varying
// number) and when.
// Reference: Bernstein, "Fast-key-erasure random-number generators" (2017), for (1); RFC 8439.
// Threads: use one per thread. Cost: 9 ns per word.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

// Fills the span with unpredictable bytes, or says that it cannot.
using EntropySource = bool (*)(std::span<std::byte>);
bool kernel_entropy(std::span<std::byte> out);

class SecureStream {
 public:
  using Block = std::array<std::uint64_t, 4>;

  // Errors: no randomness, no memory that fork wipes. Another source is for tests.
  static Result<SecureStream> create(EntropySource entropy = kernel_entropy);

  SecureStream(SecureStream&& other) noexcept
      : page_(std::exchange(other.page_, nullptr)), entropy_(other.entropy_) {}
  SecureStream& operator=(SecureStream&& other) noexcept {
    std::swap(page_, other.page_);
    std::swap(entropy_, other.entropy_);
    return *this;
  }
  SecureStream(const SecureStream&) = delete;
  SecureStream& operator=(const SecureStream&) = delete;
  ~SecureStream();

  // The next 64 uniform bits.
  std::uint64_t next() {
    ASSAY_CHECK(page_ != nullptr, "a stream that was moved away has no words");
    if (page_->left == 0) [[unlikely]] {
      refill();
    }
    return take();
  }

  // The next four words at once, when buffered() == 0.
  int buffered() const { return static_cast<int>(page_->left % 4); }
  Block next_block() {
    ASSAY_CHECK(page_ != nullptr && page_->left % 4 == 0,
                "a whole block can only be taken between blocks");
    if (page_->left == 0) [[unlikely]] {
      refill();
    }
    Block out;
    for (std::uint64_t& word : out) word = take();
    return out;
  }

 private:
  static constexpr std::size_t kWords = 500;

  struct Page {                        // all zero in a forked child
    std::array<std::uint32_t, 8> key;  // of the next page
    std::uint64_t pages_left;          // until fresh randomness enters the key
    std::uint64_t left;                // words not yet given: words[0..left - 1]
    std::array<std::uint64_t, kWords> words;
  };

  SecureStream(Page* page, EntropySource entropy) : page_(page), entropy_(entropy) {}

  std::uint64_t take() { return std::exchange(page_->words[--page_->left], 0); }
  bool rekey();
  void make_page();
  void refill();

  Page* page_;
  EntropySource entropy_;
};

}  // namespace assay
