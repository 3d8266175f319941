// SecureStream: random words that nobody can predict, for releasing real data.
//
// The words are the operating system's (getrandom), taken 508 at a time into a page of memory. No
// generator runs in this process, so there is no key or state to learn: each word is overwritten in
// the page as it is given, and whoever reads the process's memory later learns no word given before
// (forward secrecy; the kernel's generator erases its own keys). A word still to be given is in the
// page, and nowhere else.
//
// One word, one use: the stream moves and cannot be copied. A child of fork does not
// repeat its parent's words: the page is one that the kernel wipes in the child
// (MADV_WIPEONFORK), which also says that no word is left, and the child fetches words of
// its own. The page is left out of core dumps.
// Copies of a whole machine are beyond the process: a virtual machine restored twice from one
// snapshot gives what was left in the page, up to 508 words, twice, to the same or to different
// data; two releases with the same noise reveal the difference of what they hide. What is fetched
// after that differs where the kernel learns of the restoration (VM Generation ID, Linux 5.18).
// Where snapshots are taken, call forget() after the restoration, or before each release.
// Failure: `create` fails where the kernel gives no randomness or no such page; later, no
// randomness ends the process (a word is never weak).
//
// Not erased: what a caller copies, the noise it draws included, and what the processor's registers
// or a swap file keep. Not secret: how many words were drawn (rejection samplers take a varying
// number) and when.
// Reference: getrandom(2); Donenfeld, "random: use computational hash for entropy extraction" and
// the notes in Linux's drivers/char/random.c, for the kernel's generator.
// Threads: use one per thread. Cost: 22 ns per word, nearly all of it the kernel's.
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

  // Wipes the words that were fetched and not given; the next one is fetched after this call.
  void forget();

 private:
  static constexpr std::size_t kWords = 508;

  struct Page {              // all zero in a forked child
    std::uint64_t left = 0;  // words not yet given: words[0..left - 1]
    std::array<std::uint64_t, kWords> words{};
  };

  SecureStream(Page* page, EntropySource entropy) : page_(page), entropy_(entropy) {}

  std::uint64_t take() { return std::exchange(page_->words[--page_->left], 0); }
  bool fetch();
  void refill();

  Page* page_;
  EntropySource entropy_;
};

namespace detail {

// One request to the system, as getrandom answers it: the bytes given, or -1 and errno.
using EntropyRequest = long (*)(void* out, std::size_t bytes);

// Asks until the span is full; an interrupted request is made again. False on any other failure.
bool fill_by_requests(EntropyRequest request, std::span<std::byte> out);

}  // namespace detail
}  // namespace assay
